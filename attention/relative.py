"""Distance as a number taken from each score: the slopes of ALiBi."""

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
    H: the 1st, the 3rd, the 5th, … Raises [an error](index.md#errors) if
    n_heads is less than 1.

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
    is an extension. Raises [an error](index.md#errors) as `causal_mask` does.

    Parameters
    ----------
    n_heads : int
        The number of heads, each with a slope of its own.
    n_queries, n_keys : int
        Rows and columns, as in `causal_mask`.
    offset : int or array_like of int, optional
        As in `causal_mask`; an array has one number per sequence, (batch,).
    dtype : dtype, optional
        Floating-point type of the result. In float16 a penalty that rounds to
        more than 65,504 becomes -inf.

    Returns
    -------
    bias : ndarray of dtype, shape (n_heads, n_queries, n_keys)
        Added to scaled scores: `bias=` of `scaled_dot_product_attention`. An
        array of offsets gives (batch, n_heads, n_queries, n_keys).

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
