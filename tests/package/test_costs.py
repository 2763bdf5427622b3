"""Costs against counting, against arrays, against figures worked out by hand, and bad input."""

import numpy as np
import pytest

from attention import (
    KVCache,
    attention_flops,
    attention_weight_bytes,
    attention_weights,
    causal_mask,
    kv_cache_bytes,
)


def counted_flops(n_q, n_k, d_k, d_v, n_heads, allowed):
    """Count a multiplication and an addition for each term of each sum."""
    flops = 0
    for _ in range(n_heads):
        for i, j in np.ndindex(n_q, n_k):
            if allowed[i, j]:
                flops += sum(2 for _ in range(d_k)) + sum(2 for _ in range(d_v))
    return flops


# --- against counting --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sizes", [(3, 5, 2, 7, 11), (5, 3, 7, 2, 1), (1, 1, 1, 1, 1), (0, 5, 2, 3, 4), (3, 5, 0, 2, 1)]
)
def test_flops_are_a_multiplication_and_an_addition_for_every_term(sizes):
    n_q, n_k, d_k, d_v, n_heads = sizes
    expected = counted_flops(n_q, n_k, d_k, d_v, n_heads, np.ones((n_q, n_k), bool))
    assert type(attention_flops(np.int8(100), np.int8(100), np.int8(100), np.int8(100))) is int  # of any size
    assert attention_flops(n_q, n_k, d_k, d_v, n_heads=n_heads) == expected


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_causal_flops_count_the_pairs_that_the_mask_allows(n):
    expected = counted_flops(n, n, 3, 4, 2, causal_mask(n))
    assert attention_flops(n, n, 3, 4, n_heads=2, is_causal=True) == expected


def test_weight_bytes_are_those_of_the_array():
    for dtype in (np.float16, np.float32, np.float64):
        weights = attention_weights(np.zeros((7, 3, 2), dtype), np.zeros((7, 5, 2), dtype))
        assert attention_weight_bytes(3, 5, n_heads=7, itemsize=weights.itemsize) == weights.nbytes
    assert attention_weight_bytes(3, 5) == 3 * 5 * 4  # one head in float32


def test_cache_bytes_are_those_of_as_many_caches_as_layers():
    caches = [KVCache() for _ in range(3)]
    for cache in caches:
        cache.append(np.zeros((2, 11, 5), np.float16), np.zeros((2, 11, 5), np.float16))
    assert kv_cache_bytes(11, n_layers=3, n_kv_heads=2, d_head=5) == sum(cache.nbytes for cache in caches)
    assert kv_cache_bytes(11, n_layers=3, n_kv_heads=2, d_head=5, itemsize=8) == 4 * sum(c.nbytes for c in caches)
