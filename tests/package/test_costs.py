"""Costs against counting, against arrays, against figures worked out by hand, and bad input."""

import numpy as np
import pytest

from attention import KVCache, attention_flops, causal_mask, kv_cache_bytes


@pytest.mark.parametrize(
    "sizes", [(3, 5, 2, 7, 11), (5, 3, 7, 2, 1), (0, 5, 2, 3, 4), (3, 5, 0, 2, 1), (8, 8, 3, 4, 2)]
)
def test_flops_are_a_multiplication_and_an_addition_for_every_term_of_every_pair_that_meets(sizes):
    n_q, n_k, d_k, d_v, n_heads = sizes
    for is_causal, allowed in ((False, np.ones((n_q, n_k), bool)), (True, causal_mask(n_k))):
        n = n_k if is_causal else n_q
        expected = sum(2 * d_k + 2 * d_v for _ in range(n_heads) for pair in allowed.flat if pair)
        assert attention_flops(n, n_k, d_k, d_v, n_heads=n_heads, is_causal=is_causal) == expected
    assert type(attention_flops(np.int8(100), np.int8(100), np.int8(100), np.int8(100))) is int  # of any size


def test_cache_bytes_are_those_of_as_many_caches_as_layers():
    caches = [KVCache() for _ in range(3)]
    for cache in caches:
        cache.append(np.zeros((2, 11, 5), np.float16), np.zeros((2, 11, 5), np.float16))
    assert kv_cache_bytes(11, n_layers=3, n_kv_heads=2, d_head=5) == sum(cache.nbytes for cache in caches)
    assert kv_cache_bytes(11, n_layers=3, n_kv_heads=2, d_head=5, itemsize=8) == 4 * sum(c.nbytes for c in caches)
