"""What all kinds of attention share: the options, and the steps from scores to weights to the blend of the values.

The steps overwrite the array that they are given, and leave it to the caller
to silence floating-point warnings.
"""

import math
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks
from attention._arrays import Bools, Floats
from attention._positions import Reach, Window

_CACHED = 2**18  # so many numbers stay in the processor's cache


class SharedOptions(TypedDict, total=False):
    """The options of `scaled_dot_product_attention`, save enable_gqa: for layers, whose weights say what is shared."""

    mask: ArrayLike | None
    bias: ArrayLike | None
    is_causal: bool
    window: Window | None
    offset: ArrayLike | None
    scale: float | None
    softcap: float | None
    sink: ArrayLike | None


class AttentionOptions(SharedOptions, total=False):
    """All options of `scaled_dot_product_attention`, for functions that pass them on.

    Functions that use the options name them instead, for the reader; a test
    holds names, order, types and defaults together.
    """

    enable_gqa: bool


# --- query, key and value ----------------------------------------------------------------------------------------


def checked(
    enable_gqa: bool, **arrays: ArrayLike
) -> tuple[list[Floats], np.dtype[Any]]:
    """Convert query, key and perhaps value to floats that fit each other; return them and the dtype of the result."""
    floats, dtype = _arrays.to_floats(**arrays)
    query, key, *values = floats
    _checks.queries_meet_keys(query, key)
    for value in values:
        _checks.keys_have_values(key, value)
    if _checks.flag("enable_gqa", enable_gqa):
        queries_per_head(
            query, **dict(zip(list(arrays)[1:], floats[1:], strict=True))
        )
    elif len({array.shape[:-2] for array in floats}) > 1:
        heads_agree(**dict(zip(arrays, floats, strict=True)))
    return floats, dtype


def heads_agree(query: Floats, **shared: Floats) -> None:
    """Refuse leading axes that do not broadcast; if the heads would fit as groups, say how to ask for that."""
    try:
        _checks.leading_axes_broadcast(2, query=query, **shared)
    except ValueError as error:
        try:
            n_groups = queries_per_head(query, **shared)
        except ValueError:
            raise error from None
        raise ValueError(
            f"{error}; enable_gqa=True lets each head of key (axis -3) serve {n_groups} of query"
        ) from None


