"""Linear attention and the delta rule against loops over single numbers, in any shape."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import delta_rule, linear_attention
from tests.package.oracles import properties

SIZES = st.tuples(st.integers(1, 13), st.integers(1, 7), st.integers(1, 6)).filter(lambda s: len(set(s)) == 3)
SEEDS = st.integers(0, 2**32 - 1)


@properties
@given(SIZES, SEEDS, st.integers(1, 14), st.floats(0.1, 1e6))
def test_chunks_of_any_size_are_sums_over_keys_and_a_louder_query_changes_nothing(sizes, seed, chunk, factor):
    n, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    q, k, v = *rng.uniform(0.1, 2, (2, n, d_k)), rng.standard_normal((n, d_v))  # all features are positive
    wanted = np.zeros((n, d_v))
    for i in range(n):
        parts = [math.fsum(q[i, c] * k[j, c] for c in range(d_k)) for j in range(i + 1)]
        wanted[i] = sum(part * v[j] for j, part in enumerate(parts)) / math.fsum(parts)
    for query in (q, factor * q):
        found, most = linear_attention(query, k, v, chunk_size=chunk), max(1, np.abs(wanted).max())
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * most)


def loop_delta(q, k, v, decay, beta, state):
    """Change one number of the state after another: row c, column e."""
    (n, d_k), d_v = q.shape, v.shape[1]
    state, rows = [list(row) for row in state], []
    for t in range(n):
        state = [[decay[t, c] * state[c][e] for e in range(d_v)] for c in range(d_k)]
        found = [math.fsum(k[t, c] * state[c][e] for c in range(d_k)) for e in range(d_v)]
        state = [[state[c][e] + beta[t] * k[t, c] * (v[t, e] - found[e]) for e in range(d_v)] for c in range(d_k)]
        rows.append([math.fsum(q[t, c] * state[c][e] for c in range(d_k)) for e in range(d_v)])
    return np.array(rows), np.array(state)


@properties
@given(SIZES, SEEDS, st.booleans(), st.integers(0, 13))
def test_the_delta_rule_changes_the_state_number_by_number_in_one_call_or_two(sizes, seed, shared, cut):
    n, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    q, k, v = rng.standard_normal((2, n, d_k)), rng.standard_normal((n, d_k)), rng.standard_normal((n, d_v))
    k /= np.linalg.norm(k, axis=-1, keepdims=True)
    decay, beta, state = rng.random((2, n, 1 if shared else d_k)), rng.random((n, 1)), rng.standard_normal((d_k, d_v))
    wanted = [loop_delta(q[b], k, v, np.broadcast_to(decay[b], k.shape), beta[:, 0], state) for b in range(2)]
    first, middle = delta_rule(q[:, :cut], k[:cut], v[:cut], decay=decay[:, :cut], beta=beta[:cut], state=state)
    second, last = delta_rule(q[:, cut:], k[cut:], v[cut:], decay=decay[:, cut:], beta=beta[cut:], state=middle)
    np.testing.assert_allclose(np.concatenate([first, second], axis=1), [z for z, _ in wanted], rtol=0, atol=1e-10)
    np.testing.assert_allclose(last, [state for _, state in wanted], rtol=0, atol=1e-10)


def test_a_rate_for_each_feature_is_refused():
    with pytest.raises(ValueError, match=r"beta must end with an axis of 1: beta \(3, 2\)"):
        delta_rule(*np.ones((3, 3, 2)), beta=np.ones((3, 2)))
