"""The arguments that all functions of attention take, documented once.

`_checked` is the door: it converts the arrays and refuses what does not fit.
The steps behind it compute, and check nothing again.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs

Array = NDArray[Any]
Sides = tuple[int | None, int | None]
Window = int | Sides


class SharedOptions(TypedDict, total=False):
    r"""The options of attention, for one head or many.

    Attributes
    ----------
    mask : array_like of bool, broadcasting to (..., n_q, n_k)
        True means "may attend"; [masks](../reference/masks.md) says what
        padding may hold. One row per sequence goes in as
        `mask[:, None, None, :]`: an array (batch, n_k) is read as (n_q, n_k).
    bias : array_like of float, broadcasting to (..., n_q, n_k)
        Added to the scaled scores. A bias of -inf is arithmetic, not a mask:
        with a score of inf it gives nan.
    is_causal : bool
        Let a query attend to its own position and to earlier ones: key j is at
        j, query i at i + offset. mask, is_causal and window must all allow it.
    window : int or (left, right)
        How many keys before and after its position a query sees; None: all.
        One integer counts for both sides, as in JAX; is_causal still hides
        the keys after the position.
    offset : int or array_like of int, shape (batch,)
        The position of the first query, for is_causal and window; an array has
        one per sequence, the first axis of the scores. 0 aligns the first
        query with the first key, n_k - n_q the last with the last. Libraries
        disagree, so it may be omitted only if n_q = n_k. It is then 0.
    scale : float
        Factor on the dot products; $1/\sqrt{d_k}$ if omitted.
    softcap : float
        Keep every scaled score within ±softcap, by $c \tanh(s / c)$,
        before bias and mask.
    sink : float or array_like of shape (heads,)
        Score of a virtual key whose value is zero: it takes part of each
        query's budget, so the weights sum to less than one. It is not scaled,
        capped, biased or masked. -inf means no sink.

    References
    ----------
    Masks: [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.3.
    Window: [Beltagy et al. 2020](../reference/sources.md#beltagy2020), §3.1.
    Sink: [Xiao et al. 2023](../reference/sources.md#xiao2023), §3.3. Softcap:
    [Gemma Team 2024](../reference/sources.md#gemma2024), §2.
    """

    mask: ArrayLike | None
    bias: ArrayLike | None
    is_causal: bool
    window: Window | None
    offset: ArrayLike | None
    scale: float | None
    softcap: float | None
    sink: ArrayLike | None


class AttentionOptions(SharedOptions, total=False):
    """All options, for functions of queries, keys and values.

    Attributes
    ----------
    enable_gqa : bool
        Let each head of key and value serve a run of neighbouring query heads,
        of which there must be a multiple; nothing is copied. Source:
        [Ainslie et al. 2023](../reference/sources.md#ainslie2023), §2.2.
    """

    enable_gqa: bool


class _Reach(NamedTuple):
    """Which keys a query may reach, counted from its own position."""

    left: int | None  # how many before it; None: all of them
    right: int | None
    offset: Array  # the position of the first query; meets the scores


class _Given(NamedTuple):
    """The arguments of attention, ready to compute with.

    Where heads are shared, their axis is split: query (..., heads, n_groups,
    n_q, d_k), key (..., heads, 1, n_k, d_k).
    """

    query: Array
    key: Array
    value: Array
    mask: Array | None  # mask and bias broadcast to the scores
    bias: Array | None
    reach: _Reach | None  # of is_causal and window; None if they allow all
    scale: float
    softcap: float | None
    sink: Array | None  # one score per head, (..., 1, 1)
    n_groups: int
    dtype: np.dtype[Any]

    def result(self, array: Array) -> Array:
        """Join split heads again, and give the promised dtype."""
        if self.n_groups > 1:
            *lead, heads, groups, n, d = array.shape
            array = array.reshape(*lead, heads * groups, n, d)
        if array.dtype == self.dtype:
            return array
        with np.errstate(all="ignore"):  # float16 may overflow
            return array.astype(self.dtype)


def _checked(
    query: ArrayLike,
    key: ArrayLike,
    *value: ArrayLike,
    **options: Unpack[AttentionOptions],
) -> _Given:
    """Check and convert the arguments of attention, once for all its steps."""
    arrays, dtype = _read_arrays(query, key, *value)
    q, k = arrays["query"], arrays["key"]
    v = arrays.get("value", k)
    n_groups = _count_groups(options.get("enable_gqa", False), arrays)
    k_heads = (*k.shape[:-3], 1) if options.get("enable_gqa") else k.shape[:-2]
    heads = _inputs.broadcast(q.shape[:-2], k_heads)
    shape = (*heads, q.shape[-2], k.shape[-2])  # of the scores
    reach = _read_reach(options, shape)
    softcap = options.get("softcap")
    if softcap is not None:
        softcap = _inputs.number("softcap", softcap, positive=True)
    scale = _read_scale(options.get("scale"), q)
    mask = _read_fitting("mask", options.get("mask"), "b", shape)
    bias = _read_fitting("bias", options.get("bias"), "iuf", shape)
    sink = _read_sink(options.get("sink"), q, shape)

    def split(array: Any) -> Any:
        return None if array is None else _split_groups(array, n_groups)

    return _Given(
        query=split(q),
        key=k if n_groups == 1 else k[..., None, :, :],
        value=v if n_groups == 1 else v[..., None, :, :],
        mask=split(mask),
        bias=split(bias),
        reach=reach and reach._replace(offset=split(reach.offset)),
        scale=scale,
        softcap=softcap,
        sink=split(sink),
        n_groups=n_groups,
        dtype=dtype,
    )


def _prepared(
    query: ArrayLike,
    key: ArrayLike,
    *value: ArrayLike,
    **options: Unpack[AttentionOptions],
) -> _Given:
    """Check the arguments, and write is_causal and window into the mask."""
    given = _checked(query, key, *value, **options)
    k, v, allowed, bias = given.key, given.value, given.mask, given.bias
    if bias is not None:
        with np.errstate(all="ignore"):
            bias = bias.astype(k.dtype, copy=False)
    if given.reach is not None:
        left, right, offset = given.reach
        keys = np.arange(k.shape[-2])
        positions = np.arange(given.query.shape[-2])[:, None] + offset
        allowed = np.ones((1, 1), bool) if allowed is None else allowed
        if left is not None:
            allowed = allowed & np.asarray(keys >= positions - left)
        if right is not None:
            allowed = allowed & np.asarray(keys <= positions + right)
    if allowed is not None:
        k, v = _without_padding(k, allowed), _without_padding(v, allowed)
    return given._replace(key=k, value=v, mask=allowed, bias=bias)


def _read_arrays(
    query: ArrayLike, key: ArrayLike, *value: ArrayLike
) -> tuple[dict[str, Array], np.dtype[Any]]:
    """Convert query, key and perhaps value; refuse sizes that differ."""
    named = {"query": query, "key": key}
    if value:
        named["value"] = value[0]
    (q, k, *others), dtype = _inputs.floats(**named)
    v = others[0] if value else k
    arrays = dict(zip(named, (q, k, v), strict=False))
    if min(q.ndim, k.ndim, v.ndim) < 2:
        _inputs.refuse("arrays must have axes (..., n, d)", **arrays)
    if q.shape[-1] != k.shape[-1]:
        rule = "query and key must share d_k (last axis)"
        _inputs.refuse(rule, query=q, key=k)
    if k.shape[-2] != v.shape[-2]:
        rule = "key and value must share n_k (axis -2)"
        _inputs.refuse(rule, key=k, value=v)
    return arrays, dtype


def _count_groups(enable_gqa: Any, arrays: dict[str, Array]) -> int:
    """Count the query heads that share one head of key and value."""
    is_shared = _inputs.flag("enable_gqa", enable_gqa)
    if not is_shared and len({a.shape[:-2] for a in arrays.values()}) == 1:
        return 1
    query, *others = arrays.values()
    heads = {a.shape[-3] if a.ndim > 2 else 0 for a in others}
    n_shared = heads.pop() if len(heads) == 1 and query.ndim > 2 else 0
    n_groups, rest = divmod(query.shape[-3], n_shared) if n_shared else (0, 1)
    if not is_shared:
        fits = n_groups > 1 and rest == 0
        hint = "; enable_gqa=True lets query heads share the others" * fits
        _inputs.leading_axes_broadcast([2] * len(arrays), hint, **arrays)
        return 1
    if n_groups < 1 or rest:
        rule = "enable_gqa needs heads (axis -3), in query a multiple of those"
        _inputs.refuse(f"{rule} in key and value", **arrays)
    _inputs.leading_axes_broadcast([3] * len(arrays), "", **arrays)
    return n_groups


def _split_groups(array: Array, n_groups: int) -> Array:
    """Split the heads, axis -3, into heads of keys and their groups."""
    if n_groups == 1 or array.ndim < 3:
        return array
    *lead, heads, n, d = array.shape
    pair = (1, 1) if heads == 1 else (heads // n_groups, n_groups)
    return array.reshape(*lead, *pair, n, d)


def _read_scale(scale: Any, query: Array) -> float:
    """Read the scale; 1 / sqrt(d_k) if there is none."""
    if scale is not None:
        return _inputs.number("scale", scale)
    if query.shape[-1] == 0:
        _inputs.refuse("give scale, as d_k is 0 in 1/sqrt(d_k)", query=query)
    return float(query.shape[-1] ** -0.5)


def _read_sink(
    sink: Any, query: Array, shape: tuple[int, ...]
) -> Array | None:
    """Read the sink, one score for all heads or one per head."""
    if sink is None:
        return None
    with np.errstate(all="ignore"):
        scores = _inputs.real("sink", sink).astype(query.dtype)
    if scores.ndim and scores.shape != shape[-3:-2]:
        rule = "sink must be one score, or one per head, (heads,)"
        _inputs.refuse(rule, sink=scores, scores=shape)
    return np.asarray(scores[..., None, None])


def _read_fitting(
    name: str, array: Any, kinds: str, shape: tuple[int, ...]
) -> Array | None:
    """Refuse an array that does not broadcast to the scores."""
    if array is None:
        return None
    result = _inputs.real(name, array, kinds)
    try:
        np.broadcast_to(result, shape)
    except ValueError:
        rule = f"{name} must broadcast to the scores"
        if result.ndim > len(shape):
            rule += f", and the scores have no axis {-result.ndim}"
        if (result.ndim, len(shape)) == (4, 3) and result.shape[1] == 1:
            rule += f"; without an axis of heads use {name}[:, 0]"
        if len(shape) > 2 and result.shape == (shape[0], shape[-1]):
            middle = "None, " * (len(shape) - 2)
            rule += f"; one row per sequence is {name}[:, {middle}:]"
        _inputs.refuse(rule, **{name: result}, scores=shape)
    return np.atleast_2d(result)


def _read_window(window: Any) -> Sides:
    """Read how many keys a query sees on each side; None: all of them."""
    is_one = isinstance(window, int | np.integer) and window is not True
    pair = (window, window) if is_one or window is None else window
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        rule = "window must be an integer or a pair (left, right)"
        raise TypeError(f"{rule}: {window!r}")
    left, right = (
        side
        if side is None
        else min(_inputs.integer(f"window[{i}]", side, 0), _inputs.FAR)
        for i, side in enumerate(pair)
    )
    return left, right


def _read_reach(
    options: AttentionOptions, shape: tuple[int, ...]
) -> _Reach | None:
    """Read is_causal, window and offset; None if they allow all keys."""
    is_causal = _inputs.flag("is_causal", options.get("is_causal", False))
    window, offset = options.get("window"), options.get("offset")
    if not is_causal and window is None:
        if offset is not None:
            rule = "offset needs is_causal=True or a window, or is not used"
            _inputs.refuse(rule, offset=offset)
        return None
    left, right = _read_window(window)
    right = 0 if is_causal else right
    if offset is None and not left is right is None:
        _inputs.aligned("is_causal" if is_causal else "window", *shape[-2:])
    first = _inputs.integers("offset", 0 if offset is None else offset, 1)
    if first.ndim and (len(shape) < 3 or first.shape != shape[:1]):
        rule = "offset must be an integer, or one per sequence (first axis)"
        _inputs.refuse(rule, offset=first, scores=shape)
    # to meet the scores: (1, 1), or (batch, 1, ..., 1)
    first = first.reshape(-1, *[1] * (len(shape) - 1 if first.ndim else 1))
    return None if left is right is None else _Reach(left, right, first)


def _without_padding(array: Array, allowed: Array) -> Array:
    """Write 0 in keys or values (..., n_k, d) that no query may attend to.

    Padding may hold anything, and a weight of 0 times nan would be nan.
    """
    seen = np.any(allowed, axis=-2)[..., None]  # (..., n_k, 1)
    # where sequences or heads share an array, it is enough that one sees it
    seen = np.any(seen, axis=tuple(range(seen.ndim - array.ndim)))
    shared = tuple(i for i in range(-seen.ndim, -2) if array.shape[i] == 1)
    seen = np.any(seen, axis=shared, keepdims=True)
    return array if seen.all() else np.where(seen, array, 0)
