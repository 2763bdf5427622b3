"""Scaled dot-product attention: scores, weights, and their blend of the values."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _checks
from attention.masks import causal_mask
from attention.numerics import _blend, _exponentials_in_place


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

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key. Leading axes (batch, heads) broadcast. query and key promote to a
        common dtype as in NumPy; integers and bools count as float64, float16 is computed in float32 and returned as
        float16.
    scale : float, optional
        Factor on the dot products; $1/\sqrt{d_k}$ if omitted.
    softcap : float, optional
        Bound every scaled score to (-softcap, softcap) by $c \tanh(s / c)$.
    enable_gqa : bool, optional
        Let query heads be a multiple of key heads; each key head serves a run of neighbouring query heads.

    Returns
    -------
    scores : ndarray of shape (..., n_q, n_k)
        Unbounded reals; a softmax over the last axis turns each row into weights. A query or key with nan or inf
        makes its scores nan.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or an option is of the wrong type.
    ValueError
        If query and key differ in d_k, or their leading axes do not fit; the message shows both shapes.
        If scale is not finite, softcap not positive, or d_k is 0 and no scale is given.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1, eq. (1), without the softmax.
    Grouped heads: [Ainslie et al. 2023](../reference/sources.md#ainslie2023), §2.2.

    Examples
    --------
    $2 \cdot 3 / \sqrt 4 = 3$; the second key is orthogonal to the query:

    >>> from attention import attention_scores
    >>> attention_scores([[2.0, 0, 0, 0]], [[3.0, 0, 0, 0], [0, 5, 0, 0]])
    array([[3., 0.]])

    Two doublings for the verb of the running example become $2 \ln 2$; scores count in units of $\ln 2$:

    >>> import numpy as np
    >>> from attention import attention_scores, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, embed
    >>> x = embed(S5, EARLY5)
    >>> attention_scores(project(x, W_Q1), project(x, W_K))[4] / np.log(2)
    array([3., 2., 0., 1., 0.])
    """
    (q, k), dtype = _checks.to_floats(query=query, key=key)
    _check_queries_meet_keys(q, k)
    factor = _scale_factor(scale, q)
    if _checks.flag("enable_gqa", enable_gqa):
        (k,) = _repeat_heads(q, key=k)
    _checks.leading_axes_broadcast(2, query=q, key=k)
    with np.errstate(all="ignore"):
        return _scores(q, k, factor, softcap).astype(dtype, copy=False)


