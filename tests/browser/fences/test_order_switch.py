"""The order switch under the hand: the row that stays chosen, and Reset."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/order/"
CONTRACT = [
    Widget(
        *("order-switch", PAGE, "swap=2&positions=&row=99"),
        **{"native": True, "apart": ".attention-grid output"},
    )
]
LIVE = ".attention-grid output"


def test_the_chosen_row_stays_when_the_words_are_swapped(widget):
    widget.locator("tbody label").nth(1).click()
    widget.get_by_label("Swap cat and dog").check()
    assert widget.locator("tbody :checked").get_attribute("value") == "1"
    assert widget.locator(LIVE).text_content().startswith("Query that: dog 1/2, that 1/4, cat 1/8")
    widget.locator("tbody label").nth(0).click()
    assert widget.locator(LIVE).text_content().startswith("Query dog: ")


def test_a_click_on_a_cell_chooses_its_row_and_reset_takes_all_back(widget, server):
    widget.get_by_label("Swap cat and dog").check()
    widget.locator("tbody tr").nth(0).locator("td").nth(3).click(position={"x": 3, "y": 3})
    assert widget.locator(LIVE).text_content().startswith("Query dog: ")
    widget.get_by_role("button", name="Reset").click()
    assert not widget.get_by_label("Swap cat and dog").is_checked()
    assert widget.locator("tbody :checked").get_attribute("value") == "4"
    assert widget.page.url == server + PAGE
