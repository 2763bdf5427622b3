"""One head of attention, within a sequence or from one sequence to another."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from attention import _inputs
from attention.arguments import AttentionOptions, _prepared
from attention.dot_product import _weights


def self_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    *,
    return_weights: bool = False,
    **options: Unpack[AttentionOptions],
) -> Any:
    r"""Let every token of a sequence attend to all tokens of that sequence.

    $$\Z = \softmax\!\Big(\frac{(X W_Q)(X W_K)^\top}{\sqrt{d_k}}\Big) X W_V$$

    Raises [an error](index.md#errors) if w_q and w_k differ in d_k.

    Parameters
    ----------
    x : array_like of shape (..., n, d_model)
        Token vectors, one per row, for queries, keys and values alike.
    w_q, w_k : array_like of shape (d_model, d_k)
        The projection matrices of queries and keys.
    w_v : array_like of shape (d_model, d_v)
        That of values. All four arrays promote to a common dtype as in
        `scaled_dot_product_attention`.
    return_weights : bool, optional
        Return the weights as well.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`.

    Returns
    -------
    output : ndarray of shape (..., n, d_v)
        One row per token.
    weights : ndarray of shape (..., n, n)
        If they are asked for, as from `attention_weights`.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.3.

    Examples
    --------
    In the running example *who*, *chased* and *ran* look for the first noun,
    *cats*, and give it the largest weight. *cats* and *dogs* look for each
    other:

    >>> from attention import self_attention
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> self_attention(embed(SENTENCE, EARLY), W_Q1, W_K, W_V)
    array([[1.45454545, 3.63636364],
           [5.        , 2.        ],
           [5.        , 2.        ],
           [3.63636364, 1.45454545],
           [5.        , 2.        ]])
    """
    _inputs.options(self_attention, options, AttentionOptions)
    return cross_attention(
        x, x, w_q, w_k, w_v, return_weights=return_weights, **options
    )


def cross_attention(
    x: ArrayLike,
    memory: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    *,
    return_weights: bool = False,
    **options: Unpack[AttentionOptions],
) -> Any:
    r"""Let every token of one sequence attend to the tokens of another.

    $$\Z = \softmax\!\Big(\frac{(X W_Q)(Y W_K)^\top}{\sqrt{d_k}}\Big) Y W_V$$

    Raises [an error](index.md#errors) if w_q and w_k differ in d_k.

    Parameters
    ----------
    x : array_like of shape (..., n_q, d_model)
        Token vectors, one per row, for the queries.
    memory : array_like of shape (..., n_k, d_memory)
        Token vectors for keys and values, $Y$ in the formula: the encoder's
        output in a translation model.
    w_q, w_k : array_like of shape (d_model, d_k) and (d_memory, d_k)
        The projection matrices of queries and keys.
    w_v : array_like of shape (d_memory, d_v)
        That of values. All five arrays promote to a common dtype as in
        `scaled_dot_product_attention`.
    return_weights : bool, optional
        Return the weights as well.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        One row per token of x.
    weights : ndarray of shape (..., n_q, n_k)
        If they are asked for, as from `attention_weights`.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.3.

    Examples
    --------
    Two verbs attend to *cats*, *who* and *dogs* with weights 4/7, 2/7 and 1/7,
    and receive 40/7 parts *cats* and 16/7 parts *dogs*:

    >>> from attention import cross_attention
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> cross_attention(x[[2, 4]], x[[0, 1, 3]], W_Q1, W_K, W_V) * 7
    array([[40., 16.],
           [40., 16.]])
    """
    _inputs.options(cross_attention, options, AttentionOptions)
    return_weights = _inputs.flag("return_weights", return_weights)
    source = "x" if memory is x else "memory"  # as self_attention names it
    (x, y, w_q, w_k, w_v), dtype = _inputs.floats(
        x=x, memory=memory, w_q=w_q, w_k=w_k, w_v=w_v
    )
    _inputs.matrix_fits("x", x, "w_q", w_q)
    _inputs.matrix_fits(source, y, "w_k", w_k)
    _inputs.matrix_fits(source, y, "w_v", w_v)
    if w_q.shape[1] != w_k.shape[1]:
        rule = "w_q and w_k must share d_k (last axis)"
        _inputs.refuse(rule, w_q=w_q, w_k=w_k)
    with np.errstate(all="ignore"):
        given = _prepared(x @ w_q, y @ w_k, y @ w_v, **options)
        given = given._replace(dtype=dtype)
        weights = _weights(given)
        output = given.result(weights @ given.value)
        return (output, given.result(weights)) if return_weights else output
