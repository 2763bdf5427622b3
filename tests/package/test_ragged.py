"""Packed and paged sequences against a mask and against a gather, with every option; and their memory."""

import ml_dtypes
import numpy as np
import pytest

import attention as at
from tests.package.cases import random_case
from tests.package.oracles import close, held, loop_reach


def cases(seed, n, n_axes=None):
    """Draw calls; beside the options those of position, with an offset of their own if any."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        arrays, options, blocks = random_case(rng)
        reach = {name: options.pop(name) for name in ("is_causal", "window") if name in options}
        options.pop("offset", None)
        blocks |= {"n_threads": int(rng.integers(1, 3)), "return_logsumexp": True}
        if n_axes in (None, arrays[0].ndim) and arrays[2].ndim <= arrays[0].ndim:
            yield rng, arrays, options, reach, blocks


def drawn_offset(rng, reach, n_before):
    """Draw what to give, and what it means: for each sequence the last query at the last key if nothing is given."""
    if not reach or rng.random() < 0.4:
        return {}, n_before
    offset = rng.integers(-5, 30, len(n_before)) if rng.random() < 0.5 else int(rng.integers(-5, 30))
    return {"offset": offset}, np.broadcast_to(offset, len(n_before))


def same(found, query, key, value, mask, *, bias=0, sink=-np.inf, **options):
    """Compare with one call under a mask, and with the sums of the exponentials of its scores."""
    every = {"mask": mask, "bias": bias, "sink": sink} | options
    close(found[0], at.scaled_dot_product_attention(query, key, value, **every), value)
    scores = np.where(mask, at.attention_scores(query, key, **options) + bias, -np.inf)
    sinks = np.broadcast_to(sink, scores.shape[-3:-2])[:, None]
    eps = np.finfo(value.dtype).eps  # 1e-12 in double precision
    expected = np.broadcast_to(np.logaddexp(at.logsumexp(scores), sinks), found[1].shape)
    np.testing.assert_allclose(found[1], expected, rtol=1000 * eps, atol=4000 * eps)


@pytest.mark.parametrize("seed", range(4))
def test_packed_sequences_are_one_call_under_a_mask_of_segments(seed):
    for rng, arrays, options, reach, blocks in cases(seed, 50):
        totals = np.array([arrays[0].shape[-2], arrays[1].shape[-2]])
        cu = np.column_stack([[0, 0], np.sort(rng.integers(0, totals[:, None] + 1, (2, 3))), totals])  # some are empty
        offset, offsets = drawn_offset(rng, reach, np.subtract(*np.diff(cu)[::-1]))
        found = at.varlen_attention(*arrays, *cu, **options, **reach, **offset, **blocks)
        allowed = np.zeros(totals, bool)
        for i, each in enumerate(offsets):
            rows, columns = (slice(*bounds[i : i + 2]) for bounds in cu)
            allowed[rows, columns] = loop_reach(*np.diff(cu)[:, i], **reach, offset=each)
        same(found, *arrays, allowed & options.pop("mask", True), **options)


def in_blocks(rng, batch, *arrays):
    """Write keys and values into the blocks of a pool, where every other slot is nan; the lengths come last."""
    key, value = (np.broadcast_to(x, (batch, *x.shape[-3:])) for x in arrays)
    _, n_heads, n_most, _ = key.shape
    n_slots = int(rng.choice([n for n in range(1, 7) if n_most % n == 0]))
    table = rng.permutation(2 * batch * n_most)[: batch * n_most // n_slots].reshape(batch, -1)
    pools = [np.full((2 * batch * n_most, n_heads, n_slots, x.shape[-1]), np.nan, x.dtype) for x in (key, value)]
    n_k = rng.integers(0, n_most + 1, batch)
    for i, t in np.argwhere(np.arange(n_most) < n_k[:, None]):
        for pool, rows in zip(pools, (key, value), strict=True):
            pool[table[i, t // n_slots], :, t % n_slots] = rows[i, :, t]
    table[np.arange(table.shape[1]) * n_slots >= n_k[:, None]] = -1  # never read
    return key, value, *pools, table, n_k


@pytest.mark.parametrize("seed", range(4))
def test_a_pool_is_read_as_if_its_rows_were_gathered(seed):
    for rng, (query, *others), options, reach, blocks in cases(seed, 150, 4):
        key, value, *pool, n_k = in_blocks(rng, len(query), *others)
        offset, offsets = drawn_offset(rng, reach, n_k - query.shape[-2])
        found = at.paged_attention(query, *pool, n_k, **options, **reach, **offset, **blocks)
        allowed = loop_reach(query.shape[-2], key.shape[-2], **reach, offset=offsets)[:, None]
        allowed = allowed & at.padding_mask(n_k, key.shape[-2]) & options.pop("mask", True)
        same(found, query, key, value, allowed, **options)


@pytest.mark.parametrize("seed", range(4))
def test_packed_queries_read_each_its_own_blocks_with_every_option(seed):
    for rng, (query, *others), options, reach, blocks in cases(seed, 150, 4):
        key, value, *pool, n_k = in_blocks(rng, len(query), *others)
        query = query.swapaxes(0, 1).reshape(query.shape[1], -1, query.shape[-1])
        n_q, n_most = query.shape[-2], key.shape[-2]
        cu, ends = [0, *np.sort(rng.integers(0, n_q + 1, len(n_k) - 1)), n_q], np.cumsum([0, *n_k])
        offset, offsets = drawn_offset(rng, reach, n_k - np.diff(cu))
        mask, bias = rng.random((n_q, n_most)) < rng.choice([0.7, 1]), rng.standard_normal((len(query), n_q, n_most))
        options |= {"mask": mask, "bias": bias}
        found = at.paged_attention(query, *pool, n_k, cu_query=cu, **options, **reach, **offset, **blocks)
        allowed, added = np.zeros((n_q, ends[-1]), bool), np.zeros((len(query), n_q, ends[-1]))
        for i, each in enumerate(offsets):
            rows, columns, n = slice(*cu[i : i + 2]), slice(*ends[i : i + 2]), n_k[i]
            allowed[rows, columns] = mask[rows, :n] & loop_reach(np.diff(cu)[i], n, **reach, offset=each)
            added[:, rows, columns] = bias[:, rows, :n]
        packed = [np.concatenate([x[i, :, :n] for i, n in enumerate(n_k)], axis=-2) for x in (key, value)]
        same(found, query, *packed, **options | {"mask": allowed, "bias": added})


def extra_bytes(call, *arrays, **options):
    """Count what a call holds beyond its inputs and its output."""
    call(*arrays, **options)  # pays for lazy imports
    peak, output = held(call, *arrays, **options)
    return peak - output.nbytes


def test_the_memory_of_neither_grows_with_the_scores_or_the_cache(rng):
    extra = []
    for n in (2048, 32768):
        query, key, value = rng.standard_normal((3, 2, n, 16), dtype=np.float32)
        cu, table = [0, n // 4, n], np.arange(n // 16).reshape(1, -1)
        pools = [x.reshape(2, -1, 16, 16).swapaxes(0, 1).astype(ml_dtypes.bfloat16) for x in (key, value)]
        packed = extra_bytes(at.varlen_attention, query, key, value, cu, cu, window=(200, 0)) - query[..., 0].nbytes
        two = [np.repeat(table, 2, axis=0), [n, n - 9]]  # one decodes, and one reads a chunk of its prompt
        paged = extra_bytes(at.paged_attention, query[:, -300:], *pools, *two, cu_query=[0, 1, 300], is_causal=True)
        extra.append((packed, paged - 2 * table.nbytes))
    assert np.max(extra) < 2**20
    assert np.subtract(*extra[::-1]).max() < 2**17, extra
