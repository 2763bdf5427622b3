"""Splitting, merging and repeating heads: exact inverses, views, and what a reshape alone would mix up."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention import merge_heads, repeat_kv, split_heads
from tests.package.oracles import properties

# --- splitting and merging ---------------------------------------------------------------------------------------


@properties
@given(st.permutations([1, 2, 3, 5, 7]), st.integers(0, 3))
def test_split_and_merge_are_exact_inverses(sizes, n_lead):
    n_heads, n, width, *lead = sizes
    lead = tuple((*lead, 4)[:n_lead])
    x = np.arange(np.prod((*lead, n, n_heads * width))).reshape(*lead, n, n_heads * width)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*lead, n_heads, n, width)
    for *at, head, token, feature in np.ndindex(heads.shape):
        assert heads[(*at, head, token, feature)] == x[(*at, token, head * width + feature)]
    np.testing.assert_array_equal(merge_heads(heads), x, strict=True)
    back = heads.copy()  # in the order of its own axes
    np.testing.assert_array_equal(split_heads(merge_heads(back), n_heads), back, strict=True)


def test_splitting_and_merging_give_views_and_repeating_a_copy(rng):
    x = rng.standard_normal((2, 5, 6))
    heads = split_heads(x, 3)
    assert np.shares_memory(heads, x)
    assert np.shares_memory(merge_heads(heads), x)
    for n_groups in (1, 2):
        repeated = repeat_kv(heads, n_groups)
        assert not np.shares_memory(repeated, x)
        assert repeated.flags.writeable


@properties
@given(st.permutations([1, 2, 3, 5]), st.integers(1, 4), st.booleans())
def test_a_run_of_neighbours_shares_a_head(sizes, n_groups, batched):
    n_kv_heads, n, width, batch = sizes
    x = np.arange(batch * n_kv_heads * n * width).reshape(batch, n_kv_heads, n, width)
    x = x if batched else x[0]
    repeated = repeat_kv(x, n_groups)
    assert repeated.shape == (*x.shape[:-3], n_kv_heads * n_groups, n, width)
    for head in range(n_kv_heads * n_groups):
        np.testing.assert_array_equal(repeated[..., head, :, :], x[..., head // n_groups, :, :])
