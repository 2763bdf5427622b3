"""<next-word> under the hand: words that are typed."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/from-text-to-next-word/"


def says(widget, words):
    widget.locator("output", has_text=words).wait_for()


def test_what_is_typed_is_added_and_what_cannot_be_read_stays_to_be_mended(widget):
    field = widget.get_by_label("type words")
    field.fill("RAN. Ann has coco")
    field.press("Enter")
    says(widget, "knows: “coco”.")
    assert field.input_value() == "RAN. Ann has coco"
    field.fill("RAN. Ann\nhas cocoa. Bob has tea. Ann drinks")
    field.press("Enter")
    says(widget, "likeliest word after Ann drinks is cocoa")
    assert field.input_value() == ""
    field.fill("a cat runs . " * 10)
    widget.get_by_role("button", name="Add").press("Enter")
    says(widget, "the first 16 have been left out")
    assert widget.locator(".words label").count() == 40
