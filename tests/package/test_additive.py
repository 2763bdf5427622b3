"""Additive attention against loops, by hand, its masks and conventions, and bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import additive_attention
from tests.package.oracles import matrix, properties, row_softmax

SHAPES = {"query": (3, 4), "key": (5, 6), "value": (5, 2), "w_query": (4, 7), "w_key": (6, 7), "w_score": (7,)}


def draw(rng, leads=((), (), ()), dtype=float):
    """Draw six arrays in which every axis has a size of its own, with leading axes for query, key and value."""
    leads = [*leads, (), (), ()]
    pairs = zip(leads, SHAPES.values(), strict=True)
    return [rng.standard_normal((*lead, *shape)).astype(dtype) for lead, shape in pairs]


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


@pytest.mark.parametrize(
    "leads",
    [
        pytest.param(((), (), ()), id="no leading axes"),
        pytest.param(((2,), (2,), (2,)), id="a batch"),
        pytest.param(((2, 1), (8,), (8,)), id="query and key broadcast"),
        pytest.param(((), (), (2,)), id="value has more axes"),
        pytest.param(((2,), (), ()), id="query has more axes"),
    ],
)
@pytest.mark.parametrize("masked", [False, True], ids=["no mask", "mask"])
def test_it_equals_the_loops(leads, masked):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        arrays = draw(rng, leads)
        options = {"mask": rng.random((3, 5)) < 0.5} if masked else {}
        np.testing.assert_allclose(
            additive_attention(*arrays, **options), loop_additive(*arrays, **options), rtol=0, atol=1e-13
        )


@properties
@given(st.permutations([1, 2, 3, 4, 5, 6]), st.integers(0, 2**32 - 1))
def test_it_equals_the_loops_in_any_shape(sizes, seed):
    n_q, n_k, d_q, d_k, d_v, d_hidden = sizes
    rng = np.random.default_rng(seed)
    shapes = [(n_q, d_q), (n_k, d_k), (n_k, d_v), (d_q, d_hidden), (d_k, d_hidden), (d_hidden,)]
    arrays = [2 * rng.standard_normal(shape) for shape in shapes]
    mask = rng.random((n_q, n_k)) < 0.7
    result = additive_attention(*arrays, mask=mask)
    np.testing.assert_allclose(result, loop_additive(*arrays, mask=mask), rtol=0, atol=1e-13)


# --- masks and nothing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_q", "n_k", "lead"), [(0, 5, ()), (3, 0, ()), (0, 0, (2,)), (3, 5, (0,))])
def test_sequences_and_batches_may_be_empty(n_q, n_k, lead):
    query, key, value = np.ones((*lead, n_q, 4)), np.ones((*lead, n_k, 6)), np.ones((*lead, n_k, 2))
    result = additive_attention(query, key, value, np.ones((4, 7)), np.ones((6, 7)), np.ones(7))
    assert result.shape == (*lead, n_q, 2)
    np.testing.assert_allclose(result, 1 if n_k else 0, rtol=1e-15)


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
