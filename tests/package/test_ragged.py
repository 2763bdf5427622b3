"""Packed and paged sequences against a mask and against a gather, with every option; and their memory."""

import tracemalloc

import numpy as np
import pytest

import attention as at
from tests.package.cases import random_reach
from tests.package.oracles import close, loop_reach, smaller

LENGTHS = (0, 1, 2, 3, 5, 8, 13, 21)


def ragged_case(rng):
    """Draw lengths of queries and keys, numbers of heads, options but mask and bias, and blocks."""
    n_kv, group, batch = (int(n) for n in rng.integers(1, 4, 3))
    n_q, n_k = rng.choice(LENGTHS, (2, batch))
    options = {"enable_gqa": True} if group > 1 else {}
    options |= {"softcap": 2.0} if rng.random() < 0.3 else {}
    options |= {"scale": -0.7} if rng.random() < 0.2 else {}
    options |= {"sink": rng.standard_normal(n_kv * group)} if rng.random() < 0.3 else {}
    blocks = {"query_block": int(rng.integers(1, 9)), "key_block": int(rng.integers(1, 9))}
    return n_q, n_k, n_kv, group, options, blocks | {"n_threads": int(rng.integers(1, 3)), "return_logsumexp": True}


def reach_of(rng, scores, n_before):
    """Draw is_causal, window and offset; also return them with the offset that is meant where none is given."""
    reach = random_reach(rng, scores)
    if rng.random() < 0.5:
        reach.pop("offset", None)
    return reach, ({"offset": n_before} | reach if reach else {})


def masks(rng, scores):
    options = {"mask": np.asarray(rng.random(smaller(rng, scores)) < 0.7)} if rng.random() < 0.4 else {}
    return options | ({"bias": rng.standard_normal(smaller(rng, scores))} if rng.random() < 0.4 else {})


def same(found, query, key, value, mask, *, bias=0, sink=-np.inf, **options):
    """Compare with one call under a mask, and with the sums of the exponentials of its scores."""
    every = {"mask": mask, "bias": bias, "sink": sink} | options
    close(found[0], at.scaled_dot_product_attention(query, key, value, **every), value)
    scores = np.where(mask, at.attention_scores(query, key, **options) + bias, -np.inf)
    sinks = np.broadcast_to(sink, scores.shape[-3:-2])[:, None]
    np.testing.assert_allclose(found[1], np.logaddexp(at.logsumexp(scores), sinks), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_packed_sequences_are_one_call_under_a_mask_of_segments(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        n_q, n_k, n_kv, group, options, blocks = ragged_case(rng)
        query = rng.standard_normal((n_kv * group, n_q.sum(), 4))
        key, value = (rng.standard_normal((n_kv, n_k.sum(), d)) for d in (4, 3))
        reach, meant = reach_of(rng, (len(n_q), 1, 9, 10), n_k - n_q)
        options |= masks(rng, (n_kv * group, n_q.sum(), n_k.sum()))
        cu_query, cu_key = ([0, *np.cumsum(n)] for n in (n_q, n_k))
        found = at.varlen_attention(query, key, value, cu_query, cu_key, **options, **reach, **blocks)
        allowed = np.zeros((n_q.sum(), n_k.sum()), bool)
        offsets = np.broadcast_to(meant.pop("offset", 0), len(n_q))
        for i, offset in enumerate(offsets):
            rows, columns = slice(*cu_query[i : i + 2]), slice(*cu_key[i : i + 2])
            allowed[rows, columns] = loop_reach(n_q[i], n_k[i], **meant, offset=offset)
        same(found, query, key, value, allowed & options.pop("mask", True), **options)


@pytest.mark.parametrize("seed", range(5))
def test_a_pool_is_read_as_if_its_rows_were_gathered(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        _, n_k, n_kv, group, options, blocks = ragged_case(rng)
        n_q, n_slots, batch = int(rng.choice(LENGTHS)), int(rng.integers(1, 6)), len(n_k)
        n_entries = -(-int(n_k.max()) // n_slots) + int(rng.integers(3))
        query = rng.standard_normal((batch, n_kv * group, n_q, 4))
        key, value = (rng.standard_normal((batch, n_kv, n_entries * n_slots, d)) for d in (4, 3))
        reach, meant = reach_of(rng, (*query.shape[:3], n_entries * n_slots), n_k - n_q)
        options |= masks(rng, (*query.shape[:3], n_entries * n_slots))
        table = rng.permutation(2 * batch * n_entries)[: batch * n_entries].reshape(batch, n_entries)
        pools = [np.full((2 * batch * n_entries, n_kv, n_slots, d), np.nan) for d in (4, 3)]  # where nothing is written
        for i, t in np.argwhere(np.arange(key.shape[2]) < n_k[:, None]):
            for pool, rows in zip(pools, (key, value), strict=True):
                pool[table[i, t // n_slots], :, t % n_slots] = rows[i, :, t]
        table[np.arange(n_entries) * n_slots >= n_k[:, None]] = -1
        found = at.paged_attention(query, *pools, table, n_k, **options, **reach, **blocks)
        offsets = np.broadcast_to(meant.pop("offset", 0), batch)
        reached = loop_reach(n_q, key.shape[2], **meant, offset=offsets)
        allowed = reached[:, None] & at.padding_mask(n_k, key.shape[2]) & options.pop("mask", True)
        same(found, query, key, value, allowed, **options)


def extra_bytes(call, *arrays, **options):
    """Count what a call holds beyond its inputs and its output."""
    call(*arrays, **options)  # pays for lazy imports
    tracemalloc.start()
    try:
        output = call(*arrays, **options)
        return tracemalloc.get_traced_memory()[1] - output.nbytes
    finally:
        tracemalloc.stop()


def test_the_memory_of_neither_grows_with_the_scores_or_the_cache(rng):
    extra = []
    for n in (2048, 32768):
        query, key, value = rng.standard_normal((3, 2, n, 16), dtype=np.float32)
        cu, table = [0, n // 4, n], np.arange(n // 16).reshape(1, -1)
        pools = [x.reshape(2, -1, 16, 16).swapaxes(0, 1).astype(np.float16) for x in (key, value)]
        packed = extra_bytes(at.varlen_attention, query, key, value, cu, cu, window=(200, 0)) - query[..., 0].nbytes
        paged = extra_bytes(at.paged_attention, query[None, :, -3:], *pools, table, [n], key_block=512)
        extra.append((packed, paged - table.nbytes))
    assert np.max(extra) < 2**20
    assert np.subtract(*extra[::-1]).max() < 2**17, extra
