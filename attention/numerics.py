"""Softmax and its relatives, stable for scores of any size."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks, _scores


def softmax(x: ArrayLike, axis: int = -1) -> NDArray[Any]:
    r"""Turn scores into weights: positive, and summing to one along an axis.

    $$\softmax(x)_j = \frac{e^{x_j}}{\sum_l e^{x_l}} = \frac{e^{x_j - \max x}}{\sum_l e^{x_l - \max x}}$$

    The second form is the one computed: no exponent is above zero, so nothing
    overflows.

    Parameters
    ----------
    x : array_like
        Scores. Integers and bools become float64; float16 is computed in
        float32 and returned as float16.
    axis : int, optional
        The axis along which the weights sum to one.

    Returns
    -------
    weights : ndarray of shape of x
        A slice of nothing but -inf gives zeros, the sum over nothing; an empty
        axis gives an empty result. nan or +inf in a slice makes the whole
        slice nan.

    Raises
    ------
    TypeError
        If x does not hold real numbers.
    ValueError
        If x has no such axis.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §2, on
    subtracting the maximum.

    Examples
    --------
    Scores $\ln 1, \ln 2, \ln 5$ share the budget as $1 : 2 : 5$:

    >>> import numpy as np
    >>> from attention import softmax
    >>> softmax(np.log([1, 2, 5]))
    array([0.125, 0.25 , 0.625])

    Only differences matter, and large scores do not overflow:

    >>> import numpy as np
    >>> from attention import softmax
    >>> np.array_equal(softmax([1000, 1001, 1002]), softmax([0, 1, 2]))
    True
    """
    (scores,), dtype = _arrays.to_floats(x=x)
    _checks.has_axes("(..., n)", 1, x=scores)
    axis = _checks.axis(axis, scores, "x")
    weights = scores.copy()
    with np.errstate(all="ignore"):
        weights /= _scores.exponentials(weights, axis)
        return weights.astype(dtype, copy=False)


def log_softmax(x: ArrayLike, axis: int = -1) -> NDArray[Any]:
    r"""Take the logarithm of `softmax` without underflow.

    $$\log \softmax(x)_j = (x_j - \max x) - \log \sum_l e^{x_l - \max x}$$

    Parameters
    ----------
    x : array_like
        Scores; dtypes as in `softmax`.
    axis : int, optional
        The axis along which the weights sum to one.

    Returns
    -------
    log_weights : ndarray of shape of x
        At most zero. A slice of nothing but -inf gives -inf.

    Raises
    ------
    TypeError
        If x does not hold real numbers.
    ValueError
        If x has no such axis.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §2, on
    subtracting the maximum.

    Examples
    --------
    $\ln \frac12$ twice:

    >>> from attention import log_softmax
    >>> log_softmax([3.0, 3.0])
    array([-0.69314718, -0.69314718])

    The weight of the first key underflows to zero; its logarithm does not:

    >>> from attention import log_softmax, softmax
    >>> softmax([-1000.0, 0.0]), log_softmax([-1000.0, 0.0])
    (array([0., 1.]), array([-1000.,     0.]))
    """
    (scores,), dtype = _arrays.to_floats(x=x)
    _checks.has_axes("(..., n)", 1, x=scores)
    axis = _checks.axis(axis, scores, "x")
    with np.errstate(all="ignore"):
        top = scores.max(axis=axis, keepdims=True, initial=-np.inf)
        shifted = scores - np.where(top == -np.inf, 0, top)
        total = np.exp(shifted).sum(axis=axis, keepdims=True)
        return (shifted - np.log(np.where(total == 0, 1, total))).astype(
            dtype, copy=False
        )


def logsumexp(
    x: ArrayLike, axis: int | tuple[int, ...] = -1, keepdims: bool = False
) -> NDArray[Any]:
    r"""Take the logarithm of a sum of exponentials: a maximum with smooth corners.

    $$\operatorname{logsumexp}(x) = \max x + \log \sum_l e^{x_l - \max x}$$

    Parameters
    ----------
    x : array_like
        Scores; dtypes as in `softmax`.
    axis : int or tuple of int, optional
        The axis or axes to sum over.
    keepdims : bool, optional
        Keep the summed axes with size one.

    Returns
    -------
    total : ndarray or scalar
        -inf where there is nothing to sum: an empty axis, or nothing but -inf.

    Raises
    ------
    TypeError
        If x does not hold real numbers.
    ValueError
        If x has no such axis.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §2, on
    subtracting the maximum.

    Examples
    --------
    Two equal terms add $\ln 2 = 0.693$ to either of them, at any size:

    >>> from attention import logsumexp
    >>> logsumexp([[0.0, 0.0], [1000.0, 1000.0]]).round(3) - [0, 1000]
    array([0.693, 0.693])

    The sum over nothing is zero, and its logarithm is $-\infty$:

    >>> from attention import logsumexp
    >>> float(logsumexp([]))
    -inf
    """
    (scores,), dtype = _arrays.to_floats(x=x)
    _checks.has_axes("(..., n)", 1, x=scores)
    axis, keepdims = (
        _checks.axes(axis, scores, "x"),
        _checks.flag("keepdims", keepdims),
    )
    with np.errstate(all="ignore"):
        top = scores.max(axis=axis, keepdims=True, initial=-np.inf)
        shift = np.where(np.isinf(top), 0, top)  # inf - inf would be nan
        total = shift + np.log(
            np.exp(scores - shift).sum(axis=axis, keepdims=True)
        )
        total = total if keepdims else np.squeeze(total, axis=axis)
        result: NDArray[Any] = total.astype(dtype, copy=False)[()]
        return result


def entropy(weights: ArrayLike, axis: int = -1) -> NDArray[Any]:
    r"""Measure in nats how widely a row of weights spreads its budget.

    $$H(w) = -\sum_j w_j \ln w_j, \qquad 0 \ln 0 = 0$$

    Parameters
    ----------
    weights : array_like
        Non-negative numbers; dtypes as in `softmax`.
    axis : int, optional
        The axis that holds one distribution.

    Returns
    -------
    entropy : ndarray or scalar
        0 for all weight on one key, $\ln n$ for equal weights on n keys. nan
        in a slice shows.

    Raises
    ------
    TypeError
        If weights do not hold real numbers.
    ValueError
        If a weight is negative, or weights have no such axis.

    References
    ----------
    [Shannon 1948](../reference/sources.md#shannon1948), §6.

    Examples
    --------
    Four equal weights: $\ln 4 = 1.386$. All weight on one key: 0.

    >>> from attention import entropy
    >>> entropy([[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0]]).round(3)
    array([1.386, 0.   ])

    Counted in doublings, *ran* of the running example spreads over $2^{1.875}$
    words:

    >>> import numpy as np
    >>> from attention import entropy
    >>> float(entropy([1/2, 1/4, 1/16, 1/8, 1/16]) / np.log(2))
    1.875
    """
    (w,), dtype = _arrays.to_floats(weights=weights)
    _checks.has_axes("(..., n)", 1, weights=w)
    axis = _checks.axis(axis, w, "weights")
    if (w < 0).any():
        raise ValueError(f"weights must not be negative: smallest {w.min()}")
    with np.errstate(all="ignore"):
        terms = np.where(w == 0, 0, -w * np.log(w))
        total: NDArray[Any] = terms.sum(axis=axis) + 0.0  # + 0.0: no -0
        return total.astype(dtype, copy=False)
