"""Spending a budget by hand: paper gives nothing away."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/line-by-line/"


def says(widget):
    return widget.locator("output").text_content()


def test_paper_shows_the_weights_only_to_a_reader_who_has_asked(widget):
    page, weights = widget.page, widget.locator("tbody td:last-child")
    for name, expected in (("Show", ["8/16", "4/16", "1/16", "2/16", "1/16"]), ("Hide", ["?"] * 5)):
        widget.get_by_role("button", name=name).press("Enter")
        page.emulate_media(media="print")
        seen, told = weights.all_inner_texts(), says(widget)
        page.emulate_media(media="screen")
        assert seen == expected
        assert ("8/16" in told) == (name == "Show")
