"""Who may attend to whom.

Every mask is boolean, and True means "may attend". Masks combine with & and |.

A key that no query may attend to is padding: it and its value may hold
anything, nan too. Otherwise nan and inf do what they do in NumPy. A nan in a
value that only some queries may attend to reaches the outputs of all, because
0 times nan is nan.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention import _inputs


def causal_mask(
    n_queries: int,
    n_keys: int | None = None,
    *,
    offset: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    r"""Let every query attend to its own position and to earlier ones.

    $$M_{ij} = \big[\, j \le i + \text{offset} \,\big]$$

    Raises [an error](index.md#errors) if an offset is needed and missing.

    Parameters
    ----------
    n_queries : int
        Rows of the mask.
    n_keys : int, optional
        Columns of the mask; n_queries if omitted.
    offset : int or array_like of int, shape (batch,), optional
        The position of the first query, or one per sequence of a batch. 0
        aligns the first query with the first key (top-left), n_keys -
        n_queries the last with the last (bottom-right), as in decoding with a
        cache. It may be omitted only if there are as many keys as queries.

    Returns
    -------
    mask : ndarray, shape (n_queries, n_keys) or (batch, 1, n_queries, n_keys)
        True where the query may attend to the key. The second shape is for one
        offset per sequence; its 1 is the axis of heads.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.3.

    Examples
    --------
    >>> from attention import causal_mask
    >>> causal_mask(3)
    array([[ True, False, False],
           [ True,  True, False],
           [ True,  True,  True]])

    Two new queries after one cached token; then one query in each of two
    sequences, at position 2 and at position 0:

    >>> causal_mask(2, 3, offset=1)
    array([[ True,  True, False],
           [ True,  True,  True]])
    >>> causal_mask(1, 3, offset=[2, 0])[:, 0, 0]
    array([[ True,  True,  True],
           [ True, False, False]])
    """
    return np.asarray(_distances(n_queries, n_keys, offset) <= 0)


def sliding_window_mask(
    n_queries: int,
    n_keys: int | None = None,
    *,
    left: int | None,
    right: int | None = 0,
    offset: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    r"""Let every query attend to the keys around its own position.

    $$M_{ij} = \big[\, i + \text{offset} - \text{left} \le j
    \le i + \text{offset} + \text{right} \,\big]$$

    Raises [an error](index.md#errors) as `causal_mask` does.

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    left, right : int or None
        How many keys before and after its own position a query may attend to;
        None means all of them.
    offset : int or array_like of int, shape (batch,), optional
        As in `causal_mask`.

    Returns
    -------
    mask : ndarray, shape (n_queries, n_keys) or (batch, 1, n_queries, n_keys)
        As in `causal_mask`.

    References
    ----------
    [Beltagy et al. 2020](../reference/sources.md#beltagy2020), §3.1.

    Examples
    --------
    >>> from attention import sliding_window_mask
    >>> sliding_window_mask(3, left=1)
    array([[ True, False, False],
           [ True,  True, False],
           [False,  True,  True]])
    >>> sliding_window_mask(1, 3, left=0, offset=2)
    array([[False, False,  True]])
    """
    distance = _distances(n_queries, n_keys, offset)
    mask = np.ones(distance.shape, dtype=bool)
    if left is not None:
        mask &= distance >= -_inputs.integer("left", left, 0)
    if right is not None:
        mask &= distance <= _inputs.integer("right", right, 0)
    return mask


def padding_mask(
    lengths: ArrayLike,
    n_keys: int,
    *,
    side: Literal["left", "right"] = "right",
) -> NDArray[np.bool_]:
    r"""Hide the padding of sequences of different lengths.

    $$M_{bj} = [\, j < \text{length}_b \,] \quad \text{or, on the left,} \quad
    [\, j \ge n_k - \text{length}_b \,]$$

    Raises [an error](index.md#errors) if a length is above n_keys.

    Parameters
    ----------
    lengths : int or array_like of int, shape (batch,)
        How many keys of each sequence are real.
    n_keys : int
        The length that all sequences are padded to.
    side : "right" or "left", optional
        Where the padding is: after a sequence, or before it.

    Returns
    -------
    mask : ndarray of bool, shape (batch, 1, 1, n_keys)
        Broadcasts to scores (batch, heads, n_q, n_keys); without an axis of
        heads use `mask[:, 0]`. A single length gives (1, n_keys).

    Examples
    --------
    One row per sequence:

    >>> from attention import padding_mask
    >>> padding_mask([3, 1], 3)[:, 0, 0]
    array([[ True,  True,  True],
           [ True, False, False]])
    >>> padding_mask(1, 3, side="left")
    array([[False, False,  True]])
    """
    sizes = _inputs.integers("lengths", lengths, n_axes=1)  # () or (batch,)
    n_keys = _inputs.integer("n_keys", n_keys, 0)
    if ((sizes < 0) | (sizes > n_keys)).any():
        rule = f"lengths must be from 0 to n_keys = {n_keys}"
        _inputs.refuse(rule, lengths=lengths)
    _inputs.one_of("side", side, ("right", "left"))
    mask = np.arange(n_keys) < sizes[..., None, None]
    mask = mask[..., ::-1] if side == "left" else mask
    return mask[:, None] if sizes.ndim else mask


def segment_mask(
    query_segments: ArrayLike, key_segments: ArrayLike | None = None
) -> NDArray[np.bool_]:
    r"""Keep documents apart that are packed into one sequence.

    $$M_{ij} = [\, \text{segment of query } i = \text{segment of key } j \,]$$

    Raises [an error](index.md#errors) unless both have one axis, or two with
    the same batch.

    Parameters
    ----------
    query_segments : array_like of int, shape (n_q,) or (batch, n_q)
        The document that each position belongs to.
    key_segments : array_like of int, shape (n_k,) or (batch, n_k), optional
        query_segments if omitted.

    Returns
    -------
    mask : ndarray of bool, shape (n_q, n_k) or (batch, 1, n_q, n_k)
        True where the query may attend to the key.

    References
    ----------
    [Krell et al. 2021](../reference/sources.md#krell2021), on packing
    sequences.

    Examples
    --------
    >>> from attention import segment_mask
    >>> segment_mask([0, 0, 1])
    array([[ True,  True, False],
           [ True,  True, False],
           [False, False,  True]])
    >>> segment_mask([1], [0, 0, 1])
    array([[False, False,  True]])
    """
    if key_segments is None:
        key_segments = query_segments
    queries = _inputs.real("query_segments", query_segments, "iu")
    keys = _inputs.real("key_segments", key_segments, "iu")
    fits = queries.shape[:-1] == keys.shape[:-1] and keys.ndim > 0
    if queries.ndim not in (1, 2) or not fits:
        rule = "segments must have shapes (n_q,) and (n_k,), or with a batch"
        _inputs.refuse(rule, query_segments=queries, key_segments=keys)
    mask: NDArray[np.bool_] = queries[..., :, None] == keys[..., None, :]
    return mask[:, None] if queries.ndim == 2 else mask


def mask_to_bias(mask: ArrayLike, *, dtype: DTypeLike = float) -> NDArray[Any]:
    r"""Write a mask as numbers to add to the scores.

    $$B_{ij} = \begin{cases} 0 & M_{ij} \\
    -\infty & \text{otherwise} \end{cases}$$

    The two numbers are selected: a product with $-\infty$ would give
    $0 \cdot \infty$, which is nan. Raises [an error](index.md#errors) if mask
    is not boolean.

    Parameters
    ----------
    mask : array_like of bool
        True means "may attend".
    dtype : dtype, optional
        A floating-point type.

    Returns
    -------
    bias : ndarray of dtype, shape of mask
        Added to scaled scores: `bias=` of `scaled_dot_product_attention`.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.3.

    Examples
    --------
    >>> from attention import causal_mask, mask_to_bias
    >>> mask_to_bias(causal_mask(2))
    array([[  0., -inf],
           [  0.,   0.]])
    """
    allowed = _inputs.real("mask", mask, "b")
    return np.where(allowed, 0, -np.inf).astype(_inputs.float_dtype(dtype))


def _distances(
    n_queries: int, n_keys: int | None, offset: ArrayLike | None
) -> NDArray[np.int64]:
    """Subtract query positions from key positions; query 0 is at offset."""
    n_q = _inputs.integer("n_queries", n_queries, 0)
    n_k = n_q if n_keys is None else _inputs.integer("n_keys", n_keys, 0)
    if offset is None:
        _inputs.aligned("a rectangle", n_q, n_k)
    first = _inputs.integers("offset", 0 if offset is None else offset, 1)
    first = first[:, None, None] if first.ndim else first
    queries = first + np.arange(n_q)  # their positions
    return np.asarray(np.arange(n_k) - queries[..., None])
