"""What learning sees: how the output of attention changes with its inputs."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import AttentionOptions, _Given, _prepared
from attention.dot_product import _scores, _weights
from attention.tiles import _output_shape


def softmax_vjp(weights: ArrayLike, grad_weights: ArrayLike) -> NDArray[Any]:
    r"""Carry a gradient from the weights of a softmax back to its scores.

    $$dS_j = P_j \Big( dP_j - \sum_l P_l \, dP_l \Big)$$

    Each row of gradients is multiplied by the Jacobian $\operatorname{diag}(P)
    - P P^\top$, which is never built. A score gains by how far its own
    gradient lies above the weighted average of its row. Raises [an
    error](index.md#errors) if the shapes differ.

    Parameters
    ----------
    weights : array_like of shape (..., n)
        What softmax returned, $P$; a softmax over the last axis.
    grad_weights : array_like of shape (..., n)
        The gradient of a loss with respect to these weights, $dP$. Dtypes
        promote as in `softmax`.

    Returns
    -------
    grad_scores : ndarray of shape (..., n)
        The gradient with respect to the scores. Each row sums to zero if its
        weights sum to one, because adding the same number to all scores of a
        row changes nothing.

    References
    ----------
    [Dao et al. 2022](../reference/sources.md#dao2022), appendix B.2.

    Examples
    --------
    The verb of the running example gives *cats* the weight 1/2, and its output
    is (5, 2). What *cats* hands over, (8, 0), is 3 more than that in the first
    number and 2 less in the second, so per unit of *cats*'s score the output
    moves by $(3, -2) / 2 = (1.5, -1)$, in the first column:

    >>> import numpy as np
    >>> from attention import softmax_vjp
    >>> weights = np.array([8, 4, 1, 2, 1]) / 16
    >>> values = np.array([[8.0, 0], [4, 4], [0, 0], [0, 8], [0, 0]])
    >>> softmax_vjp([weights, weights], values.T)
    array([[ 1.5   , -0.25  , -0.3125, -0.625 , -0.3125],
           [-1.    ,  0.5   , -0.125 ,  0.75  , -0.125 ]])
    """
    (p, dp), dtype = _inputs.floats(weights=weights, grad_weights=grad_weights)
    if p.ndim < 1 or p.shape != dp.shape:
        rule = "weights and grad_weights must have the same shape (..., n)"
        _inputs.refuse(rule, weights=p, grad_weights=dp)
    with np.errstate(all="ignore"):
        average = np.vecdot(p, dp)[..., None]
        d_scores: NDArray[Any] = p * (dp - average)
        return d_scores.astype(dtype, copy=False)


def attention_vjp(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    grad_output: ArrayLike,
    *,
    return_bias: bool = False,
    return_sink: bool = False,
    **options: Unpack[AttentionOptions],
) -> tuple[NDArray[Any], ...]:
    r"""Carry a gradient from the output of attention back to all its inputs.

    $$\begin{aligned}
    d\V &= P^\top d\Z, & dP &= d\Z \, \V^\top, \\
    D_i &= \sum_j P_{ij} \, dP_{ij}, & dS_{ij} &= P_{ij} \, (dP_{ij} - D_i), \\
    d\Q &= \frac{dS \, \K}{\sqrt{d_k}}, & d\K &= \frac{dS^\top \Q}{\sqrt{d_k}}
    \end{aligned}$$

    $P$ are the weights of `scaled_dot_product_attention`, computed again. An
    input that served several rows, heads or sequences gets the sum of what
    each of them sends back: keys shared by a group of heads, axes of size 1,
    and axes it did not have. With a softcap $c$, $dS$ is multiplied by
    $1 - (S / c)^2$ on its way to $d\Q$ and $d\K$, where $S$ are the capped
    scores. Raises [an error](index.md#errors) if the gradient of a bias or
    sink is asked for that was not given.

    Parameters
    ----------
    query, key : array_like of shape (..., n_q, d_k) and (..., n_k, d_k)
        As they were given to `scaled_dot_product_attention`, like all that
        follows but grad_output.
    value : array_like of shape (..., n_k, d_v)
        The values.
    grad_output : array_like of shape (..., n_q, d_v)
        The gradient of a loss with respect to the output, $d\Z$. It is cast to
        the dtype of the computation, which query, key and value decide.
    return_bias, return_sink : bool, optional
        Return the gradient of bias or sink as well.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`.

    Returns
    -------
    d_query, d_key, d_value : ndarray
        The gradient of each, in the shape of that array and in the dtype of
        the output. What no query may attend to gets zero, whatever it or its
        value holds, and so does a query without any allowed key.
    d_bias, d_sink : ndarray
        In the shape of bias and of sink, if they are asked for.

    References
    ----------
    [Dao et al. 2022](../reference/sources.md#dao2022), appendix B.2, with eq.
    (4) for $D$, which is also the sum of $d\Z_i \cdot \Z_i$ over the features.

    Examples
    --------
    *ran* of the running example, and a loss that is the first number of its
    output. Each value gets its weight; the gradient of a bias of zero is that
    of the scores, 1.5 for *cats*, and sums to zero:

    >>> from attention import attention_vjp, project
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> grad_output, bias = [[1.0, 0.0]], [[0.0] * 5]
    >>> d_q, d_k, d_v, d_bias = attention_vjp(
    ...     q, k, v, grad_output, bias=bias, return_bias=True
    ... )
    >>> d_v[:, 0]
    array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625])
    >>> d_bias
    array([[ 1.5   , -0.25  , -0.3125, -0.625 , -0.3125]])
    """
    _inputs.options(attention_vjp, options, AttentionOptions)
    asked = {"query": query, "key": key, "value": value}
    asked |= _asked_for("bias", return_bias, options.get("bias"))
    asked |= _asked_for("sink", return_sink, options.get("sink"))
    given = _prepared(query, key, value, **options)
    d_output = _read_grad_output(grad_output, given)
    with np.errstate(all="ignore"):
        weights = _weights(given)  # (..., n_q, n_k)
        d_value = weights.swapaxes(-1, -2) @ d_output  # (..., n_k, d_v)
        d_weights = d_output @ given.value.swapaxes(-1, -2)  # (..., n_q, n_k)
        d_weights = _summed_to(d_weights, weights.shape)
        average = np.vecdot(weights, d_weights)[..., None]  # D, (..., n_q, 1)
        d_scores = weights * (d_weights - average)
        # the gradients of a row, its sink among them, sum to zero
        d_sink = -d_scores.sum(axis=-1, keepdims=True)
        d_products = d_scores
        if given.softcap is not None:
            capped = _scores(given)
            d_products = d_scores * (1 - (capped / given.softcap) ** 2)
        d_query = d_products @ given.key * given.scale  # (..., n_q, d_k)
        d_key = d_products.swapaxes(-1, -2) @ given.query * given.scale

        gradients = {"query": d_query, "key": d_key, "value": d_value}
        gradients |= {"bias": d_scores, "sink": d_sink}
        return _in_given_shapes(gradients, asked, given)


def _asked_for(
    name: str, is_asked: bool, array: ArrayLike | None
) -> dict[str, ArrayLike]:
    """Name the bias or the sink if its gradient is to be returned."""
    if not _inputs.flag(f"return_{name}", is_asked):
        return {}
    if array is None:
        rule = f"return_{name} asks for the gradient of {name}"
        raise ValueError(f"{rule}, which is not given")
    return {name: array}


def _read_grad_output(grad_output: ArrayLike, given: _Given) -> NDArray[Any]:
    """Read the gradient of the output, with heads split into groups."""
    split = _output_shape(given)
    shape = split
    if given.n_groups > 1:
        shape = (*split[:-4], split[-4] * split[-3], *split[-2:])
    array = _inputs.real("grad_output", grad_output)
    if array.shape != shape:
        rule = "grad_output must have the shape of the output"
        _inputs.refuse(rule, grad_output=array, output=shape)
    with np.errstate(all="ignore"):
        return array.astype(given.query.dtype, copy=False).reshape(split)


def _in_given_shapes(
    gradients: dict[str, NDArray[Any]],
    asked: dict[str, ArrayLike],
    given: _Given,
) -> tuple[NDArray[Any], ...]:
    """Give every gradient the shape of its array and the promised dtype."""
    return tuple(
        _summed_to(gradients[name], getattr(given, name).shape)
        .reshape(np.shape(array))
        .astype(given.dtype, copy=False)
        for name, array in asked.items()
    )


def _summed_to(gradient: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Sum over the axes that an array of this shape had to be repeated along.

    What served many places gets the sum of what each of them sends back.
    """
    n_new = gradient.ndim - len(shape)
    sizes = enumerate(shape, start=n_new)
    repeated = [i for i, n in sizes if n == 1 and gradient.shape[i] != 1]
    axes = (*range(n_new), *repeated)
    return gradient.sum(axis=axes).reshape(shape) if axes else gradient
