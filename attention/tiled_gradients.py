"""The gradients of attention in tiles: no n x n array on the way back."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import (
    AttentionOptions,
    _checked,
    _Given,
    _without_padding,
)
from attention.gradients import (
    _asked_for,
    _in_given_shapes,
    _read_grad_output,
    _summed_to,
)
from attention.tiles import (
    _head_at,
    _heads,
    _keys_in_reach,
    _matrix_at,
    _may_attend,
    _part,
    _rows_of_a_tile,
    _run,
    _slices,
)
from attention.tiling import _online_softmax, _read_blocks


def tiled_attention_vjp(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    grad_output: ArrayLike,
    *,
    return_bias: bool = False,
    return_sink: bool = False,
    query_block: int = 256,
    key_block: int = 512,
    n_threads: int = 1,
    **options: Unpack[AttentionOptions],
) -> tuple[NDArray[Any], ...]:
    r"""Compute `attention_vjp` in tiles, without its n_q x n_k weights.

    $$P_{ij} = e^{S_{ij} - L_i}, \qquad D_i = d\Z_i \cdot \Z_i$$

    A first pass over a block of queries keeps two things of every row, its
    output $\Z_i$ and the logarithm $L_i$ of the sum of its exponentials. With
    these a second pass computes any tile of the weights again by itself, and
    $D_i$ needs no tile at all. Besides the gradients it needs a few tiles,
    whatever n is. Raises [an error](index.md#errors) as `attention_vjp` and
    `tiled_attention` do.

    Parameters
    ----------
    query, key : array_like of shape (..., n_q, d_k) and (..., n_k, d_k)
        As in `attention_vjp`, like all that follows but the blocks.
    value : array_like of shape (..., n_k, d_v)
        The values.
    grad_output : array_like of shape (..., n_q, d_v)
        The gradient of a loss with respect to the output.
    return_bias, return_sink : bool, optional
        As in `attention_vjp`.
    query_block, key_block : int, optional
        Rows and columns of a tile at most.
    n_threads : int, optional
        How many threads work on the heads of the keys, as in
        `tiled_attention`; one, where heads share an array whose gradient is
        asked for, since they add to the same numbers.
    **options
        As in `tiled_attention`; the gradient of a bias has its shape, also if
        it is a view made by `np.broadcast_to`.

    Returns
    -------
    d_query, d_key, d_value : ndarray
        As from `attention_vjp`, except for rounding.
    d_bias, d_sink : ndarray
        If they are asked for.

    References
    ----------
    [Dao et al. 2022](../reference/sources.md#dao2022), appendix B.2, eq. (4).

    Examples
    --------
    *ran* of the running example, as in `attention_vjp`, in tiles of two keys:

    >>> from attention import project, tiled_attention_vjp
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> d_q, d_k, d_v = tiled_attention_vjp(q, k, v, [[1.0, 0.0]], key_block=2)
    >>> d_q
    array([[ 0.625 ,  2.75  , -0.4375,  2.125 ]])
    >>> d_v[:, 0]
    array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625])
    """
    _inputs.options(tiled_attention_vjp, options, AttentionOptions)
    asked = {"query": query, "key": key, "value": value}
    asked |= _asked_for("bias", return_bias, options.get("bias"))
    asked |= _asked_for("sink", return_sink, options.get("sink"))
    given = _checked(query, key, value, **options)
    _read_blocks(query_block, key_block, n_threads)
    d_output = _read_grad_output(grad_output, given)
    gradients = {
        name: np.zeros(getattr(given, name).shape, d_output.dtype)
        for name in asked
    }
    n_rows = _rows_of_a_tile(given, query_block)

    def add_head(at: tuple[int, ...]) -> None:
        head = _head_at(given, at)
        d_z = _matrix_at(d_output, at, given.n_groups)
        d = {
            name: _matrix_at(gradient, at, given.n_groups)
            for name, gradient in gradients.items()
        }
        with np.errstate(all="ignore"):  # counts in this thread alone
            for rows in _slices(0, head.query.shape[-2], n_rows):
                _add_gradients(d, head, rows, key_block, d_z)

    heads = [*_heads(given)]
    n_core = 2 if given.n_groups == 1 else 3
    sizes = {math.prod(d.shape[:-n_core]) for d in gradients.values()}
    _run(add_head, heads, n_threads if sizes == {len(heads)} else 1)
    with np.errstate(all="ignore"):
        return _in_given_shapes(gradients, asked, given)


def _add_gradients(
    d: dict[str, NDArray[Any]],
    head: _Given,
    rows: slice,
    key_block: int,
    d_output: NDArray[Any],
) -> None:
    """Add what some queries of one head send back, key block by key block.

    `d` holds the gradients of this head by name, as views to add to.
    """

    def add(gradient: NDArray[Any], tile: NDArray[Any]) -> None:
        gradient += _summed_to(tile, gradient.shape)

    output, logsumexp = _online_softmax(head, rows, key_block)
    logsumexp = np.where(logsumexp == -np.inf, 0, logsumexp)  # no key
    q, d_z = head.query[..., rows, :], d_output[..., rows, :]
    scaled, softcap = q * head.scale, head.softcap
    average = np.vecdot(d_z, output)[..., None]  # D
    for columns in _slices(*_keys_in_reach(head, rows), key_block):
        key, value = head.key[..., columns, :], head.value[..., columns, :]
        allowed = _may_attend(head, rows, columns)
        if allowed is not None:
            key = _without_padding(key, allowed)
            value = _without_padding(value, allowed)
        scores = scaled @ key.swapaxes(-1, -2)  # (rows, columns)
        if softcap is not None:
            scores = softcap * np.tanh(scores / softcap)
            slope = 1 - (scores / softcap) ** 2
        if head.bias is not None:
            scores += _part(head.bias, rows, columns)
        if allowed is not None:
            np.copyto(scores, -np.inf, where=~allowed)
        scores -= logsumexp
        weights = np.exp(scores, out=scores)

        d_value = weights.swapaxes(-1, -2) @ d_z
        d_weights = d_z @ value.swapaxes(-1, -2)
        d_weights -= average
        d_scores = np.multiply(weights, d_weights, out=d_weights)
        d_products = d_scores if softcap is None else d_scores * slope
        d_key = d_products.swapaxes(-1, -2) @ q * head.scale
        add(d["query"][..., rows, :], d_products @ key * head.scale)
        add(d["key"][..., columns, :], d_key)
        add(d["value"][..., columns, :], d_value)
        if "bias" in d:
            add(_part(d["bias"], rows, columns), d_scores)
        if "sink" in d:
            add(d["sink"], -d_scores.sum(axis=-1, keepdims=True))
