"""Sentence and arcs: what is seen in every state of the switches against the package."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY, SENTENCE, SWAPPED, W_Q1, attend, embed
from docs_ext.html.numbers import number

pytestmark = pytest.mark.nightly

PAGE = ""  # the first
SHOWN = """widget => {
  const seen = selector => [...widget.querySelectorAll(selector)].filter(e => e.checkVisibility());
  return {
    words: seen(".words label > span").map(e => e.firstChild.data),
    weights: seen(".shares > span").map(e => Number(e.dataset.weight)),
    outputs: seen(".blend").map(e => [...e.querySelectorAll(":scope > b")].map(b => b.textContent)),
    arcs: [...widget.querySelectorAll("path")].filter(e => getComputedStyle(e.parentElement).display !== "none")
      .map(e => [Number(e.dataset.key), parseFloat(getComputedStyle(e).strokeWidth)]),
    silence: seen(".silence").map(e => e.innerText),
    says: [...widget.querySelectorAll(".statements > *")]
      .filter(e => e.checkVisibility({visibilityProperty: true})).map(e => e.textContent.replace(/\\s+/g, " ")),
  };
}"""


def choose(widget, row):
    widget.locator(".words label").nth(row).click()


def assert_shows(widget, row=6, *, swapped=False, positions=True):
    shown, words = widget.evaluate(SHOWN), SWAPPED if swapped else SENTENCE
    weights, output = attend(embed(words, EARLY if positions else None), W_Q1)
    assert shown["words"] == words
    assert shown["outputs"] == [[number(part) for part in output[row]]]
    (says,) = shown["says"]
    assert says.startswith(f"{' '.join(words)}, {'with' if positions else 'without'} positions: {words[row]} ")
    if words[row] in ("who", "chased", "ran"):
        np.testing.assert_allclose(shown["weights"], weights[row], rtol=0, atol=1e-12)
        drawn = [width for _, width in sorted(shown["arcs"])]
        np.testing.assert_allclose(drawn, np.maximum(34 * weights[row], 1.5), rtol=1e-4)
        assert not shown["silence"]
    else:
        assert (shown["weights"], shown["arcs"]) == ([], [])
        assert shown["silence"] == [f"{words[row]} asks nothing,\nso every word gets the same share."]


def test_every_state_shows_what_the_package_computes(widget):
    assert_shows(widget)
    swap, known = widget.get_by_label("Swap cat and dog"), widget.get_by_label("Words know their positions")
    for swapped, positions in itertools.product((True, False), (False, True)):
        swap.set_checked(swapped)
        known.set_checked(positions)
        for row in range(7):
            choose(widget, row)
            assert_shows(widget, row, swapped=swapped, positions=positions)
