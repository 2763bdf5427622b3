"""A film of steps: it begins at once, ends at the last step, begins anew, and stops where the reader touches it."""

import pytest

from tests.browser.conftest import UNFOLD

pytestmark = pytest.mark.nightly

PAGE = "learn/training/"


def test_a_head_learns_in_eight_seconds_and_a_hand_stops_it(open_page):
    page = open_page(PAGE, reduced_motion="no-preference")
    widget = page.locator("training-replay")
    widget.evaluate(UNFOLD)
    widget.scroll_into_view_if_needed()
    slider, says = widget.get_by_label("steps of training"), widget.locator("output")
    page.clock.install()
    widget.get_by_role("button", name="Play").press("Enter")
    assert slider.get_attribute("aria-valuetext") == "2 steps"
    page.clock.run_for(4_000)
    assert slider.get_attribute("aria-valuetext") == "52 steps"
    widget.get_by_role("button", name="Pause").press("Enter")
    page.clock.run_for(4_000)
    assert slider.get_attribute("aria-valuetext") == "52 steps"
    assert page.url.endswith("#~replay.at=26")
    widget.get_by_role("button", name="Play").press("Enter")
    page.clock.run_for(8_000)
    assert says.text_content().startswith("After 100 steps")
    widget.get_by_role("button", name="Again").press("Enter")
    assert slider.get_attribute("aria-valuetext") == "0 steps"
    page.clock.run_for(320)
    slider.press("ArrowLeft")
    page.clock.run_for(4_000)
    assert slider.get_attribute("aria-valuetext") == "2 steps"
    assert widget.get_by_role("button", name="Play").evaluate("e => e.checkVisibility()")


def test_where_motion_is_reduced_it_goes_on_in_ten_cuts(open_page):
    page = open_page(PAGE, reduced_motion="reduce")
    widget = page.locator("training-replay")
    widget.evaluate(UNFOLD)
    widget.scroll_into_view_if_needed()
    page.clock.install()
    widget.get_by_role("button", name="Play").press("Enter")
    assert widget.locator("output").text_content().startswith("After 10 steps")
    page.clock.run_for(800)
    assert widget.locator("output").text_content().startswith("After 20 steps")
