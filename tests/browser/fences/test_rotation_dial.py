"""The rotation dial under the hand: an end stops both positions, and it is said."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/relative-positions/"


def test_both_stay_where_one_cannot_move(widget):
    for slider, key, name in (("query", "End", "Both one on"), ("key", "Home", "Both one back")):
        widget.get_by_role("slider", name=f"position of the {slider}").press(key)
        before = widget.locator("thead .at").all_text_contents()
        widget.get_by_role("button", name=name).click()
        assert "both stay where they are" in widget.locator("output").text_content()
        assert widget.locator("thead .at").all_text_contents() == before
