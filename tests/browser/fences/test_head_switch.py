"""The head switch: all cases against the package."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY5, S5, T5, W_K, W_O, W_Q1, W_Q2, W_V, attend, embed
from docs_ext.fences import head_switch
from docs_ext.html.numbers import vector
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/heads/"
CONTRACT = [Widget("head-switch", PAGE, "order=2&heads=&asks=9")]
SPEC = {"sentences": [S5, T5], "positions": EARLY5, "w_q": [W_Q1, W_Q2], "w_k": W_K, "w_v": W_V, "w_o": W_O}
CASES = head_switch._cases(SPEC)
SHOWN = """widget => ({
  says: widget.querySelector("output").textContent,
  words: [...widget.querySelectorAll("thead th.key")].map(e => e.textContent),
  askers: [...widget.querySelectorAll("fieldset:last-of-type label")].map(e => e.textContent),
  weights: [...widget.querySelectorAll(".weights tbody tr")].map(
    row => [...row.querySelectorAll("td[data-weight]")].map(cell => Number(cell.dataset.weight))),
  bars: [...widget.querySelectorAll("td[data-weight]")].map(cell => Number(cell.style.getPropertyValue("--w"))),
  blends: [...widget.querySelectorAll(".weights tbody .output")].map(cell => cell.textContent),
  seen: [...widget.querySelectorAll(".weights tbody tr")].filter(row => row.checkVisibility()).length,
  handed: [...widget.querySelectorAll("tfoot td")].map(cell => cell.textContent),
})"""


def choose(widget, name, position):
    widget.locator(f"input[name={name}]").nth(position).check()


def assert_shows(widget, order, averaged, row):
    shown, words = widget.evaluate(SHOWN), (S5, T5)[order]
    assert shown["words"] == shown["askers"] == words
    x = embed(words, EARLY5)
    heads = [attend(x, w_q) for w_q in (W_Q1, W_Q2)]
    weights = [heads[0][0][row], heads[1][0][row], (heads[0][0][row] + heads[1][0][row]) / 2]
    np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shown["bars"], np.ravel(weights), rtol=0, atol=1e-12)
    blends = np.array(weights) @ (x @ W_V)
    assert shown["blends"] == [vector(blend) for blend in blends]
    assert shown["seen"] == 2 + averaged
    joined = np.concatenate(blends[:2]) @ W_O
    assert shown["handed"][1] == vector(blends[2] if averaged else joined)
    one = head_switch.receive(CASES[order], row)
    assert shown["handed"][0] == ("the average alone" if averaged else f"{head_switch.long_row(one)} times WO")
    assert shown["says"] == head_switch.statement(CASES, order, int(averaged), row)


def test_every_case_shows_what_the_package_computes(widget):
    assert_shows(widget, 0, False, 2)
    for order, averaged, row in itertools.product((1, 0), (True, False), range(5)):
        choose(widget, "order", order)
        choose(widget, "heads", int(averaged))
        choose(widget, "asks", row)
        assert_shows(widget, order, averaged, row)
