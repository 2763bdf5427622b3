"""What mistakes.toml calls: attention block by block, and other helpers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention import alibi_slopes, softmax
from attention.numerics import logsumexp
from attention.testing.errors import rounded
from attention.testing.steps import Steps

Array = NDArray[Any]
Function = Callable[[Array], Array]
PLACES = {  # of a block from i on, of n keys
    "in every second block, from the second": lambda i, n, n_keys: i // n % 2,
    "in every second block, from the third": lambda i, n, n_keys: (
        i // n % 2 == 0
    ),
    "in the second block": lambda i, n, n_keys: i == n,
    "in the last block": lambda i, n, n_keys: i + n >= n_keys,
    "in blocks before the last": lambda i, n, n_keys: i + n < n_keys,
    "in blocks after the second": lambda i, n, n_keys: i > n,
}
LOG2E = float(np.log2(np.e))
MEASURED = -1  # parts: those that the weights of a case have shown


def top(a: Steps) -> Array:
    """Return the largest score of each row."""
    return np.asarray(a.with_sink(a.scores()).max(-1, keepdims=True))


def sums(a: Steps) -> Array:
    """Return the sum of a row's exponentials, less the largest score."""
    gap = a.with_sink(a.scores()) - np.maximum(top(a), -1e300)
    return np.asarray(np.exp(gap).sum(axis=-1, keepdims=True))


def soft(a: Steps, scores: Array) -> Array:
    """Return the weights for such scores, of keys or of parts."""
    return softmax(a.with_sink(scores))[..., : scores.shape[-1]]


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


def by_exponentials(t: Array, n: int) -> Array:
    """Return tanh as a quotient of exp(n t) and exp(t (n - 2)) in float32."""
    x = t.astype(np.float32)
    above, below = np.exp(n * x), np.exp((n - 2) * x)
    return np.asarray((above - below) / (above + below), np.float64)


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


def all_of_tiles(seen: Array, n: int) -> Array:
    """Say of n keys at a time whether all of them are seen."""
    return ~in_tiles(~seen, n)


def key_of_tiles(seen: Array, n: int, which: int) -> Array:
    """Say of n keys at a time whether the first, or last, of them is seen."""
    starts = np.arange(seen.shape[-1]) // n * n
    last = np.minimum(starts + n, seen.shape[-1]) - 1
    return np.asarray(seen[..., last if which else starts])


