"""Gradient flow: what a push moves, against the package on random rows."""

import numpy as np
import pytest

from attention import softmax, softmax_vjp
from docs_ext.fences import gradient_flow
from docs_ext.html import numbers
from tests.browser.widget import Widget, assert_in_sight, setting

pytestmark = pytest.mark.nightly

PAGE = "learn/gradients/"
CONTRACT = [Widget("gradient-flow", PAGE, "push=5&n=5&divide=maybe")]
SCORES, VALUES = np.array([3.0, 2, 0, 1, 0]), np.array([[8.0, 0], [4, 4], [0, 0], [0, 8], [0, 0]])
SHOWN = """flow => ({
  says: flow.querySelector("output").textContent,
  pushed: [...flow.querySelectorAll("tbody tr")].findIndex(row => row.hasAttribute("data-pushed")),
  weights: [...flow.querySelectorAll(".weight")].map(cell => Number(cell.style.getPropertyValue("--w"))),
  moves: [...flow.querySelectorAll(".move")].map(cell => JSON.parse(cell.dataset.exact)),
  slopes: [...flow.querySelectorAll(".slope")].map(cell => JSON.parse(cell.dataset.exact)),
  bars: [...flow.querySelectorAll(".move, .slope")].map(cell => Number(cell.style.getPropertyValue("--w"))),
  texts: [...flow.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll(".score, .text")].map(e => e.textContent)),
})"""
SET = setting(SHOWN)


def assert_shows(now, doublings, values, push):
    weights = softmax(np.log(2) * doublings)
    jacobian = np.diag(weights) - np.outer(weights, weights)
    slopes = weights[:, None] * (values - weights @ values)
    largest = max(1, np.abs(values).max())
    assert now["pushed"] == push
    np.testing.assert_allclose(now["weights"], weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(now["moves"], softmax_vjp(weights, np.eye(len(weights))[push]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(now["moves"], jacobian[:, push], rtol=0, atol=1e-12)
    np.testing.assert_allclose(now["slopes"], slopes, rtol=0, atol=1e-12 * largest)
    longest = max(np.linalg.norm(one - other) for one in values for other in values)
    bars = np.stack([4 * np.abs(jacobian[:, push]), 4 * np.linalg.norm(slopes, axis=1) / longest], axis=1)
    np.testing.assert_allclose(now["bars"], bars.ravel(), rtol=0, atol=1e-12)
    assert max(now["bars"]) <= 1 + 1e-12


def test_every_setting_shows_what_the_package_computes(widget):
    for n in range(5):
        for divide in ("yes", "no"):
            for push in range(5):
                now = widget.evaluate(SET, {"n": n, "divide": divide, "push": push})
                doublings = SCORES * (2.0**n if divide == "no" else 1)
                assert_shows(now, doublings, VALUES, push)
                flow = gradient_flow.flow(doublings, VALUES, push)
                assert now["texts"] == [
                    [numbers.number(s), numbers.share(w), numbers.number(m), numbers.vector(z)]
                    for s, w, m, z in zip(flow.doublings, flow.weights, flow.moves, flow.slopes, strict=True)
                ]
                if divide == "yes":
                    assert now["says"] == gradient_flow.says(
                        4**n, ["cat", "that", "chased", "dog", "ran"][push], flow, push
                    )


def test_another_word_is_pushed_by_pointer_and_the_address_tells(widget):
    widget.get_by_role("radio", name="dog").check()
    assert widget.evaluate(SHOWN)["pushed"] == 3
    assert widget.page.url.endswith("#~push.push=3")


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_slopes_are_in_sight(widget):
    for row in range(1, 6):
        assert_in_sight(widget, f"tbody tr:nth-child({row}) .slope .text")
