"""Scaled dot-product attention: scores, weights, weighted sums of values."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import (
    AttentionOptions,
    Window,
    _checked,
    _Given,
    _prepared,
)
from attention.numerics import softmax


def attention_scores(
    query: ArrayLike,
    key: ArrayLike,
    *,
    scale: float | None = None,
    softcap: float | None = None,
    enable_gqa: bool = False,
) -> NDArray[Any]:
    r"""Score every query against every key.

    $$S = \frac{\Q \K^\top}{\sqrt{d_k}}$$

    Raises [an error](index.md#errors) if softcap is not positive, or d_k is 0
    without a scale.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row per query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row per key. Leading axes (batch, heads)
        broadcast. query and key promote to a common dtype as in NumPy;
        integers and bools count as float64, bfloat16 and fp8 (of ml_dtypes,
        PyTorch or JAX) as float32, and float16 is computed in float32 and
        returned as float16.
    scale : float, optional
        Factor on the dot products; $1/\sqrt{d_k}$ if omitted.
    softcap : float, optional
        Keep every scaled score within ±softcap, by $c \tanh(s / c)$.
    enable_gqa : bool, optional
        Let each key head serve a run of neighbouring query heads.

    Returns
    -------
    scores : ndarray of shape (..., n_q, n_k)
        Unbounded reals; a softmax over the last axis makes weights of a row.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1,
    eq. (1), without the softmax. Grouped heads:
    [Ainslie et al. 2023](../reference/sources.md#ainslie2023), §2.2.

    Examples
    --------
    $2 \cdot 3 / \sqrt 4 = 3$; the second key is orthogonal to the query:

    >>> from attention import attention_scores
    >>> attention_scores([[2.0, 0, 0, 0]], [[3.0, 0, 0, 0], [0, 5, 0, 0]])
    array([[3., 0.]])
    >>> attention_scores([[2.0, 0, 0, 0]], [[3.0, 0, 0, 0]], scale=1)
    array([[6.]])
    """
    given = _checked(
        query, key, scale=scale, softcap=softcap, enable_gqa=enable_gqa
    )
    with np.errstate(all="ignore"):
        return given.result(_scores(given))


def attention_weights(
    query: ArrayLike, key: ArrayLike, **options: Unpack[AttentionOptions]
) -> NDArray[Any]:
    r"""Share each query's budget of one among the keys it may attend to.

    $$A = \softmax\!\Big(\frac{\Q \K^\top}{\sqrt{d_k}} + B\Big)
    \quad \text{over the allowed keys of each row}$$

    Raises [an error](index.md#errors) if an offset is missing or without use
    (`SharedOptions`).

    Parameters
    ----------
    query, key : array_like of shape (..., n_q, d_k) and (..., n_k, d_k)
        As in `attention_scores`. No option changes the dtype of the weights.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`.

    Returns
    -------
    weights : ndarray of shape (..., n_q, n_k)
        A row sums to one, or to less with a sink; to 0 without allowed keys.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1,
    eq. (1); masks: §3.2.3.

    Examples
    --------
    The verb of the running example gives its subject *cats* half of its
    budget. If *cats* is masked, the others keep their ratios:

    >>> from attention import attention_weights, project
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> q, k = project(x, W_Q1), project(x, W_K)
    >>> attention_weights(q, k)[4]
    array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625])
    >>> attention_weights(q, k, mask=[False, True, True, True, True])[4]
    array([0.   , 0.5  , 0.125, 0.25 , 0.125])
    >>> attention_weights(q, k, mask=[False] * 5)[4]  # no allowed key
    array([0., 0., 0., 0., 0.])
    """
    _inputs.options(attention_weights, options, AttentionOptions)
    given = _prepared(query, key, **options)
    with np.errstate(all="ignore"):
        return given.result(_weights(given))


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    window: Window | None = None,
    offset: ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
    enable_gqa: bool = False,
    return_weights: bool = False,
) -> Any:
    r"""Answer each query with a weighted sum of the values.

    $$\Z = \softmax\!\Big(\frac{\Q \K^\top}{\sqrt{d_k}}\Big) \V$$

    This function explains; `tiled_attention` gives the same and is faster.
    Raises [an error](index.md#errors) as `attention_weights` does.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row per query. The axis of heads comes before that
        of tokens, (batch, heads, n, d), as `split_heads` makes it. In an array
        (batch, n, heads, d) the heads of one token would attend to each other.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row per key.
    value : array_like of shape (..., n_k, d_v)
        What each key hands over; d_v may differ from d_k. Leading axes and
        dtypes of all three as in `attention_scores`.
    mask : array_like of bool, broadcasting to (..., n_q, n_k), optional
        True means "may attend". `SharedOptions` says more of each option.
    bias : array_like of float, broadcasting to (..., n_q, n_k), optional
        Added to the scaled scores.
    is_causal : bool, optional
        Let a query attend to its own position and to earlier ones only.
    window : int or (left, right), optional
        How many keys before and after its position a query sees; None: all.
    offset : int or array_like of int, shape (batch,), optional
        The position of the first query, for is_causal and window; may be
        omitted only if there are as many queries as keys.
    scale : float, optional
        Factor on the dot products; $1/\sqrt{d_k}$ if omitted.
    softcap : float, optional
        Bound every scaled score $s$ by $c \tanh(s / c)$.
    sink : float or array_like of shape (heads,), optional
        Score of a virtual key whose value is zero.
    enable_gqa : bool, optional
        Let each head of key and value serve a run of neighbouring query heads;
        nothing is copied.
    return_weights : bool, optional
        Return the weights as well.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        Row i is a weighted average of the rows of value, or less with a sink,
        which takes a share and adds nothing. A query without any allowed key
        gets a row of zeros.
    weights : ndarray of shape (..., n_q, n_k)
        If they are asked for, as from `attention_weights`.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1,
    eq. (1).

    Examples
    --------
    *ran* of the running example asks "which noun came first?" and receives 5
    parts *cats*, 2 parts *dogs*:

    >>> from attention import project, scaled_dot_product_attention
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> q, k, v = project(x, W_Q1), project(x, W_K), project(x, W_V)
    >>> output, weights = scaled_dot_product_attention(
    ...     q, k, v, return_weights=True
    ... )
    >>> output[4], weights[4]
    (array([5., 2.]), array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625]))
    """
    return_weights = _inputs.flag("return_weights", return_weights)
    given = _prepared(
        query, key, value, mask=mask, bias=bias, is_causal=is_causal,
        window=window, offset=offset, scale=scale, softcap=softcap, sink=sink,
        enable_gqa=enable_gqa,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        weights = _weights(given)
        output = given.result(weights @ given.value)  # (..., n_q, d_v)
        return (output, given.result(weights)) if return_weights else output


def _scores(given: _Given) -> NDArray[Any]:
    """Score every query against every key: product, scale, softcap."""
    scores: NDArray[Any] = given.query @ given.key.swapaxes(-1, -2)
    scores = scores * given.scale  # (..., n_q, n_k)
    if given.softcap is not None:
        scores = given.softcap * np.tanh(scores / given.softcap)
    return scores


def _weights(given: _Given) -> NDArray[Any]:
    """Turn the scores of each query into weights: bias, mask, softmax."""
    scores = _scores(given)
    if given.bias is not None:
        scores = scores + given.bias
    if given.mask is not None:  # of mask, is_causal and window
        scores = np.where(given.mask, scores, -np.inf)
    if given.sink is None:
        return softmax(scores)
    # one more key, which takes its share of the row and has no value
    sink = np.broadcast_to(given.sink, (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, sink], axis=-1))[..., :-1]
