"""Attention to a few selected keys, and the indexer that selects them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import _prepared
from attention.dot_product import _weights


def index_scores(
    query: ArrayLike, key: ArrayLike, weights: ArrayLike
) -> NDArray[Any]:
    r"""Score all keys cheaply, to select those that are worth attending to.

    $$I_{ij} = \sum_h w_{ih} \max(0,\; \q_{ih} \cdot \k_j)$$

    Raises [an error](index.md#errors) if shapes do not fit.

    Parameters
    ----------
    query : array_like of shape (..., heads, n_q, d_k)
        The indexer's queries; it has a few small heads $h$.
    key : array_like of shape (..., n_k, d_k)
        One short key per token, for all heads.
    weights : array_like of shape (..., n_q, heads)
        How much each head counts for each query. Models divide it by the roots
        of d_k and of the number of heads, which changes no selection.

    Returns
    -------
    scores : ndarray of shape (..., n_q, n_k)
        Set those of later tokens to -inf before you select.

    References
    ----------
    [DeepSeek-AI 2025](../reference/sources.md#deepseek2025), §2.1, eq. (1).

    Examples
    --------
    The second head counts three times as much, but not where it is negative:

    >>> from attention import index_scores
    >>> query = [[[1.0, 0.0]], [[0.0, 1.0]]]
    >>> index_scores(query, [[5.0, 2.0], [5.0, -2.0]], [[1.0, 3.0]])
    array([[11.,  5.]])
    """
    (q, k, w), dtype = _inputs.floats(query=query, key=key, weights=weights)
    q, k, w = _inputs.axes_agree(
        query=(q, "heads n_q d_k"),
        key=(k, "n_k d_k"),
        weights=(w, "n_q heads"),
    )
    with np.errstate(all="ignore"):
        products = q @ k[..., None, :, :].swapaxes(-1, -2)
        by_head = w.swapaxes(-1, -2)[..., None]  # (..., heads, n_q, 1)
        scores: NDArray[Any] = (by_head * np.maximum(products, 0)).sum(axis=-3)
        return scores.astype(dtype, copy=False)


def top_k_indices(scores: ArrayLike, k: int) -> NDArray[np.intp]:
    """Select the k highest scores of each query.

    Raises [an error](index.md#errors) if k is less than 1.

    Parameters
    ----------
    scores : array_like of shape (..., n_q, n_k)
        -inf, as in a masked score, is never selected.
    k : int
        How many keys to select.

    Returns
    -------
    indices : ndarray of int, shape (..., n_q, k)
        From the highest score on; of equal ones the first. -1 fills the row of
        a query that has fewer than k keys, as in kernels.

    Examples
    --------
    >>> import numpy as np
    >>> from attention import top_k_indices
    >>> top_k_indices([[2.0, 7.0, 7.0], [5.0, -np.inf, -np.inf]], 2)
    array([[ 1,  2],
           [ 0, -1]])
    """
    given, k = _inputs.floating("scores", scores), _inputs.integer("k", k, 1)
    if given.ndim < 1:
        _inputs.refuse("scores must have axes (..., n_q, n_k)", scores=given)
    order = np.argsort(-given, axis=-1, kind="stable")[..., :k]
    highest = np.take_along_axis(given, order, axis=-1)
    indices = np.full((*given.shape[:-1], k), -1)
    indices[..., : order.shape[-1]] = np.where(highest > -np.inf, order, -1)
    return indices


def sparse_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    indices: ArrayLike,
    *,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
) -> NDArray[Any]:
    r"""Let each query attend to its own selection of keys.

    $$\z = \softmax\!\Big(\frac{\q\, K_J^\top}{\sqrt{d_k}}\Big)\, V_J$$

    $J$ is the selection of the query $\q$. Only its keys and values are read.
    Raises [an error](index.md#errors) if an index is not from -1 to n_k - 1.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        Queries.
    key : array_like of shape (..., n_k, d_k)
        Keys. An axis of one head serves all heads of the queries; for groups
        of heads use `repeat_kv`.
    value : array_like of shape (..., n_k, d_v)
        Values. Leading axes of all four arrays broadcast.
    indices : array_like of int, shape (..., n_q, k)
        The keys of each query, in any order. -1 is none, and a key that is
        listed twice counts twice.
    scale, softcap : float, optional
        As in `scaled_dot_product_attention`.
    sink : float or array_like of shape (heads,), optional
        Score of a virtual key whose value is zero.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        Zeros for a query whose indices are all -1.

    References
    ----------
    [DeepSeek-AI 2025](../reference/sources.md#deepseek2025), §2.1, eq. (2).

    Examples
    --------
    The only query attends to keys 0 and 2, which score the same:

    >>> from attention import sparse_attention
    >>> key, value = [[1.0], [9.0], [1.0]], [[2.0], [100.0], [4.0]]
    >>> sparse_attention([[1.0]], key, value, [[2, 0, -1]])
    array([[3.]])
    """
    (q, k, v), dtype = _inputs.floats(query=query, key=key, value=value)
    chosen = _inputs.integers("indices", indices)
    q, k, v, chosen = _inputs.axes_agree(
        query=(q, "n_q d_k"), key=(k, "n_k d_k"), value=(v, "n_k d_v"),
        indices=(chosen, "n_q k"),
    )  # fmt: skip
    least, most = chosen.min(initial=-1), chosen.max(initial=-1)
    if least < -1 or most >= k.shape[-2]:
        rule = f"indices must be from -1 to n_k - 1 = {k.shape[-2] - 1}"
        _inputs.refuse(rule, smallest=least, largest=most)
    output = np.empty((*q.shape[:-1], v.shape[-1]), dtype)
    for i in range(q.shape[-2]):
        own = chosen[..., i, :, None]  # (..., k, 1)
        own = own if k.shape[-2] else own[..., :0, :]
        keys, values = (
            np.take_along_axis(array, np.maximum(own, 0), axis=-2)
            for array in (k, v)
        )
        given = _prepared(
            q[..., [i], :], keys, values, mask=own.swapaxes(-1, -2) >= 0,
            scale=scale, softcap=softcap, sink=sink,
        )  # fmt: skip
        with np.errstate(all="ignore"):
            output[..., [i], :] = given.result(_weights(given) @ given.value)
    return output
