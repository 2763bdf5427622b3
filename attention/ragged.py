"""Sequences of unequal lengths: packed end to end, or in blocks of a pool.

Kernels of servers take these two layouts. `tiled_attention` works on the
sequences here as well, so that neither a mask nor a padded copy is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import (
    AttentionOptions,
    _checked,
    _Given,
    _read_reach,
)
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
    would give the same, but no score of two sequences is computed here. Raises
    [an error](index.md#errors) if cu_query or cu_key does not rise from 0 to
    the number of rows.

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

    Examples
    --------
    Two texts, of one word and of two, with equal scores:

    >>> from attention import varlen_attention
    >>> same, value, cu = [[0.0]] * 3, [[7.0], [1.0], [3.0]], [0, 1, 3]
    >>> varlen_attention(same, same, value, cu, cu, is_causal=True).T
    array([[7., 1., 2.]])
    """
    _inputs.options(varlen_attention, options, AttentionOptions)
    blocks = _read_blocks(query_block, key_block, n_threads)
    given = _checked(query, key, value, **_apart_from_reach(options))
    queries = _read_bounds("cu_query", cu_query, "query", given.query)
    keys = _read_bounds("cu_key", cu_key, "key", given.key)
    if len(queries) != len(keys):
        rule = "cu_query and cu_key must count the same sequences"
        _inputs.refuse(rule, cu_query=queries, cu_key=keys)
    sequences = [
        (
            {"key": given.key[..., i:j, :], "value": given.value[..., i:j, :]},
            slice(i, j),
        )
        for i, j in pairwise(keys)
    ]
    answers = _attend_each(given, queries, sequences, options, blocks)
    return _results(given, *answers, return_logsumexp)


