"""Sequences of different lengths in one batch, padded: each equals itself alone, however it is fed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from attention import (
    KVCache,
    apply_rotary,
    rotary_tables,
    scaled_dot_product_attention,
    tiled_attention,
)
from tests.package.oracles import loop_reach

EPS = np.finfo(float).eps


@dataclass
class Batch:
    """Queries, keys and values of each sequence, (heads, n, d), and what they have in common."""

    queries: list[np.ndarray]
    keys: list[np.ndarray]
    values: list[np.ndarray]
    layout: str
    left: int | None  # of the window

    @property
    def lengths(self):
        return np.array([query.shape[-2] for query in self.queries])

    @property
    def options(self) -> dict[str, Any]:
        window = None if self.left is None else (self.left, 0)
        return {"is_causal": True, "window": window, "enable_gqa": True}

    def turned(self, x, positions):
        """Turn queries or keys; positions are those of one sequence, (n,), or of all, (batch, n)."""
        cos, sin = rotary_tables(positions, 4)
        cos, sin = (table[:, None] if table.ndim == 3 else table for table in (cos, sin))
        return apply_rotary(x, cos, sin, layout=self.layout)

    def alone(self, at):
        """Attend in one sequence by itself, under the mask that the loops draw."""
        n = self.lengths[at]
        query, key = (self.turned(x[at], np.arange(n)) for x in (self.queries, self.keys))
        window = None if self.left is None else (self.left, 0)
        mask = loop_reach(n, n, is_causal=True, window=window)
        return scaled_dot_product_attention(query, key, self.values[at], mask=mask, enable_gqa=True)

    def new(self, seen, counts, width):
        """Return the next tokens of every sequence, turned, and padding behind them up to a common width."""
        positions = seen[:, None] + np.arange(width)
        padded = [
            stacked([x[:, first : first + n] for x, first, n in zip(xs, seen, counts, strict=True)], width)
            for xs in (self.queries, self.keys, self.values)
        ]
        return self.turned(padded[0], positions), self.turned(padded[1], positions), padded[2]


def stacked(arrays, width, *, at_the_end=True):
    """Stack arrays (heads, n, d) into (batch, heads, width, d), with padding behind them or before them.

    In front a mask hides it from every query, so it may be nan. Behind, the queries of the padding see it.
    """
    padding = 1e3 if at_the_end else np.nan
    batch = np.full((len(arrays), arrays[0].shape[0], width, arrays[0].shape[-1]), padding)
    for whole, array in zip(batch, arrays, strict=True):
        n = array.shape[-2]
        whole[:, slice(0, n) if at_the_end else slice(width - n, width)] = array
    return batch


def random_batch(rng):
    n_kv, group, d_v = (int(n) for n in rng.integers(1, 4, 3))
    lengths = rng.integers(1, 20, rng.integers(1, 5))
    shapes = (n_kv * group, 4), (n_kv, 4), (n_kv, d_v)
    arrays = ([rng.standard_normal((heads, n, d)) for n in lengths] for heads, d in shapes)
    left = [None, 0, 2, 5, 30][rng.integers(5)]
    return Batch(*arrays, layout=["half", "interleaved"][rng.integers(2)], left=left)


def steps(rng, lengths) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Draw how many tokens each sequence has been through, how many it brings, and the width of the padded chunk."""
    seen = np.zeros_like(lengths)
    while (seen < lengths).any():
        largest = int(rng.choice([1, 3, 12]))
        counts = np.minimum(rng.integers(0, largest + 1, len(lengths)), lengths - seen)
        if counts.any():
            yield seen, counts, int(counts.max() + rng.integers(0, 3))
        seen = seen + counts


def attend(rng, *arrays, **options):
    if rng.random() < 0.5:
        return scaled_dot_product_attention(*arrays, **options)
    blocks = (int(size) for size in rng.integers(1, 12, 2))
    return tiled_attention(*arrays, **options, **dict(zip(("query_block", "key_block"), blocks, strict=True)))


# --- three ways to feed a batch: each yields, chunk by chunk, the sequence and the rows of its output ---------------


def through_own_buffers(batch, rng):
    """Right-padded chunks; every sequence writes its keys and values behind its own last ones."""
    buffers = [stacked([x[:, :0] for x in xs], max(batch.lengths)) for xs in (batch.keys, batch.values)]
    for seen, counts, width in steps(rng, batch.lengths):
        query, *new = batch.new(seen, counts, width)
        for buffer, array in zip(buffers, new, strict=True):
            for at, (first, n) in enumerate(zip(seen, counts, strict=True)):
                buffer[at, :, first : first + n] = array[at, :, :n]
        keys, values = (buffer[..., : max(seen + counts), :] for buffer in buffers)
        output = attend(rng, query, keys, values, offset=seen, **batch.options)
        yield from ((at, output[at, :, :n]) for at, n in enumerate(counts))


def through_a_cache(batch, rng):
    """Right-padded chunks; the cache forgets the padding."""
    window = None if batch.left is None or rng.random() < 0.3 else batch.left + int(rng.integers(1, 4))
    cache = KVCache(window=window)
    for seen, counts, width in steps(rng, batch.lengths):
        query, key, value = batch.new(seen, counts, width)
        keys, values = cache.append(key, value)
        output = attend(rng, query, keys, values, offset=cache.offset, **batch.options)
        yield from ((at, output[at, :, :n]) for at, n in enumerate(counts))
        cache.truncate(seen + counts)


def padded_on_the_left(batch, rng):
    """Put the padding in front, hidden by a mask; the cache is an ordinary one, since all sequences end together."""
    width = max(batch.lengths)
    n_padding = width - batch.lengths
    positions = np.arange(width) - n_padding[:, None]
    query, key, value = (stacked(xs, width, at_the_end=False) for xs in (batch.queries, batch.keys, batch.values))
    query, key = batch.turned(query, positions), batch.turned(key, positions)
    window = None if batch.left is None or rng.random() < 0.3 else batch.left + int(rng.integers(1, 4))
    cache, first = KVCache(window=window), 0
    while first < width:
        new = slice(first, first + int(rng.integers(1, 8)))
        keys, values = cache.append(key[..., new, :], value[..., new, :])
        slots = cache.n_seen[0] - keys.shape[-2] + np.arange(keys.shape[-2])
        mask = slots >= n_padding[:, None, None, None]
        output = attend(rng, query[..., new, :], keys, values, mask=mask, offset=cache.offset, **batch.options)
        yield from ((at, output[at, :, max(0, n - first) :]) for at, n in enumerate(n_padding))
        first = new.stop


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("fed", [through_own_buffers, through_a_cache, padded_on_the_left])
def test_each_sequence_equals_itself_alone(fed, seed):
    for case in range(10):
        rng = np.random.default_rng([seed, case])
        batch = random_batch(rng)
        rows: list[list[np.ndarray]] = [[] for _ in batch.lengths]
        for at, output in fed(batch, rng):
            rows[at].append(output)
        for at, found in enumerate(rows):
            atol = 4 * EPS * np.abs(batch.values[at]).max()
            expected = batch.alone(at)
            np.testing.assert_allclose(np.concatenate(found, axis=-2), expected, rtol=0, atol=atol, err_msg=f"{case}")
