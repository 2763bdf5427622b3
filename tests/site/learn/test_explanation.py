"""The experiments of the page on explanation, on random heads and on the trained one."""

import numpy as np
import pytest

from attention import scaled_dot_product_attention
from tests.package.oracles import row_softmax
from tests.site.learn.page_functions import names


def moved(rng, n, d_k, d_v):
    """Loop over the words that are left out: how the output moves, and what formula (1) says of it."""
    query, key, value = rng.standard_normal(d_k), rng.standard_normal((n, d_k)), rng.standard_normal((n, d_v))
    scores = [float(query @ k) / d_k**0.5 for k in key]
    weights = row_softmax(scores)
    z = sum(a * v for a, v in zip(weights, value, strict=True))
    for j in range(n):
        others = [i for i in range(n) if i != j]
        rest = row_softmax([scores[i] for i in others])
        without = sum(a * value[i] for a, i in zip(rest, others, strict=True))
        masked = scaled_dot_product_attention(query[None], key, value, mask=np.arange(n) != j)[0]
        np.testing.assert_allclose(masked, without, rtol=0, atol=1e-12)
        yield without - z, weights[j], z, value[j]


@pytest.mark.parametrize("sizes", [(2, 3, 5), (7, 2, 3), (11, 5, 4)])
def test_what_a_missing_word_moves_is_its_odds_times_its_distance_from_the_blend(rng, sizes):
    for difference, a, z, v in moved(rng, *sizes):
        np.testing.assert_allclose(difference, a / (1 - a) * (z - v), rtol=0, atol=1e-12 / (1 - a))


def test_the_trained_head_depends_on_the_line_it_looks_at_most_and_on_no_other():
    training = names("training")
    w_q, w_k, w_v = training["run"][-1]
    answers, first, changed, weight = 0, 0, 0, 0.0
    for x, right in zip(training["x_new"][:60], training["names_new"][:60], strict=True):
        for i in np.flatnonzero(right >= 0):
            weights = np.array(row_softmax([float(x[i] @ w_q @ w_k.T @ x[j]) / 2 for j in range(i + 1)]))
            values = x[: i + 1] @ w_v
            name = (weights @ values).argmax()
            best = weights.argmax()
            differs = [(np.delete(weights, j) @ np.delete(values, j, axis=0)).argmax() != name for j in range(i + 1)]
            answers, weight = answers + 1, weight + weights[best]
            first += differs[best]
            changed += sum(differs) - differs[best]
    assert answers > 300
    assert changed == 0
    assert first / answers == pytest.approx(0.75, abs=0.06)
    assert weight / answers == pytest.approx(0.93, abs=0.02)
