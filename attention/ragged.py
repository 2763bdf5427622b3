"""Sequences of unequal lengths: packed end to end, or in blocks of a pool.

Kernels of servers take these two layouts. `tiled_attention` works on the
sequences here as well, so that neither a mask nor a padded copy is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import AttentionOptions, _checked, _read_reach
from attention.tiles import _part
from attention.tiling import (
    _attend_in_tiles,
    _empty_answers,
    _read_blocks,
    _results,
)

Array = NDArray[Any]


def varlen_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    cu_query: ArrayLike,
    cu_key: ArrayLike,
    *,
    return_logsumexp: bool = False,
    query_block: int = 256,
    key_block: int | None = None,
    n_threads: int = 1,
    **options: Unpack[AttentionOptions],
) -> Any:
    r"""Attend within each of several sequences that are packed end to end.

    $$\Z_s = \softmax\!\Big(\frac{\Q_s \K_s^\top}{\sqrt{d_k}}\Big) \V_s$$

    $\Q_s$, $\K_s$ and $\V_s$ are the rows of sequence $s$. A `segment_mask`
    would give the same, but no score of two sequences is computed here.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        The queries of all sequences. Heads come first, as everywhere here:
        (heads, n_q, d_k). Kernels mostly pack (n_q, heads, d_k), and
        `.swapaxes(0, 1)` turns either into the other.
    key, value : array_like of shape (..., n_k, d_k) and (..., n_k, d_v)
        The keys and values of all sequences.
    cu_query, cu_key : array_like of int of shape (batch + 1,)
        Where each sequence begins, and the total at the end: lengths of 2, 0
        and 3 give 0, 2, 2, 5. Any sequence may be empty.
    return_logsumexp : bool, optional
        As in `tiled_attention`, like the next three.
    query_block, key_block, n_threads : int, optional
        A tile never holds two sequences.
    **options
        As in `tiled_attention`. Positions count from the first key of each
        sequence; offset, one number or one for each, aligns the last query of
        each with its last key if omitted. Of mask and bias, which broadcast
        to (..., n_q, n_k), only what falls within a sequence is read.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        Packed as the queries are.
    logsumexp : ndarray of shape (..., n_q)
        If it is asked for.

    Raises
    ------
    ValueError
        As in `tiled_attention`; if cu_query and cu_key do not rise from 0 to
        the numbers of rows, for as many sequences.

    Examples
    --------
    Two texts, of one word and of two, with equal scores; then one query for
    each, as in decoding:

    >>> from attention import varlen_attention
    >>> same, value, cu = [[0.0]] * 3, [[7.0], [1.0], [3.0]], [0, 1, 3]
    >>> varlen_attention(same, same, value, cu, cu, is_causal=True).T
    array([[7., 1., 2.]])
    >>> varlen_attention(same[1:], same, value, [0, 1, 2], cu).T
    array([[7., 2.]])
    """
    _inputs.options(varlen_attention, options, AttentionOptions)
    reach_names = {"is_causal", "window", "offset"}
    others: Any = {n: x for n, x in options.items() if n not in reach_names}
    given = _checked(query, key, value, **others)
    blocks = _read_blocks(query_block, key_block, n_threads)
    queries = _read_bounds("cu_query", cu_query, "query", given.query)
    keys = _read_bounds("cu_key", cu_key, "key", given.key)
    if len(queries) != len(keys):
        rule = "cu_query and cu_key must count the same sequences"
        _inputs.refuse(rule, cu_query=queries, cu_key=keys)
    n_before = np.diff(keys) - np.diff(queries)
    scores = len(n_before), 1, 1
    reach = _read_reach(_aligned(options, n_before), scores)
    output, logsumexp = _empty_answers(given)
    for i in range(len(n_before)):
        rows, columns = slice(*queries[i : i + 2]), slice(*keys[i : i + 2])
        if reach is not None:
            offset = np.broadcast_to(reach.offset, scores)[i]
            given = given._replace(reach=reach._replace(offset=offset))
        masks: Any = {
            name: array if array is None else _part(array, rows, columns)
            for name, array in (("mask", given.mask), ("bias", given.bias))
        }
        sequence = given._replace(
            query=given.query[..., rows, :],
            key=given.key[..., columns, :],
            value=given.value[..., columns, :],
            **masks,
        )
        answers = output[..., rows, :], logsumexp[..., rows, :]
        _attend_in_tiles(sequence, *blocks, answers)
    return _results(given, output, logsumexp, return_logsumexp)


def paged_attention(
    query: ArrayLike,
    key_pool: ArrayLike,
    value_pool: ArrayLike,
    block_table: ArrayLike,
    lengths: ArrayLike,
    *,
    return_logsumexp: bool = False,
    query_block: int = 256,
    key_block: int | None = None,
    n_threads: int = 1,
    **options: Unpack[AttentionOptions],
) -> Any:
    r"""Attend to keys and values that lie in the blocks of a shared pool.

    $$\Z = \softmax\!\Big(\frac{\Q \K^\top}{\sqrt{d_k}}\Big) \V, \qquad
    \K_{B e + s} = P_{b_e, s}$$

    A block of the pool $P$ has $B$ slots, and $b$ is a sequence's row of the
    table: token $B e + s$ is in slot $s$ of block $b_e$, and its value
    likewise. A tile reads its rows there, so no cache is gathered whole.

    Parameters
    ----------
    query : array_like of shape (batch, heads, n_q, d_k)
        The new queries of each sequence.
    key_pool : array_like of shape (n_blocks, n_kv_heads, n_slots, d_k)
        The keys. A block is an array (heads, n, d) like any other here;
        kernels mostly have (n_blocks, n_slots, n_kv_heads, d_k), and
        `.swapaxes(1, 2)` turns either into the other.
    value_pool : array_like of shape (n_blocks, n_kv_heads, n_slots, d_v)
        Their values, in the same slots.
    block_table : array_like of int of shape (batch, n_entries)
        The blocks of each sequence in the order of its text. Entries that its
        length does not reach may hold anything, such as -1.
    lengths : array_like of int of shape (batch,)
        How many keys each sequence has, those of the new queries included.
    return_logsumexp : bool, optional
        As in `tiled_attention`, like the next three.
    query_block, key_block, n_threads : int, optional
        key_block is also how many rows of the pool are read at a time.
    **options
        As in `tiled_attention`. If offset is omitted, the last query of each
        sequence is at its last key. Mask and bias broadcast to (batch, heads,
        n_q, n_entries * n_slots).

    Returns
    -------
    output : ndarray of shape (batch, heads, n_q, d_v)
        As from `tiled_attention` of the gathered rows.
    logsumexp : ndarray of shape (batch, heads, n_q)
        If it is asked for.

    Raises
    ------
    ValueError
        As in `tiled_attention`; if pools, table and lengths do not fit, or
        the table lacks a block that a length reaches.

    References
    ----------
    [Kwon et al. 2023](../reference/sources.md#kwon2023), §4.1 and §4.2.

    Examples
    --------
    Two slots a block, and equal scores. The text has three tokens, in blocks 2
    and 0; a window of one key back leaves the last two:

    >>> import numpy as np
    >>> from attention import paged_attention
    >>> keys, query = np.zeros((3, 1, 2, 4)), np.ones((1, 1, 1, 4))
    >>> values = np.array([6.0, 99, 99, 99, 1, 2]).reshape(3, 1, 2, 1)
    >>> text = keys, values, [[2, 0]], [3]
    >>> paged_attention(query, *text).item()
    3.0
    >>> paged_attention(query, *text, window=(1, 0)).item()
    4.0
    """
    _inputs.options(paged_attention, options, AttentionOptions)
    blocks = _read_blocks(query_block, key_block, n_threads)
    q = _inputs.real("query", query)
    keys = _inputs.real("key_pool", key_pool)
    values = _inputs.real("value_pool", value_pool)
    table = _inputs.integers("block_table", block_table)
    n_keys = _inputs.integers("lengths", lengths)
    n_axes = q.ndim, keys.ndim, values.ndim, table.ndim, n_keys.ndim
    if n_axes != (4, 4, 4, 2, 1) or keys.shape[:3] != values.shape[:3]:
        rule = "pools must share (n_blocks, n_kv_heads, n_slots), and query be"
        rule += " (batch, heads, n_q, d_k)"
        _inputs.refuse(rule, query=q, key_pool=keys, value_pool=values)
    if not len(q) == len(table) == len(n_keys):
        rule = "query, block_table and lengths must share batch (first axis)"
        _inputs.refuse(rule, query=q, block_table=table, lengths=n_keys)
    n_blocks, n_heads, n_slots, _ = keys.shape
    first = np.arange(table.shape[1]) * n_slots  # tokens of the entries
    n_most = len(first) * n_slots
    wrong = (first < n_keys[:, None]) & ((table < 0) | (table >= n_blocks))
    if (n_keys < 0).any() or (n_keys > n_most).any() or wrong.any():
        rule = (
            f"lengths must be from 0 to {n_most}, and block_table must hold "
        )
        rule += f"blocks from 0 to {n_blocks - 1} up to them"
        _inputs.refuse(
            rule, lengths=n_keys.tolist(), wrong=table[wrong].tolist()
        )
    (q, *_), dtype = _inputs.floats(query=q, key=keys[:0], value=values[:0])
    number = np.zeros((), q.dtype)
    stand_ins = (  # as large as the gathered rows, in the memory of a number
        np.broadcast_to(number, (len(q), n_heads, n_most, pool.shape[-1]))
        for pool in (keys, values)
    )
    given = _checked(q, *stand_ins, **_aligned(options, n_keys - q.shape[-2]))
    paged: Any = {
        name: _Paged(pool, table, n_keys, getattr(given, name).shape, q.dtype)
        for name, pool in (("key", keys), ("value", values))
    }
    answers = _attend_in_tiles(given._replace(**paged, dtype=dtype), *blocks)
    return _results(given._replace(dtype=dtype), *answers, return_logsumexp)


@dataclass(frozen=True)
class _Paged:
    """Keys or values in a pool, which tiles read like those of an array.

    `_head_at` picks a head of a sequence, and `_online_softmax` rows of that.
    """

    pool: Array  # (n_blocks, heads, n_slots, d), and of a head without heads
    table: Array  # (batch, n_entries), and without batch
    lengths: Array
    shape: tuple[int, ...]  # of the array
    dtype: np.dtype[Any]

    def __getitem__(self, at: Any) -> Any:
        d, n_slots = self.shape[-1], self.pool.shape[-2]
        if len(self.shape) > 2:
            sequence, head = at
            pool, table = self.pool[:, head], self.table[sequence]
            shape = int(self.lengths[sequence]), d
            return replace(self, pool=pool, table=table, shape=shape)
        rows = at[-2]
        first, skipped = divmod(rows.start, n_slots)
        entries = self.table[first : -(-rows.stop // n_slots)]
        gathered = self.pool[entries].reshape(-1, d)[skipped:]
        part = gathered[: rows.stop - rows.start]
        return part.astype(self.dtype, copy=False)


def _aligned(options: AttentionOptions, n_before: Array) -> AttentionOptions:
    """Put the last query of each sequence at its last key, if none says."""
    has_reach = options.get("is_causal") or options.get("window") is not None
    if has_reach and options.get("offset") is None:
        return {**options, "offset": n_before}
    return options


def _read_bounds(name: str, cu: Any, of: str, array: Array) -> Array:
    """Refuse bounds that do not rise from 0 to the number of rows."""
    bounds, n = _inputs.integers(name, cu, 1), array.shape[-2]
    ends = bounds[[0, -1]].tolist() if bounds.ndim and bounds.size else []
    if ends != [0, n] or (np.diff(bounds) < 0).any():
        rule = f"{name} must rise from 0 to {n}, the rows of {of} (axis -2)"
        _inputs.refuse(rule, **{name: bounds.tolist(), of: array})
    return bounds
