"""The softmax lab under the hand: a pile is dragged to another score, and the arrow keys go on from there."""

import pytest

pytestmark = pytest.mark.nightly
PAGE = "learn/scores-and-softmax/"


def test_a_pile_that_is_dragged_doubles_with_each_notch(widget, page):
    pile, weight = (widget.locator(css).nth(3) for css in (".pile", ".shares td b"))
    pile.hover()
    page.mouse.down()
    box = pile.bounding_box()
    page.mouse.move(box["x"] + 9, box["y"] + box["height"] / 2 - 48, steps=4)
    assert (weight.text_content(), "s3" in page.url) == ("8/22", False)  # the address waits for the hand
    page.mouse.up()
    page.wait_for_url("**lab.s3=3**")
    page.keyboard.press("ArrowDown")
    assert weight.text_content() == "4/18"
