"""The decode stepper: every step, under every rule, against the package."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.fences import decode_stepper
from docs_ext.html.numbers import number, share, vector
from docs_ext.reading.head import read_head
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/decoding/"
CONTRACT = [Widget("decode-stepper", PAGE, "step=9&sees=none")]
X = embed(S5, EARLY5)
HEAD = read_head({"tokens": S5, "x": X, "w_q": W_Q1, "w_k": W_K, "w_v": W_V})
SHOWN = """widget => ({
  says: widget.querySelector("output").textContent,
  states: [...widget.querySelectorAll(".steps tbody tr")].map(row => [row.dataset.state, row.cells[1].textContent]),
  cells: [...widget.querySelectorAll(".steps tbody tr")].map(row => [...row.cells].slice(2).map(e => e.textContent)),
  weights: [...widget.querySelectorAll(".steps tbody tr")].map(row => Number(row.cells[4].dataset.weight)),
  sums: [...widget.querySelectorAll("tfoot td")].map(e => e.textContent).filter(Boolean),
  reading: widget.querySelector(".reading").textContent,
  stops: [...widget.querySelectorAll("[aria-disabled]")].map(e => e.ariaDisabled === "true"),
})"""


def choose(widget, sees):
    widget.locator(f"input[value={sees}]").check()


def press(widget, name):
    widget.get_by_role("button", name=name).click(force=True)  # also a button that says it is disabled


def assert_shows(widget, t, sees):
    shown, step = widget.evaluate(SHOWN), decode_stepper.run(HEAD, sees, 2)[t - 1]
    states = ["pushed out"] * step.first + ["cached"] * (t - 1 - step.first) + ["new"] + ["to come"] * (5 - t)
    assert shown["states"] == [[state, state] for state in states]
    expected = np.zeros(5)
    expected[step.first : t] = step.weights
    np.testing.assert_allclose(shown["weights"], expected, rtol=0, atol=1e-12)
    for j, cells in enumerate(shown["cells"]):
        if not step.first <= j < t:
            assert cells == [""] * 5
            continue
        allowed = step.allowed[j - step.first]
        weight = share(expected[j]) if allowed else "masked"
        score = number(step.scores[j - step.first])
        part = vector(expected[j] * HEAD.v[j])
        assert cells == [vector(HEAD.k[j]), score, weight, vector(HEAD.v[j]), part]
    assert shown["sums"] == ["1", vector(step.output)]
    assert shown["says"] == decode_stepper.statement(S5, step, sees)
    assert shown["reading"] == str(t)
    assert shown["stops"] == [t == 1, t == 5]


def test_every_step_shows_what_the_package_computes(widget):
    assert_shows(widget, 3, "all")
    for sees, t in itertools.product(decode_stepper.SEES, range(1, 6)):
        choose(widget, sees)
        widget.get_by_label("step", exact=True).fill(str(t))
        assert_shows(widget, t, sees)


def test_buttons_go_on_and_back_and_stop_at_the_ends(widget):
    for t in (4, 5, 5):
        press(widget, "Next token")
        assert_shows(widget, t, "all")
    for t in (4, 3, 2, 1, 1):
        press(widget, "Back")
        assert_shows(widget, t, "all")
