"""The rotation dial under the hand: an end stops both positions, and the result stays in sight."""

import pytest

from tests.browser.widget import Widget, assert_in_sight

pytestmark = pytest.mark.nightly

PAGE = "learn/relative-positions/"
CONTRACT = [Widget("rotation-dial", PAGE, "p0=13&p1=-1&t0=x", apart=".turn")]


def test_both_stay_where_one_cannot_move(widget):
    for slider, key, name in (("query", "End", "Both one on"), ("key", "Home", "Both one back")):
        widget.get_by_role("slider", name=f"position of the {slider}").press(key)
        before = widget.locator("thead .at").all_text_contents()
        widget.get_by_role("button", name=name).click()
        assert "both stay where they are" in widget.locator("output").text_content()
        assert widget.locator("thead .at").all_text_contents() == before


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_dot_product_is_in_sight(widget):
    assert_in_sight(widget, ".total")