def queries_per_head(query: Floats, **shared: Floats) -> int:
    """Count the query heads that share one head of key and value."""
    arrays = {"query": query, **shared}
    _checks.has_axes(
        "(..., heads, n, d), as enable_gqa needs a heads axis", 3, **arrays
    )
    _checks.leading_axes_broadcast(3, **arrays)
    heads = {array.shape[-3] for array in shared.values()}
    n_shared = heads.pop()
    if heads or n_shared == 0 or query.shape[-3] % n_shared:
        shapes = ", ".join(
            f"{name} {array.shape}" for name, array in arrays.items()
        )
        names = " and ".join(shared)
        raise ValueError(
            f"query must have a multiple of the heads of {names} (axis -3), which share them: {shapes}"
        )
    return int(query.shape[-3] // n_shared)


def product(
    rows: NDArray[Any], shared: NDArray[Any], by_column: bool = False
) -> NDArray[Any]:
    """Multiply matrices, where a head of `shared` serves a run of neighbouring heads of `rows`; nothing is copied.

    `by_column` decides which way round the result lies in memory.
    """
    n_heads = 0
    if rows.ndim > 2 < shared.ndim and rows.shape[-3] > shared.shape[-3]:
        *lead, n_heads, n, d = rows.shape
        rows = rows.reshape(
            *lead, shared.shape[-3], n_heads // shared.shape[-3], n, d
        )
        shared = shared[..., None, :, :]
    result: NDArray[Any] = (
        (shared.swapaxes(-1, -2) @ rows.swapaxes(-1, -2)).swapaxes(-1, -2)
        if by_column
        else rows @ shared
    )
    return (
        result.reshape(*result.shape[:-4], n_heads, *result.shape[-2:])
        if n_heads
        else result
    )


def of_each_head(shared: NDArray[Any], n_heads: int) -> NDArray[Any]:
    """Repeat what belongs to shared heads (axis -3) for the heads that share them."""
    return (
        shared
        if shared.shape[-3] in (1, n_heads)
        else np.repeat(shared, n_heads // shared.shape[-3], axis=-3)
    )


# --- scores ------------------------------------------------------------------------------------------------------


def scaled(
    query: Floats,
    key: Floats,
    scale: float | None,
    softcap: float | None,
    by_column: bool = False,
) -> NDArray[Any]:
    """Multiply queries and keys, and cap the products; shape (..., n_q, n_k).

    Small scores that lie in memory by column, side by side for all queries,
    are faster to sum, but not to add to.
    """
    by_column &= (
        query.shape[-2] > 1
        and math.prod(query.shape[:-1]) * key.shape[-2] <= _CACHED
    )
    scores = product(
        query * scale_factor(scale, query), key.swapaxes(-1, -2), by_column
    )
    few = scores.size <= key.size  # then they show what the vectors hold
    if not (finite(scores) if few else finite(query) and finite(key)):
        show_infinities(scores, query, key)
    if softcap is not None:
        cap(scores, _checks.positive("softcap", softcap))
    return scores


def finite(array: NDArray[Any]) -> bool:
    """Whether there is neither nan nor inf. False as well if the sum overflows: then a caller looks again."""
    return math.isfinite(
        np.vdot(array, array) if array.flags.c_contiguous else array.sum()
    )


def scale_factor(scale: float | None, query: Floats) -> float:
    d_k: int = query.shape[-1]
    if scale is None and d_k == 0:
        raise ValueError(
            f"d_k is 0, so 1/sqrt(d_k) is not defined; give scale: query {query.shape}"
        )
    return (
        float(d_k**-0.5) if scale is None else _checks.finite("scale", scale)
    )


def cap(scores: NDArray[Any], softcap: float) -> None:
    scores /= softcap
    np.tanh(scores, out=scores)
    scores *= softcap


def slope_of_cap(capped: NDArray[Any], softcap: float) -> NDArray[Any]:
    """Differentiate the cap: 1 - tanh^2. It is a number also where a score is nan, which the weights show."""
    return finite_part(1 - (capped / softcap) ** 2)


def show_infinities(scores: NDArray[Any], query: Floats, key: Floats) -> None:
    """Make every score of a vector with nan or inf nan; else -inf passes for a masked key, and a softcap hides it."""
    broken_query: Bools = np.logical_not(np.isfinite(query).all(axis=-1))
    broken_key: Bools = np.logical_not(np.isfinite(key).all(axis=-1))
    if broken_query.any() or broken_key.any():
        columns = broken_key[..., None, :]
        if scores.ndim > 2 < columns.ndim:
            columns = of_each_head(columns, scores.shape[-3])
        np.copyto(scores, np.nan, where=broken_query[..., :, None] | columns)


# --- masks and biases --------------------------------------------------------------------------------------------


def fitting_mask(
    mask: ArrayLike | None, scores_shape: tuple[int, ...]
) -> Bools | None:
    """`mask` as an array that broadcasts to the scores; None stays None."""
    if mask is None:
        return None
    hint = "; numbers to add to the scores go to bias=, and mask_to_bias turns a mask into such numbers"
    allowed: Bools = np.atleast_1d(_arrays.bool_array("mask", mask, hint))
    _checks.fits_scores("mask", allowed, scores_shape)
    return allowed


def fitting_bias(
    bias: ArrayLike, scores_shape: tuple[int, ...]
) -> NDArray[Any]:
    array = _arrays.real_array("bias", bias)
    if array.dtype == np.bool_:
        raise TypeError(
            "bias must be numbers to add to the scores: dtype bool; a boolean array goes to mask="
        )
    _checks.fits_scores("bias", array, scores_shape)
    return array


def sink_column(
    sink: ArrayLike, scores_shape: tuple[int, ...], dtype: np.dtype[Any]
) -> NDArray[Any]:
    """One score a head, shaped to broadcast against (..., heads, n_q, n_k)."""
    array = _arrays.real_array("sink", sink)
    if array.ndim and (
        len(scores_shape) < 3 or array.shape != scores_shape[-3:-2]
    ):
        raise ValueError(
            f"sink must be a scalar or have shape (heads,), one score a head: sink {array.shape}, scores {scores_shape}"
        )
    return (
        array.astype(dtype)[..., None, None]
        if array.ndim
        else array.astype(dtype)
    )


def masked(
    scores: NDArray[Any],
    bias: ArrayLike | None,
    mask: ArrayLike | None,
    reach: Reach | None = None,
) -> NDArray[Any]:
    """Add the bias; -inf, a weight of zero, where a query may not attend."""
    if bias is not None:
        scores += fitting_bias(bias, scores.shape).astype(
            scores.dtype, copy=False
        )
    allowed = fitting_mask(mask, scores.shape)
    if allowed is not None:
        np.copyto(scores, -np.inf, where=~allowed)
    if reach is not None and scores.size:
        for rows in row_blocks(scores):
            reach.forbid(scores[..., rows, :], reach.positions(rows))
    return scores


def row_blocks(scores: NDArray[Any]) -> list[slice]:
    """Cut the queries into blocks whose scores stay in the processor's cache."""
    n_q = scores.shape[-2]
    if scores.size <= _CACHED:
        return [slice(0, n_q)]
    block = max(1, _CACHED * n_q // scores.size)
    return [
        slice(first, min(first + block, n_q)) for first in range(0, n_q, block)
    ]


# --- weights and the blend ---------------------------------------------------------------------------------------


def softmax_rows(
    scores: NDArray[Any], sink: ArrayLike | None = None
) -> NDArray[Any]:
    """Overwrite every row with its softmax, in which a sink takes part as one more score."""
    column = (
        None if sink is None else sink_column(sink, scores.shape, scores.dtype)
    )
    for rows in row_blocks(scores):
        scores[..., rows, :] /= exponentials(scores[..., rows, :], sink=column)
    return scores


def exponentials(
    scores: NDArray[Any], axis: int = -1, sink: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Overwrite scores with their exponentials, the largest of which is one, and return their total, never zero.

    The sink, a score beside them, takes part in the maximum and in the total.
    """
    lowest = np.finfo(scores.dtype).min  # finite, as -inf - -inf would be nan
    top = scores.max(axis=axis, keepdims=True, initial=lowest)
    top = top if sink is None else np.maximum(top, sink)
    scores -= top
    np.exp(scores, out=scores)
    total: NDArray[Any] = scores.sum(axis=axis, keepdims=True)
    total = total if sink is None else total + np.exp(sink - top)
    np.maximum(
        total, 1, out=total
    )  # it is 0 where there is nothing to share: the weights stay zero
    return total


def blend(
    weights: NDArray[Any],
    value: Floats,
    bias: ArrayLike | None,
    mask: ArrayLike | None,
    reach: Reach | None = None,
) -> NDArray[Any]:
    """Average the values by their weights. A value that is out of reach does not count, whatever it holds."""
    output: NDArray[Any] = product(weights, value)
    if finite(output) or np.isfinite(value).all():
        return output
    attended: Bools = (
        masked(np.zeros(weights.shape, weights.dtype), bias, mask, reach)
        != -np.inf
    )
    output = product(weights, finite_part(value))
    output += broken_part(attended, value)
    return output


def finite_part(value: Floats) -> Floats:
    finite: Floats = np.where(np.isfinite(value), value, 0)
    return finite


def broken_part(attended: Bools, value: Floats) -> NDArray[Any]:
    """Sum the nan and inf among the attended values; 0 where there is none, whereas a weight of 0 times nan is nan."""
    kinds = np.isnan(value), value == np.inf, value == -np.inf
    undefined, high, low = (
        product(attended.astype(np.float32), kind.astype(np.float32)) > 0
        for kind in kinds
    )
    total: NDArray[Any] = np.select(
        [undefined | (high & low), high, low], [np.nan, np.inf, -np.inf], 0
    )
    return total.astype(value.dtype, copy=False)