def paged_attention(
    query: ArrayLike,
    key_pool: ArrayLike,
    value_pool: ArrayLike,
    block_table: ArrayLike,
    lengths: ArrayLike,
    *,
    cu_query: ArrayLike | None = None,
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
    Raises [an error](index.md#errors) if the table lacks a block that a length
    reaches.

    Parameters
    ----------
    query : array_like of shape (batch, heads, n_q, d_k)
        The new queries of each sequence; packed, (heads, n_q, d_k), if there
        is a cu_query.
    key_pool : array_like of shape (n_blocks, n_kv_heads, n_slots, d_k)
        The keys. A block is an array (heads, n, d) like any other here;
        kernels mostly have (n_blocks, n_slots, n_kv_heads, d_k), and
        `.swapaxes(1, 2)` turns either into the other. Of a pool of bfloat16 or
        fp8 only the rows that a tile reads become float32.
    value_pool : array_like of shape (n_blocks, n_kv_heads, n_slots, d_v)
        Their values, in the same slots.
    block_table : array_like of int of shape (batch, n_entries)
        The blocks of each sequence in the order of its text. Entries that its
        length does not reach may hold anything, such as -1.
    lengths : array_like of int of shape (batch,)
        How many keys each sequence has, those of the new queries included.
    cu_query : array_like of int, optional
        Where the queries of each sequence begin, (batch + 1,), as in
        `varlen_attention`. Sequences may then differ in how many they have:
        chunks of prompts, guesses to verify, single new tokens.
    return_logsumexp : bool, optional
        As in `tiled_attention`, like the next three.
    query_block, key_block, n_threads : int, optional
        key_block is also how many rows of the pool are read at a time.
    **options
        As in `tiled_attention`. If offset is omitted, the last query of each
        sequence is at its last key. Mask and bias broadcast to (batch, heads,
        n_q, n_entries * n_slots), without batch if the queries are packed.

    Returns
    -------
    output : ndarray of shape (batch, heads, n_q, d_v)
        As from `tiled_attention` of the gathered rows; packed as the queries.
    logsumexp : ndarray of shape (batch, heads, n_q)
        If it is asked for.

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

    A fork of it has one token less. Packed, its last two queries come after
    the one of the text:

    >>> two = keys, values, [[2, 0], [2, 0]], [3, 2]
    >>> paged_attention(
    ...     np.ones((1, 3, 4)), *two, cu_query=[0, 1, 3], is_causal=True
    ... ).ravel()
    array([3. , 1. , 1.5])
    """
    _inputs.options(paged_attention, options, AttentionOptions)
    blocks = _read_blocks(query_block, key_block, n_threads)
    q, keys, values, table, n_keys, bounds = _read_pools(
        query, key_pool, value_pool, block_table, lengths, cu_query
    )
    n_most = table.shape[1] * keys.shape[2]
    (q, *_), dtype = _inputs.floats(query=q, key=keys[:0], value=values[:0])
    number, lead = np.zeros((), q.dtype), (*q.shape[:-3], keys.shape[1])
    stand_ins = (  # as large as the gathered rows, in the memory of a number
        np.broadcast_to(number, (*lead, n_most, pool.shape[-1]))
        for pool in (keys, values)
    )
    if bounds is None:
        options = _aligned(options, n_keys - q.shape[-2])
    else:
        options, given_reach = _apart_from_reach(options), options
    given = _checked(q, *stand_ins, **options)
    paged: Any = {
        name: _Paged(pool, table, n_keys, getattr(given, name).shape, q.dtype)
        for name, pool in (("key", keys), ("value", values))
    }
    if bounds is None:
        answers = _attend_in_tiles(given._replace(**paged), *blocks)
    else:
        sequences = [
            ({name: array.of(i) for name, array in paged.items()}, slice(0, n))
            for i, n in enumerate(n_keys)
        ]
        answers = _attend_each(given, bounds, sequences, given_reach, blocks)
    output, logsumexp = answers
    given = given._replace(dtype=dtype)
    return _results(given, output, logsumexp, return_logsumexp)


def _read_pools(
    query: ArrayLike,
    key_pool: Any,
    value_pool: Any,
    block_table: ArrayLike,
    lengths: ArrayLike,
    cu_query: ArrayLike | None,
) -> tuple[Array, Any, Any, Array, Array, Array | None]:
    """Refuse what does not fit; the bounds of packed queries come last."""
    q, bounds = _inputs.real("query", query), None
    keys = _inputs.real("key_pool", key_pool, is_widened=False)
    values = _inputs.real("value_pool", value_pool, is_widened=False)
    table = _inputs.integers("block_table", block_table)
    n_keys = _inputs.integers("lengths", lengths)
    n_axes = keys.ndim, values.ndim, table.ndim, n_keys.ndim
    is_packed = cu_query is not None
    fits = n_axes == (4, 4, 2, 1) and q.ndim == 4 - is_packed
    shapes = {"key_pool": (*keys.shape,), "value_pool": (*values.shape,)}
    if not fits or keys.shape[:3] != values.shape[:3]:
        rule = "pools must share (n_blocks, n_kv_heads, n_slots), and query be"
        axes = "heads, n_q, d_k" if is_packed else "batch, heads, n_q, d_k"
        _inputs.refuse(f"{rule} ({axes})", query=q, **shapes)
    n_blocks, _, n_slots, _ = keys.shape
    if is_packed:
        bounds = _read_bounds("cu_query", cu_query, "query", q)
    batch = len(q) if bounds is None else len(bounds) - 1
    if not batch == len(table) == len(n_keys):
        rule = f"block_table and lengths must share batch = {batch} with query"
        given = {"query": q} if bounds is None else {"cu_query": bounds}
        _inputs.refuse(rule, **given, block_table=table, lengths=n_keys)
    first = np.arange(table.shape[1]) * n_slots  # tokens of the entries
    n_most = len(first) * n_slots
    if ((n_keys < 0) | (n_keys > n_most)).any():
        rule = f"lengths must be from 0 to {n_most}, the slots of a table row"
        _inputs.refuse(rule, lengths=n_keys.tolist(), block_table=table)
    wrong = (first < n_keys[:, None]) & ((table < 0) | (table >= n_blocks))
    if wrong.any():
        rule = f"block_table must hold blocks from 0 to {n_blocks - 1}"
        at = np.argwhere(wrong).tolist()
        _inputs.refuse(rule, wrong=table[wrong].tolist(), at=at)
    return q, keys, values, table, n_keys, bounds


@dataclass(frozen=True)
class _Paged:
    """Keys or values in a pool, which tiles read like those of an array.

    `_head_at` picks a head of a sequence, and `_online_softmax` rows of that.
    """

    pool: Any  # (n_blocks, heads, n_slots, d), and of a head without heads
    table: Array  # (batch, n_entries), and of a sequence without batch
    lengths: Array
    shape: tuple[int, ...]  # of the array
    dtype: np.dtype[Any]

    def of(self, at: Any) -> _Paged:
        """Pick a sequence of the batch."""
        return replace(self, table=self.table[at], lengths=self.lengths[at])

    def __getitem__(self, at: Any) -> Any:
        if len(self.shape) > 2:
            *sequence, head = at
            own = self.of(tuple(sequence))
            shape = int(own.lengths), self.shape[-1]
            return replace(own, pool=self.pool[:, head], shape=shape)
        rows, n_slots = at[-2], self.pool.shape[-2]
        first, skipped = divmod(rows.start, n_slots)
        entries = self.table[first : -(-rows.stop // n_slots)]
        blocks = _inputs.real("pool", self.pool[entries])
        gathered = blocks.reshape(-1, self.shape[-1])[skipped:]
        part = gathered[: rows.stop - rows.start]
        return part.astype(self.dtype, copy=False)


def _attend_each(
    given: _Given,
    queries: Array,
    sequences: list[tuple[dict[str, Any], slice]],
    options: AttentionOptions,
    blocks: tuple[int, int | None, int],
) -> tuple[Array, Array]:
    """Answer packed queries, sequence by sequence.

    Each has its keys and values, and their columns in mask and bias.
    """
    n_keys = [columns.stop - columns.start for _, columns in sequences]
    scores = len(sequences), 1, 1
    options = _aligned(options, n_keys - np.diff(queries))
    reach = _read_reach(options, scores)
    output, logsumexp = _empty_answers(given)
    for i, (arrays, columns) in enumerate(sequences):
        rows = slice(*queries[i : i + 2])
        if reach is not None:
            offset = np.broadcast_to(reach.offset, scores)[i]
            given = given._replace(reach=reach._replace(offset=offset))
        masks: Any = {
            name: array if array is None else _part(array, rows, columns)
            for name, array in (("mask", given.mask), ("bias", given.bias))
        }
        q = given.query[..., rows, :]
        sequence = given._replace(query=q, **arrays, **masks)
        answers = output[..., rows, :], logsumexp[..., rows, :]
        _attend_in_tiles(sequence, *blocks, answers)
    return output, logsumexp


def _apart_from_reach(options: AttentionOptions) -> Any:
    """Leave out what counts positions, which each sequence has of its own."""
    reach = {"is_causal", "window", "offset"}
    return {name: x for name, x in options.items() if name not in reach}


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
