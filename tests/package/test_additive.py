"""Additive attention against loops, by hand, its masks and conventions, and bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import additive_attention
from tests.package.oracles import matrix, properties, row_softmax


def loop_additive(query, key, value, w_query, w_key, w_score, *, mask=True):
    """Score each pair by the small network, unit by unit; then share and blend."""
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    mask = np.broadcast_to(mask, (*lead, query.shape[-2], key.shape[-2]))
    output = np.zeros((*np.broadcast_shapes(lead, value.shape[:-2]), query.shape[-2], value.shape[-1]))
    for *at, i in np.ndindex(output.shape[:-1]):
        q, keys, values = matrix(query, at)[i], matrix(key, at), matrix(value, at)
        scores = {}
        for j in range(len(keys)):
            if not matrix(mask, at)[i, j]:
                continue
            scores[j] = 0.0
            for unit in range(len(w_score)):
                total = math.fsum(q[f] * w_query[f, unit] for f in range(len(q)))
                total += math.fsum(keys[j][f] * w_key[f, unit] for f in range(len(keys[j])))
                scores[j] += math.tanh(total) * w_score[unit]
        if scores:
            for j, weight in zip(scores, row_softmax(list(scores.values())), strict=True):
                output[(*at, i)] += weight * values[j]
    return output


# --- against the loops -------------------------------------------------------------------------------------------


LEADS = [((), (), ()), ((2,), (2,), (2,)), ((2, 1), (8,), (8,)), ((), (), (2,)), ((2,), (), ()), ((2, 0), (2, 0), ())]


@pytest.mark.parametrize("leads", LEADS, ids=str)
@properties
@given(st.permutations([0, 1, 2, 3, 4, 5, 6]), st.integers(0, 2**32 - 1))
def test_it_equals_the_loops_in_any_shape(leads, sizes, seed):
    n_q, n_k, d_q, d_k, d_v, d_hidden, _ = sizes
    rng = np.random.default_rng(seed)
    shapes = [(n_q, d_q), (n_k, d_k), (n_k, d_v), (d_q, d_hidden), (d_k, d_hidden), (d_hidden,)]
    arrays = [
        2 * rng.standard_normal((*lead, *shape)) for lead, shape in zip((*leads, (), (), ()), shapes, strict=True)
    ]
    mask = rng.random((n_q, n_k)) < 0.7
    result = additive_attention(*arrays, mask=mask)
    np.testing.assert_allclose(result, loop_additive(*arrays, mask=mask), rtol=0, atol=1e-13)


def test_padding_of_one_sequence_may_hold_anything_where_all_share_the_values(rng):
    query, value, weights = rng.standard_normal((2, 3, 4)), rng.standard_normal((5, 2)), rng.standard_normal((4, 6))
    mask = np.ones((2, 1, 5), bool)
    mask[0, 0, 4] = False
    key, w_score = rng.standard_normal((5, 4)), rng.standard_normal(6)
    whole = additive_attention(query, key, value, weights, weights, w_score, mask=mask)
    value[4] = np.nan
    np.testing.assert_array_equal(
        additive_attention(query, key, value, weights, weights, w_score, mask=mask)[0], whole[0]
    )