def attention_weights(
    query: ArrayLike,
    key: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
    enable_gqa: bool = False,
) -> NDArray[Any]:
    r"""Share each query's budget of one among the keys it may attend to.

    $$A = \softmax\!\Big(\frac{\Q \K^\top}{\sqrt{d_k}} + B\Big) \quad \text{over the allowed keys of each row}$$

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key. Leading axes and dtypes as in `attention_scores`. Only query and key
        decide the dtype of the weights.
    mask : array_like of bool, broadcasting to (..., n_q, n_k), optional
        True means "may attend". A masked key cannot change the weights, whatever is in it.
    bias : array_like of float, broadcasting to (..., n_q, n_k), optional
        Added to the scaled scores. A bias of -inf is arithmetic, not a mask: an inf key under it gives nan.
    is_causal : bool, optional
        Query i may attend to keys 0 to i; needs equally many queries and keys. With a mask, both must allow.
    scale : float, optional
        Factor on the dot products; $1/\sqrt{d_k}$ if omitted.
    softcap : float, optional
        Bound the scaled scores before bias and mask.
    sink : float or array_like of shape (heads,), optional
        Score of a virtual key with a value of zero: it takes a share of every row, and the weights sum to less
        than one. Neither scaled, capped, biased nor masked. -inf is no sink.
    enable_gqa : bool, optional
        As in `attention_scores`.

    Returns
    -------
    weights : ndarray of shape (..., n_q, n_k)
        Each row sums to one. A row without any allowed key is zero, the sum over nothing. An attended query or
        key with nan or inf makes its rows nan.

    Raises
    ------
    TypeError
        If mask is not boolean or bias is, or an array does not hold real numbers.
    ValueError
        As in `attention_scores`; if mask or bias do not broadcast to the scores, the sink does not fit the heads,
        or is_causal meets n_q != n_k.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1, eq. (1); masks: §3.2.3.
    Sink: [Xiao et al. 2023](../reference/sources.md#xiao2023), §3. Softcap:
    [Gemma Team 2024](../reference/sources.md#gemma2024), §2.

    Examples
    --------
    The verb of the running example gives its subject *cat* half of its budget:

    >>> from attention import attention_weights, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k = project(x, W_Q1), project(x, W_K)
    >>> attention_weights(q, k)[4]
    array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625])

    Mask *cat*, and the survivors keep their ratios:

    >>> from attention import attention_weights, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k = project(x, W_Q1), project(x, W_K)
    >>> attention_weights(q, k, mask=[False, True, True, True, True])[4]
    array([0.   , 0.5  , 0.125, 0.25 , 0.125])
    """
    (q, k), dtype = _checks.to_floats(query=query, key=key)
    scores = attention_scores(q, k, scale=scale, softcap=softcap, enable_gqa=enable_gqa)
    with np.errstate(all="ignore"):
        weights, total = _exponentials(scores, bias, _allowed(mask, is_causal, scores.shape), sink)
        weights /= total
        return weights.astype(dtype, copy=False)


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
    enable_gqa: bool = False,
) -> NDArray[Any]:
    r"""Answer every query with a blend of the values, weighted by how well their keys match.

    $$\Z = \softmax\!\Big(\frac{\Q \K^\top}{\sqrt{d_k}}\Big) \V$$

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key.
    value : array_like of shape (..., n_k, d_v)
        What each key hands over; d_v may differ from d_k. Leading axes (batch, heads) broadcast. query, key and value
        promote among themselves as in NumPy, and only they decide the dtype of the output; integers and bools count
        as float64, float16 is computed in float32 and returned as float16.
    mask, bias, is_causal, scale, softcap, sink, enable_gqa : optional
        As in `attention_weights`. With enable_gqa each key and value head serves a run of neighbouring query heads.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        Row i is a weighted average of the value rows. A query without any allowed key gets a row of zeros, whatever
        the values hold. nan or inf in an attended input shows in the output.

    Raises
    ------
    TypeError
        As in `attention_weights`.
    ValueError
        As in `attention_weights`; if key and value differ in n_k, or their leading axes do not fit.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1, eq. (1).

    Examples
    --------
    *ran* of the running example asks "which noun came first?" and receives 5 parts *cat*, 2 parts *dog*:

    >>> from attention import project, scaled_dot_product_attention
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x, W_Q1), project(x, W_K), project(x, W_V)
    >>> scaled_dot_product_attention(q, k, v)[4]
    array([5., 2.])

    Equal scores average the values that a query may see:

    >>> import numpy as np
    >>> from attention import scaled_dot_product_attention
    >>> same = np.zeros((3, 4))
    >>> scaled_dot_product_attention(same, same, [[1], [2], [6]], is_causal=True)
    array([[1. ],
           [1.5],
           [3. ]])
    """
    (q, k, v), dtype = _checks.to_floats(query=query, key=key, value=value)
    _check_queries_meet_keys(q, k)
    _check_keys_have_values(k, v)
    if _checks.flag("enable_gqa", enable_gqa):
        k, v = _repeat_heads(q, key=k, value=v)
    _checks.leading_axes_broadcast(2, query=q, key=k, value=v)
    with np.errstate(all="ignore"):
        scores = _scores(q, k, _scale_factor(scale, q), softcap)
        allowed = _allowed(mask, is_causal, scores.shape)
        weights, total = _exponentials(scores, bias, allowed, sink)
        output = _blend(weights, v, allowed)
        output /= total  # last: d_v divisions a row instead of n_k
        return output.astype(dtype, copy=False)


def _scores(query: NDArray[Any], key: NDArray[Any], factor: float, softcap: float | None) -> NDArray[Any]:
    scores: NDArray[Any] = (query * factor) @ key.swapaxes(-1, -2)  # (..., n_q, n_k)
    if scores.size >= key.size or not np.isfinite(scores.sum()):  # few scores: they show what the keys hold
        _checks.show_infinities(scores, query, key)
    if softcap is not None:
        cap = _checks.positive("softcap", softcap)
        scores /= cap
        np.tanh(scores, out=scores)
        scores *= cap
    return scores


