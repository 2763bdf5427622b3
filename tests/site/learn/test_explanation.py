"""The experiments of the page on explanation, on random heads and on the trained one."""

import numpy as np
import pytest

from attention import scaled_dot_product_attention
from tests.site.learn.page_functions import names


def softmax(row):
    parts = [np.exp(one - max(row)) for one in row]
    return np.array(parts) / sum(parts)


def moved(rng, n, d_k, d_v):
    """Loop over the words that are left out: how the output moves, and what formula (1) says of it."""
    query, key, value = rng.standard_normal(d_k), rng.standard_normal((n, d_k)), rng.standard_normal((n, d_v))
    scores = [float(query @ k) / d_k**0.5 for k in key]
    weights = softmax(scores)
    z = sum(a * v for a, v in zip(weights, value, strict=True))
    for j in range(n):
        others = [i for i in range(n) if i != j]
        rest = softmax([scores[i] for i in others])
        without = sum(a * value[i] for a, i in zip(rest, others, strict=True))
        masked = scaled_dot_product_attention(query[None], key, value, mask=np.arange(n) != j)[0]
        np.testing.assert_allclose(masked, without, rtol=0, atol=1e-12)
        yield without - z, weights[j], z, value[j]


@pytest.mark.parametrize("sizes", [(2, 3, 5), (7, 2, 3), (11, 5, 4)])
def test_what_a_missing_word_moves_is_its_odds_times_its_distance_from_the_blend(rng, sizes):
    for difference, a, z, v in moved(rng, *sizes):
        np.testing.assert_allclose(difference, a / (1 - a) * (z - v), rtol=0, atol=1e-12 / (1 - a))


@pytest.mark.parametrize(("n", "d_v"), [(5, 2), (12, 4), (100, 8), (3, 6)])
def test_weights_can_be_exchanged_in_n_minus_d_v_minus_1_ways(rng, n, d_v):
    value = rng.standard_normal((n, d_v))
    weights = softmax(rng.standard_normal(n))
    _, sizes, directions = np.linalg.svd(np.c_[value, np.ones(n)].T)
    exchanges = directions[np.count_nonzero(sizes > 1e-9) :]
    assert len(exchanges) == max(0, n - d_v - 1)
    for u in exchanges:
        t = 0.99 * min(weights / np.abs(u))  # as far as all weights stay positive
        other = weights + t * u
        assert other.min() > 0
        assert other.sum() == pytest.approx(1)
        assert np.abs(other - weights).max() > 1e-6
        np.testing.assert_allclose(other @ value, weights @ value, rtol=0, atol=1e-12)


def test_no_walk_through_equal_outputs_gives_a_word_less_than_the_page_finds(rng):
    n, d_v, j = 6, 2, 3
    value = rng.standard_normal((n, d_v))
    weights = softmax(rng.standard_normal(n))
    found = names("explanation")["with_least"](weights, value, j)
    np.testing.assert_allclose(found @ value, weights @ value, atol=1e-12)
    assert found.min() > -1e-9
    assert found.sum() == pytest.approx(1)
    _, _, directions = np.linalg.svd(np.c_[value, np.ones(n)].T)
    here, lowest = weights, weights[j]
    for _ in range(4000):  # hit and run: to a random point of a random line, all weights positive
        u = rng.standard_normal(n - d_v - 1) @ directions[d_v + 1 :]
        with np.errstate(divide="ignore"):
            ends = -here / u
        here = here + u * rng.uniform(max(ends[u > 0]), min(ends[u < 0]))
        lowest = min(lowest, here[j])
    assert found[j] - 1e-9 < lowest < found[j] + 0.05
