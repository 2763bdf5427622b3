"""What `tiled_attention` and `partial_attention` have in common: tiles of scores, summed as they come.

Nothing here is public. A problem is prepared once; then every block of queries meets the keys block by block.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _checks, _scores
from attention._arrays import to_floats
from attention._scores import AttentionOptions

Tile = tuple[NDArray[Any], NDArray[Any]]  # scores (n_q, block), values (block, d_v)


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked arguments. Arrays are views with all leading axes; keys and values have n_groups times fewer heads."""

    query: NDArray[Any]
    key: NDArray[Any]
    value: NDArray[Any]
    mask: NDArray[np.bool_] | None
    bias: NDArray[Any] | None
    sink: NDArray[Any] | None
    factor: float
    softcap: float | None
    is_causal: bool
    n_groups: int
    finite: bool  # query and key
    bounded: bool  # the scores, such that exp needs no shift

    def head(self, at: tuple[int, ...]) -> "Problem":
        """One head alone: every array has two axes."""
        if not at:
            return self
        shared = (*at[:-1], at[-1] // self.n_groups)
        return replace(
            self,
            query=self.query[at],
            key=self.key[shared],
            value=self.value[shared],
            mask=None if self.mask is None else self.mask[at],
            bias=None if self.bias is None else self.bias[at],
            sink=None if self.sink is None else self.sink[at],
        )


# --- preparing ---------------------------------------------------------------------------------------------------


def prepared(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, **options: Unpack[AttentionOptions]
) -> tuple[Problem, np.dtype[Any]]:
    """Check the arguments in the words of `scaled_dot_product_attention`; also return the dtype of the result."""
    (q, k, v), dtype = to_floats(query=query, key=key, value=value)
    _checks.queries_meet_keys(q, k)
    _checks.keys_have_values(k, v)
    factor, softcap = _scores.scale_factor(options.get("scale"), q), options.get("softcap")
    cap = np.inf if softcap is None else _checks.positive("softcap", softcap)
    shares_heads = _checks.flag("enable_gqa", options.get("enable_gqa", False))
    n_groups = _scores.queries_per_head(q, key=k, value=v) if shares_heads else 1
    if n_groups == 1:
        _checks.leading_axes_broadcast(2, query=q, key=k, value=v)
    scores_lead = _common(q.shape[:-2], _lead_of_queries(k, n_groups))
    lead = _common(scores_lead, _lead_of_queries(v, n_groups))
    few = (*lead[:-1], lead[-1] // n_groups) if lead else lead
    scores_shape = (*scores_lead, q.shape[-2], k.shape[-2])
    wide = (*lead, *scores_shape[-2:])
    mask, bias = _scores.fitting_mask(options.get("mask"), scores_shape), options.get("bias")
    sink = options.get("sink")
    with np.errstate(all="ignore"):
        largest_score = _largest_score(q, k, factor)
        column = None if sink is None else _scores.sink_column(sink, scores_shape, q.dtype)
    problem = Problem(
        _widen(q, (*lead, *q.shape[-2:])),
        _widen(k, (*few, *k.shape[-2:])),
        _widen(v, (*few, *v.shape[-2:])),
        mask=None if mask is None else _widen(mask, wide),
        bias=None if bias is None else _widen(_scores.fitting_bias(bias, scores_shape), wide),
        sink=None if column is None else _widen(column, (*lead, 1, 1)),
        factor=factor,
        softcap=None if softcap is None else cap,
        is_causal=_scores.causal(options.get("is_causal", False), scores_shape),
        n_groups=n_groups,
        finite=bool(np.isfinite(largest_score)),
        bounded=bias is None and _needs_no_shift(min(largest_score, cap), v),
    )
    return problem, dtype


def _lead_of_queries(shared: NDArray[Any], n_groups: int) -> tuple[int, ...]:
    """Leading axes of keys or values, as if every head stood there once for each of its query heads."""
    lead: tuple[int, ...] = shared.shape[:-2]
    return lead if n_groups == 1 else (*lead[:-1], lead[-1] * n_groups)


def _common(lead: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return lead if lead == other else np.broadcast_shapes(lead, other)  # which takes its time


def _widen(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return array if array.shape == shape else np.broadcast_to(array, shape)


def _largest_score(query: NDArray[Any], key: NDArray[Any], factor: float) -> float:
    """No score is larger: the product of two vectors is at most that of their lengths. nan or inf if one has them."""
    return abs(factor) * float(np.sqrt(_largest_square(query) * _largest_square(key)))


def _largest_square(vectors: NDArray[Any], block: int = 8192) -> NDArray[Any]:
    blocks = (vectors[..., i : i + block, :] for i in range(0, vectors.shape[-2], block))
    largest: NDArray[Any] = np.max([np.einsum("...d,...d", b, b).max(initial=0) for b in blocks], initial=0)
    return largest


def _needs_no_shift(largest_score: float, value: NDArray[Any]) -> bool:
    """Whether sums of exponentials, and of these times the values, stay far from overflow and underflow."""
    info = np.finfo(value.dtype)
    largest_value = max(value.max(initial=0), -value.min(initial=0))
    return bool(0 < largest_score < np.log(info.max) / 4 and info.tiny**0.5 < largest_value < info.max**0.5)


# --- solving -----------------------------------------------------------------------------------------------------


def solve(
    problem: Problem, query_block: int = 256, key_block: int = 1024, n_threads: int = 1
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return output and logsumexp: every block of queries is a task, and the threads take them in turn."""
    query_block = _checks.count("query_block", query_block, minimum=1)
    key_block = _checks.count("key_block", key_block, minimum=1)
    n_threads = _checks.count("n_threads", n_threads, minimum=1)
    (*lead, n_q, _), n_k = problem.query.shape, problem.key.shape[-2]
    output = np.empty((*lead, n_q, problem.value.shape[-1]), problem.query.dtype)
    logsumexp = np.empty((*lead, n_q), problem.query.dtype)
    starts = range(0, n_q, query_block)
    tasks = deque((at, slice(i, min(i + query_block, n_q))) for at in np.ndindex(*lead) for i in starts)

    def work() -> None:
        buffer = np.empty(min(query_block, n_q) * min(key_block, n_k), output.dtype)
        with np.errstate(all="ignore"):  # counts in this thread alone
            while True:
                try:
                    at, rows = tasks.popleft()
                except IndexError:
                    return
                logsumexp[at][rows] = _attend(problem.head(at), rows, key_block, buffer, output[at][rows])

    if n_threads == 1:
        work()
        return output, logsumexp
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads - 1) as pool:
        others = [pool.submit(work) for _ in range(n_threads - 1)]
        work()
        for other in others:
            other.result()  # raises what the thread raised
    return output, logsumexp


def _attend(head: Problem, rows: slice, key_block: int, buffer: NDArray[Any], blend: NDArray[Any]) -> NDArray[Any]:
    """Answer a block of queries: the output goes to `blend`, the logsumexp comes back."""
    blend[...] = 0
    share = _online_softmax(_score_tiles(head, rows, key_block, buffer), blend, head.bounded)
    if head.sink is not None:  # a part of its own, whose value is zero
        sink = np.broadcast_to(head.sink[0], share.shape)
        blend[...], share = merge([blend, np.zeros_like(blend)], [share, sink])
    return share


def _score_tiles(head: Problem, rows: slice, key_block: int, buffer: NDArray[Any]) -> Iterator[Tile]:
    """Score a block of queries against one block of keys after another, all in the same buffer."""
    query = head.query[rows] * head.factor
    n_seen = rows.stop if head.is_causal else len(head.key)
    by_row = head.mask is not None or head.bias is not None  # as these lie in memory; else columns, faster to fill
    for first in range(0, n_seen, key_block):
        columns = slice(first, min(first + key_block, n_seen))
        key = head.key[columns]
        shape = (len(query), len(key))
        scores = buffer[: len(query) * len(key)].reshape(shape, order="C" if by_row else "F")
        np.matmul(query, key.T, out=scores)
        if not head.finite:
            _scores.show_infinities(scores, query, key)
        if head.softcap is not None:
            _scores.cap(scores, head.softcap)
        if head.bias is not None:
            scores += head.bias[rows, columns]
        if head.mask is not None:
            np.copyto(scores, -np.inf, where=~head.mask[rows, columns])
        if head.is_causal and columns.stop > rows.start:  # the tile meets the diagonal
            start = max(first, rows.start)
            late = np.arange(start, columns.stop)[:, None] > np.arange(rows.start, rows.stop)
            np.copyto(scores[:, start - first :], -np.inf, where=late.T)
        yield scores, head.value[columns]


def _online_softmax(
    tiles: Iterator[Tile],
    blend: NDArray[Any],
    bounded: bool,
) -> NDArray[Any]:
    """Sum exponentials and values tile by tile; leave the output in `blend`, which starts at zero.

    Returns the logsumexp. `bounded` promises scores so small that their exponentials need no shift. The page on memory
    shows this function whole, hence the short lines.
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


def merge(outputs: list[NDArray[Any]], shares: list[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Average the outputs of parts by the softmax of their logsumexps; return the average and the logsumexp of all."""
    with np.errstate(all="ignore"):
        top = np.maximum.reduce(shares)
        top = np.where(top == -np.inf, 0, top)  # -inf - -inf would be nan
        weights = [np.exp(share - top) for share in shares]
        total = np.asarray(sum(weights))
        blend = sum(weight[..., None] * output for weight, output in zip(weights, outputs, strict=True))
        return blend / np.where(total == 0, 1, total)[..., None], top + np.log(total)
