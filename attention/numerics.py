"""Softmax and its relatives, stable for scores of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs

Axis = int | tuple[int, ...] | None


def softmax(x: ArrayLike, axis: Axis = -1) -> NDArray[Any]:
    r"""Turn scores into weights: positive, and summing to one along an axis.

    $$\softmax(x)_j = \frac{e^{x_j}}{\sum_l e^{x_l}}
    = \frac{e^{x_j - \max x}}{\sum_l e^{x_l - \max x}}$$

    The second form is the one computed: no exponent is above zero, so nothing
    overflows. Raises [an error](index.md#errors) if x has no such axis.

    Parameters
    ----------
    x : array_like
        Scores. Integers and bools become float64; float16 is computed in
        float32 and returned as float16.
    axis : int or tuple of int, optional
        The axis or axes along which the weights sum to one; None: all, as in
        SciPy.

    Returns
    -------
    weights : ndarray of shape of x
        A slice of nothing but -inf gives zeros, and an empty axis an empty
        result. nan or +inf in a slice makes the whole slice nan.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §2, on
    subtracting the maximum.

    Examples
    --------
    Scores of $\ln 1$, $\ln 2$ and $\ln 5$ divide the budget as $1 : 2 : 5$:

    >>> import numpy as np
    >>> from attention import softmax
    >>> softmax(np.log([1, 2, 5]))
    array([0.125, 0.25 , 0.625])

    Only differences matter, and large scores do not overflow:

    >>> np.array_equal(softmax([1000, 1001, 1002]), softmax([0, 1, 2]))
    True
    """
    (scores,), dtype = _inputs.floats(x=x)
    axis = _axes(axis, "x", scores)
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - _maximum(scores, axis))
        total = exponentials.sum(axis=axis, keepdims=True)
        weights: NDArray[Any] = exponentials / np.where(total == 0, 1, total)
        return weights.astype(dtype, copy=False)


def log_softmax(x: ArrayLike, axis: Axis = -1) -> NDArray[Any]:
    r"""Take the logarithm of `softmax` without underflow.

    $$\log \softmax(x)_j = (x_j - \max x) - \log \sum_l e^{x_l - \max x}$$

    Raises [an error](index.md#errors) if x has no such axis.

    Parameters
    ----------
    x : array_like
        Scores; dtypes as in `softmax`.
    axis : int or tuple of int, optional
        As in `softmax`.

    Returns
    -------
    log_weights : ndarray of shape of x
        At most zero. A slice of nothing but -inf gives -inf.

    Examples
    --------
    Four equal scores have $\ln \frac14 = -1.386$. The weight of the last
    underflows to zero; its logarithm does not:

    >>> from attention import log_softmax, softmax
    >>> log_softmax([3, 3, 3, 3, -800]).round(3)
    array([  -1.386,   -1.386,   -1.386,   -1.386, -804.386])
    >>> softmax([3, 3, 3, 3, -800])
    array([0.25, 0.25, 0.25, 0.25, 0.  ])
    """
    (scores,), dtype = _inputs.floats(x=x)
    axis = _axes(axis, "x", scores)
    with np.errstate(all="ignore"):
        shifted = scores - _maximum(scores, axis)
        total = np.exp(shifted).sum(axis=axis, keepdims=True)
        log_weights: NDArray[Any] = shifted - np.log(
            np.where(total == 0, 1, total)
        )
        return log_weights.astype(dtype, copy=False)


def logsumexp(
    x: ArrayLike, axis: Axis = -1, keepdims: bool = False
) -> NDArray[Any]:
    r"""Take the logarithm of a sum of exponentials, a smooth maximum.

    $$\operatorname{logsumexp}(x) = \max x + \log \sum_l e^{x_l - \max x}$$

    Raises [an error](index.md#errors) if x has no such axis.

    Parameters
    ----------
    x : array_like
        Scores; dtypes as in `softmax`.
    axis : int or tuple of int, optional
        The axis or axes to sum over; None: all.
    keepdims : bool, optional
        Keep the summed axes with size one.

    Returns
    -------
    total : ndarray or scalar
        -inf where there is nothing to sum: an empty axis, or nothing but -inf.

    Examples
    --------
    Two equal terms add $\ln 2 = 0.693$ to either of them, at any size:

    >>> from attention import logsumexp
    >>> logsumexp([[0.0, 0.0], [1000.0, 1000.0]]).round(3) - [0, 1000]
    array([0.693, 0.693])
    """
    (scores,), dtype = _inputs.floats(x=x)
    axis = _axes(axis, "x", scores)
    keepdims = _inputs.flag("keepdims", keepdims)
    with np.errstate(all="ignore"):
        largest = _maximum(scores, axis)
        total = np.exp(scores - largest).sum(axis=axis, keepdims=True)
        # a score of inf outweighs all others, and inf - inf is no number
        result = np.where(largest == np.inf, np.inf, largest + np.log(total))
        result = result if keepdims else np.squeeze(result, axis=axis)
        return result.astype(dtype, copy=False)[()]  # [()]: no axes, a number


def _maximum(
    scores: NDArray[Any], axis: int | tuple[int, ...]
) -> NDArray[Any]:
    """Find the maximum of each slice, finite where all scores are -inf."""
    lowest = np.finfo(scores.dtype).min  # -inf - -inf would be nan
    largest: NDArray[Any]
    largest = scores.max(axis=axis, keepdims=True, initial=lowest)
    return largest


def entropy(weights: ArrayLike, axis: Axis = -1) -> NDArray[Any]:
    r"""Measure in nats how widely weights are spread.

    $$H(w) = -\sum_j w_j \ln w_j, \qquad 0 \ln 0 = 0$$

    Raises [an error](index.md#errors) if a weight is negative.

    Parameters
    ----------
    weights : array_like
        Non-negative numbers; dtypes as in `softmax`.
    axis : int or tuple of int, optional
        The axis or axes that hold one distribution; None: all.

    Returns
    -------
    entropy : ndarray or scalar
        0 for all weight on one key, $\ln n$ for equal weights on n keys. nan
        in a slice gives nan.

    References
    ----------
    [Shannon 1948](../reference/sources.md#shannon1948), §6.

    Examples
    --------
    Four equal weights: $\ln 4 = 1.386$. All weight on one key: 0.

    >>> from attention import entropy
    >>> entropy([[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0]]).round(3)
    array([1.386, 0.   ])
    """
    (w,), dtype = _inputs.floats(weights=weights)
    axis = _axes(axis, "weights", w)
    smallest = w.min(initial=0)
    if smallest < 0:
        _inputs.refuse(
            "weights must not be negative", smallest=float(smallest)
        )
    with np.errstate(all="ignore"):
        terms = np.where(w == 0, 0, -w * np.log(w))
        total = terms.sum(axis=axis) + 0.0  # + 0.0: no -0
        return np.asarray(total, dtype)[()]


def _axes(value: Any, name: str, array: NDArray[Any]) -> Any:
    """Refuse anything but an axis of the array or a tuple of its axes."""
    if value is None:
        return tuple(range(array.ndim))
    if type(value) is int and -array.ndim <= value < array.ndim:
        return value
    several = value if isinstance(value, tuple) else (value,)
    for axis in several:
        if not -array.ndim <= _inputs.integer("axis", axis) < array.ndim:
            rule = f"axis {axis} is not one of {name}"
            _inputs.refuse(rule, **{name: array})
    if len({axis % array.ndim for axis in several}) < len(several):
        _inputs.refuse("axis must not name an axis twice", axis=value)
    return value
