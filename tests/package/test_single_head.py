"""One head against loops: who asks, who answers, and what is passed on."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention import cross_attention, scaled_dot_product_attention, self_attention
from tests.package.cases import random_case
from tests.package.oracles import loop_attention, loop_project, loop_weights, properties

EPS = np.finfo(float).eps


def loop_cross(x, memory, w_q, w_k, w_v, **options):
    """Let x ask and memory answer, in extended precision."""
    query, key, value = loop_project(x, w_q), loop_project(memory, w_k), loop_project(memory, w_v)
    return loop_attention(query, key, value, dtype=np.longdouble, **options).astype(float)


def draw(rng):
    """Draw tokens, memory and matrices, whose widths all differ, and the options of a random case."""
    (query, key, _), options, _ = random_case(rng, 7)
    d_model, d_memory, d_k, d_v = (int(size) for size in rng.permutation([1, 3, 5, 6, 7, 8])[:4])
    x, memory = (rng.standard_normal((*a.shape[:-1], d)) for a, d in ((query, d_model), (key, d_memory)))
    matrices = [rng.standard_normal(shape) for shape in [(d_model, d_k), (d_memory, d_k), (d_memory, d_v)]]
    return x, memory, matrices, options


def same(found, expected, *factors):
    """Compare up to rounding: projections grow with their inputs, weights and output with the scores."""
    size = np.prod([max(1, np.abs(factor).max(initial=0)) for factor in factors])
    np.testing.assert_allclose(found, expected, rtol=0, atol=256 * EPS * size)


# --- against the loops -------------------------------------------------------------------------------------------


@properties
@given(st.integers(0, 2**32 - 1))
def test_cross_attention_and_its_weights_equal_the_loops(seed):
    x, memory, (w_q, w_k, w_v), options = draw(np.random.default_rng(seed))
    output, weights = cross_attention(x, memory, w_q, w_k, w_v, return_weights=True, **options)
    same(output, loop_cross(x, memory, w_q, w_k, w_v, **options), memory, x, memory, w_q, w_k, w_v)
    query, key, value = x @ w_q, memory @ w_k, memory @ w_v
    same(weights, loop_weights(query, key, **options), x, memory, w_q, w_k)
    np.testing.assert_array_equal(output, cross_attention(x, memory, w_q, w_k, w_v, **options))
    both = scaled_dot_product_attention(query, key, value, return_weights=True, **options)
    np.testing.assert_array_equal(both[0], output)
    np.testing.assert_array_equal(both[1], weights)


def test_self_attention_is_cross_attention_of_the_tokens_with_themselves(rng):
    x, matrices = rng.standard_normal((2, 5, 6)), [rng.standard_normal((6, width)) for width in (3, 3, 7)]
    for options in ({}, {"window": (2, 0), "scale": -0.5, "softcap": 0.7}, {"mask": np.tri(5, k=1, dtype=bool)}):
        both = (self_attention(x, *matrices, **options), cross_attention(x, x, *matrices, **options))
        np.testing.assert_array_equal(*both, err_msg=str(options))


# --- options -----------------------------------------------------------------------------------------------------


def test_half_precision_projections_may_pass_its_largest_number():
    # keys and values of 262144, beyond the 65504 of float16: each query is zero or the values cancel
    x, w = np.full((3, 4), 256, np.float16), np.full((4, 2), 256, np.float16)
    result = self_attention(x, np.zeros((4, 2), np.float16), w, np.array([[16], [-16], [1], [0]], np.float16))
    np.testing.assert_array_equal(result, np.full((3, 1), 256, np.float16))
