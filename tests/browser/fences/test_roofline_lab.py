"""The roofline lab under the hand: the dot is dragged along the roof, and the arrow keys go on from there."""

import pytest

pytestmark = pytest.mark.nightly
PAGE = "learn/speed/"


def test_the_dot_that_is_dragged_writes_more_texts(widget, page):
    label, field = widget.locator(".matrices:visible text"), widget.locator(".axes:visible").bounding_box()
    box = widget.locator(".of-matrices:visible").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 6 * field["width"] / 20, y, steps=4)  # six doublings of 20
    assert (label.text_content(), "batch" in page.url) == (
        "matrices, 64 texts",
        False,
    )  # the address waits for the hand
    page.mouse.up()
    page.wait_for_url("**roof.batch=6**")
    page.keyboard.press("ArrowRight")
    assert label.text_content() == "matrices, 128 texts"
    assert widget.get_by_role("slider", name="texts").get_attribute("aria-valuetext") == "128 texts"
