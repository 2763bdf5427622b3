"""Sentence and arcs: what is seen in every state of the switches against the package."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY, SENTENCE, SWAPPED, W_Q1, attend, embed
from docs_ext.html.numbers import number

pytestmark = pytest.mark.nightly

PAGE = ""  # the first
SHOWN = """widget => {
  const seen = selector => [...widget.querySelectorAll(selector)]
    .filter(e => e.checkVisibility({visibilityProperty: true}));
  return {
    words: seen(".words label > span").map(e => e.firstChild.data),
    weights: seen(".shares > span").map(e => Number(e.dataset.weight)),
    outputs: seen(".blend").map(e => [...e.querySelectorAll(":scope > b")].map(b => b.textContent)),
    arcs: [...widget.querySelectorAll("path")].filter(e => getComputedStyle(e.parentElement).display !== "none")
      .map(e => [Number(e.dataset.key), parseFloat(getComputedStyle(e).strokeWidth)]),
    prompt: seen(".prompt").map(e => e.innerText),
    says: seen(".statements > *").map(e => e.textContent.replace(/\\s+/g, " ")),
  };
}"""


def assert_shows(widget, row, *, swapped=False, positions=True):
    shown, words = widget.evaluate(SHOWN), SWAPPED if swapped else SENTENCE
    weights, output = attend(embed(words, EARLY if positions else None), W_Q1)
    assert shown["words"] == words
    assert shown["outputs"] == [[number(part) for part in output[row]]]
    (says,) = shown["says"]
    place = f"{' '.join(words)}, {'with' if positions else 'without'} positions: "
    assert says.startswith(f"{place}{words[row]} asks: ")
    np.testing.assert_allclose(shown["weights"], weights[row], rtol=0, atol=1e-12)
    drawn = [width for _, width in sorted(shown["arcs"])]
    np.testing.assert_allclose(drawn, np.maximum(34 * weights[row], 1.5), rtol=1e-4)
    assert not shown["prompt"]


def test_it_asks_before_it_shows_and_every_state_shows_what_the_package_computes(widget):
    shown = widget.evaluate(SHOWN)
    assert shown["prompt"] == ["Who ran? Decide first, then choose a word."]
    assert [shown["weights"], shown["outputs"], shown["arcs"], shown["says"]] == [[], [], [], [""]]
    height = widget.bounding_box()["height"]
    swap, known = widget.get_by_label("Swap cats and dogs"), widget.get_by_label("Words know their places")
    for swapped, positions in itertools.product((True, False), (False, True)):
        swap.set_checked(swapped)
        known.set_checked(positions)
        for row in range(5):
            widget.locator(".words label").nth(row).click()
            assert_shows(widget, row, swapped=swapped, positions=positions)
    assert widget.bounding_box()["height"] == height  # nothing below moves
