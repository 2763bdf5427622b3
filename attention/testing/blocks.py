"""What mistakes.toml calls: attention block by block, and other helpers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import softmax
from attention.testing.errors import rounded
from attention.testing.steps import Steps

Array = NDArray[Any]
Read = Callable[[Array], Array]
BLOCKS = (64, 32, 128, 16, 256, 8, 48)  # keys, or rows
LOG2E = float(np.log2(np.e))


def top(a: Steps) -> Array:
    """Return the largest score of each row."""
    return np.asarray(a.with_sink(a.scores()).max(-1, keepdims=True))


def sums(a: Steps) -> Array:
    """Return the sum of a row's exponentials, less the largest score."""
    gap = a.with_sink(a.scores()) - top(a)
    return np.asarray(np.exp(gap).sum(axis=-1, keepdims=True))


def soft(a: Steps, scores: Array) -> Array:
    """Return the weights for such scores."""
    return softmax(a.with_sink(scores))[..., : a.n_keys]


def capped(a: Steps, scores: Array) -> Array:
    """Cap scores, if a cap was asked for."""
    found = a.capped(scores)
    return scores if found is None else found


def lowered(a: Steps, number: float) -> Array:
    """Take a number off all scores, in the kernel's precision."""
    kind: Any = np.float64 if a.case.format == "float64" else np.float32
    less = a.full().astype(kind) - kind(number)
    return np.asarray(less, np.float64)


def quotient(t: Array) -> Array:
    """Return nearly tanh."""
    return np.asarray(np.clip(t * (27 + t**2) / (27 + 9 * t**2), -1, 1))


def fitting(array: Array, width: int) -> Array:
    """Cut or fill features, where keys and values have not as many."""
    missing = max(0, width - array.shape[-1])
    return np.pad(array, [(0, 0)] * 3 + [(0, missing)])[..., :width]


def untiled(x: Array, n: int, only_full: bool = False) -> Array:
    """Transpose each tile of n by n."""
    n_q, n_k = x.shape[-2:]
    if only_full:
        some = np.s_[..., : n_q // n * n, : n_k // n * n]
        found = x.copy()
        found[some] = untiled(x[some], n)
        return found
    x = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(0, -n_q % n), (0, -n_k % n)])
    rows, keys = x.shape[-2] // n, x.shape[-1] // n
    tiles = x.reshape(*x.shape[:-2], rows, n, keys, n)
    return tiles.swapaxes(-1, -3).reshape(x.shape)[..., :n_q, :n_k]


