"""Distance as a number added to each score: slopes, tables and buckets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention import _inputs
from attention.masks import _distances


def alibi_slopes(n_heads: int, *, dtype: DTypeLike = float) -> NDArray[Any]:
    r"""Give each head its own penalty per step of distance.

    $$m_h = 2^{-8 h / H}, \qquad h = 1, \dots, H$$

    if the number H of heads is a power of two. Otherwise the slopes of the
    power of two below H come first, then every other slope of the power above
    H: the 1st, the 3rd, the 5th, …

    Parameters
    ----------
    n_heads : int
        The number of heads.
    dtype : dtype, optional
        Floating-point type of the result.

    Returns
    -------
    slopes : ndarray of dtype, shape (n_heads,)
        The penalty $m_h$ of each head.

    Raises
    ------
    TypeError
        If n_heads is not an integer, or dtype not a floating-point type.
    ValueError
        If n_heads is less than 1.

    References
    ----------
    [Press et al. 2022](../reference/sources.md#press2022), §3; the paper's
    code, where H is not a power of two.

    Examples
    --------
    Eight heads: 1/2, 1/4, … 1/256.

    >>> from attention import alibi_slopes
    >>> 1 / alibi_slopes(8)
    array([  2.,   4.,   8.,  16.,  32.,  64., 128., 256.])

    Six heads: the slopes of four heads, then the first and third of eight.

    >>> from attention import alibi_slopes
    >>> 1 / alibi_slopes(6)
    array([  4.,  16.,  64., 256.,   2.,   8.])
    """
    n_heads = _inputs.integer("n_heads", n_heads, 1)
    below = 1 << (n_heads.bit_length() - 1)  # a power of two, at most n_heads
    steps = np.arange(1, below + 1) / below
    more = np.arange(1, 2 * below, 2) / (2 * below)
    fractions = np.concatenate([steps, more])[:n_heads]  # h / H
    slopes: NDArray[Any] = np.exp2(-8 * fractions)
    return slopes.astype(_inputs.float_dtype(dtype), copy=False)


def alibi_bias(
    n_heads: int,
    n_queries: int,
    n_keys: int | None = None,
    *,
    offset: ArrayLike | None = None,
    dtype: DTypeLike = float,
) -> NDArray[Any]:
    r"""Lower each score in proportion to the distance.

    $$B_{hij} = -m_h\, | j - (i + \text{offset}) |$$

    $m_h$ are the `alibi_slopes`. The paper defines the bias for causal models,
    in which no key comes after its query. Giving later keys the same penalty
    is an extension.

    Parameters
    ----------
    n_heads : int
        The number of heads, each with a slope of its own.
    n_queries : int
        Rows.
    n_keys : int, optional
        Columns; n_queries if omitted.
    offset : int or array_like of int, optional
        As in `causal_mask`; an array has one number per sequence, (batch,).
    dtype : dtype, optional
        Floating-point type of the result. In float16 a penalty beyond 65,504
        becomes -inf.

    Returns
    -------
    bias : ndarray of dtype, shape (n_heads, n_queries, n_keys)
        Added to scaled scores: `bias=` of `scaled_dot_product_attention`. An
        array of offsets gives (batch, n_heads, n_queries, n_keys).

    Raises
    ------
    TypeError
        If a size or offset is not an integer, or dtype not a floating-point
        type.
    ValueError
        If n_heads is less than 1; as in `causal_mask`.

    References
    ----------
    [Press et al. 2022](../reference/sources.md#press2022), §3.

    Examples
    --------
    The first of eight heads loses half a point per step:

    >>> from attention import alibi_bias
    >>> alibi_bias(8, 3)[0]
    array([[ 0. , -0.5, -1. ],
           [-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])
    """
    slopes = alibi_slopes(n_heads)[:, None, None]
    distance = _distances(n_queries, n_keys, offset)
    with np.errstate(all="ignore"):  # float16 may overflow or underflow
        bias: NDArray[Any] = slopes * -np.abs(distance)  # no zero is -0
        return bias.astype(_inputs.float_dtype(dtype))


def relative_position_bias(
    table: ArrayLike,
    n_queries: int,
    n_keys: int | None = None,
    *,
    offset: ArrayLike | None = None,
) -> NDArray[Any]:
    r"""Look up a learned number for each head and distance.

    $$B_{hij} = t_{h,\, D + \delta}, \qquad
    \delta = \operatorname{clip}(j - (i + \text{offset}),\, -D,\, D)$$

    $t$ is the table. Beyond its last distance D all distances count as D.

    Parameters
    ----------
    table : array_like of shape (n_heads, 2 * D + 1)
        One number per distance from -D to D, with distance 0 in the middle.
    n_queries : int
        Rows.
    n_keys : int, optional
        Columns; n_queries if omitted.
    offset : int or array_like of int, optional
        As in `alibi_bias`.

    Returns
    -------
    bias : ndarray of shape (n_heads, n_queries, n_keys)
        As in `alibi_bias`, in the dtype of the table; float64 for integers.

    Raises
    ------
    TypeError
        If a size or offset is not an integer, or the table does not hold real
        numbers.
    ValueError
        If the table has an even number of columns and so no middle; as in
        `causal_mask`.

    References
    ----------
    Clipped distances: [Shaw et al. 2018](../reference/sources.md#shaw2018),
    §3.2. A scalar for each head, added to the scores: [Raffel et al.
    2020](../reference/sources.md#raffel2020), §2.1.

    Examples
    --------
    One head that favours earlier tokens:

    >>> from attention import relative_position_bias
    >>> relative_position_bias([[7, 0, -1]], 3)
    array([[[ 0., -1., -1.],
            [ 7.,  0., -1.],
            [ 7.,  7.,  0.]]])
    """
    (numbers,), dtype = _inputs.floats(table=table)
    if numbers.ndim != 2 or numbers.shape[1] % 2 == 0:
        rule = "table must have shape (n_heads, 2 * max_distance + 1)"
        _inputs.refuse(rule, table=numbers)
    end = numbers.shape[1] // 2
    distance = _distances(n_queries, n_keys, offset)
    columns = end + np.clip(distance, -end, end)
    heads = np.arange(len(numbers))[:, None, None]
    bias: NDArray[Any] = numbers[heads, columns].astype(dtype, copy=False)
    return bias


def relative_position_bucket(
    distance: ArrayLike,
    *,
    bidirectional: bool = True,
    n_buckets: int = 32,
    max_distance: int = 128,
) -> NDArray[np.int64]:
    r"""Sort distances into buckets, which widen as distances grow.

    $$b(\delta) = \begin{cases} \delta & \delta < e \\
    \min\Big(B - 1,\; e + \Big\lfloor (B - e)\,
    \frac{\ln(\delta / e)}{\ln(D / e)} \Big\rfloor\Big)
    & \text{otherwise} \end{cases} \qquad e = \lfloor B / 2 \rfloor$$

    $\delta$ is how far the key is before the query, or 0 if it comes after, B
    the number of buckets and D is `max_distance`. If bidirectional, $\delta$
    is the distance on either side, B is half the number of buckets, and keys
    after the query are in the upper half. Code that takes the logarithm in
    float32 can miss by one bucket a distance at which a bucket begins; here it
    is exact.

    Parameters
    ----------
    distance : array_like of int, any shape
        Key position minus query position.
    bidirectional : bool, optional
        Whether keys after the query get buckets of their own; False in a
        causal model.
    n_buckets : int, optional
        Buckets of both sides together; even if bidirectional.
    max_distance : int, optional
        All distances from here on are in the last bucket of their side.

    Returns
    -------
    bucket : ndarray of int, shape of distance
        From 0 to n_buckets - 1. With a table (n_heads, n_buckets),
        `table[:, bucket]` is a bias. T5 adds it to unscaled dot products:
        `scale=1.0`.

    Raises
    ------
    TypeError
        If distance does not hold integers, n_buckets or max_distance is not an
        integer, or bidirectional not a bool.
    ValueError
        If a side has fewer than two buckets, n_buckets is odd though
        bidirectional, or max_distance is not above the distances that have a
        bucket to themselves.

    References
    ----------
    [Raffel et al. 2020](../reference/sources.md#raffel2020), §2.1, and the
    paper's code.

    Examples
    --------
    Up to 7 each distance has a bucket to itself, then buckets widen:

    >>> from attention import relative_position_bucket
    >>> relative_position_bucket([0, -1, -7, -8, -11, -12, -127, -128, -9999])
    array([ 0,  1,  7,  8,  8,  9, 15, 15, 15])

    Keys after the query, in a bidirectional and in a causal model:

    >>> from attention import relative_position_bucket
    >>> relative_position_bucket([1, 7, 8, 128])
    array([17, 23, 24, 31])
    >>> relative_position_bucket([1, 7, 8, 128], bidirectional=False)
    array([0, 0, 0, 0])
    """
    steps = _inputs.integers("distance", distance)
    both = _inputs.flag("bidirectional", bidirectional)
    n_buckets = _inputs.integer("n_buckets", n_buckets, 4 if both else 2)
    if both and n_buckets % 2:
        rule = "n_buckets must be even if bidirectional, half for each side"
        _inputs.refuse(rule, n_buckets=n_buckets)
    side = n_buckets // 2 if both else n_buckets
    near = side // 2
    max_distance = _inputs.integer("max_distance", max_distance, near + 1)
    delta = np.abs(steps) if both else np.maximum(-steps, 0)
    with np.errstate(divide="ignore"):  # ln 0, where delta < near
        ratio = np.log(delta / near) / np.log(max_distance / near)
    far = near + np.floor((side - near) * ratio + 1e-12)  # against rounding
    bucket = np.where(delta < near, delta, np.minimum(side - 1, far))
    upper: NDArray[np.bool_] = both & (steps > 0)
    return np.where(upper, side + bucket, bucket).astype(np.int64)
