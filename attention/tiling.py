"""Attention over some of the keys, and the merge of such parts: O(n) memory on one machine, and several machines."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _checks
from attention.dot_product import (
    _check_keys_have_values,
    _check_queries_meet_keys,
    _fitting_bias,
    _is_causal_square,
    _queries_per_head,
    _scale_factor,
    _sink_column,
)

Tile = tuple[NDArray[Any], NDArray[Any]]  # scores (n_q, block), values (block, d_v)


class PartialAttention(NamedTuple):
    r"""Attention over some of the keys, and how much these keys weigh when others join them.

    $$\Z_P = \softmax(S_P) \, \V_P, \qquad L_P = \log \sum_{j \in P} e^{S_j}$$

    Attributes
    ----------
    output : ndarray of shape (..., n_q, d_v)
        The values of these keys, blended by weights that sum to one; zero for a query that sees none of them.
    logsumexp : ndarray of shape (..., n_q)
        The logarithm of the sum of their exponentials; -inf for a query that sees none of them.

    Examples
    --------
    The part without keys, for one query and values of two numbers:

    >>> import numpy as np
    >>> from attention import PartialAttention
    >>> PartialAttention(output=np.zeros((1, 2)), logsumexp=np.array([-np.inf]))
    PartialAttention(output=array([[0., 0.]]), logsumexp=array([-inf]))

    A part that weighs three times as much pulls the merged output three quarters of the way:

    >>> import numpy as np
    >>> from attention import PartialAttention, merge_partials
    >>> light = PartialAttention(np.array([[0.0, 0.0]]), np.log([1.0]))
    >>> heavy = PartialAttention(np.array([[8.0, 4.0]]), np.log([3.0]))
    >>> merge_partials(light, heavy).output
    array([[6., 3.]])
    """

    output: NDArray[Any]
    logsumexp: NDArray[Any]


def partial_attention(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, **options: Unpack[_checks.AttentionOptions]
) -> PartialAttention:
    r"""Attend to some of the keys, and keep what it takes to add the others later.

    $$\Z_P = \softmax(S_P) \, \V_P, \qquad L_P = \log \sum_{j \in P} e^{S_j}$$

    The n_q x n_k scores are never held: they are computed in tiles, as in `tiled_attention`.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        Some of the keys; none at all gives the part that changes nothing when merged.
    value : array_like of shape (..., n_k, d_v)
        Their values. Leading axes and dtypes as in `scaled_dot_product_attention`.
    **options
        mask, bias, is_causal, scale, softcap, sink and enable_gqa, as in `scaled_dot_product_attention`. Mask and
        bias are those of the given keys: `causal_mask(n_q, n_k, offset=-first)` for keys that start at `first`. A sink
        belongs to one part only, else it is counted once for every part.

    Returns
    -------
    part : PartialAttention
        output of shape (..., n_q, d_v) and logsumexp of shape (..., n_q), for `merge_partials`. For float16 inputs the
        logsumexp is float32: it is an exponent, and half precision would spoil it.

    Raises
    ------
    TypeError
        As in `scaled_dot_product_attention`.
    ValueError
        As in `scaled_dot_product_attention`.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §3, on the running maximum and sum;
    [Dao et al. 2022](../reference/sources.md#dao2022), §3.1, for attention.

    Examples
    --------
    *ran* of the running example and the first two words, *cat* with 8 and *that* with 4 parts: the output is
    $(8 \cdot (8, 0) + 4 \cdot (4, 4)) / 12$ and the exponentials sum to 12:

    >>> import numpy as np
    >>> from attention import partial_attention, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> part = partial_attention(q, k[:2], v[:2])
    >>> part.output
    array([[6.66666667, 1.33333333]])
    >>> np.exp(part.logsumexp)
    array([12.])

    All keys at once give attention itself:

    >>> from attention import partial_attention, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> partial_attention(q, k, v).output
    array([[5., 2.]])
    """
    problem, dtype = _problem(query, key, value, options)
    output, logsumexp = problem.empty_output(), problem.empty_output()[..., 0]
    _solve(problem, output, logsumexp)
    with np.errstate(all="ignore"):  # float16 may overflow or underflow
        return PartialAttention(output.astype(dtype, copy=False), logsumexp)


def merge_partials(first: PartialAttention, *rest: PartialAttention) -> PartialAttention:
    r"""Join attention over several sets of keys into attention over all of them.

    $$L = \log \sum_P e^{L_P}, \qquad \Z = \sum_P e^{L_P - L} \, \Z_P$$

    A softmax over the parts. Their order and grouping change nothing but the rounding, so parts may be computed
    anywhere and merged as they arrive; a part without keys changes nothing at all.

    Parameters
    ----------
    first : PartialAttention
        Attention of some queries over some of the keys.
    *rest : PartialAttention
        Attention of the same queries over other keys. A pair (output, logsumexp) will do.

    Returns
    -------
    part : PartialAttention
        Attention of these queries over the keys of all parts.

    Raises
    ------
    TypeError
        If an array does not hold real numbers.
    ValueError
        If output and logsumexp of a part do not fit, or two parts differ in shape.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §3.1, eq. (4).

    Examples
    --------
    *ran* of the running example meets its five keys in blocks of 2, 2 and 1. Beside the largest score so far, 3
    doublings, stand the sum of the exponentials and the blend before it is divided by that sum:

    >>> import numpy as np
    >>> from attention import merge_partials, partial_attention, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> def relative_to(top, part):
    ...     total = np.exp(part.logsumexp - top * np.log(2))
    ...     return total.round(12), (total * part.output[0]).round(12)
    >>> a, b, c = (partial_attention(q, k[block], v[block]) for block in (slice(0, 2), slice(2, 4), slice(4, 5)))
    >>> relative_to(3, a)
    (array([1.5]), array([10.,  2.]))
    >>> relative_to(3, merge_partials(a, b))
    (array([1.875]), array([10.,  4.]))
    >>> relative_to(3, merge_partials(merge_partials(a, b), c))
    (array([2.]), array([10.,  4.]))
    >>> merge_partials(a, b, c).output
    array([[5., 2.]])

    From the last word to the first, in blocks of 1, 2 and 2, the largest score grows from 0 to 1 to 3 doublings:
    what was summed before is halved, then divided by four.

    >>> import numpy as np
    >>> from attention import merge_partials, partial_attention, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> def relative_to(top, part):
    ...     total = np.exp(part.logsumexp - top * np.log(2))
    ...     return total.round(12), (total * part.output[0]).round(12)
    >>> a, b, c = (partial_attention(q, k[block], v[block]) for block in (slice(4, 5), slice(2, 4), slice(0, 2)))
    >>> relative_to(0, a)
    (array([1.]), array([0., 0.]))
    >>> relative_to(1, merge_partials(a, b))
    (array([2.]), array([0., 8.]))
    >>> relative_to(3, merge_partials(merge_partials(a, b), c))
    (array([2.]), array([10.,  4.]))
    """
    names = ["first", *(f"rest[{i}]" for i in range(len(rest)))]
    outputs, dtype = _checks.to_floats(
        **{f"{name}.output": part[0] for name, part in zip(names, (first, *rest), strict=True)}
    )
    shares, _ = _checks.to_floats(
        **{f"{name}.logsumexp": part[1] for name, part in zip(names, (first, *rest), strict=True)}
    )
    for name, output, share in zip(names, outputs, shares, strict=True):
        if output.ndim < 1 or output.shape != outputs[0].shape or output.shape[:-1] != share.shape:
            raise ValueError(
                "parts must have outputs of one shape (..., n_q, d_v) and a logsumexp of shape (..., n_q): "
                f"first.output {outputs[0].shape}, {name}.output {output.shape}, {name}.logsumexp {share.shape}"
            )
    with np.errstate(all="ignore"):
        top = np.maximum.reduce(shares)
        top = np.where(top == -np.inf, 0, top)  # -inf - -inf would be nan
        weights = [np.exp(share - top) for share in shares]
        total = np.asarray(sum(weights))
        blend = sum(weight[..., None] * output for weight, output in zip(weights, outputs, strict=True))
        output = blend / np.where(total == 0, 1, total)[..., None]
        return PartialAttention(output.astype(dtype, copy=False), top + np.log(total))


def tiled_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
    enable_gqa: bool = False,
    query_block: int = 256,
    key_block: int = 1024,
    n_threads: int = 1,
) -> NDArray[Any]:
    r"""Compute `scaled_dot_product_attention` in tiles, without ever holding its n_q x n_k weights.

    $$\Z_i = \frac{\sum_j e^{S_{ij} - m_i} \, \V_j}{\sum_j e^{S_{ij} - m_i}}$$

    Both sums grow tile by tile. $m_i$ is the largest score of the row so far; when it grows, what was summed before
    shrinks by $e^{m_i^{\text{old}} - m_i}$. Where the lengths of queries and keys promise small scores, $m_i$ stays 0.
    The division comes last. Beyond the output it needs one tile a thread, 1 MiB in float32, whatever n is. Under
    `is_causal`, tiles that lie in the future are not computed.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key.
    value : array_like of shape (..., n_k, d_v)
        What each key hands over. Leading axes and dtypes as in `scaled_dot_product_attention`.
    mask, bias, is_causal, scale, softcap, sink, enable_gqa : optional
        As in `scaled_dot_product_attention`. Mask and bias are read tile by tile, and may be views made by
        `np.broadcast_to`.
    query_block, key_block : int, optional
        Rows and columns of a tile. Any size is right; the defaults are fast.
    n_threads : int, optional
        How many threads share the blocks of queries. NumPy's own matrix product may use threads too: with more than
        one here, set the environment variable OPENBLAS_NUM_THREADS=1 before NumPy is imported, or they compete.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        As from `scaled_dot_product_attention`, save for rounding.

    Raises
    ------
    TypeError
        As in `scaled_dot_product_attention`; if a block size or n_threads is not an integer.
    ValueError
        As in `scaled_dot_product_attention`; if a block size or n_threads is less than 1.

    References
    ----------
    [Dao et al. 2022](../reference/sources.md#dao2022), Algorithm 1;
    [Rabe & Staats 2021](../reference/sources.md#rabe2021), §2, on the memory.

    Examples
    --------
    The running example in tiles of two queries by two keys:

    >>> from attention import project, tiled_attention
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x, W_Q1), project(x, W_K), project(x, W_V)
    >>> tiled_attention(q, k, v, query_block=2, key_block=2)
    array([[2.4, 2.4],
           [5. , 2. ],
           [5. , 2. ],
           [2.4, 2.4],
           [5. , 2. ]])

    Equal scores average the values that a query may see; the weights of 2000 tokens would fill 32 MB:

    >>> import numpy as np
    >>> from attention import tiled_attention
    >>> same, count = np.zeros((2000, 4)), np.arange(2000.0)[:, None]
    >>> tiled_attention(same, same, count, is_causal=True)[:3].round(9)
    array([[0. ],
           [0.5],
           [1. ]])
    """
    options: _checks.AttentionOptions = {
        "mask": mask,
        "bias": bias,
        "is_causal": is_causal,
        "scale": scale,
        "softcap": softcap,
        "sink": sink,
        "enable_gqa": enable_gqa,
    }
    problem, dtype = _problem(query, key, value, options)
    output = problem.empty_output()
    _solve(problem, output, None, query_block, key_block, n_threads)
    with np.errstate(all="ignore"):  # float16 may overflow or underflow
        return output.astype(dtype, copy=False)


def _online_softmax(tiles: Iterator[Tile], blend: NDArray[Any], bounded: bool) -> NDArray[Any]:
    """Sum exponentials and values tile by tile; leave the output in `blend`, which starts at zero.

    Returns the logsumexp. `bounded` promises scores so small that their exponentials need no shift.
    """
    total = np.zeros(len(blend), blend.dtype)
    top: Any = 0 if bounded else np.finfo(blend.dtype).min  # finite, as -inf - -inf would be nan
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


@dataclass(frozen=True, eq=False)
class _Problem:
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

    def empty_output(self) -> NDArray[Any]:
        return np.empty((*self.query.shape[:-1], self.value.shape[-1]), self.query.dtype)

    def head(self, at: tuple[int, ...]) -> "_Problem":
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


def _score_tiles(head: _Problem, rows: slice, key_block: int, buffer: NDArray[Any]) -> Iterator[Tile]:
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
            _checks.show_infinities(scores, query, key)
        if head.softcap is not None:
            scores /= head.softcap
            np.tanh(scores, out=scores)
            scores *= head.softcap
        if head.bias is not None:
            scores += head.bias[rows, columns]
        if head.mask is not None:
            np.copyto(scores, -np.inf, where=~head.mask[rows, columns])
        if head.is_causal and columns.stop > rows.start:  # the tile meets the diagonal
            start = max(first, rows.start)
            late = np.arange(start, columns.stop)[:, None] > np.arange(rows.start, rows.stop)
            np.copyto(scores[:, start - first :], -np.inf, where=late.T)
        yield scores, head.value[columns]


def _solve(
    problem: _Problem,
    output: NDArray[Any],
    logsumexp: NDArray[Any] | None,
    query_block: int = 256,
    key_block: int = 1024,
    n_threads: int = 1,
) -> None:
    """Fill output, and logsumexp if wanted: every block of queries is a task, and the threads take them in turn."""
    query_block = _checks.count("query_block", query_block, minimum=1)
    key_block = _checks.count("key_block", key_block, minimum=1)
    n_threads = _checks.count("n_threads", n_threads, minimum=1)
    n_q, n_k = problem.query.shape[-2], problem.key.shape[-2]
    starts = range(0, n_q, query_block)
    tasks = deque((at, slice(i, min(i + query_block, n_q))) for at in np.ndindex(output.shape[:-2]) for i in starts)

    def work() -> None:
        buffer = np.empty(min(query_block, n_q) * min(key_block, n_k), output.dtype)
        with np.errstate(all="ignore"):  # counts in this thread alone
            while True:
                try:
                    at, rows = tasks.popleft()
                except IndexError:
                    return
                share = _attend(problem.head(at), rows, key_block, buffer, output[at][rows])
                if logsumexp is not None:
                    logsumexp[at][rows] = share

    if n_threads == 1:
        return work()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads - 1) as pool:
        others = [pool.submit(work) for _ in range(n_threads - 1)]
        work()
        for other in others:
            other.result()  # raises what the thread raised


def _attend(head: _Problem, rows: slice, key_block: int, buffer: NDArray[Any], blend: NDArray[Any]) -> NDArray[Any]:
    """Answer a block of queries: the output goes to `blend`, the logsumexp comes back."""
    blend[...] = 0
    share = _online_softmax(_score_tiles(head, rows, key_block, buffer), blend, head.bounded)
    if head.sink is not None:  # a part of its own, whose value is zero
        sink = PartialAttention(np.zeros_like(blend), np.broadcast_to(head.sink[0], share.shape))
        blend[...], share = merge_partials(PartialAttention(blend, share), sink)
    return share


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


def _problem(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, options: _checks.AttentionOptions
) -> tuple[_Problem, np.dtype[Any]]:
    """Check the arguments in the words of `scaled_dot_product_attention`; also return the dtype of the result."""
    (q, k, v), dtype = _checks.to_floats(query=query, key=key, value=value)
    _check_queries_meet_keys(q, k)
    _check_keys_have_values(k, v)
    factor, softcap = _scale_factor(options.get("scale"), q), options.get("softcap")
    cap = np.inf if softcap is None else _checks.positive("softcap", softcap)
    n_groups = 1
    if _checks.flag("enable_gqa", options.get("enable_gqa", False)):
        n_groups = _queries_per_head(q, key=k, value=v)
    if n_groups == 1:
        lead = _checks.leading_axes_broadcast(2, query=q, key=k, value=v)
        scores_lead = _checks.leading_axes_broadcast(2, query=q, key=k)
    else:  # every head of key and value counts n_groups times
        q_lead, k_lead, v_lead = q.shape[:-2], (*k.shape[:-3], q.shape[-3]), (*v.shape[:-3], q.shape[-3])
        scores_lead = np.broadcast_shapes(q_lead, k_lead)
        lead = np.broadcast_shapes(q_lead, k_lead, v_lead)
    scores_shape = (*scores_lead, q.shape[-2], k.shape[-2])
    few = (*lead[:-1], lead[-1] // n_groups) if lead else lead
    mask = _checks.mask_for_scores(options.get("mask"), scores_shape)
    bias, sink = options.get("bias"), options.get("sink")
    with np.errstate(all="ignore"):
        largest_score = _largest_score(q, k, factor)
        column = None if sink is None else _sink_column(sink, scores_shape, q.dtype)
    wide = (*lead, *scores_shape[-2:])
    problem = _Problem(
        _widen(q, (*lead, *q.shape[-2:])),
        _widen(k, (*few, *k.shape[-2:])),
        _widen(v, (*few, *v.shape[-2:])),
        mask=None if mask is None else _widen(mask, wide),
        bias=None if bias is None else _widen(_fitting_bias(bias, scores_shape), wide),
        sink=None if column is None else _widen(column, (*lead, 1, 1)),
        factor=factor,
        softcap=None if softcap is None else cap,
        is_causal=_is_causal_square(options.get("is_causal", False), scores_shape),
        n_groups=n_groups,
        finite=bool(np.isfinite(largest_score)),
        bounded=bias is None and _needs_no_shift(min(largest_score, cap), v),
    )
    return problem, dtype


def _widen(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return array if array.shape == shape else np.broadcast_to(array, shape)