def ceil(numbers: Any, n: int) -> Array:
    """Round up to multiples."""
    return np.asarray(-(-numbers // n) * n)


def rows_of_tile(array: Array, m: int, which: Any) -> Array:
    """Give m rows at a time what one of them has, or a function of all."""
    n = array.shape[-2]
    starts = np.arange(0, n, m)
    if callable(which):
        parts = np.split(array, starts[1:], axis=-2)
        some = [which(part, axis=-2, keepdims=True) for part in parts]
        chosen = np.concatenate(some, axis=-2)
    else:
        row = np.minimum(starts + m, n) - 1 if which else starts
        chosen = array[..., row, :]
    return np.repeat(chosen, m, axis=-2)[..., :n, :]


def in_tiles(seen: Array, n: int) -> Array:
    """Say of n keys at a time whether any of them is seen."""
    starts = np.arange(0, seen.shape[-1], n)
    some = np.add.reduceat(seen, starts, axis=-1) > 0
    return np.repeat(some, n, axis=-1)[..., : seen.shape[-1]]


def visited(a: Steps, m: int, n: int) -> Array:
    """Say which keys are in tiles of m by n that hold a key to see."""
    return in_tiles(rows_of_tile(a.allowed(), m, np.any), n)


def starts_of(a: Steps, n: int) -> list[int]:
    """Return where parts of n keys begin, or -n parts of nearly one size."""
    if n > 0:
        return list(range(0, a.n_keys, n))
    return sorted({a.n_keys * i // -n for i in range(-n)})


def restarted(a: Steps, starts: list[int]) -> Array:
    """Say which keys are seen if each part counts its keys from 0."""
    part = np.searchsorted(starts, a.keys, "right") - 1
    keys = a.keys - np.array(starts)[part]
    first, last = a.ends()
    allowed = np.ones((1, 1, a.n_queries, a.n_keys), bool)
    allowed = allowed if first is None else allowed & (keys >= first)
    return allowed if last is None else allowed & (keys <= last)


def sinks_of_parts(a: Steps, scores: Array, n: int, which: str) -> Array:
    """Count the sink in parts: in all, or once more in empty ones."""
    starts, sink = starts_of(a, n), np.asarray(a.sink())
    empty = np.add.reduceat(a.allowed(), starts, axis=-1) == 0
    if which == "all":
        empty = np.ones_like(empty)
        empty[..., 0] = False
    if which == "any":
        empty = empty.any(axis=-1, keepdims=True)
    more = np.where(empty, sink, -np.inf)
    shape = (*scores.shape[:-1], more.shape[-1])
    own = np.broadcast_to(sink, (*scores.shape[:-1], 1))
    return np.concatenate([scores, own, np.broadcast_to(more, shape)], axis=-1)


def merged(a: Steps, n: int, weight: Callable[[Array, Array], Array]) -> Array:
    """Weigh parts by a function of their log-sum-exp and their maximum."""
    parts = np.split(a.scores(), starts_of(a, n)[1:], axis=-1)
    tops = np.stack([part.max(axis=-1) for part in parts], axis=-1)
    safe = np.where(tops == -np.inf, 0, tops)
    gaps = [part - safe[..., i, None] for i, part in enumerate(parts)]
    total = np.stack([np.exp(gap).sum(-1) for gap in gaps], axis=-1)
    share = soft_of(a, weight(np.log(total) + safe, tops), len(parts))
    each = [softmax(p) * share[..., i, None] for i, p in enumerate(parts)]
    return np.concatenate(each, axis=-1)


def soft_of(a: Steps, scores: Array, n: int) -> Array:
    """Return the weights of n parts, less the sink's."""
    return softmax(a.with_sink(scores))[..., :n]


def relative_to(
    a: Steps, top: Array, format: str = "", guarded: bool = False
) -> Array:
    """Weigh with something else than a row's largest score subtracted."""
    wide = "float64" if a.case.format == "float64" else "float32"
    gap = a.with_sink(a.scores()) - top
    e = np.exp(gap).astype(format or wide).astype(np.float64)
    total = e.sum(axis=-1, keepdims=True).astype(wide).astype(np.float64)
    none = (total == 0) & (a.empty() | guarded)
    return np.asarray((e / np.where(none, 1, total))[..., : a.n_keys])


def _as_it_is(by: Array, _: Array) -> Array:
    return by


def online(
    a: Steps,
    n: int,
    *,
    factor: Callable[[Array, Array], Array] = _as_it_is,
    for_output: Callable[[Array, Array], Array] = _as_it_is,
    for_sum: Callable[[Array, Array], Array] = _as_it_is,
    after: str = "",
    first: int = 1,
    guarded: bool = True,
    weights: Read = np.asarray,
    added: Read = np.asarray,
    output: Read = np.asarray,
    total: Read = np.asarray,
) -> Array:
    """Read n keys at a time and keep a running maximum, with a mistake."""
    scores, sink, v = a.scores(), a.sink(), a.values
    shape = (*scores.shape[:-1], 1)
    largest, sum_ = np.full(shape, -np.inf), np.zeros(shape)
    if sink is not None:
        largest, sum_ = np.broadcast_to(sink, shape), np.ones(shape)
    result = np.zeros((*scores.shape[:-1], a.d_v))
    for start in range(0, a.n_keys, n):
        part = scores[..., start : start + n]
        new = np.maximum(largest, part.max(-1, keepdims=True))
        safe = np.where((new == -np.inf) & guarded, 0, new)
        p, by = np.exp(part - safe), np.exp(largest - safe)
        by = factor(by, new)
        by_output, by_sum = for_output(by, new), for_sum(by, new)
        more = weights(p) @ v[:, :, start : start + n]
        count = added(p).sum(-1, keepdims=True) * (1 if start else first)
        if "output" in after:
            result = (result + more) * by_output
        else:
            result = output(result * by_output + more)
        if "sum" in after:
            sum_ = (sum_ + count) * by_sum
        else:
            sum_ = total(sum_ * by_sum + count)
        largest = new
    return result / np.where(sum_ == 0, 1, sum_)


def one_head(a: Steps, array: Array, index: int) -> Array:
    """Take one query head of each group, not the sum of all."""
    shape = len(array), a.case.key.shape[1], -1, *array.shape[2:]
    return array.reshape(shape)[:, :, index]


def without_last_rows(a: Steps, n: int) -> Steps:
    """Leave the last block of n queries out if it is not full."""
    full = a.rows < a.n_queries // n * n
    changes = {
        name: lambda _, x: x * full for name in ("d_products", "for_value")
    }
    return Steps(a.case, changes)


def added_up(a: Steps, format: str, n: int = 64) -> Array:
    """Add the gradient of the query up in a format, block by block."""
    d, k = a.scale() * a.d_products(), a.key()
    total = np.zeros(a.query().shape)
    for i in range(0, a.n_keys, n):
        total = rounded(total + d[..., i : i + n] @ k[:, :, i : i + n], format)
    return total
