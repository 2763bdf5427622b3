"""Sequences of unequal lengths: packed end to end, or in pages of a pool.

Kernels of servers take these two layouts. Both functions hand the sequences
to the tiles of `tiled_attention`, so that neither a mask nor a padded copy is
made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack, overload

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


@overload
def varlen_attention(
    query: ArrayLike, key: ArrayLike, value: ArrayLike,
    cu_query: ArrayLike, cu_key: ArrayLike, *,
    return_logsumexp: Literal[False] = ..., query_block: int = ...,
    key_block: int | None = ..., n_threads: int = ...,
    **options: Unpack[AttentionOptions],
) -> Array: ...  # fmt: skip
@overload
def varlen_attention(
    query: ArrayLike, key: ArrayLike, value: ArrayLike,
    cu_query: ArrayLike, cu_key: ArrayLike, *,
    return_logsumexp: Literal[True], query_block: int = ...,
    key_block: int | None = ..., n_threads: int = ...,
    **options: Unpack[AttentionOptions],
) -> tuple[Array, Array]: ...  # fmt: skip
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
) -> Array | tuple[Array, Array]:
    r"""Attend within each of several sequences that are packed end to end.

    $$\Z_{q_s} = \softmax\!\Big(\frac{\Q_{q_s} \K_{k_s}^\top}{\sqrt{d_k}}\Big)
    \V_{k_s}$$

    Here $q_s$ and $k_s$ are the rows of sequence $s$ among the queries and
    among the keys. It is `tiled_attention` with a `segment_mask`, but no score
    of two sequences is computed, and there is no mask.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        The queries of all sequences. Heads come first, as everywhere here:
        (heads, n_q, d_k). Kernels mostly pack (n_q, heads, d_k);
        `.swapaxes(0, 1)` turns either into the other.
    key : array_like of shape (..., n_k, d_k)
        The keys of all sequences.
    value : array_like of shape (..., n_k, d_v)
        Their values. Leading axes and dtypes as in
        `scaled_dot_product_attention`.
    cu_query, cu_key : array_like of int of shape (batch + 1,)
        Where each sequence begins, and the total at the end: lengths of 2, 0
        and 3 give 0, 2, 2, 5. Both count the same sequences, and any may be
        empty.
    return_logsumexp : bool, optional
        As in `tiled_attention`, like the next three.
    query_block, key_block, n_threads : int, optional
        A tile never holds two sequences.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`. Positions count from
        the first key of each sequence. offset may have one number for each;
        if omitted, it aligns the last query of each with its last key. Of
        mask and bias, which broadcast to (..., n_q, n_k), only what
        falls within the sequences is read.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        Packed as the queries are; zeros for a query that sees no key.
    logsumexp : ndarray of shape (..., n_q)
        If it is asked for; -inf for a query that sees neither key nor sink.

    Raises
    ------
    TypeError
        As in `tiled_attention`; if cu_query or cu_key do not hold integers.
    ValueError
        As in `tiled_attention`; if cu_query or cu_key do not rise from 0 to
        the number of rows, or count different numbers of sequences.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1, eq.
    (1), for each sequence.

    Examples
    --------
    Two texts, of one word and of two. All scores are 0, so each query averages
    the values of its own text up to its own position:

    >>> from attention import varlen_attention
    >>> same, value, cu = [[0.0]] * 3, [[7.0], [1.0], [3.0]], [0, 1, 3]
    >>> varlen_attention(same, same, value, cu, cu, is_causal=True).T
    array([[7., 1., 2.]])

    In decoding each text has one query, which is its last word:

    >>> cu_query = [0, 1, 2]
    >>> varlen_attention(same[:2], same, value, cu_query, cu, is_causal=True).T
    array([[7., 2.]])
    """
    _inputs.options(varlen_attention, options, AttentionOptions)
    given = _checked(query, key, value, **_without_reach(options))
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
        sequence = given._replace(
            query=given.query[..., rows, :],
            key=given.key[..., columns, :],
            value=given.value[..., columns, :],
            mask=_part_of(given.mask, rows, columns),
            bias=_part_of(given.bias, rows, columns),
            reach=reach and reach._replace(offset=offset),
        )
        answers = output[..., rows, :], logsumexp[..., rows, :]
        _attend_in_tiles(sequence, *blocks, answers)
    return _results(given, output, logsumexp, return_logsumexp)


@overload
def paged_attention(
    query: ArrayLike, key_pool: ArrayLike, value_pool: ArrayLike,
    block_table: ArrayLike, lengths: ArrayLike, *,
    return_logsumexp: Literal[False] = ..., query_block: int = ...,
    key_block: int | None = ..., n_threads: int = ...,
    **options: Unpack[AttentionOptions],
) -> Array: ...  # fmt: skip
@overload
def paged_attention(
    query: ArrayLike, key_pool: ArrayLike, value_pool: ArrayLike,
    block_table: ArrayLike, lengths: ArrayLike, *,
    return_logsumexp: Literal[True], query_block: int = ...,
    key_block: int | None = ..., n_threads: int = ...,
    **options: Unpack[AttentionOptions],
) -> tuple[Array, Array]: ...  # fmt: skip
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
) -> Array | tuple[Array, Array]:
    r"""Attend to keys and values that lie in the blocks of a shared pool.

    $$\text{token } t \text{ is in block } b_{\lfloor t / B \rfloor},
    \quad \text{slot } t \bmod B$$

    Here $b$ is a sequence's row of the block table, and a block has $B$ slots.
    The rows are read from the pool a tile at a time, so no cache is copied
    whole. The result is that of `tiled_attention` on the gathered rows.

    Parameters
    ----------
    query : array_like of shape (batch, heads, n_q, d_k)
        The new queries of each sequence.
    key_pool : array_like of shape (n_blocks, n_kv_heads, n_slots, d_k)
        The keys. A block is an array (heads, n, d) like any other here;
        kernels mostly have (n_blocks, n_slots, n_kv_heads, d), and
        `.swapaxes(1, 2)` turns either into the other.
    value_pool : array_like of shape (n_blocks, n_kv_heads, n_slots, d_v)
        The values, in the same slots.
    block_table : array_like of int of shape (batch, n_entries)
        The blocks of each sequence, in the order of its text. Entries that
        its length does not need may hold anything, -1 too.
    lengths : array_like of int of shape (batch,)
        How many keys each sequence has, those of the new queries included.
    return_logsumexp : bool, optional
        As in `tiled_attention`, like the next three.
    query_block, key_block, n_threads : int, optional
        Also how many rows of the pool are read at a time.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`. If offset is omitted,
        the last query of a sequence is at its last key. Mask and bias
        broadcast to (batch, heads, n_q, n_entries * n_slots).

    Returns
    -------
    output : ndarray of shape (batch, heads, n_q, d_v)
        Zeros for a query that sees no key.
    logsumexp : ndarray of shape (batch, heads, n_q)
        If it is asked for; -inf for a query that sees neither key nor sink.

    Raises
    ------
    TypeError
        As in `tiled_attention`; if block_table or lengths do not hold
        integers.
    ValueError
        As in `tiled_attention`; if the pools, the table and the lengths do not
        fit, or an entry that is needed is no block of the pool.

    References
    ----------
    [Kwon et al. 2023](../reference/sources.md#kwon2023), §4.1 and §4.2.

    Examples
    --------
    Two slots a block. The text has three tokens in blocks 2 and 0; slot 1 of
    block 0 is beyond its length. All scores are 0:

    >>> import numpy as np
    >>> from attention import paged_attention
    >>> key_pool = np.zeros((3, 1, 2, 4))
    >>> value_pool = np.array([6.0, 99, 99, 99, 1, 2]).reshape(3, 1, 2, 1)
    >>> query = np.ones((1, 1, 1, 4))
    >>> paged_attention(query, key_pool, value_pool, [[2, 0]], [3]).item()
    3.0

    A window of one key back leaves the last two:

    >>> paged_attention(
    ...     query, key_pool, value_pool, [[2, 0]], [3], window=(1, 0)
    ... ).item()
    4.0
    """
    _inputs.options(paged_attention, options, AttentionOptions)
    blocks = _read_blocks(query_block, key_block, n_threads)
    q = _inputs.real("query", query)
    keys = _inputs.real("key_pool", key_pool)
    values = _inputs.real("value_pool", value_pool)
    pools = {"key_pool": keys, "value_pool": values}
    if not keys.ndim == values.ndim == 4 or keys.shape[:3] != values.shape[:3]:
        rule = "pools must share their first axes, and be (n_blocks, "
        _inputs.refuse(f"{rule}n_kv_heads, n_slots, d)", **pools)
    table = _inputs.integers("block_table", block_table)
    n_keys = _inputs.integers("lengths", lengths)
    n_blocks, n_heads, n_slots, d_k = keys.shape
    if (
        q.ndim != 4
        or table.ndim != 2
        or not (q.shape[:1] == table.shape[:1] == n_keys.shape)
    ):
        rule = "query must be (batch, heads, n_q, d_k), block_table (batch, "
        rule += "n_entries), lengths (batch,)"
        _inputs.refuse(rule, query=q, block_table=table, lengths=n_keys)
    if q.shape[-1] != d_k:
        rule = "query and key_pool must share d_k (last axis)"
        _inputs.refuse(rule, query=q, key_pool=keys)
    n_most = table.shape[1] * n_slots
    if (n_keys < 0).any() or (n_keys > n_most).any():
        rule = (
            f"lengths must be from 0 to {n_most}, the slots of a table's row"
        )
        _inputs.refuse(rule, lengths=n_keys.tolist())
    needed = np.arange(table.shape[1]) * n_slots < n_keys[:, None]
    wrong = needed & ((table < 0) | (table >= n_blocks))
    if wrong.any():
        rule = f"block_table must hold blocks from 0 to {n_blocks - 1}"
        _inputs.refuse(rule, entries=table[wrong].tolist(), **pools)
    (q, *_), dtype = _inputs.floats(query=q, key=keys[:0], value=values[:0])
    # arrays of one number, as large as if the rows had been gathered
    shape, one = (len(q), n_heads, n_most), np.zeros((), q.dtype)
    all_keys = np.broadcast_to(one, (*shape, d_k))
    all_values = np.broadcast_to(one, (*shape, values.shape[-1]))
    options = _aligned(options, n_keys - q.shape[-2])
    given = _checked(q, all_keys, all_values, **options)
    paged: Any = {
        name: _Paged(pool, table, n_keys, getattr(given, name).shape, q.dtype)
        for name, pool in (("key", keys), ("value", values))
    }
    given = given._replace(**paged, dtype=dtype)
    answers = _attend_in_tiles(given, *blocks)
    return _results(given, *answers, return_logsumexp)


@dataclass(frozen=True)
class _Paged:
    """Keys or values of a pool, which the tiles read like those of an array.

    `_head_at` picks a head of a sequence, and `_online_softmax` some rows.
    """

    pool: Array  # (n_blocks, heads, n_slots, d)
    table: Array  # (batch, n_entries)
    lengths: Array  # (batch,)
    shape: tuple[int, ...]  # of the array
    dtype: np.dtype[Any]

    def __getitem__(self, at: tuple[int, int]) -> _PagedHead:
        sequence, head = at
        shape = int(self.lengths[sequence]), self.shape[-1]
        pool, table = self.pool[:, head], self.table[sequence]
        return _PagedHead(pool, table, shape, self.dtype)


@dataclass(frozen=True)
class _PagedHead:
    """The same of one head of one sequence."""

    pool: Array  # (n_blocks, n_slots, d)
    table: Array  # (n_entries,)
    shape: tuple[int, int]  # (n, d)
    dtype: np.dtype[Any]

    def __getitem__(self, at: tuple[Any, slice, slice]) -> Array:
        _, rows, _ = at
        n_slots = self.pool.shape[1]
        first, skipped = divmod(rows.start, n_slots)
        entries = self.table[first : -(-rows.stop // n_slots)]
        gathered = self.pool[entries].reshape(-1, self.shape[-1])
        part = gathered[skipped : skipped + rows.stop - rows.start]
        return part.astype(self.dtype, copy=False)


def _without_reach(options: AttentionOptions) -> Any:
    """Leave out what speaks of positions."""
    reach = ("is_causal", "window", "offset")
    return {name: options[name] for name in options if name not in reach}


def _aligned(options: AttentionOptions, n_before: Array) -> AttentionOptions:
    """Put the last query of each sequence at its last key, if none says."""
    is_placed = options.get("offset") is not None
    has_reach = options.get("is_causal") or options.get("window") is not None
    offset = {} if is_placed or not has_reach else {"offset": n_before}
    return {**options, **offset}


def _part_of(array: Array | None, rows: slice, columns: slice) -> Array | None:
    return None if array is None else _part(array, rows, columns)


def _read_bounds(name: str, cu: Any, of: str, array: Array) -> Array:
    """Refuse bounds that do not rise from 0 to the number of rows."""
    bounds = _inputs.integers(name, cu)
    n = array.shape[-2]
    ends = bounds[[0, -1]].tolist() if bounds.ndim == 1 and bounds.size else []
    if ends != [0, n] or (np.diff(bounds) < 0).any():
        rule = f"{name} must rise from 0 to {n}, the rows of {of} (axis -2)"
        _inputs.refuse(rule, **{name: bounds.tolist(), of: array})
    return bounds