def _exponentials(
    scores: NDArray[Any], bias: ArrayLike | None, allowed: NDArray[np.bool_] | None, sink: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Overwrite scores with the weights before they are divided by their total, and return both."""
    column = None if sink is None else _sink_column(sink, scores.shape, scores.dtype)
    if bias is not None:
        scores += _fitting_bias(bias, scores.shape).astype(scores.dtype, copy=False)
    if allowed is not None:
        np.copyto(scores, -np.inf, where=~allowed)
    total = np.empty((*scores.shape[:-1], 1), scores.dtype)
    n_q = scores.shape[-2]
    block = max(1, 2**18 * n_q // max(1, scores.size))  # so many rows stay in the processor's cache
    for first in range(0, n_q, block):
        rows = slice(first, first + block)
        total[..., rows, :] = _exponentials_in_place(scores[..., rows, :], sink=column)
    return scores, total


def _check_queries_meet_keys(query: NDArray[Any], key: NDArray[Any]) -> None:
    _checks.has_axes("(..., n, d_k)", 2, query=query, key=key)
    _checks.same_size("d_k (last axis)", (-1, -1), query=query, key=key)


def _check_keys_have_values(key: NDArray[Any], value: NDArray[Any]) -> None:
    _checks.has_axes("(..., n_k, d_v)", 2, value=value)
    _checks.same_size("n_k (axis -2)", (-2, -2), key=key, value=value)


def _scale_factor(scale: float | None, query: NDArray[Any]) -> float:
    d_k: int = query.shape[-1]
    if scale is None and d_k == 0:
        raise ValueError(f"d_k is 0, so 1/sqrt(d_k) is not defined; give scale: query {query.shape}")
    return float(d_k**-0.5) if scale is None else _checks.finite("scale", scale)


def _repeat_heads(query: NDArray[Any], **shared: NDArray[Any]) -> list[NDArray[Any]]:
    """Repeat every head of key and value for its run of neighbouring query heads."""
    n_groups = _queries_per_head(query, **shared)
    return [np.repeat(array, n_groups, axis=-3) for array in shared.values()]


def _queries_per_head(query: NDArray[Any], **shared: NDArray[Any]) -> int:
    """Count the query heads that share one head of key and value."""
    arrays = {"query": query, **shared}
    _checks.has_axes("(..., heads, n, d), as enable_gqa needs a heads axis", 3, **arrays)
    _checks.leading_axes_broadcast(3, **arrays)
    heads = {array.shape[-3] for array in shared.values()}
    n_shared = heads.pop()
    if heads or n_shared == 0 or query.shape[-3] % n_shared:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        names = " and ".join(shared)
        raise ValueError(f"query must have a multiple of the heads of {names} (axis -3), which share them: {shapes}")
    return int(query.shape[-3] // n_shared)


def _allowed(mask: ArrayLike | None, is_causal: bool, scores_shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    """Combine mask and is_causal; None where every query may attend to every key."""
    allowed = _checks.mask_for_scores(mask, scores_shape)
    if _is_causal_square(is_causal, scores_shape):
        n_q = scores_shape[-1]
        allowed = causal_mask(n_q) if allowed is None else allowed & causal_mask(n_q)
    return allowed


def _is_causal_square(is_causal: bool, scores_shape: tuple[int, ...]) -> bool:
    """is_causal, refused for a rectangle."""
    n_q, n_k = scores_shape[-2:]
    if _checks.flag("is_causal", is_causal) and n_q != n_k:
        raise ValueError(
            f"is_causal=True needs as many queries as keys: scores {scores_shape}. Say which alignment you mean: "
            f"mask=causal_mask({n_q}, {n_k}) aligns the first query with the first key, "
            f"mask=causal_mask({n_q}, {n_k}, offset={n_k - n_q}), that is offset=n_k - n_q, the last with the last"
        )
    return bool(is_causal)


def _fitting_bias(bias: ArrayLike, scores_shape: tuple[int, ...]) -> NDArray[Any]:
    array = _checks.real_array("bias", bias)
    if array.dtype == np.bool_:
        raise TypeError("bias must be numbers to add to the scores: dtype bool; a boolean array goes to mask=")
    _checks.fits_scores("bias", array, scores_shape)
    return array


def _sink_column(sink: ArrayLike, scores_shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """One score a head, shaped to broadcast against (..., heads, n_q, n_k)."""
    array = _checks.real_array("sink", sink)
    if array.ndim and (len(scores_shape) < 3 or array.shape != scores_shape[-3:-2]):
        raise ValueError(
            f"sink must be a scalar or have shape (heads,), one score a head: sink {array.shape}, scores {scores_shape}"
        )
    return array.astype(dtype)[..., None, None] if array.ndim else array.astype(dtype)
