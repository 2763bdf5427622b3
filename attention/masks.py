"""Who may attend to whom. Every mask is boolean, True means "may attend", and masks combine with & and |."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention import _inputs


def causal_mask(
    n_queries: int, n_keys: int | None = None, *, offset: ArrayLike = 0
) -> NDArray[np.bool_]:
    r"""Let every query attend to its own position and to earlier ones.

    $$M_{ij} = \big[\, j \le i + \text{offset} \,\big]$$

    Parameters
    ----------
    n_queries : int
        Rows of the mask.
    n_keys : int, optional
        Columns of the mask; n_queries if omitted.
    offset : int or array_like of int, shape (batch,), optional
        How many positions the queries stand behind the keys' origin. 0 aligns
        the first query with the first key (top-left); n_keys - n_queries
        aligns the last with the last, as decoding with a cache needs
        (bottom-right). With several, each sequence of a batch has its own.

    Returns
    -------
    mask : ndarray of bool, shape (n_queries, n_keys), or (batch, 1, n_queries, n_keys) with several offsets
        True where the query may attend to the key.

    Raises
    ------
    TypeError
        If an argument is not an integer.
    ValueError
        If a size is negative, or offset has more than one axis.

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

    Two new queries behind one cached token see three keys:

    >>> from attention import causal_mask
    >>> causal_mask(2, 3, offset=1)
    array([[ True,  True, False],
           [ True,  True,  True]])

    Two sequences, whose next query stands at 2 and at 0:

    >>> from attention import causal_mask
    >>> causal_mask(1, 3, offset=[2, 0])[:, 0, 0]
    array([[ True,  True,  True],
           [ True, False, False]])
    """
    mask: NDArray[np.bool_] = distances(n_queries, n_keys, offset) <= 0
    return mask


def sliding_window_mask(
    n_queries: int,
    n_keys: int | None = None,
    *,
    left: int | None,
    right: int | None = 0,
    offset: ArrayLike = 0,
) -> NDArray[np.bool_]:
    r"""Let every query attend to its neighbourhood, its own position included.

    $$M_{ij} = \big[\, i + \text{offset} - \text{left} \le j \le i + \text{offset} + \text{right} \,\big]$$

    Parameters
    ----------
    n_queries : int
        Rows of the mask.
    n_keys : int, optional
        Columns of the mask; n_queries if omitted.
    left, right : int or None
        How many keys before and after its own position a query sees; None
        means all of them.
    offset : int or array_like of int, shape (batch,), optional
        As in `causal_mask`.

    Returns
    -------
    mask : ndarray of bool, shape (n_queries, n_keys), or (batch, 1, n_queries, n_keys) with several offsets
        True where the query may attend to the key.

    Raises
    ------
    TypeError
        If an argument is neither an integer nor, for left and right, None.
    ValueError
        If a size, left or right is negative, or offset has more than one axis.

    References
    ----------
    [Beltagy et al. 2020](../reference/sources.md#beltagy2020), §3.1.

    Examples
    --------
    One key back, none ahead: a window of two.

    >>> from attention import sliding_window_mask
    >>> sliding_window_mask(3, left=1)
    array([[ True, False, False],
           [ True,  True, False],
           [False,  True,  True]])

    Without a left edge it is the causal mask:

    >>> import numpy as np
    >>> from attention import causal_mask, sliding_window_mask
    >>> np.array_equal(sliding_window_mask(4, left=None), causal_mask(4))
    True
    """
    distance = distances(n_queries, n_keys, offset)
    mask = np.ones(distance.shape, dtype=bool)
    if left is not None:
        mask &= distance >= -_inputs.integer("left", left, 0)
    if right is not None:
        mask &= distance <= _inputs.integer("right", right, 0)
    return mask


def padding_mask(lengths: ArrayLike, n_keys: int) -> NDArray[np.bool_]:
    r"""Hide the padding behind sequences of different lengths.

    $$M_{bj} = [\, j < \text{length}_b \,]$$

    Parameters
    ----------
    lengths : int or array_like of int, shape (batch,)
        How many keys of each sequence are real.
    n_keys : int
        The length that all sequences are padded to.

    Returns
    -------
    mask : ndarray of bool, shape (batch, 1, 1, n_keys)
        Fits scores of shape (batch, heads, n_q, n_keys). For arrays without a
        heads axis use `mask[:, 0]`. A single length gives shape (1, n_keys).

    Raises
    ------
    TypeError
        If lengths are not integers.
    ValueError
        If lengths have more than one axis, or a length is negative or above
        n_keys.

    Examples
    --------
    >>> from attention import padding_mask
    >>> padding_mask(2, 3)
    array([[ True,  True, False]])

    A batch of two gets axes for the heads and the queries:

    >>> from attention import padding_mask
    >>> mask = padding_mask([3, 1], 3)
    >>> mask.shape
    (2, 1, 1, 3)
    >>> mask[:, 0, 0]
    array([[ True,  True,  True],
           [ True, False, False]])
    """
    sizes = _inputs.integers("lengths", lengths, n_axes=1)  # () or (batch,)
    n_keys = _inputs.integer("n_keys", n_keys, 0)
    if ((sizes < 0) | (sizes > n_keys)).any():
        _inputs.refuse(
            f"lengths must be from 0 to n_keys = {n_keys}", lengths=lengths
        )
    mask = np.arange(n_keys) < sizes[..., None, None]
    return mask[:, None] if sizes.ndim else mask


def segment_mask(
    query_segments: ArrayLike, key_segments: ArrayLike | None = None
) -> NDArray[np.bool_]:
    r"""Keep documents that are packed into one sequence apart.

    $$M_{ij} = [\, \text{segment of query } i = \text{segment of key } j \,]$$

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

    Raises
    ------
    TypeError
        If segments are not integers.
    ValueError
        If both do not have one axis, or two with the same batch.

    References
    ----------
    [Krell et al. 2021](../reference/sources.md#krell2021), on packing
    sequences.

    Examples
    --------
    Two documents of lengths two and one:

    >>> from attention import segment_mask
    >>> segment_mask([0, 0, 1])
    array([[ True,  True, False],
           [ True,  True, False],
           [False, False,  True]])

    Causal inside each document:

    >>> from attention import causal_mask, segment_mask
    >>> causal_mask(3) & segment_mask([0, 0, 1])
    array([[ True, False, False],
           [ True,  True, False],
           [False, False,  True]])
    """
    rows = _inputs.real("query_segments", query_segments, "iu")
    columns = rows
    if key_segments is not None:
        columns = _inputs.real("key_segments", key_segments, "iu")
    fits = rows.shape[:-1] == columns.shape[:-1] and columns.ndim > 0
    if rows.ndim not in (1, 2) or not fits:
        _inputs.refuse(
            "segments must have shapes (n_q,) and (n_k,), or (batch, n_q) "
            "and (batch, n_k)",
            query_segments=rows,
            key_segments=columns,
        )
    mask: NDArray[np.bool_] = rows[..., :, None] == columns[..., None, :]
    return mask[:, None] if rows.ndim == 2 else mask


def mask_to_bias(mask: ArrayLike, *, dtype: DTypeLike = float) -> NDArray[Any]:
    r"""Write a mask as numbers to add to the scores.

    $$B_{ij} = \begin{cases} 0 & M_{ij} \\ -\infty & \text{otherwise} \end{cases}$$

    By selection: multiplying with $-\infty$ would give $0 \cdot \infty$, which
    is nan.

    Parameters
    ----------
    mask : array_like of bool
        True means "may attend".
    dtype : dtype, optional
        A floating-point type.

    Returns
    -------
    bias : ndarray of dtype, shape of mask
        To be added to scaled scores.

    Raises
    ------
    TypeError
        If mask is not boolean, or dtype not a floating-point type.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.3.

    Examples
    --------
    >>> from attention import causal_mask, mask_to_bias
    >>> mask_to_bias(causal_mask(2))
    array([[  0., -inf],
           [  0.,   0.]])

    Added to the scores it gives the weights that the mask gives:

    >>> import numpy as np
    >>> from attention import attention_weights, causal_mask, mask_to_bias
    >>> x, mask = np.eye(3), causal_mask(3)
    >>> by_bias = attention_weights(x, x, bias=mask_to_bias(mask))
    >>> np.array_equal(by_bias, attention_weights(x, x, mask=mask))
    True
    """
    allowed = _inputs.real("mask", mask, "b")
    return np.where(allowed, 0, -np.inf).astype(_inputs.float_dtype(dtype))


def distances(
    n_queries: int, n_keys: int | None, offset: ArrayLike
) -> NDArray[np.int64]:
    """Key position minus query position; query i is at i + offset.

    Shape (n_queries, n_keys), or (batch, 1, n_queries, n_keys) with one
    offset per sequence; as many keys as queries where n_keys is None.
    """
    n_q = _inputs.integer("n_queries", n_queries, 0)
    n_k = n_q if n_keys is None else _inputs.integer("n_keys", n_keys, 0)
    first = _inputs.integers("offset", offset, n_axes=1)
    first = first[:, None, None] if first.ndim else first
    distance: NDArray[np.int64] = (
        np.arange(n_k) - (np.arange(n_q) + first)[..., None]
    )
    return distance
