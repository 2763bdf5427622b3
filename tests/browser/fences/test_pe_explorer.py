"""The explorer of encodings: hands, bars and dot products against the package."""

import numpy as np
import pytest

from attention import sinusoidal_encoding
from tests.browser.widget import Widget, assert_in_sight, setting

pytestmark = pytest.mark.nightly

PAGE = "learn/order/"
CONTRACT = [Widget("pe-explorer", PAGE, "p0=32&p1=-1&d=5")]
SHOWN = """explorer => ({
  says: explorer.querySelector("output").textContent,
  head: [...explorer.querySelectorAll("thead .at")].map(e => Number(e.textContent)),
  hands: [...explorer.querySelectorAll("tbody tr")].map(row => Number(row.cells[0].textContent)),
  bars: [...explorer.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll(".signed")].map(e => Number(e.style.getPropertyValue("--v")))),
  numbers: [...explorer.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll(".signed, .adds")].map(e => Number(e.textContent.replace("\\u2212", "-")))),
  total: Number(explorer.querySelector(".total").textContent.replace("\\u2212", "-")),
  angles: [...explorer.querySelectorAll(".dial")].map(dial => [...dial.querySelectorAll("path")].map(hand => {
    const {a, b} = new DOMMatrix(getComputedStyle(hand).transform);
    return Math.atan2(b, a);
  })),
})"""
SET = setting(SHOWN)


def shown(widget):
    return widget.evaluate(SHOWN)


def assert_shows(widget, first, second, d_model):
    now, pe = shown(widget), sinusoidal_encoding(32, d_model)
    assert now["head"] == [first, second]
    assert now["hands"] == list(range(d_model // 2))
    both = np.hstack([pe[first].reshape(-1, 2), pe[second].reshape(-1, 2)])  # sin, cos, sin, cos of every hand
    np.testing.assert_allclose(now["bars"], both, rtol=0, atol=1e-12)
    adds = both[:, 0] * both[:, 2] + both[:, 1] * both[:, 3]
    np.testing.assert_allclose(now["numbers"], np.c_[both, adds], rtol=0, atol=5.1e-6)
    assert now["total"] == pytest.approx(pe[first] @ pe[second], abs=5.1e-6)
    assert now["says"].startswith(
        f"Positions {first} and {second} are {abs(first - second)} apart: their dot product is "
    )


def test_numbers_agree_with_the_package(widget):
    rng = np.random.default_rng(0)
    assert_shows(widget, 1, 4, 4)
    for _ in range(30):
        (p, q), d = rng.integers(0, 32, 2).tolist(), int(rng.choice([4, 8, 16]))
        widget.evaluate(SET, {"p0": p, "p1": q, "d": d})
        assert_shows(widget, p, q, d)


def test_hands_point_to_the_right_by_their_sine_and_up_by_their_cosine(widget):
    widget.evaluate(SET, {"p0": 2, "p1": 5, "d": 8})
    widget.page.wait_for_timeout(50)  # motion is reduced to 1 ms
    for i, (second, first) in enumerate(shown(widget)["angles"]):  # from the top, clockwise
        pe = sinusoidal_encoding(6, 8)[:, 2 * i : 2 * i + 2]
        assert [np.sin(first), np.cos(first)] == pytest.approx(pe[2], abs=1e-4)
        assert [np.sin(second), np.cos(second)] == pytest.approx(pe[5], abs=1e-4)


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_dot_product_is_in_sight(widget):
    assert_in_sight(widget, ".total")
