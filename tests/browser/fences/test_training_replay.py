"""<training-replay> in the browser: the slider shows the grid of one step, as the build wrote it."""

import numpy as np
import pytest

from attention import attention_weights
from docs_ext.reading.consoles import page as consoles_of
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/training/"
CONTRACT = [Widget("training-replay", PAGE, "at=99", apart="output")]  # without a script each grid says it above itself
STEPS = (0, 10, 20, 30, 40, 50, 75, 100)
SHOWN = """widget => {
  const seen = [...widget.querySelectorAll(".checkpoint")].filter(one => one.checkVisibility());
  return {
    many: seen.length,
    weights: [...seen[0].querySelectorAll("tbody tr")].map(
      row => [...row.querySelectorAll("[data-weight]")].map(cell => Number(cell.dataset.weight))),
    guesses: [...seen[0].querySelectorAll("tbody .output")].map(cell => cell.textContent),
    says: widget.querySelector("output").textContent,
    reading: widget.querySelector(".reading").textContent,
  };
}"""


def test_every_place_of_the_slider_shows_that_step_of_the_run_alone(widget):
    names = consoles_of("training")
    x, answers = names.x_new[108], names.names_new[108]
    asks = np.flatnonzero(answers >= 0)
    for place, step in enumerate(STEPS):
        widget.get_by_label("steps of training").fill(str(place))
        w_q, w_k, w_v = names.run[step]
        weights = attention_weights(x @ w_q, x @ w_k, is_causal=True)[asks]
        guesses = (weights @ (x @ w_v)).argmax(axis=-1)
        shown = widget.evaluate(SHOWN)
        assert shown["many"] == 1
        np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
        right = guesses == answers[asks]
        pairs = [("bisu"[i], "bisu"[j]) for i, j in zip(guesses, answers[asks], strict=True)]
        told = [f"{guess}, right" if guess == name else f"{guess}, not {name}" for guess, name in pairs]
        assert shown["guesses"] == told
        assert shown["says"].startswith(f"After {step} steps: {right.sum()} of {len(asks)} names are right here")
        assert shown["reading"] == str(step)
