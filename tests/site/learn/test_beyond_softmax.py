"""Attention without the softmax: each form that the page calls equal, against loops over single numbers.

The functions are those of the page. The oracles know nothing of states: they add up one key at a time.
"""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention import scaled_dot_product_attention
from tests.package.oracles import properties
from tests.site.learn.page_functions import names

PAGE = names("beyond-softmax")
SIZES = st.tuples(st.integers(1, 13), st.integers(1, 7), st.integers(1, 6)).filter(lambda s: len(set(s)) == 3)
SEEDS = st.integers(0, 2**32 - 1)


def draw(sizes, seed, *, positive=False):
    """Return queries and keys (n, d_k), values (n, d_v) and the generator; positive features if asked."""
    n, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    q, k = rng.uniform(0.1, 2, (2, n, d_k)) if positive else rng.standard_normal((2, n, d_k))
    return q, k, rng.standard_normal((n, d_v)), rng


def loops(q, k, v, stays=lambda i, j, c: 1.0, *, normalised):
    """Sum over keys and features, number by number; `stays` is what is left in token i of feature c of token j."""
    rows = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        total = 0.0
        for j in range(i + 1):
            part = math.fsum(q[i, c] * k[j, c] * stays(i, j, c) for c in range(q.shape[1]))
            total += part
            for m in range(v.shape[1]):
                rows[i, m] += part * v[j, m]
        rows[i] /= total if normalised else 1
    return rows


def same(result, wanted):
    assert result.shape == wanted.shape
    return np.allclose(result, wanted, rtol=0, atol=1e-12 * max(1, np.abs(wanted).max()))


@properties
@given(SIZES, SEEDS, st.integers(1, 14))
def test_linear_attention_is_one_in_its_three_forms(sizes, seed, chunk):
    q, k, v, _ = draw(sizes, seed, positive=True)
    wanted = loops(q, k, v, normalised=True)
    assert same(PAGE["linear_recurrent"](q, k, v), wanted)
    assert same(PAGE["linear_parallel"](q, k, v), wanted)
    assert same(PAGE["linear_chunked"](q, k, v, chunk), wanted)


@properties
@given(SIZES, SEEDS, st.floats(0.5, 1))
def test_a_fading_memory_is_one_in_both_forms(sizes, seed, gamma):
    q, k, v, _ = draw(sizes, seed)
    wanted = loops(q, k, v, lambda i, j, c: gamma ** (i - j), normalised=False)
    assert same(PAGE["fading_recurrent"](q, k, v, gamma), wanted)
    assert same(PAGE["fading_parallel"](q, k, v, gamma), wanted)


@properties
@given(SIZES, SEEDS)
def test_gates_for_each_feature_are_one_in_both_forms(sizes, seed):
    q, k, v, rng = draw(sizes, seed)
    gates = rng.uniform(0.6, 1, k.shape)
    wanted = loops(q, k, v, lambda i, j, c: math.prod(gates[j + 1 : i + 1, c]), normalised=False)
    assert same(PAGE["gated_recurrent"](q, k, v, gates), wanted)
    assert same(PAGE["gated_parallel"](q, k, v, gates), wanted)


@properties
@given(SIZES, SEEDS, st.floats(0.1, 1e6))
def test_a_louder_query_changes_nothing_in_linear_attention_and_much_in_a_softmax(sizes, seed, factor):
    q, k, v, _ = draw(sizes, seed, positive=True)
    assert same(PAGE["linear_parallel"](factor * q, k, v), PAGE["linear_parallel"](q, k, v))
    q, k, v, _ = draw((9, 4, 3), seed)
    louder, plain = (scaled_dot_product_attention(f * q, k, v, is_causal=True) for f in (10, 1))
    assert not np.allclose(louder, plain, rtol=0, atol=1e-3)


def delta_by_hand(k, v, beta):
    """Keep what is stored as a list of (key, value): a state that is never a matrix."""
    stored = []
    for k_t, v_t, b_t in zip(k, v, beta, strict=True):
        found = sum((k_t @ key * value for key, value in stored), np.zeros(v.shape[1]))
        stored.append((k_t, b_t * (v_t - found)))
    return stored


@properties
@given(SIZES, SEEDS)
def test_the_delta_rule_stores_differences(sizes, seed):
    q, k, v, rng = draw(sizes, seed)
    k = k / np.linalg.norm(k, axis=1, keepdims=True)
    beta = rng.uniform(0, 1, len(k))
    stored = delta_by_hand(k, v, beta)
    wanted = np.array([sum(q_t @ key * value for key, value in stored[: t + 1]) for t, q_t in enumerate(q)])
    assert same(PAGE["delta_rule"](q, k, v, beta), wanted)


@properties
@given(SEEDS, st.floats(-5, 5))
def test_a_sink_is_a_gate_that_reads_the_scores(seed, sink):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal(shape) for shape in ((3, 4), (7, 4), (7, 5)))
    gates = []
    for q_i in q:
        left = math.fsum(math.exp(q_i @ k_j / 2) for k_j in k)
        gates.append(1 / (1 + math.exp(sink - math.log(left))))
    result = scaled_dot_product_attention(q, k, v, sink=sink)
    assert same(result, np.array(gates)[:, None] * scaled_dot_product_attention(q, k, v))