def starting_unseen(a: Steps, m: int, n: int) -> Array:
    """Say which rows see nothing of the first block that their tile reads."""
    reach = np.broadcast_to(a.within(), a.allowed().shape)
    read = rows_of_tile(reach, m, np.any)
    first = read.argmax(axis=-1)[..., None] // n
    own = a.allowed() & (a.keys // n == first)
    return np.asarray(read.any(-1) & ~own.any(-1))[..., None]


def last_read(a: Steps, m: int, n: int) -> Array:
    """Return the number of the last block that each row's tile reads."""
    read = rows_of_tile(a.within(), m, np.any)
    last = a.n_keys - 1 - read[..., ::-1].argmax(axis=-1)
    return np.asarray(last // n)[..., None]


def few_last(m: int, n: int, how: str) -> int:
    """Return how many of the last blocks a tile of m by n takes for masked."""
    few = {"one": 1, "as many": -(-m // n)}
    return few.get(how) or few["as many"] + 1


def unmasked(
    a: Steps, m: int, n: int, how: str, masked: bool = False
) -> Callable[[int, int], Array]:
    """Say in which blocks a tile of m rows needs no mask, or needs one.

    These are full, or before its first row, or before some of the last ones.
    """
    blocks = np.arange(-(-a.n_keys // n))
    if how == "full":
        some = full_tiles(a.allowed(), m, n)[..., ::n]
    elif how == "before":
        some = (blocks + 1) * n <= rows_of_tile(a.positions(), m, 0)
    else:
        some = blocks <= last_read(a, m, n) - few_last(m, n, how)
    return lambda i, n: (some ^ masked)[..., i // n, None]


def skipped(first: Array, m: int, n: int) -> Array:
    """Return how many keys are in blocks of n before a tile's window."""
    return np.maximum(rows_of_tile(first, m, 0), 0) // n * n


def visited(a: Steps, m: int, n: int) -> Array:
    """Say which keys are in tiles of m by n that hold a key to see."""
    return in_tiles(rows_of_tile(a.allowed(), m, np.any), n)


def full_tiles(seen: Array, m: int, n: int) -> Array:
    """Say which keys are in tiles of m by n of which all is seen."""
    return ~in_tiles(rows_of_tile(~seen, m, np.any), n)


def starts_of(a: Steps, m: int, n: int) -> list[int]:
    """Return where parts of the keys begin: m parts, or parts of n keys."""
    if m == MEASURED:
        return list(a.exact.done["starts"])
    if m and not n:  # the first ones hold one more
        few, more = divmod(a.n_keys, m)
        return sorted({i * few + min(i, more) for i in range(m)} - {a.n_keys})
    return list(
        range(0, a.n_keys, int(ceil(-(-a.n_keys // (m or 1)), n)) if m else n)
    )


def part_of(a: Steps, m: int, n: int) -> Array:
    """Say which part each key is in, from 0; -1 for the last."""
    starts = starts_of(a, m, n)
    number = np.searchsorted(starts, a.keys, "right") - 1
    return np.where(number == len(starts) - 1, -1, number)


def restarted(a: Steps, starts: list[int]) -> Array:
    """Say which keys are seen if each part counts its keys from 0."""
    part = np.searchsorted(starts, a.keys, "right") - 1
    keys = a.keys - np.array(starts)[part]
    return a.between(keys, *a.ends())


def sinks_of_parts(
    a: Steps, scores: Array, starts: list[int], which: str
) -> Array:
    """Count the sink in parts: in all, or once more in empty ones.

    Or only in the first part, or the last, and not where that is empty.
    """
    sink = np.asarray(a.sink())
    empty = np.add.reduceat(a.allowed(), starts, axis=-1) == 0
    if which in ("of first", "of last"):
        lost = empty[..., -1:] if which == "of last" else empty[..., :1]
        return np.concatenate([scores, np.where(lost, -np.inf, sink)], axis=-1)
    if which == "first":
        empty = empty[..., :1] & ~empty.all(axis=-1, keepdims=True)
    if which == "leading":
        empty = np.logical_and.accumulate(empty, axis=-1)
        empty[..., -1] = False
    if which == "all":
        empty = np.ones_like(empty)
        empty[..., 0] = False
    if which == "begins":
        all_empty = np.logical_and.accumulate(empty, axis=-1)
        which, empty = "after", all_empty & ~np.roll(empty, -1, axis=-1)
    if which == "after":
        empty = np.roll(empty, 1, axis=-1)
        empty[..., 0] = False
    if which == "any":
        empty = empty.any(axis=-1, keepdims=True)
    more = np.where(empty, sink, -np.inf)
    shape = (*scores.shape[:-1], more.shape[-1])
    own = np.broadcast_to(sink, (*scores.shape[:-1], 1))
    return np.concatenate([scores, own, np.broadcast_to(more, shape)], axis=-1)


def merged(
    a: Steps, starts: list[int], weight: Callable[[Array, Array], Array]
) -> Array:
    """Weigh parts by a function of their log-sum-exp and their maximum."""
    parts = np.split(a.scores(), starts[1:], axis=-1)
    tops = np.stack([part.max(axis=-1) for part in parts], axis=-1)
    safe = np.where(tops == -np.inf, 0, tops)
    gaps = [part - safe[..., i, None] for i, part in enumerate(parts)]
    total = np.stack([np.exp(gap).sum(-1) for gap in gaps], axis=-1)
    share = soft(a, weight(np.log(total) + safe, tops))
    each = [softmax(p) * share[..., i, None] for i, p in enumerate(parts)]
    return np.concatenate(each, axis=-1)


def in_turn(
    a: Steps, starts: list[int], keep: Callable[[Array, Array], Array]
) -> Array:
    """Merge parts one after another; what has both sums is kept as one."""
    parts = np.split(a.scores(), starts[1:], axis=-1)
    merged = parts[0][..., :0]
    old = np.full((*merged.shape[:-1], 1), -np.inf)
    for part in parts:
        new = logsumexp(part)[..., None]
        share = softmax(np.concatenate([old, new], axis=-1))
        both = merged * share[..., :1], softmax(part) * share[..., 1:]
        merged, old = np.concatenate(both, axis=-1), keep(old, new)
    return merged


def merged_in_turn(
    a: Steps,
    starts: list[int],
    *,
    output: Function = np.asarray,
    total: Function = np.asarray,
    part_output: Function = np.asarray,
    part_total: Function = np.asarray,
    part_top: Function = np.asarray,
    weights: Function = np.asarray,
) -> Array:
    """Merge the outputs of parts one after another, with a mistake."""
    found = np.zeros((*a.scores().shape[:-1], a.d_v))
    old = np.full((*found.shape[:-1], 1), -np.inf)
    if a.sink() is not None:
        old = old * 0 + a.sink()
    values = np.split(a.values, starts[1:], axis=-2)
    scores = np.split(a.scores(), starts[1:], axis=-1)
    for part, v in zip(scores, values, strict=True):
        sums = logsumexp(part)[..., None]
        p = np.exp(part - np.where(sums == -np.inf, 0, sums))
        top = part.max(axis=-1, keepdims=True)
        off = np.where(top == -np.inf, 0, part_top(top) - top)
        sums, more = part_total(sums) + off, part_output(weights(p) @ v)
        both = softmax(np.concatenate([old, sums], axis=-1))
        found = output(found * both[..., :1] + more * both[..., 1:])
        old = total(np.logaddexp(old, sums))
    return found


def group(a: Steps) -> int:
    """Return how many query heads share one of keys."""
    return int(a.n_heads // a.case.key.shape[1])


def own_head(a: Steps) -> Array:
    """Return the number of each head in its group."""
    return (np.arange(a.n_heads) % group(a)).reshape(-1, 1, 1)


def regrouped(a: Steps) -> Array:
    """Return heads as if groups were counted before heads of keys."""
    return np.arange(a.n_heads).reshape(-1, group(a)).T.ravel()


def relative_to(
    a: Steps,
    top: Any,
    format: str = "",
    guarded: bool = False,
    held: bool = False,
) -> Array:
    """Weigh with something else than a row's largest score subtracted.

    Weights may be held in a format, or those alone that meet the values.
    """
    wide = "float64" if a.case.format == "float64" else "float32"
    scores = a.with_sink(a.scores())
    gap = np.where(guarded & (scores == -np.inf), scores, scores - top)
    e = np.exp(gap).astype(format or wide).astype(np.float64)
    total = e.sum(axis=-1, keepdims=True).astype(wide).astype(np.float64)
    none = (total == 0) & (a.empty() | guarded)
    e = rounded(e, a.case.format) if held else e
    return np.asarray((e / np.where(none, 1, total))[..., : a.n_keys])


def above(a: Steps) -> Array:
    """Return how far the sink is above a row's largest score, if it is."""
    gap = a.exact.sink() - a.scores().max(-1, keepdims=True)
    return np.where(a.empty(), 0, np.maximum(gap, 0))


def own_block(a: Steps, n: int) -> Array:
    """Return the largest score of the block of n that the query stands in."""
    own = a.keys // n == a.positions() // n
    scores = np.where(own, a.scores(), -np.inf)
    return np.asarray(scores.max(-1, keepdims=True))


def of_two(
    a: Steps, x: Array, most: float, rest: float, largest: Any = None
) -> Array:
    """Multiply the largest in a log-sum-exp, and the sum's logarithm."""
    largest = top(a)[..., 0] if largest is None else largest
    largest = np.where(x == -np.inf, 0, largest)
    return np.where(x == -np.inf, x, most * largest + rest * (x - largest))


def sums_of(a: Steps, starts: list[int]) -> Array:
    """Return the log-sum-exp of each part."""
    parts = np.split(a.summed(), starts[1:], axis=-1)
    return np.stack([logsumexp(part) for part in parts], axis=-1)


def sums_in_parts(a: Steps, starts: list[int]) -> Array:
    """Give each key its part's sum, relative to the part's maximum."""
    tops = np.maximum.reduceat(a.scores(), starts, axis=-1)
    found = np.exp(sums_of(a.exact, starts)[..., : len(starts)] - tops)
    sizes = np.subtract([*starts[1:], a.n_keys], starts)
    return np.repeat(np.nan_to_num(found, nan=1), sizes, axis=-1)


def largest_of(a: Steps, starts: list[int]) -> Array:
    """Return the largest log-sum-exp of the parts."""
    return np.asarray(sums_of(a, starts).max(axis=-1))


def sum_of_blocks(a: Steps, n: int, factor: Callable[[Array], Any]) -> Array:
    """Return a log-sum-exp whose sum is rescaled by another factor."""
    scores = a.with_sink(a.scores())
    largest = np.full((*scores.shape[:-1], 1), -np.inf)
    total = np.zeros_like(largest)
    for start in range(0, a.n_keys, n):
        end = start + n if start + n < a.n_keys else None
        part = scores[..., start:end]
        new = np.maximum(largest, part.max(-1, keepdims=True))
        safe = np.where(new == -np.inf, 0, new)
        total = total * factor(np.exp(largest - safe))
        total = total + np.exp(part - safe).sum(-1, keepdims=True)
        largest = new
    return np.asarray((largest + np.log(total))[..., 0])


class Loop(NamedTuple):
    """What a loop over blocks of keys does: by default what is right."""

    factor: Function = np.asarray  # that rescales what was read before
    for_output: Function = np.asarray  # the same, of the output alone
    for_sum: Function = np.asarray  # the same, of the sum alone
    at: Callable[[int, int], Any] = lambda start, n: True  # where they are so
    after: str = ""  # which of output and sum are rescaled with the new block
    keeps: float = 0  # the maximum is kept while it grows by no more
    rescaled: str = ""  # and which of output and sum are rescaled all the same
    counted: Callable[[int, int], int] = lambda start, n: 1  # by the sum
    guarded: bool = True  # against infinity less infinity
    weights: Function = np.asarray  # as they meet the values
    added: Function = np.asarray  # weights as they are added up
    relative: Callable[..., Array] = lambda part, old, new: new
    divides: bool = False  # by the sum, after each block
    output: Function = np.asarray  # as it is kept
    total: Function = np.asarray  # the sum as it is kept
    back: bool = False  # from the last block to the first

    def factors(
        self, by: Array, newest: Array, where: Any
    ) -> tuple[Array, Array]:
        """Return what rescales output and sum."""
        by = np.where(where, self.factor(by), by)
        for_output = np.where(where, self.for_output(by), by)
        for_sum = np.where(where, self.for_sum(by), by)
        return (
            newest if "output" in self.rescaled else for_output,
            newest if "sum" in self.rescaled else for_sum,
        )


def online(a: Steps, n: int, **mistake: Any) -> Array:
    """Read n keys at a time and keep a running maximum, with a mistake."""
    loop = Loop(**mistake)
    scores, sink, v = a.scores(), a.sink(), a.values
    shape = (*scores.shape[:-1], 1)
    largest, sum_ = np.full(shape, -np.inf), np.zeros(shape)
    if sink is not None:
        largest, sum_ = np.broadcast_to(sink, shape), np.ones(shape)
    result = np.zeros((*scores.shape[:-1], a.d_v))
    for start in range(0, a.n_keys, n)[:: -1 if loop.back else 1]:
        part = scores[..., start : start + n]
        new = np.maximum(largest, part.max(-1, keepdims=True))
        newest = np.exp(largest - np.where(new == -np.inf, 0, new))
        if loop.keeps:
            new = np.where(new - largest > loop.keeps, new, largest)
        safe = np.where((new == -np.inf) & loop.guarded, 0, new)
        by_output, by_sum = loop.factors(
            np.exp(largest - safe), newest, loop.at(start, n)
        )
        top = loop.relative(part, largest, safe)
        p = np.exp(part - np.where(part == -np.inf, 0, top))
        more = loop.weights(p) @ v[:, :, start : start + n]
        count = loop.added(p).sum(-1, keepdims=True) * loop.counted(start, n)
        if "output" in loop.after:
            result = (result + more) * by_output
        else:
            result = loop.output(result * by_output + more)
        if "sum" in loop.after:
            sum_ = (sum_ + count) * by_sum
        else:
            sum_ = loop.total(sum_ * by_sum + count)
        if loop.divides:
            result = result / np.where(sum_ == 0, 1, sum_)
        largest = new
    return result if loop.divides else result / np.where(sum_ == 0, 1, sum_)


def at_blocks(a: Steps, where: str) -> Callable[[int, int], bool]:
    """Say whether a block from i on, of n keys, is in such a place."""
    return lambda i, n: bool(PLACES[where](i, n, a.n_keys))


def one_head(a: Steps, array: Array, index: int) -> Array:
    """Take one query head of each group, not the sum of all."""
    shape = len(array), a.case.key.shape[1], -1, *array.shape[2:]
    return array.reshape(shape)[:, :, index]


def of_parts(a: Array, starts: list[int]) -> Array:
    """Add up over the keys of each part."""
    ends = [*starts[1:], a.shape[-1]]
    sizes = np.subtract(ends, starts)
    return np.repeat(np.add.reduceat(a, starts, axis=-1), sizes, axis=-1)


def of_block(a: Array, n: int) -> Array:
    """Add up over the keys of each block of n."""
    return of_parts(a, list(range(0, a.shape[-1], n)))


def of_shared(a: Steps, axis: int, index: int) -> Array:
    """Take one of what shares a bias, not the sum of all."""
    d, shape = a.d_scores(), np.shape(a.options["bias"])
    one = d.take([index], axis) if shape[axis] < d.shape[axis] else d
    return a.over_bias(one)


def added_up(w: Array, x: Array, format: str, n: int = 64) -> Array:
    """Add the products of matrices up in a format, n terms at a time."""
    total = np.zeros((*w.shape[:-1], x.shape[-1]))
    for i in range(0, w.shape[-1], n):
        more = w[..., i : i + n] @ x[..., i : i + n, :]
        total = rounded(total + more, format)
    return total


def reached_tile(a: Steps, m: int, n: int, filled: bool = False) -> Array:
    """Say which keys are in tiles of m by n that causal and window reach.

    The last tile of queries may count as filled, with rows that are not there.
    """
    first, last = a.ends()
    starts = a.keys // n * n
    reached = np.ones((1, 1, a.n_queries, a.n_keys), bool)
    if last is not None:
        end = rows_of_tile(last, m, 0) + m - 1
        end = end if filled else rows_of_tile(last, m, np.max)
        reached = reached & (end >= starts)
    if first is not None:
        reached = reached & (rows_of_tile(first, m, np.min) < starts + n)
    return reached


def partly(a: Steps, m: int, n: int) -> Array:
    """Say which keys are in tiles of m by n with some keys hidden."""
    some = [in_tiles(rows_of_tile(seen, m, np.any), n)
            for seen in (a.allowed(), ~a.allowed())]  # fmt: skip
    return some[0] & some[1]


def kept(x: Array, n: int) -> Array:
    """Add to each n rows what all before them have at their place."""
    filled = np.pad(x, [(0, 0), (0, 0), (0, -x.shape[2] % n), (0, 0)])
    blocks = filled.reshape(*x.shape[:2], -1, n, x.shape[3])
    return np.cumsum(blocks, 2).reshape(filled.shape)[:, :, : x.shape[2]]


def unseen(a: Steps, n: int) -> Array:
    """Say which keys are in blocks of n that no query of their head sees."""
    seen = whole(a, in_tiles(a.allowed().any(-2, keepdims=True), n))
    return ~(a.gathered(seen.swapaxes(-1, -2)[..., :1] * 1) > 0)


def finite(total: Array) -> Array:
    """Return a column, with 0 for rows that see no key."""
    return np.where(np.isfinite(total), total, 0)[..., None]


def again(a: Steps, some: Any = True) -> Array:
    """Compute weights again, from the log-sum-exp of the forward pass."""
    scores = a.scores()
    if scores is a.exact.hidden:
        return a.exact.weights
    return np.asarray(np.exp(scores - finite(a.exact.logsumexp)) * some)


def share(a: Steps) -> Array:
    """Return the weight of the sink."""
    return np.asarray(1 - a.weights.sum(-1, keepdims=True))


def whole(a: Steps, x: Array) -> Array:
    """Give every sequence, head, row and key its number."""
    return np.broadcast_to(x, (a.batch, a.n_heads, a.n_queries, a.n_keys))


def strided(
    x: Array,
    stride: int,
    whole: Any = None,
    beyond: str = "last",
    own: bool = False,
) -> Array:
    """Read matrices as if their rows, and they, were so far apart.

    What lies beyond the end is the last number, or nothing; the end is that
    of the array, or of each matrix.
    """
    n, d = x.shape[-2:]
    number = np.arange(x[..., 0, 0].size).reshape(*x.shape[:-2], 1, 1)
    start = number * (n * stride if whole is None else whole)
    place = start + np.arange(n)[:, None] * stride + np.arange(d)
    end = (number + 1) * (n * d) if own else x.size
    read = x.ravel()[np.minimum(place, end - 1)]
    return np.asarray(read if beyond == "last" else read * (place < end))


def alibi(a: Steps, x: Array, slopes: Any, distance: Any = None) -> Array:
    """Make the bias of ALiBi again, with other slopes or distances."""
    gap = a.keys - a.positions()
    right = alibi_slopes(a.n_heads)[:, None, None]
    if not np.allclose(x, -right * np.abs(gap), rtol=1e-3):
        raise ValueError("another bias")
    m = right if slopes is None else np.reshape(slopes, (-1, 1, 1))
    return np.asarray(-m * (np.abs(gap) if distance is None else distance))


def reached(a: Steps, keys: Array, positions: Array) -> Array:
    """Say which keys causal and window allow at such positions."""
    far = [None if end is None else end - a.positions() for end in a.ends()]
    return a.between(keys - positions, *far)


def lengths(a: Steps) -> Array:
    """Return how many keys a sequence has up to its last query."""
    _, last = a.ends()
    most = a.n_keys if last is None else last[..., -1:, :] + 1
    return np.asarray(np.minimum(most, a.n_keys))


def first_seen(scores: Array, n: int) -> Array:
    """Return the largest score of the first block of n that a row sees."""
    starts = range(0, scores.shape[-1], n)
    tops = [scores[..., i : i + n].max(-1) for i in starts]
    stacked = np.stack(tops, axis=-1)
    first = np.isfinite(stacked).argmax(axis=-1)[..., None]
    return np.take_along_axis(stacked, first, axis=-1)


def coarse(a: Steps, r: Function, where: str) -> Array:
    """Round scores x, differences d, exp e, sum s and quotient q."""
    steps = {
        letter: r if letter in where else np.asarray for letter in "xdesq"
    }
    scores = steps["x"](a.with_sink(a.scores()))
    largest = scores.max(-1, keepdims=True)
    gap = scores - np.where(largest == -np.inf, 0, largest)
    e = steps["e"](np.exp(steps["d"](gap)))
    total = steps["s"](e.sum(-1, keepdims=True))
    w = steps["q"](e / np.where(total == 0, 1, total))
    return np.asarray(w[..., : a.n_keys])


def packed(a: Steps, bounds: Callable[[Array, Array], Any]) -> Array:
    """Let sequences stand one after another, with other bounds.

    Those of keys or values alone change where these begin, not how many are
    read.
    """
    sizes = np.broadcast_to(lengths(a).ravel(), a.batch)
    ends = np.cumsum(sizes)
    both = [
        np.concatenate([x[b, :, :n] for b, n in enumerate(sizes)], axis=1)
        for x in (a.case.key, a.case.value)
    ]
    starts, stops, *which = bounds(ends - sizes, ends)
    more = 0 if "zeros" in which else 1
    both = [np.concatenate([x, x * more], axis=1) for x in both]
    found = []
    stops = np.broadcast_to(stops, ends.shape)
    for b, (start, end) in enumerate(zip(starts, stops, strict=True)):
        k, v = (x[None, :, start:end] for x in both)
        if which:
            first, n = ends[b] - sizes[b], sizes[b]
            i, j = (start if x in which[0] else first for x in ("key", "val"))
            k, v = both[0][None, :, i : i + n], both[1][None, :, j : j + n]
        options = {
            name: x[b : b + 1] if np.ndim(x) == 4 and len(x) > 1 else x
            for name, x in a.options.items()
        }
        if a.ends()[1] is not None:  # the last query stays at the last key
            first = np.broadcast_to(a.offset().ravel(), a.batch)[b]
            options["offset"] = first + k.shape[2] - sizes[b]
        case = replace(
            a.case, query=a.case.query[b : b + 1], key=k, value=v,
            options=options,
        )  # fmt: skip
        found.append(Steps(case).output[0])
    return np.stack(found)
