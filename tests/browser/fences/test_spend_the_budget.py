"""Spending a budget by hand: places that take blocks and give them back, and paper that gives nothing away."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/line-by-line/"


def says(widget):
    return widget.locator("output").text_content()


def test_a_click_fills_the_places_before_it_and_the_last_block_comes_back(widget):
    places = widget.locator("tbody .lane").first.locator("i")
    places.nth(7).click()
    assert says(widget).endswith("8/16. 8 blocks in your hand.")
    places.nth(7).click()
    assert says(widget).endswith("7/16. 9 blocks in your hand.")
    widget.locator("tbody .lane").nth(1).locator("i").nth(15).click()
    assert says(widget).endswith("9/16. All blocks are laid.")
    more = widget.locator(".hand button").first
    more.click(force=True)  # it says that it is disabled
    assert says(widget) == "All 16 blocks are laid."


def test_paper_shows_the_weights_only_to_a_reader_who_has_asked(widget):
    page, weights = widget.page, widget.locator("tbody td:last-child")
    for name, expected in (("Show", ["8/16", "4/16", "1/16", "2/16", "1/16"]), ("Hide", ["?"] * 5)):
        widget.get_by_role("button", name=name).click()
        page.emulate_media(media="print")
        seen, told = weights.all_inner_texts(), says(widget)
        page.emulate_media(media="screen")
        assert seen == expected
        assert ("8/16" in told) == (name == "Show")
