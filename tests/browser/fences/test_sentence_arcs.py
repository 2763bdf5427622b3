"""Sentence and arcs: every state against the package, by keys, by its link, and without scripts."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY7, S7, T7, W_Q7, attend, embed
from docs_ext.html import arcs
from tests.browser.conftest import DESKTOP

pytestmark = pytest.mark.nightly

PAGE = ""  # the first
SHOWN = """widget => {
  const seen = selector => [...widget.querySelectorAll(selector)].filter(e => e.checkVisibility());
  return {
    words: seen(".words label > span").map(e => e.firstChild.data),
    weights: seen(".shares > span").map(e => Number(e.dataset.weight)),
    outputs: seen(".blend").map(e => JSON.parse(e.dataset.output)),
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
    shown, words = widget.evaluate(SHOWN), T7 if swapped else S7
    weights, output = attend(embed(words, EARLY7 if positions else None), W_Q7)
    assert shown["words"] == words
    np.testing.assert_allclose(shown["outputs"], output[[row]], rtol=0, atol=1e-12)
    (says,) = shown["says"]
    assert says.startswith(f"{' '.join(words)}, {'with' if positions else 'without'} positions: {words[row]} ")
    if words[row] in ("that", "chased", "ran"):
        np.testing.assert_allclose(shown["weights"], weights[row], rtol=0, atol=1e-12)
        drawn = [width for _, width in sorted(shown["arcs"])]
        np.testing.assert_allclose(drawn, list(map(arcs.thickness, weights[row])), rtol=1e-4)
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


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_shows_the_whole_sentence(widget, width):
    widget.page.set_viewport_size({"width": width, "height": 844})
    box = widget.evaluate("e => [e.querySelector('.scroll').scrollWidth - e.querySelector('.scroll').clientWidth]")
    words = widget.locator(".words label").evaluate_all("""labels => labels.map(label => {
      const around = label.getBoundingClientRect(), text = document.createRange();
      text.selectNodeContents([...label.children].find(e => e.localName === "span" && e.checkVisibility()).firstChild);
      const within = text.getBoundingClientRect();
      return [around.left, within.left, within.right, around.right, innerWidth];
    })""")
    widget.page.set_viewport_size(DESKTOP)
    assert box == [0]
    for left, begins, ends, right, edge in words:
        assert 0 <= left <= begins < ends <= right <= edge
