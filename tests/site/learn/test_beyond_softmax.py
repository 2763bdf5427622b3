"""Attention beyond a softmax over all keys: the functions of two pages, against loops over single numbers.

The oracles know nothing of states and of selections: they add up one key at a time.
"""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention import scaled_dot_product_attention
from tests.package.oracles import properties
from tests.site.learn.page_functions import names

PAGE, SPARSE = names("beyond-softmax"), names("sparse-attention")
SIZES = st.tuples(st.integers(1, 13), st.integers(1, 7), st.integers(1, 6)).filter(lambda s: len(set(s)) == 3)
SEEDS = st.integers(0, 2**32 - 1)


def draw(sizes, seed, *, positive=False):
    """Return queries and keys (n, d_k), values (n, d_v) and the generator; positive features if asked."""
    n, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    q, k = rng.uniform(0.1, 2, (2, n, d_k)) if positive else rng.standard_normal((2, n, d_k))
    return q, k, rng.standard_normal((n, d_v)), rng


def same(result, wanted):
    assert result.shape == wanted.shape
    return np.allclose(result, wanted, rtol=0, atol=1e-12 * max(1, np.abs(wanted).max()))


@properties
@given(SIZES, SEEDS, st.integers(1, 14), st.floats(0.1, 1e6))
def test_chunks_of_any_size_are_sums_over_keys_and_a_louder_query_changes_nothing(sizes, seed, chunk, factor):
    q, k, v, _ = draw(sizes, seed, positive=True)
    wanted = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        parts = [math.fsum(q[i, c] * k[j, c] for c in range(q.shape[1])) for j in range(i + 1)]
        wanted[i] = sum(part * v[j] for j, part in enumerate(parts)) / math.fsum(parts)
    assert same(PAGE["linear_chunked"](q, k, v, chunk), wanted)
    assert same(PAGE["linear_chunked"](factor * q, k, v, chunk), wanted)


@properties
@given(SIZES, SEEDS)
def test_the_delta_rule_stores_differences_that_fade(sizes, seed):
    q, k, v, rng = draw(sizes, seed)
    k = k / np.linalg.norm(k, axis=1, keepdims=True)
    alpha, beta = rng.uniform(0, 1, (2, len(k)))
    stored, wanted = [], []  # keys with values: never a matrix
    for q_t, k_t, v_t, a_t, b_t in zip(q, k, v, alpha, beta, strict=True):
        stored = [(key, a_t * value) for key, value in stored]
        found = sum((k_t @ key * value for key, value in stored), np.zeros(v.shape[1]))
        stored.append((k_t, b_t * (v_t - found)))
        wanted.append(sum(q_t @ key * value for key, value in stored))
    assert same(PAGE["delta_rule"](q, k, v, alpha, beta), np.array(wanted))


@properties
@given(SIZES, SEEDS, st.integers(1, 14))
def test_sparse_attention_reads_the_best_and_its_error_is_what_they_leave_out(sizes, seed, top):
    q, k, v, rng = draw(sizes, seed)
    n, heads, d = len(q), 3, 2
    short_q, short_k, w = (rng.standard_normal(shape) for shape in ((heads, n, d), (n, d), (n, heads)))
    scores = SPARSE["index_scores"](short_q, short_k, w)
    for i, j in np.ndindex(n, n):
        one = math.fsum(w[i, h] * max(0.0, short_q[h, i] @ short_k[j]) for h in range(heads))
        assert math.isclose(scores[i, j], one, abs_tol=1e-12)
    scores[~np.tri(n, dtype=bool)] = -np.inf
    result = SPARSE["sparse_attention"](q, k, v, scores, top)
    full = scaled_dot_product_attention(q, k, v, is_causal=True)
    for i in range(n):
        e = np.exp([q[i] @ k[j] / math.sqrt(len(q[i])) for j in range(i + 1)])
        best = sorted(range(i + 1), key=lambda j: -scores[i, j])[:top]
        rest = [j for j in range(i + 1) if j not in best]
        assert same(result[i], e[best] @ v[best] / e[best].sum())
        other = e[rest] @ v[rest] / e[rest].sum() if rest else 0 * result[i]
        assert same(full[i] - result[i], e[rest].sum() / e.sum() * (other - result[i]))
