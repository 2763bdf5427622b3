"""Window and sink: random settings against the package, and what a sink takes."""

import numpy as np
import pytest

from attention import sliding_window_mask
from attention.example import EARLY5, S5, W_K, W_Q1, W_V, attend, embed
from docs_ext.html import numbers
from docs_ext.html.grid_table import statement
from docs_ext.reading import head
from tests.browser.widget import Widget, setting

pytestmark = pytest.mark.nightly

PAGE = "learn/windows-and-sinks/"
CONTRACT = [Widget("window-sink", PAGE, "left=9&sink=-1&row=7")]
X = embed(S5, EARLY5)
START = {"left": 2, "right": 0, "keep": 0, "sink": 0, "row": 4}
SHOWN = """widget => ({
  weights: [...widget.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll("td[data-weight]:not(.sink)")].map(cell => Number(cell.dataset.weight))),
  hatched: [...widget.querySelectorAll("td[data-weight]:not(.sink)")].map(cell => cell.hasAttribute("data-masked")),
  sinks: [...widget.querySelectorAll("td.sink")].map(
    cell => "weight" in cell.dataset ? Number(cell.dataset.weight) : null),
  outputs: [...widget.querySelectorAll("td.output")].map(cell => cell.textContent),
  says: widget.querySelector("output").textContent,
  readings: [...widget.querySelectorAll(".reading")].map(e => e.textContent),
  chosen: widget.querySelector("[data-chosen]").rowIndex - 1,
  checked: Number(widget.querySelector("[name=row]:checked").value),
})"""
SET = setting(SHOWN)


def assert_shows(widget, **case):
    assert_agrees(widget.evaluate(SHOWN), START | case)


def assert_agrees(shown, case):
    left, right, keep, sink, row = (case[name] for name in START)
    mask = sliding_window_mask(5, left=left, right=right) | (sliding_window_mask(5, left=None) & (np.arange(5) < keep))
    options = {"mask": mask} | ({"sink": (sink - 1) * np.log(2)} if sink else {})
    weights, output = attend(X, W_Q1, **options)
    np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
    assert shown["hatched"] == (~mask).ravel().tolist()
    if sink:
        np.testing.assert_allclose(shown["sinks"], 1 - weights.sum(axis=1), rtol=0, atol=1e-12)
    else:
        assert shown["sinks"] == [None] * 5
    assert shown["outputs"] == [numbers.vector(one) for one in output]
    one = head.Head(S5, S5, X @ W_Q1, X @ W_K, X @ W_V, options, weights, mask, output)
    assert shown["says"] == statement(one, row)
    assert shown["chosen"] == shown["checked"] == row
    doublings = f"{sink - 1} doubling{'' if sink == 2 else 's'}" if sink else "off"
    assert shown["readings"] == [str(left), str(right), str(keep), doublings]


def test_any_setting_shows_what_the_package_computes(widget):
    rng = np.random.default_rng(3)
    cases = [dict(zip(START, rng.integers(0, [5, 5, 5, 8, 5]).tolist(), strict=True)) for _ in range(100)]
    for case in cases:
        shown = widget.evaluate(SET, case)
        assert_agrees(shown, case)


def test_a_mouse_moves_sliders_and_chooses_rows(widget):
    slider = widget.get_by_label("words back")
    box = slider.bounding_box()
    slider.click(position={"x": 2, "y": box["height"] / 2})
    assert_shows(widget, left=0)
    slider.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    assert_shows(widget, left=4)
    widget.get_by_label("that", exact=True).check()
    assert_shows(widget, left=4, row=1)
