"""The wavelengths under the hand: a base that is typed, and the counts on a phone."""

import pytest

from tests.browser.widget import Widget, assert_in_sight

pytestmark = pytest.mark.nightly

PAGE = "learn/distance/"
CONTRACT = [Widget("wave-lengths", PAGE, "rule=magic&s=9&n=1&base=1&d=12")]


def test_a_base_may_be_typed_and_one_that_cannot_be_read_is_told(widget):
    base, says, error = widget.get_by_label("base", exact=True), widget.locator("output"), widget.locator(".error")
    first = says.text_content()
    base.fill("1e6/2")
    base.press("Tab")
    after = says.text_content()
    assert after != first
    assert "base=1e6%2F2" in widget.page.url
    base.fill("1")
    base.press("Tab")
    assert "out of range" in error.text_content()
    assert says.text_content() == after  # the last good one counts
    assert base.input_value() == "1"
    base.fill("1e4")
    base.press("Tab")
    assert (error.text_content(), says.text_content()) == ("", first)


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_counts_of_new_angles_are_in_sight(widget):
    assert_in_sight(widget, "tbody tr:first-child td:nth-child(2)")
