"""The learning step: weights, loss and slopes against the package's gradients, and where the steps lead and end."""

import json

import numpy as np

from attention import attention_vjp, attention_weights
from attention.example import EARLY, SENTENCE, SWAPPED, W_K, embed
from tests.site.fences.reading import Figure, plain

NAMES = ["noun", "early", "asks", "which"]
STEP = Figure.sound("learning-step")
INPUTS = [embed(words, EARLY) for words in (SENTENCE, SWAPPED)]


def loss_of(query, keys, right):
    return np.mean([-np.log(attention_weights(query, k)[0, i]) for k, i in zip(keys, right, strict=True)])


def gradient_of(query, keys, right):
    """Return the package's gradient of the loss: the value of the right word is 1, so the output is its weight."""
    rows = []
    for k, i in zip(keys, right, strict=True):
        value = np.eye(len(k))[:, [i]]
        weight = attention_weights(query, k) @ value
        rows.append(attention_vjp(query, k, value, -1 / weight)[0])
    return np.mean(rows, axis=0)


def of_matrix(w_q):
    """Return the loss of the example for a whole query matrix."""
    return np.mean([loss_of(x[4:] @ w_q, [x @ W_K], [0]) for x in INPUTS])


@STEP.on_500_states
def test_500_rows_have_the_packages_weights_loss_and_slopes(rng):
    n, row, x = rng.integers(1, 8), rng.uniform(-5, 5, 4), rng.uniform(-2, 2)
    keys, right = rng.standard_normal((3, n, 4)), rng.integers(n, size=3)
    query = x * row[None]
    expected = {"weights": [attention_weights(query, k)[0] for k in keys], "loss": loss_of(query, keys, right)}
    expected |= {"slopes": x * gradient_of(query, keys, right)[0]}
    data = {"x": x, "k": keys, "right": right, "features": {"key": NAMES}}
    return data, dict(zip(NAMES, row, strict=True)), expected


def test_ten_steps_are_those_of_gradient_descent_on_the_whole_matrix():
    w_q = np.zeros((4, 4))
    for _ in range(10):
        queries = [x[4:] @ w_q for x in INPUTS]
        rows = [x[4:].T @ gradient_of(q, [x @ W_K], [0]) for x, q in zip(INPUTS, queries, strict=True)]
        w_q = w_q - 0.1 * np.mean(rows, axis=0)
    last = [button for button in STEP.live().iter("button") if plain(button) == "Ten times"]
    reached = json.loads(last[0].get("data-set"))
    assert reached.pop("steps") == 10
    np.testing.assert_allclose(list(reached.values()), w_q[2], atol=5e-4)  # four decimals are kept
    assert not w_q[[0, 1, 3]].any()
    assert plain(STEP.live(**reached, steps=10).find(".//p[@class='loss']")) == f"10 steps, loss {of_matrix(w_q):.3f}"


def test_ten_steps_end_where_no_number_would_move_any_more():
    end = STEP.call("descended", STEP.given, STEP.call("first", STEP.given), 500)
    assert end["steps"] < 500
    assert abs(0.1 * np.array(STEP.call("compute", STEP.given, end)["slopes"])).max() < 0.01
