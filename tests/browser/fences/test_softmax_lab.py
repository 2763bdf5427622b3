"""The softmax lab under the hand: a pile is dragged to another score, and the arrow keys go on from there."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/scores-and-softmax/"


def test_a_pile_that_is_dragged_doubles_with_each_notch(widget, page):
    shown = widget.locator(".scores b").nth(3)
    box = widget.locator(".pile").nth(3).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 4
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 48, steps=4)
    assert shown.text_content() == "3"
    assert "s3" not in page.url  # the address waits for the hand
    page.mouse.up()
    assert "lab.s3=3" in page.url
    assert widget.locator(".shares td b").nth(3).text_content() == "8/22"
    page.keyboard.press("ArrowDown")
    assert shown.text_content() == "2"
    page.mouse.move(x, y - 200)
    assert shown.text_content() == "2"
