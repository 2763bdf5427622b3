"""The precision lab: every cell, for random choices of formats and lengths, against Python's rounding."""

import numpy as np
import pytest

from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.fences import precision_lab
from tests.browser.widget import Widget, assert_in_sight, setting

pytestmark = pytest.mark.nightly

PAGE = "learn/bits/"
CONTRACT = [Widget("precision-lab", PAGE, "operands=float12&scores=x&softmax=8&output=none&copies=15")]
X = embed(S5, EARLY5)
HEAD = X @ W_Q1, X @ W_K, X @ W_V
WEIGHTS, OUTPUT = (x.astype(float) for x in precision_lab.exactly(*HEAD))
SHOWN = """lab => ({
  says: lab.querySelector("output").textContent,
  errors: [...lab.querySelectorAll(".weights tbody tr")].map(
    row => [...row.querySelectorAll("[data-weight]")].map(e => Number(e.dataset.weight))),
  levels: [...lab.querySelectorAll("[data-weight]")].map(e => Number(e.style.getPropertyValue("--w"))),
  texts: [...lab.querySelectorAll(".weights tbody tr")].map(
    row => [...row.querySelectorAll("td")].map(e => e.textContent)),
  length: lab.querySelector(".reading").textContent,
})"""
SET = setting(SHOWN)


def assert_shows(now, formats, doublings):
    copies = 2**doublings
    weights, output = precision_lab.attend(*HEAD, formats, copies)
    errors = weights * copies / WEIGHTS - 1
    np.testing.assert_allclose(now["errors"], errors, rtol=1e-12, atol=1e-14)
    levels = [precision_lab.level(error) for error in np.ravel(now["errors"])]
    np.testing.assert_allclose(now["levels"], levels, rtol=0, atol=1e-12)
    for row, shares, z in zip(now["texts"], errors, output, strict=True):
        assert row == [*map(precision_lab.percent, shares), precision_lab.points(z)]
    assert now["says"] == precision_lab.statement(S5, copies, weights, output, WEIGHTS, OUTPUT)
    assert now["length"] == f"{5 * copies} words"


def test_every_cell_is_what_python_computes(widget):
    rng = np.random.default_rng(0)
    for _ in range(200):
        formats = {place: str(rng.choice(list(precision_lab.FORMATS))) for place in precision_lab.PLACES}
        doublings = int(rng.integers(0, 7))
        assert_shows(widget.evaluate(SET, formats | {"copies": doublings}), formats, doublings)


@pytest.mark.parametrize("format", precision_lab.FORMATS)
def test_long_sums_stop_where_they_stop_in_python(widget, format):
    formats = dict.fromkeys(precision_lab.PLACES, format)
    assert_shows(widget.evaluate(SET, formats | {"copies": 12}), formats, 12)


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_what_is_received_is_in_sight(widget):
    assert_in_sight(widget, "output >> nth=0")
    widget.get_by_label("copies of the sentence").press("End")
    assert_in_sight(widget, ".reading")  # the longest it can be
