"""From token vectors to queries, keys and values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs


def project(
    x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None
) -> NDArray[Any]:
    r"""Multiply every token, a row of x, by the same matrix.

    $$Y = X W + b$$

    Raises [an error](index.md#errors) if shapes do not fit.

    Parameters
    ----------
    x : array_like of shape (..., n, d_in)
        Token vectors, one per row. x and weight promote to a common dtype as
        query and key in `attention_scores`.
    weight : array_like of shape (d_in, d_out)
        One column per feature of the result.
    bias : array_like of shape (d_out,), optional
        Cast to the dtype of the computation.

    Returns
    -------
    y : ndarray of shape (..., n, d_out)
        One row per token.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.2.

    Examples
    --------
    Two tokens, from three features to two:

    >>> from attention import project
    >>> project([[1, 0, 2], [0, 1, 0]], [[1, 0], [0, 3], [0, 1]])
    array([[1., 2.],
           [0., 3.]])
    """
    (tokens, matrix), dtype = _inputs.floats(x=x, weight=weight)
    _inputs.matrix_fits("x", tokens, "weight", matrix)
    with np.errstate(all="ignore"):
        y = tokens @ matrix
        if bias is not None:
            y = y + _inputs.row("bias", bias, "weight", matrix)
        return y.astype(dtype, copy=False)
