"""The rotation dial: hands, vectors and dot products against the package."""

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables
from docs_ext.fences import rotation_dial
from docs_ext.html import numbers
from tests.browser.widget import Widget, assert_in_sight, setting

pytestmark = pytest.mark.nightly

PAGE = "learn/relative-positions/"
CONTRACT = [Widget("rotation-dial", PAGE, "p0=13&p1=-1&t0=x", apart=".turn")]
ONE = np.array([[1.0, 0.0], [1.0, 0.0]])  # the query and the key of the page, pair by pair
SHOWN = """dial => ({
  says: dial.querySelector("output").textContent,
  head: [...dial.querySelectorAll("thead .at")].map(e => Number(e.textContent)),
  turns: [...dial.querySelectorAll(".turn .reading")].map(e => e.textContent),
  vectors: [...dial.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll(".vector")].map(e => e.textContent)),
  hands: [...dial.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll(".first, .second")].map(
    e => e.getAttribute("d").match(/-?[\\d.]+/g).slice(2).map(Number))),
  adds: [...dial.querySelectorAll(".adds")].map(e => e.textContent),
  total: dial.querySelector(".total").textContent,
})"""
SET = setting(SHOWN)


def assert_shows(widget, query, key, turns=(90, 15)):
    now = widget.evaluate(SHOWN)
    assert now["head"] == [query, key]
    assert now["turns"] == [f"{turn}°" for turn in turns]
    both = []
    for position in (query, key):
        cos, sin = rotary_tables(position * np.radians(turns), 2)
        both.append(apply_rotary(ONE, cos, sin, layout="interleaved"))
    assert now["vectors"] == [[numbers.vector(vectors[i]) for vectors in both] for i in range(2)]
    np.testing.assert_allclose(
        now["hands"], 17 * np.stack(both, axis=1) * [1, -1], rtol=0, atol=6e-4
    )  # up is minus in a drawing
    adds = (both[0] * both[1]).sum(axis=1)
    assert now["adds"] == list(map(numbers.number, adds))
    assert now["total"] == numbers.number(adds.sum())
    assert now["says"] == rotation_dial.statement(query, key, float(adds.sum()))


def test_numbers_agree_with_the_package(widget):
    rng = np.random.default_rng(0)
    assert_shows(widget, 2, 1)
    for _ in range(30):
        m, n = rng.integers(0, 13, 2).tolist()
        fast, slow = rng.integers(0, 13, 2).tolist()
        widget.evaluate(SET, {"p0": m, "p1": n, "t0": fast, "t1": slow})
        assert_shows(widget, m, n, (15 * fast, 15 * slow))


def test_both_stay_where_one_cannot_move(widget):
    for values, name in (({"p0": 12, "p1": 3}, "Both one on"), ({"p0": 5, "p1": 0}, "Both one back")):
        widget.evaluate(SET, values)
        widget.get_by_role("button", name=name).click()
        now = widget.evaluate(SHOWN)
        assert "both stay where they are" in now["says"]
        assert now["head"] == list(values.values())


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_dot_product_is_in_sight(widget):
    assert_in_sight(widget, ".total")
