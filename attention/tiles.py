"""What `tiled_attention` and `partial_attention` have in common: tiles of scores, summed as they come.

Nothing here is public. A problem is prepared once; then every block of queries
meets the keys block by block.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _checks, _positions, _scores
from attention._positions import Reach
from attention._scores import SharedOptions

Tile = tuple[
    NDArray[Any], NDArray[Any]
]  # scores (rows, block), values (block, d_v)


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked arguments, as views whose leading axes are those of the keys.

    The query heads that share a head of keys stand in an axis of their own,
    `group`, which has size 1 if none do.
    """

    query: NDArray[Any]  # (..., group, n_q, d_k)
    key: NDArray[Any]  # (..., n_k, d_k)
    value: NDArray[Any]  # (..., n_k, d_v)
    mask: NDArray[np.bool_] | None  # (..., group, n_q, n_k), as the bias
    bias: NDArray[Any] | None
    sink: NDArray[Any] | None  # (..., group, 1)
    reach: Reach | None
    factor: float
    softcap: float | None
    finite: bool  # query and key
    bounded: bool  # the scores, such that exp needs no shift
    broken: (
        NDArray[Any] | None
    )  # the values, if they hold nan or inf; `value` then has 0 in their place

    def head(self, at: tuple[int, ...]) -> "Problem":
        """One head of keys, with the queries of its group."""
        return replace(
            self,
            query=self.query[at],
            key=self.key[at],
            value=self.value[at],
            mask=None if self.mask is None else self.mask[at],
            bias=None if self.bias is None else self.bias[at],
            sink=None if self.sink is None else self.sink[at],
            reach=None
            if self.reach is None
            else self.reach._replace(offset=self.reach.offset[at]),
            broken=None if self.broken is None else self.broken[at],
        )


# --- preparing ---------------------------------------------------------------------------------------------------


