"""Additive attention: a small network computes the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import _read_fitting
from attention.numerics import softmax


def additive_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    w_query: ArrayLike,
    w_key: ArrayLike,
    w_score: ArrayLike,
    *,
    mask: ArrayLike | None = None,
) -> NDArray[Any]:
    r"""Weigh the values by scores from a network with one hidden layer.

    $$e_{ij} = \tanh(\q_i W_q + \k_j W_k) \cdot w, \qquad
    \z_i = \sum_j \softmax(e_i)_j\, \v_j$$

    Raises [an error](index.md#errors) if shapes do not fit.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_q)
        What is asked: the decoder's states in a translation model.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with: the encoder's states. d_k may differ from
        d_q. Leading axes broadcast.
    value : array_like of shape (..., n_k, d_v)
        What each key hands over. All six arrays promote to a common dtype as
        in `scaled_dot_product_attention`.
    w_query, w_key : array_like of shape (d_q, d_hidden) and (d_k, d_hidden)
        The projection matrices of queries and keys, into the hidden layer.
    w_score : array_like of shape (d_hidden,)
        The weights of the output, one score per hidden row.
    mask : array_like of bool, broadcasting to (..., n_q, n_k), optional
        True means "may attend".

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        A query without any allowed key gets a row of zeros.

    References
    ----------
    [Bahdanau et al. 2015](../reference/sources.md#bahdanau2015), §3.1 and
    appendix A.1.2.

    Examples
    --------
    One query, two keys, one hidden unit. Both scores are $\tanh 0 = 0$, so the
    values are averaged:

    >>> from attention import additive_attention
    >>> key, value = [[-1.0], [-1.0]], [[2.0], [4.0]]
    >>> additive_attention([[1.0]], key, value, [[1.0]], [[1.0]], [5.0])
    array([[3.]])
    """
    (q, k, v, w_q, w_k, w), dtype = _inputs.floats(
        query=query, key=key, value=value,
        w_query=w_query, w_key=w_key, w_score=w_score,
    )  # fmt: skip
    _inputs.matrix_fits("query", q, "w_query", w_q)
    _inputs.matrix_fits("key", k, "w_key", w_k)
    if v.ndim < 2 or k.shape[-2] != v.shape[-2]:
        rule = "key and value must share n_k (axis -2)"
        _inputs.refuse(rule, key=k, value=v)
    if not w_q.shape[1:] == w_k.shape[1:] == w.shape:
        rule = "w_query, w_key (last axis) and w_score must share d_hidden"
        _inputs.refuse(rule, w_query=w_q, w_key=w_k, w_score=w)
    _inputs.leading_axes_broadcast([2] * 3, "", query=q, key=k, value=v)
    with np.errstate(all="ignore"):
        queries, keys = (q @ w_q)[..., :, None, :], (k @ w_k)[..., None, :, :]
        hidden = np.tanh(queries + keys)  # (..., n_q, n_k, d_hidden)
        scores = hidden @ w  # (..., n_q, n_k)
        allowed = _read_fitting("mask", mask, "b", scores.shape)
        if allowed is not None:
            scores = np.where(allowed, scores, -np.inf)
            v = np.where(np.any(allowed, axis=-2)[..., None], v, 0)  # padding
        return (softmax(scores) @ v).astype(dtype, copy=False)
