"""Latent attention against loops over heads, queries and keys, both ways, and what a loader takes and refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import LatentWeights, latent_attention
from tests.package.oracles import REFUSALS, loop_attention, loop_project, properties, refuses


def loop_latent(query, query_rotary, latent, key_rotary, w_uk, w_uv, sink, **options):
    """Write out every key and value of every head, each feature a sum, and attend in loops."""
    z = []
    for h in range(len(w_uk)):
        key = np.hstack([loop_project(latent, w_uk[h]), key_rotary])
        value, both = loop_project(latent, w_uv[h]), np.hstack([query[h], query_rotary[h]])
        z.append(loop_attention(both, key, value, sink=sink[h], dtype=np.longdouble, **options))
    return np.array(z).astype(float)


@properties
@given(st.permutations([1, 2, 3, 4, 5, 6, 7]), st.integers(0, 2**32 - 1), st.booleans())
def test_both_ways_equal_the_loops_in_any_shape_with_any_option(sizes, seed, absorb):
    heads, n_q, n_k, d_c, d_h, d_r, d_v = sizes
    rng = np.random.default_rng(seed)
    shapes = [(heads, n_q, d_h), (heads, n_q, d_r), (n_k, d_c), (n_k, d_r), (heads, d_c, d_h), (heads, d_c, d_v)]
    arrays = [rng.standard_normal(shape) for shape in shapes]
    options = {"window": (3, 1), "offset": n_k - n_q, "softcap": 2.0, "mask": rng.random((n_q, n_k)) < 0.8}
    options |= {"sink": rng.standard_normal(heads)} | ({"scale": 0.4} if seed % 2 else {})
    wanted = loop_latent(*arrays, **options)
    found = latent_attention(*arrays, absorb=absorb, **options)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * max(1, np.abs(wanted).max()))


def test_a_batch_is_each_of_its_texts_and_padding_may_hold_anything(rng):
    shapes = [(2, 3, 4, 5), (2, 3, 4, 6), (2, 7, 8), (2, 7, 6), (3, 8, 5), (3, 8, 9)]
    q, q_r, c, k_r, *w = arrays = [rng.standard_normal(shape) for shape in shapes]
    mask = np.arange(7) < np.array([7, 5])[:, None, None, None]
    whole = [latent_attention(q[b], q_r[b], c[b, :n], k_r[b, :n], *w) for b, n in enumerate((7, 5))]
    c[1, 5:], k_r[1, 5:] = np.nan, np.inf
    for absorb in (False, True):
        np.testing.assert_allclose(latent_attention(*arrays, absorb=absorb, mask=mask), whole, rtol=0, atol=1e-12)


STATE = {"kv_a_proj_with_mqa": (14, 20), "kv_b_proj": (88, 10), "o_proj": (20, 40), "kv_a_layernorm": (10,)}
STATE |= {"q_a_proj": (12, 20), "q_a_layernorm": (12,), "q_b_proj": (80, 12)}


@pytest.mark.parametrize(("told", "changes"), REFUSALS["latent"].items(), ids=REFUSALS["latent"])
def test_a_state_that_does_not_fit_is_named_with_its_shapes(told, changes):
    state = {name: np.zeros(shape) for name, shape in (STATE | changes).items() if shape}
    with refuses(told):
        LatentWeights.from_state(state, 8)


def test_without_a_short_row_queries_are_made_from_the_tokens_head_after_head(rng):
    state = {name: rng.standard_normal(shape) for name, shape in STATE.items() if "q_" not in name}
    x, w_q = rng.standard_normal((3, 20)), rng.standard_normal((80, 20))
    w = LatentWeights.from_state(state | {"q_proj.weight": w_q}, 8)
    q, q_r = w.queries(x, np.ones((3, 2)), np.zeros((3, 2)))  # not turned
    for head in range(8):
        rows = np.hstack([q[head], q_r[head]])
        np.testing.assert_allclose(rows, loop_project(x, w_q.T[:, 10 * head : 10 * head + 10]), rtol=0, atol=1e-12)