def prepared(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    enable_gqa: bool = False,
    **options: Unpack[SharedOptions],
) -> tuple[Problem, np.dtype[Any]]:
    """Check the arguments in the words of `scaled_dot_product_attention`; also return the dtype of the result."""
    (q, k, v), dtype = _scores.checked(
        enable_gqa, query=query, key=key, value=value
    )
    factor, softcap = (
        _scores.scale_factor(options.get("scale"), q),
        options.get("softcap"),
    )
    cap = np.inf if softcap is None else _checks.positive("softcap", softcap)
    n_groups = q.shape[-3] // k.shape[-3] if enable_gqa else 1
    scores_lead = _common(q.shape[:-2], _lead_of_queries(k, n_groups))
    lead = _common(scores_lead, _lead_of_queries(v, n_groups))
    few = (*lead[:-1], lead[-1] // n_groups) if lead else lead
    scores_shape = (*scores_lead, q.shape[-2], k.shape[-2])
    mask, bias = (
        _scores.fitting_mask(options.get("mask"), scores_shape),
        options.get("bias"),
    )
    sink = options.get("sink")
    reach = _positions.reach(
        options.get("is_causal", False),
        options.get("window"),
        options.get("offset"),
        scores_shape,
    )
    pairs = scores_shape[-2:]
    with np.errstate(all="ignore"):
        largest_score = _largest_score(q, k, factor)
        largest_value = float(max(v.max(initial=0), -v.min(initial=0)))
        column = (
            None
            if sink is None
            else _scores.sink_column(sink, scores_shape, q.dtype)
        )
    whole = bool(np.isfinite(largest_value))
    problem = Problem(
        _by_group(q, lead, n_groups, *q.shape[-2:]),
        _widen(k, (*few, *k.shape[-2:])),
        _widen(v if whole else _scores.finite_part(v), (*few, *v.shape[-2:])),
        mask=None if mask is None else _by_group(mask, lead, n_groups, *pairs),
        bias=None
        if bias is None
        else _by_group(
            _scores.fitting_bias(bias, scores_shape), lead, n_groups, *pairs
        ),
        sink=None
        if column is None
        else _by_group(column, lead, n_groups, 1, 1)[..., 0],
        reach=None
        if reach is None
        else reach._replace(offset=_by_group(reach.offset, lead, n_groups, 1)),
        factor=factor,
        softcap=None if softcap is None else cap,
        finite=bool(np.isfinite(largest_score)),
        bounded=bias is None
        and _needs_no_shift(min(largest_score, cap), largest_value, q.dtype),
        broken=None if whole else _widen(v, (*few, *v.shape[-2:])),
    )
    return problem, dtype


def _lead_of_queries(shared: NDArray[Any], n_groups: int) -> tuple[int, ...]:
    """Leading axes of keys or values, as if every head stood there once for each of its query heads."""
    lead: tuple[int, ...] = shared.shape[:-2]
    return lead if n_groups == 1 else (*lead[:-1], lead[-1] * n_groups)


def _common(lead: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return (
        lead if lead == other else np.broadcast_shapes(lead, other)
    )  # which takes its time


def _widen(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return array if array.shape == shape else np.broadcast_to(array, shape)


def _by_group(
    array: NDArray[Any], lead: tuple[int, ...], n_groups: int, *axes: int
) -> NDArray[Any]:
    """(..., heads, axes) as (..., heads of keys, group, axes)."""
    few = (*lead[:-1], lead[-1] // n_groups) if lead else lead
    return _widen(array, (*lead, *axes)).reshape(*few, n_groups, *axes)


def _largest_score(
    query: NDArray[Any], key: NDArray[Any], factor: float
) -> float:
    """No score is larger: the product of two vectors is at most that of their lengths. nan or inf if one has them."""
    return abs(factor) * float(
        np.sqrt(_largest_square(query) * _largest_square(key))
    )


def _largest_square(
    vectors: NDArray[Any], block: int = 8192
) -> np.floating[Any]:
    largest: np.floating[Any] = vectors.dtype.type(0)
    for first in range(0, vectors.shape[-2], block):
        some = vectors[..., first : first + block, :]
        largest = np.einsum("...d,...d", some, some).max(
            initial=largest
        )  # nan stays nan
    return largest


def _needs_no_shift(
    largest_score: float, largest_value: float, dtype: np.dtype[Any]
) -> bool:
    """Whether sums of exponentials, and of these times the values, stay far from overflow and underflow."""
    info = np.finfo(dtype)
    return bool(
        0 < largest_score < np.log(info.max) / 4
        and info.tiny**0.5 < largest_value < info.max**0.5
    )


# --- solving -----------------------------------------------------------------------------------------------------


def solve(
    problem: Problem,
    query_block: int = 256,
    key_block: int = 512,
    n_threads: int = 1,
    with_logsumexp: bool = True,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return output and logsumexp, or an empty array in its place. Threads take blocks of queries in turn."""
    query_block = _checks.count("query_block", query_block, minimum=1)
    key_block = _checks.count("key_block", key_block, minimum=1)
    n_threads = _checks.count("n_threads", n_threads, minimum=1)
    (*few, n_groups, n_q, _), n_k = problem.query.shape, problem.key.shape[-2]
    output = np.empty(
        (*few, n_groups, n_q, problem.value.shape[-1]), problem.query.dtype
    )
    logsumexp = np.empty(
        (*few, n_groups, n_q if with_logsumexp else 0), problem.query.dtype
    )
    n_rows = rows_of_a_block(problem, query_block)
    starts = range(0, n_q, max(1, n_rows))
    tasks = product(np.ndindex(*few), starts)

    def work() -> None:
        buffer = np.empty(
            n_groups * n_rows * min(key_block, n_k), output.dtype
        )
        with np.errstate(all="ignore"):  # counts in this thread alone
            for at, first in tasks:  # the threads share this iterator
                rows = slice(first, min(first + n_rows, n_q))
                share = attend(
                    problem.head(at),
                    rows,
                    key_block,
                    buffer,
                    output[at][:, rows],
                )
                if with_logsumexp:
                    logsumexp[at][:, rows] = share

    n_others = min(n_threads, math.prod(few) * len(starts)) - 1
    if n_others < 1:
        work()
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(n_others) as pool:
            others = [pool.submit(work) for _ in range(n_others)]
            work()
            for other in others:
                other.result()  # raises what the thread raised
    lead = (*few[:-1], few[-1] * n_groups) if few else ()
    return output.reshape(*lead, *output.shape[-2:]), logsumexp.reshape(
        *lead, logsumexp.shape[-1]
    )


def rows_of_a_block(problem: Problem, query_block: int) -> int:
    """Count the queries of each head of a group, which share a tile."""
    n_groups, n_q = (int(size) for size in problem.query.shape[-3:-1])
    if problem.reach is not None and problem.reach.width is not None:
        query_block = min(
            query_block, max(64, problem.reach.width)
        )  # of a wide block each row reaches only a part
    return min(max(1, query_block // max(1, n_groups)), n_q)


def attend(
    head: Problem,
    rows: slice,
    key_block: int,
    buffer: NDArray[Any],
    output: NDArray[Any],
) -> NDArray[Any]:
    """Answer a block of queries: (group, rows, d_v) goes to `output`, the logsumexp (group, rows) comes back."""
    n_groups, n_rows, d_v = output.shape
    blend = output.reshape(
        n_groups * n_rows, d_v
    )  # a view, or a copy where a group has several heads
    blend[...] = 0
    share = _online_softmax(
        _score_tiles(head, rows, key_block, buffer), blend, head.bounded
    )
    if head.sink is not None:  # a part of its own, whose value is zero
        blend[...], share = merge(
            [blend, np.zeros_like(blend)],
            [share, np.repeat(head.sink, n_rows)],
        )
    if head.broken is not None:
        only_masks = replace(
            head, query=np.zeros_like(head.query), value=head.broken
        )
        for scores, value in _score_tiles(only_masks, rows, key_block, buffer):
            blend += _scores.broken_part(scores != -np.inf, value)
    output[...] = blend.reshape(output.shape)
    return share.reshape(n_groups, n_rows)


def _score_tiles(
    head: Problem, rows: slice, key_block: int, buffer: NDArray[Any]
) -> Iterator[Tile]:
    """Score a block of queries against one block of keys after another; the scores come with the values."""
    for columns, scores, _ in scored(head, rows, key_block, buffer):
        yield scores, head.value[columns]


def scored(
    head: Problem,
    rows: slice,
    key_block: int,
    buffer: NDArray[Any],
    with_slope: bool = False,
) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any] | None]]:
    """Score a block of queries against one block of keys after another, all in the same buffer.

    The rows of a tile are those of the first query head of the group, then
    those of the next. Before the scores come the columns that they fill, and
    behind them, on request, the slope of the softcap at each of them.
    """
    n_groups, n_rows, d_k = head.query[:, rows].shape
    query = head.query[:, rows].reshape(n_groups * n_rows, d_k)
    query = np.multiply(
        query, head.factor, order="F"
    )  # which BLAS reads fastest
    keys = slice(0, len(head.key))
    if head.reach is not None:
        positions = head.reach.positions(rows)  # (group, rows)
        keys = head.reach.keys(positions, keys.stop)
    by_row = (
        head.mask is not None or head.bias is not None
    )  # as these lie in memory; else columns, faster to fill
    for first in range(keys.start, keys.stop, key_block):
        columns = slice(first, min(first + key_block, keys.stop))
        key = head.key[columns]
        shape = (len(query), len(key))
        scores = buffer[: len(query) * len(key)].reshape(
            shape, order="C" if by_row else "F"
        )
        np.matmul(query, key.T, out=scores)
        if not head.finite:
            _scores.show_infinities(scores, query, key)
        slope = None
        if head.softcap is not None:
            _scores.cap(scores, head.softcap)
            slope = (
                _scores.slope_of_cap(scores, head.softcap)
                if with_slope
                else None
            )
        by_head = scores.reshape(n_groups, n_rows, len(key))  # a view
        if head.bias is not None:
            by_head += head.bias[:, rows, columns]
        if head.mask is not None:
            np.copyto(by_head, -np.inf, where=~head.mask[:, rows, columns])
        if head.reach is not None:
            head.reach.forbid(by_head, positions, first)
        yield columns, scores, slope


def _online_softmax(
    tiles: Iterator[Tile],
    blend: NDArray[Any],
    bounded: bool,
) -> NDArray[Any]:
    """Sum exponentials and values tile by tile; leave the output in `blend`, which starts at zero.

    Returns the logsumexp. `bounded` promises scores so small that their
    exponentials need no shift. The page on memory shows this function whole,
    hence the short lines.
    """
    total = np.zeros(len(blend), blend.dtype)
    lowest = np.finfo(blend.dtype).min  # finite, as -inf - -inf would be nan
    top: Any = 0 if bounded else lowest
    for scores, value in tiles:
        if not bounded:
            higher = np.maximum(top, scores.max(axis=-1))
            shrink = np.exp(top - higher)
            total *= shrink
            blend *= shrink[:, None]
            scores -= higher[:, None]
            top = higher
        np.exp(scores, out=scores)
        total += scores @ np.ones(len(value), blend.dtype)
        blend += scores @ value
    logsumexp: NDArray[Any] = top + np.log(total)
    empty = total == 0
    if empty.any():  # no key at all: the sum over nothing
        blend[empty], total[empty] = 0, 1
    blend /= total[:, None]
    return logsumexp


def merge(
    outputs: list[NDArray[Any]], shares: list[NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Average the outputs of parts by the softmax of their logsumexps; return the average and the logsumexp of all."""
    with np.errstate(all="ignore"):
        top = np.maximum.reduce(shares)
        top = np.where(top == -np.inf, 0, top)  # -inf - -inf would be nan
        weights = [np.exp(share - top) for share in shares]
        total = np.asarray(sum(weights))
        blend = sum(
            weight[..., None] * output
            for weight, output in zip(weights, outputs, strict=True)
        )
        return blend / np.where(total == 0, 1, total)[..., None], top + np.log(
            total
        )
