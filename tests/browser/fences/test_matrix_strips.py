"""The strips of X times three matrices: what is marked and said for a choice, with scripts and without."""

import numpy as np
import pytest

from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.fences import matrix_strips
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/queries-keys-values/"
CONTRACT = [Widget("matrix-strips", PAGE, "row=5&column=10 row=-1&column=x", native=True)]
SPEC = {"meet": ["noun", "early", "asks", "which"], "give": ["cat", "dog"], "features": ["cat", "dog", "asks", "early"]}
SPEC |= {"tokens": "S5", "x": "embed(S5, EARLY5)", "w_q": "W_Q1", "w_k": "W_K", "w_v": "W_V"}
SPEC |= {"unit": {"name": "ln 2", "size": "np.log(2)"}}
X, MATRICES = embed(S5, EARLY5), (W_Q1 / np.log(2), W_K, W_V)
COLUMNS = [(which, column) for which, matrix in enumerate(MATRICES) for column in range(matrix.shape[1])]
# The numbers of all cells with a mark, of X, of the matrices, and where row and column meet.
MARKED = """strips => {
  const marked = (selector, width) => [...strips.querySelectorAll(selector)]
    .filter(e => parseFloat(getComputedStyle(e).outlineWidth) >= width).map(e => Number(e.dataset.number));
  return [marked(".given tbody td", 2), marked(".panel > .strips tbody td", 2), marked(".made tbody td", 3)];
}"""
SEEN = """strips => [...strips.querySelectorAll(".panel")]
  .filter(e => getComputedStyle(e.firstElementChild).clipPath === "none").map(e => e.className.split(" ")[1])"""


def choose(widget, row, column):
    """Choose by a click on the heads."""
    widget.locator(".given tbody label").nth(row).click()
    widget.locator(".panel thead label").nth(column).click()


def assert_shows(widget, row, column):
    which, own = COLUMNS[column]
    matrix = MATRICES[which]
    made = X @ matrix
    marked = widget.evaluate(MARKED)
    for shown, expected in zip(marked, (X[row], matrix[:, own], [made[row, own]]), strict=True):
        np.testing.assert_allclose(shown, expected, rtol=0, atol=1e-12)
    product = matrix_strips._read(SPEC)[3][which]
    assert widget.locator("output").text_content() == matrix_strips.statement(S5[row], X[row], product, row, own)


def test_row_and_column_are_marked_and_their_products_said(widget):
    assert_shows(widget, 0, 5)
    for row in range(len(S5)):
        for column in (row, row + 5):
            choose(widget, row, column)
            assert_shows(widget, row, column)


def test_a_click_on_a_number_chooses_what_made_it(widget):
    widget.locator(".panel.value .made tbody tr").nth(3).locator("td").nth(1).click()
    assert_shows(widget, 3, 9)
    widget.locator(".panel.query > .strips tbody tr").nth(2).locator("td").nth(0).click()
    assert_shows(widget, 3, 0)
    widget.locator(".given tbody tr").nth(4).locator("td").nth(2).click()
    assert_shows(widget, 4, 0)
    assert widget.page.url.endswith("#~matrix-strips-1.row=4&matrix-strips-1.column=0")


def test_arrow_keys_go_through_words_and_through_the_columns_of_all_matrices(widget):
    widget.locator(".given input:checked").focus()
    widget.page.keyboard.press("ArrowDown")
    assert_shows(widget, 1, 5)
    widget.locator(".panel input:checked").focus()
    for column in (6, 7, 8):
        widget.page.keyboard.press("ArrowRight")
        assert_shows(widget, 1, column)


@pytest.mark.usefixtures("on_phone")
def test_a_phone_shows_one_matrix_and_a_tap_or_a_key_the_next(widget):
    assert widget.evaluate(SEEN) == ["key"]
    widget.locator(".which label").nth(2).click()
    assert widget.evaluate(SEEN) == ["value"]
    assert_shows(widget, 0, 8)
    widget.locator(".panel input:checked").focus()
    widget.page.keyboard.press("ArrowLeft")
    assert widget.evaluate(SEEN) == ["key"]
    assert_shows(widget, 0, 7)
