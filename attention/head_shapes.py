"""From one array to several heads and back, and the head repeat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs


def split_heads(x: ArrayLike, n_heads: int) -> NDArray[Any]:
    r"""Cut the features of every token into heads.

    $$(\dots, n, h \cdot d) \to (\dots, h, n, d)$$

    In two steps: reshape to (..., n, h, d), then swap the axes n and h. A
    reshape straight to (..., h, n, d) would mix tokens, if there are several.
    Raises [an error](index.md#errors) if n_heads does not divide the features.

    Parameters
    ----------
    x : array_like of shape (..., n, h * d)
        Head 0 is the first d features, head 1 the next d.
    n_heads : int
        The number of heads, h.

    Returns
    -------
    heads : ndarray of shape (..., h, n, d)
        A view of x where NumPy can give one.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.2.

    Examples
    --------
    Two tokens with four features become two heads of two:

    >>> from attention import split_heads
    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2)
    array([[[1, 2],
            [5, 6]],
    <BLANKLINE>
           [[3, 4],
            [7, 8]]])
    """
    array = _inputs.real("x", x)
    n_heads = _inputs.integer("n_heads", n_heads, 1)
    if array.ndim < 2 or array.shape[-1] % n_heads:
        rule = "n_heads must divide the features of x (..., n, h * d)"
        _inputs.refuse(rule, n_heads=n_heads, x=array)
    width = array.shape[-1] // n_heads
    return array.reshape(*array.shape[:-1], n_heads, width).swapaxes(-2, -3)


def merge_heads(x: ArrayLike) -> NDArray[Any]:
    r"""Put the heads of every token side by side, as before `split_heads`.

    $$(\dots, h, n, d) \to (\dots, n, h \cdot d)$$

    Raises [an error](index.md#errors) if x has fewer than three axes.

    Parameters
    ----------
    x : array_like of shape (..., h, n, d)
        One (n, d) array per head.

    Returns
    -------
    merged : ndarray of shape (..., n, h * d)
        A view of x where NumPy can give one.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.2:
    Concat.

    Examples
    --------
    >>> from attention import merge_heads
    >>> merge_heads([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])
    array([[1, 2, 3, 4],
           [5, 6, 7, 8]])
    """
    array = _inputs.real("x", x)
    if array.ndim < 3:
        _inputs.refuse("x must have axes (..., h, n, d)", x=array)
    heads, n, width = array.shape[-3:]
    return array.swapaxes(-2, -3).reshape(*array.shape[:-3], n, heads * width)


def repeat_kv(x: ArrayLike, n_groups: int) -> NDArray[Any]:
    r"""Repeat every head of keys or values for its run of query heads.

    $$y_h = x_{\lfloor h / \text{groups} \rfloor}$$

    Head $h$ of the result is a copy of the head that its run shares. Raises
    [an error](index.md#errors) if x has fewer than three axes.

    Parameters
    ----------
    x : array_like of shape (..., n_kv_heads, n, d)
        Keys or values.
    n_groups : int
        Query heads per head of x.

    Returns
    -------
    repeated : ndarray of shape (..., n_kv_heads * n_groups, n, d)
        A copy, which `scaled_dot_product_attention` does not need with
        enable_gqa.

    References
    ----------
    [Ainslie et al. 2023](../reference/sources.md#ainslie2023), §2.2.

    Examples
    --------
    Query heads 0 and 1 get the first head, 2 and 3 the second:

    >>> from attention import repeat_kv
    >>> repeat_kv([[[10]], [[20]]], 2).ravel()
    array([10, 10, 20, 20])
    """
    array = _inputs.real("x", x)
    if array.ndim < 3:
        _inputs.refuse("x must have axes (..., n_kv_heads, n, d)", x=array)
    n_groups = _inputs.integer("n_groups", n_groups, 1)
    return np.repeat(array, n_groups, axis=-3)
