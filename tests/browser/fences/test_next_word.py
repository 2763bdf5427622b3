"""<next-word> under the hand: words typed, taken and written, weights that come when they are needed."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/from-text-to-next-word/"
RECORD = "assets/records/little_model.json"


def says(widget, words):
    widget.locator("output", has_text=words).wait_for()


def test_what_is_typed_is_added_and_what_cannot_be_read_stays_to_be_mended(widget):
    field = widget.get_by_label("type words")
    field.fill("RAN. Ann has coco")
    field.press("Enter")
    says(widget, "“coco” (the nearest: cocoa,")
    assert field.input_value() == "RAN. Ann has coco"
    field.fill("RAN. Ann\nhas cocoa. Bob has tea. Ann drinks")
    field.press("Enter")
    says(widget, "likeliest word after Ann drinks is cocoa")
    assert field.input_value() == ""
    field.fill("a cat runs . " * 10)
    widget.get_by_role("button", name="Add").click()
    says(widget, "the first 16 have been left out")
    assert widget.locator(".words label").count() == 40


def test_a_bar_a_word_and_the_model_itself_go_on_with_the_text(widget):
    widget.locator(".next button").first.click()
    widget.locator(".vocabulary").get_by_role("button", name="?", exact=True).click()
    widget.get_by_role("button", name="Remove the last word").click()
    widget.get_by_role("button", name="Write a sentence").click()
    says(widget, "after cats who chased dogs ran. is")
    widget.page.wait_for_url("**text=cats+who+chased+dogs+ran+.&**")
    widget.get_by_role("button", name="Clear").click()
    says(widget, "The text is empty")
    assert widget.locator(".next, .stage").count() == 0
    widget.locator(".vocabulary").get_by_role("button", name="hens").click()
    says(widget, "likeliest word after hens is")
