"""The order switch: four cases against the package, and the row that stays chosen."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY5, S5, T5, W_Q1, attend, embed
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/order/"
CONTRACT = [
    Widget(
        *("order-switch", PAGE, "swap=2&positions=&row=99"),
        **{"native": True, "apart": "attention-grid output"},
    )
]
SHOWN = """widget => ({
  says: widget.querySelector(":scope > output").textContent,
  words: [...widget.querySelectorAll("thead th.key")].map(e => e.firstChild.textContent),
  weights: [...widget.querySelectorAll(".attention-grid tbody tr")].map(
    row => [...row.querySelectorAll("td[data-weight]")].map(cell => Number(cell.dataset.weight))),
  output: [...widget.querySelectorAll("td.output")].map(cell => JSON.parse(cell.dataset.output)),
  row: widget.querySelector("tbody :checked").value,
  live: widget.querySelector(".attention-grid output").textContent,
})"""
RAN = {  # swapped, positions: what ran receives
    (False, True): "5 parts cat and 2 parts dog",
    (False, False): "3 parts cat and 3 parts dog",
    (True, True): "2 parts cat and 5 parts dog",
    (True, False): "3 parts cat and 3 parts dog",
}


def ready(page):
    page.locator("order-switch .attention-grid output").wait_for()
    return page.locator("order-switch")


@pytest.fixture
def widget(page):
    """Open the page once; every test begins with the default."""
    widget = ready(page)
    widget.get_by_label("Swap cat and dog").uncheck()
    widget.get_by_label("Words know their positions").check()
    widget.locator("tbody label").nth(4).click()
    return widget


def assert_shows(widget, swapped, positions):
    shown, words = widget.evaluate(SHOWN), T5 if swapped else S5
    how = "with" if positions else "without"
    assert shown["says"] == f"{' '.join(words)}, {how} positions: ran now carries {RAN[swapped, positions]}."
    assert shown["words"] == words
    weights, output = attend(embed(words, EARLY5 if positions else None), W_Q1)
    np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shown["output"], output, rtol=0, atol=1e-12)


def test_the_switches_show_what_the_package_computes(widget):
    assert_shows(widget, False, True)
    swap, positions = widget.get_by_label("Swap cat and dog"), widget.get_by_label("Words know their positions")
    for swapped, known in itertools.product((True, False), (False, True)):
        swap.set_checked(swapped)
        positions.set_checked(known)
        assert_shows(widget, swapped, known)
        assert widget.locator(".attention-grid").count() == 1


def test_the_chosen_row_stays_when_the_words_are_swapped(widget):
    widget.locator("tbody label").nth(1).click()
    widget.get_by_label("Swap cat and dog").check()
    widget.locator(".attention-grid output").wait_for()
    shown = widget.evaluate(SHOWN)
    assert shown["row"] == "1"
    assert shown["live"].startswith("Query that: dog 1/2, that 1/4, cat 1/8")
    widget.locator("tbody label").nth(0).click()
    assert widget.evaluate(SHOWN)["live"].startswith("Query dog: ")


def test_a_click_on_a_cell_chooses_its_row_and_reset_takes_all_back(widget, server):
    widget.get_by_label("Swap cat and dog").check()
    widget.locator("tbody tr").nth(0).locator("td").nth(3).click(position={"x": 3, "y": 3})
    assert widget.evaluate(SHOWN)["live"].startswith("Query dog: ")
    assert widget.get_by_role("button", name="Reset").count() == 1
    widget.get_by_role("button", name="Reset").click()
    assert_shows(widget, False, True)
    assert widget.evaluate(SHOWN)["row"] == "4"
    assert widget.page.url == server + PAGE
