"""The tile stepper: every order and size against the package, and steps that go round."""

import pytest

from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.fences import tile_stepper
from docs_ext.html import numbers
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/memory/"
CONTRACT = [Widget("tile-stepper", PAGE, "order=sideways&size=9&step=0")]
X = embed(S5, EARLY5)
SCORES = [3, 2, 0, 1, 0]
SHOWN = """widget => ({
  rows: [...widget.querySelectorAll("tbody tr")].map(row => [...row.cells].map(cell => cell.textContent)),
  says: widget.querySelector("output").textContent,
})"""


def button(widget, name):
    return widget.get_by_role("button", name=name, exact=True)


def size(widget):
    return widget.get_by_role("slider", name="words in a tile")


def assert_shows(widget, order="first to last", tile=2, shown=None):
    """Compare the table and the sentence with what the build would write."""
    tiles = tile_stepper.tiles_of(5, tile, order)
    steps = list(tile_stepper.trace(X[4:] @ W_Q1, X @ W_K, X @ W_V, tiles))
    shown = len(steps) if shown is None else shown
    seen = widget.evaluate(SHOWN)
    expected = []
    for n, step in enumerate(steps, 1):
        registers = [
            "none" if n == 1 else f"\N{MULTIPLICATION SIGN} {numbers.number(step.rescale)}",
            *map(numbers.number, (step.m, step.l)),
            *map(numbers.vector, (step.o, step.so_far)),
        ]
        words, scores = ([str(row[key]) for key in step.tile] for row in (S5, SCORES))
        cells = registers if n <= shown else [""] * len(registers)
        expected.append([str(n), ", ".join(words), ", ".join(scores), *cells])
    assert seen["rows"] == expected
    assert seen["says"] == tile_stepper.says(steps, shown, order, tile)


def test_every_order_and_size_shows_what_the_package_computes(widget):
    for order in tile_stepper.ORDERS:
        widget.get_by_role("radio", name=order).check()
        for tile in range(1, 6):
            size(widget).fill(str(tile))
            assert_shows(widget, order, tile)
            assert widget.evaluate(SHOWN)["rows"][-1][-1] == "(5, 2)"


def test_step_and_back_go_round(widget):
    assert_shows(widget)
    for shown in (1, 2, 3, 1):
        button(widget, "Step").click()
        assert_shows(widget, shown=shown)
    for shown in (3, 2, 1, 3):
        button(widget, "Back").click()
        assert_shows(widget, shown=shown)
