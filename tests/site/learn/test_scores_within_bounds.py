"""QK-norm, as its page writes it: the bound on scores and weights, and what does not keep it."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention import attention_scores, rms_norm, softmax
from tests.package.oracles import properties
from tests.site.learn.page_functions import names

PAGE = names("scores-within-bounds")
SIZES = st.tuples(st.integers(1, 9), st.integers(1, 11), st.integers(1, 7)).filter(lambda s: len(set(s)) == 3)


@properties
@given(SIZES, st.integers(0, 2**32 - 1), st.floats(0.1, 20), st.floats(1e-6, 1e6))
def test_scores_stay_within_the_gain_whatever_the_norms(sizes, seed, gain, factor):
    n_q, n_k, d_k = sizes
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((n_q, d_k)), rng.standard_normal((n_k, d_k))
    wanted = np.zeros((n_q, n_k))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            wanted[i, j] = gain * math.fsum(q * k) / (math.hypot(*q) * math.hypot(*k))
    scores = PAGE["qk_norm_scores"](factor * query, key, gain)
    np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-12 * gain)
    assert np.abs(scores).max() <= gain * (1 + 1e-12)
    assert softmax(scores).max() <= (1 + 1e-12) / (1 + (n_k - 1) * math.exp(-2 * gain))


def test_the_bounds_are_reached_and_half_a_qk_norm_keeps_neither():
    rng = np.random.default_rng(8)
    query = rng.standard_normal((1, 5))
    np.testing.assert_allclose(PAGE["qk_norm_scores"](query, -query, 3), [[-3]], rtol=1e-12)
    np.testing.assert_allclose(attention_scores(rms_norm(query), rms_norm(query)), [[math.sqrt(5)]], rtol=1e-4)
    only_queries = 3 * PAGE["unit"](query) @ (10 * query).T
    assert only_queries > 3
    assert attention_scores(rms_norm(query), 10 * query) > math.sqrt(5)
