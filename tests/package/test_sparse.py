"""The indexer, the selection and attention to it, against loops over queries and keys."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention import index_scores, scaled_dot_product_attention, sparse_attention, top_k_indices
from tests.package.oracles import loop_attention, properties

SEEDS = st.integers(0, 2**32 - 1)


@properties
@given(st.permutations([1, 2, 3, 4, 5]), SEEDS)
def test_index_scores_are_sums_over_heads_of_what_is_positive(sizes, seed):
    heads, n_q, n_k, d, batch = sizes
    rng = np.random.default_rng(seed)
    q, k, w = (rng.standard_normal(shape) for shape in ((batch, heads, n_q, d), (n_k, d), (batch, n_q, heads)))
    found = index_scores(q, k, w)
    for b, i, j in np.ndindex(batch, n_q, n_k):
        parts = [w[b, i, h] * max(0, math.fsum(q[b, h, i] * k[j])) for h in range(heads)]
        assert abs(found[b, i, j] - math.fsum(parts)) < 1e-12


@given(st.lists(st.sampled_from([-math.inf, -1.0, 0.0, 2.0, math.inf]), max_size=6), st.integers(1, 8))
def test_the_highest_are_selected_and_the_first_of_equal_ones(row, k):
    order = sorted((j for j in range(len(row)) if row[j] > -math.inf), key=lambda j: (-row[j], j))[:k]
    assert top_k_indices(row, k).tolist() == order + [-1] * (k - len(order))


@properties
@given(st.permutations([1, 2, 3, 4, 5, 6]), SEEDS)
def test_each_query_attends_to_its_list_whatever_the_other_keys_hold(sizes, seed):
    heads, n_q, n_k, d_k, d_v, most = sizes
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal(shape) for shape in ((heads, n_q, d_k), (1, n_k, d_k), (n_k, d_v)))
    indices, sink = rng.integers(-1, n_k, (heads, n_q, most)), rng.standard_normal(heads)
    found = sparse_attention(q, k, v, indices, scale=0.4, softcap=2.0, sink=sink)
    for h, i in np.ndindex(heads, n_q):
        own = [j for j in indices[h, i] if j >= 0]  # one that is there twice counts twice
        wanted = loop_attention(q[h, [i]], k[0, own], v[own], scale=0.4, softcap=2.0, sink=sink[h])
        np.testing.assert_allclose(found[h, [i]], wanted, rtol=0, atol=1e-12)
        others = np.setdiff1d(np.arange(n_k), indices[h, i])
        loud, lost = k.copy(), v.copy()
        loud[:, others], lost[others] = np.nan, np.inf
        alone = sparse_attention(q[h, [i]], loud[0], lost, indices[h, [i]], scale=0.4, softcap=2.0, sink=sink[h])
        np.testing.assert_array_equal(alone, found[h, [i]])


def test_a_selection_of_all_earlier_keys_is_causal_attention(rng):
    q, k, v = rng.standard_normal((3, 5, 4))
    scores = np.where(np.tri(5, dtype=bool), rng.standard_normal((5, 5)), -np.inf)
    z = sparse_attention(q, k, v, top_k_indices(scores, 7))
    np.testing.assert_allclose(z, scaled_dot_product_attention(q, k, v, is_causal=True), rtol=0, atol=1e-14)
