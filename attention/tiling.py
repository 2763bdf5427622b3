"""Attention in tiles: its memory does not grow with n x n.

This is where the package is fast. `tiled_attention` checks its arguments,
`_attend_in_tiles` hands out blocks of queries, and `_online_softmax` is the
algorithm: one block of queries meets the keys, one block after another.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import (
    AttentionOptions,
    _checked,
    _Given,
    _without_padding,
)
from attention.dot_product import _scores
from attention.numerics import _maximum
from attention.tiles import (
    _head_at,
    _heads,
    _keys_in_reach,
    _may_attend,
    _output_shape,
    _part,
    _rows_of_a_tile,
    _run,
    _slices,
)

_FEW = 16  # rows of a head, as when a text grows by some tokens
_ONE_TILE = 256 * 512  # scores


def tiled_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    return_logsumexp: bool = False,
    query_block: int = 256,
    key_block: int | None = None,
    n_threads: int = 1,
    **options: Unpack[AttentionOptions],
) -> Any:
    r"""Compute `scaled_dot_product_attention` without its n_q x n_k weights.

    $$\Z_i = \frac{o_i}{\ell_i}, \qquad
    \ell_i = \sum_j e^{S_{ij} - m_i}, \qquad
    o_i = \sum_j e^{S_{ij} - m_i} \, \V_j$$

    Both sums grow tile by tile. $m_i$ is the largest score of the row so far;
    when it grows, the old sums are rescaled by $e^{m_i^{\text{old}} - m_i}$.
    The division comes last. Beyond the output this takes one tile per thread,
    half a MiB in float32, however long the text is. Tiles that `is_causal` or
    `window` forbids are never computed. Raises [an error](index.md#errors) if
    a block size or n_threads is less than 1.

    Parameters
    ----------
    query, key : array_like of shape (..., n_q, d_k) and (..., n_k, d_k)
        As in `scaled_dot_product_attention`, with its leading axes and dtypes.
    value : array_like of shape (..., n_k, d_v)
        What each key hands over.
    return_logsumexp : bool, optional
        Return $L_i = m_i + \log \ell_i$ as well, as `partial_attention` does.
    query_block, key_block : int, optional
        The largest number of rows and columns of a tile. Any size is right;
        the defaults are fast: 256, and 512, or 2048 for a few rows.
    n_threads : int, optional
        How many threads work on the blocks of queries. NumPy's own matrix
        product may use threads too, and they would compete: with more than
        one here, set the environment variable OPENBLAS_NUM_THREADS=1 before
        NumPy is imported.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`. Mask and bias are
        read tile by tile, and may be views made by `np.broadcast_to`.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        As from `scaled_dot_product_attention`, except for rounding.
    logsumexp : ndarray of shape (..., n_q)
        If it is asked for, as in `PartialAttention`; float32 at least.

    References
    ----------
    [Rabe & Staats 2021](../reference/sources.md#rabe2021), §2 and §3, and [Dao
    2023](../reference/sources.md#dao2023), §3.1, with queries outside and one
    division at the end, as here; [Dao et al.
    2022](../reference/sources.md#dao2022), Algorithm 1.

    Examples
    --------
    The running example in tiles of two queries by two keys:

    >>> from attention import project, tiled_attention
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> q, k, v = project(x, W_Q1), project(x, W_K), project(x, W_V)
    >>> tiled_attention(q, k, v, query_block=2, key_block=2)[3:]
    array([[3.63636364, 1.45454545],
           [5.        , 2.        ]])
    >>> tiled_attention(q, k, v, is_causal=True)[0]
    array([8., 0.])
    """
    _inputs.options(tiled_attention, options, AttentionOptions)
    given = _checked(query, key, value, **options)
    blocks = _read_blocks(query_block, key_block, n_threads)
    if _inputs.flag("return_logsumexp", return_logsumexp):
        return _results(given, *_attend_in_tiles(given, *blocks))
    room = _empty_answers(given)[:1]
    return given.result(*_attend_in_tiles(given, *blocks, room))


def _empty_answers(given: _Given) -> tuple[NDArray[Any], NDArray[Any]]:
    """Make room for the output and the logsumexp of every row.

    Heads are split into groups as in `given`.
    """
    *shape, d_v = _output_shape(given)
    output = np.empty((*shape, d_v), given.query.dtype)
    return output, np.empty((*shape, 1), output.dtype)


def _attend_in_tiles(
    given: _Given,
    query_block: int,
    key_block: int | None,
    n_threads: int,
    answers: tuple[NDArray[Any], ...] | None = None,
) -> Any:
    """Answer the queries of every head block by block, in `answers` if given.

    Returns the output and the logsumexp of every row, (..., n_q, 1), or only
    the output, if there is only room for it.
    """
    n_q, n_k = given.query.shape[-2], given.key.shape[-2]
    n_rows = _rows_of_a_tile(given, query_block)
    is_few = n_q * given.n_groups <= _FEW
    if is_few and n_q <= n_rows and _fit_one_tile(given):
        n_columns = key_block or _ONE_TILE // max(1, given.query[..., 0].size)
        with np.errstate(all="ignore"):
            if 4 * n_k <= n_columns and given.bias is given.sink is None:
                found = _all_at_once(given)
            else:
                found = _online_softmax(given, slice(0, n_q), n_columns)
        if answers is None:
            return found
        for array, part in zip(answers, found, strict=False):
            array[...] = part
        return answers
    room = answers or _empty_answers(given)
    # to bound the scores of a few rows would take longer than to shift them
    is_shifted = is_few or not _scores_stay_small(given)
    n_columns = key_block or (2048 if is_few else 512)

    def answer(block: tuple[tuple[int, ...], slice]) -> None:
        at, rows = block
        to: Any = (*at, ..., rows, slice(None))
        with np.errstate(all="ignore"):  # counts in this thread alone
            found = _online_softmax(
                _head_at(given, at), rows, n_columns, is_shifted
            )
        for array, part in zip(room, found, strict=False):
            array[to] = part

    blocks = [*product(_heads(given), _slices(0, n_q, n_rows))]
    _run(answer, blocks, n_threads)
    return room


def _read_blocks(
    query_block: int, key_block: int | None, n_threads: int
) -> tuple[int, int | None, int]:
    """Refuse sizes of blocks, or a number of threads, that is not positive."""
    if key_block is not None:
        key_block = _inputs.integer("key_block", key_block, 1)
    query_block = _inputs.integer("query_block", query_block, 1)
    return query_block, key_block, _inputs.integer("n_threads", n_threads, 1)


def _results(
    given: _Given,
    output: NDArray[Any],
    logsumexp: NDArray[Any],
    return_logsumexp: bool = True,
) -> Any:
    """Return the output, and if it is asked for the logsumexp of each row."""
    result = given.result(output)
    if not _inputs.flag("return_logsumexp", return_logsumexp):
        return result
    rows = given._replace(dtype=logsumexp.dtype).result(logsumexp)
    return result, rows[..., 0]


def _online_softmax(
    head: _Given,
    rows: slice,
    key_block: int,
    is_shifted: bool = True,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Answer some queries of one head: read the keys block by block.

    Returns the output and the logsumexp of each row. The scores of all blocks
    share one buffer and are overwritten step by step. Without a shift the
    maximum stays 0.
    """
    q = head.query[..., rows, :] * head.scale
    lowest = np.finfo(q.dtype).min if is_shifted else 0  # no -inf - -inf
    largest = np.full((*q.shape[:-1], 1), lowest, q.dtype)  # m, so far
    total = np.zeros_like(largest)  # l, relative to m
    output = np.zeros((*q.shape[:-1], head.value.shape[-1]), q.dtype)  # o
    if head.sink is not None:  # a key that is read first; its value is zero
        largest = np.maximum(largest, head.sink) if is_shifted else largest
        total += np.exp(head.sink - largest)
    n_columns = min(key_block, head.key.shape[-2])
    buffer = np.empty((*q.shape[:-1], n_columns), q.dtype)
    for columns in _slices(*_keys_in_reach(head, rows), key_block):
        key, value = head.key[..., columns, :], head.value[..., columns, :]
        scores = buffer[..., : columns.stop - columns.start]
        np.matmul(q, key.swapaxes(-1, -2), out=scores)
        if head.softcap is not None:
            scores /= head.softcap
            np.tanh(scores, out=scores)
            scores *= head.softcap
        if head.bias is not None:
            scores += _part(head.bias, rows, columns)
        allowed = _may_attend(head, rows, columns)
        if allowed is not None:
            np.copyto(scores, -np.inf, where=~allowed)
            value = _without_padding(value, allowed)
        if is_shifted:
            higher = np.maximum(largest, scores.max(axis=-1, keepdims=True))
            rescale = np.exp(largest - higher)
            total *= rescale
            output *= rescale
            scores -= higher
            largest = higher
        np.exp(scores, out=scores)
        total += scores @ np.ones((scores.shape[-1], 1), q.dtype)
        output += scores @ value
    output /= np.where(total == 0, 1, total)  # 0 if there was no key
    return output, largest + np.log(total)


def _all_at_once(given: _Given) -> tuple[NDArray[Any], NDArray[Any]]:
    """Answer all queries of all heads, with three arrays of all scores."""
    scores = _scores(given)
    largest = _maximum(scores, -1)
    exponentials = np.exp(scores - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    output = exponentials @ given.value / np.maximum(total, 1)
    return output, largest + np.log(total)


def _fit_one_tile(given: _Given) -> bool:
    """Tell whether the rows of all heads, at 2048 keys, are one tile.

    Not if some keys are left out: their values are copied without them.
    """
    is_plain = given.mask is None and given.reach is None
    is_array = isinstance(given.key, np.ndarray)  # not the blocks of a pool
    fits = given.query[..., 0].size * 2048 <= _ONE_TILE
    has_all = given.query.shape[:-1] == _output_shape(given)[:-1]
    return is_plain and is_array and fits and has_all


def _scores_stay_small(given: _Given) -> bool:
    """Tell whether exp may take the scores without subtracting a maximum.

    No dot product is larger than the product of the two lengths, so the
    longest query and the longest key bound all scores.
    """
    if given.bias is not None or not isinstance(given.key, np.ndarray):
        return False
    q, k, v = given.query, given.key, given.value
    with np.errstate(all="ignore"):
        longest = [np.vecdot(x, x).max(initial=0) for x in (q, k)]
        bound = abs(given.scale) * np.sqrt(longest[0] * longest[1])
        value = max(v.max(initial=0), -v.min(initial=0))
    sink = 0 if given.sink is None else given.sink.max(initial=0)
    info = np.finfo(q.dtype)
    small = np.log(info.max) / 4  # nan is not less than it
    is_usual = info.tiny**0.5 < value < info.max**0.5
    return bool(0 < bound < small and sink < small and is_usual)
