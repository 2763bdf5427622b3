"""What a caller gives, as arrays and numbers to compute with.

A public function calls this module at its door. Whatever does not fit is
refused here, by name and with its shape; behind the door nothing checks again.
"""

import math
import operator
from collections.abc import Collection
from numbers import Real
from typing import Any, NamedTuple, NoReturn, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Array = NDArray[Any]
Window = tuple[int | None, int | None]
FAR = 2**60  # no key is there, and sums of a few such numbers fit 64 bits


class SharedOptions(TypedDict, total=False):
    """The options of attention for layers, whose weights share the heads."""

    mask: ArrayLike | None
    bias: ArrayLike | None
    is_causal: bool
    window: Window | None
    offset: ArrayLike | None
    scale: float | None
    softcap: float | None
    sink: ArrayLike | None


class AttentionOptions(SharedOptions, total=False):
    """All options of attention, for functions that pass them on."""

    enable_gqa: bool


def refuse(rule: str, **given: Any) -> NoReturn:
    """Say which rule is broken, and by what; of arrays show the shape."""
    shown = (f"{k} {getattr(v, 'shape', v)}" for k, v in given.items())
    raise ValueError(f"{rule}: {', '.join(shown)}")


def floats(**arrays: ArrayLike) -> tuple[list[Array], np.dtype[Any]]:
    """Convert arrays to one dtype; also return the dtype of the result.

    Integers and bools count as float64. float16 is computed in float32, so
    that sums do not overflow, and returned as float16.
    """
    given = [real(name, array) for name, array in arrays.items()]
    kinds = {a.dtype if a.dtype.kind == "f" else np.float64 for a in given}
    dtype = np.result_type(*kinds)
    compute = np.float32 if dtype == np.float16 else dtype
    return [array.astype(compute, copy=False) for array in given], dtype


def real(name: str, array: ArrayLike, kinds: str = "biuf") -> Array:
    """Return an array of bools (b), integers (iu) or numbers (iuf, biuf)."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array: use .filled()")
    try:
        result = np.asarray(array)
    except ValueError as error:  # nested lists of different lengths
        raise ValueError(f"{name} must be rectangular: {error}") from None
    except Exception as error:  # a tensor with gradients, in bfloat16 …
        raise TypeError(f"{name} must be an array: {error}") from None
    dtype = result.dtype
    if dtype.kind not in kinds or dtype.isbuiltin == 2:
        rule = {
            "b": "be boolean, True means 'may attend', and numbers to add are "
            "a bias= (mask_to_bias makes one)",
            "iu": "hold integers",
            "iuf": "hold numbers to add, and booleans are a mask=",
        }.get(kinds, "hold real numbers; cast bfloat16 to float32")
        raise TypeError(f"{name} must {rule}: dtype {dtype}")
    return result


def float_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    result = np.dtype(dtype)
    if result.kind != "f" or result.isbuiltin == 2:
        raise TypeError(f"dtype must be a floating-point type: {result}")
    return result


def integers(name: str, array: ArrayLike) -> Array:
    result = real(name, array, "iu")
    if (result > FAR).any() or (result < -FAR).any():
        refuse(f"{name} must be from -2**60 to 2**60", given=array)
    return result.astype(np.int64, copy=False)


def offsets(name: str, offset: ArrayLike) -> Array:
    """Read one position, or one per sequence, shape (batch,)."""
    array = integers(name, offset)
    if array.ndim > 1:
        refuse(f"{name} must have shape (batch,), or none", given=array)
    return array


def distances(n_queries: int, n_keys: int | None, offset: ArrayLike) -> Array:
    """Key position minus query position; query i is at i + offset.

    Shape (n_queries, n_keys), or (batch, 1, n_queries, n_keys) with one
    offset per sequence; as many keys as queries where n_keys is None.
    """
    n_q = integer("n_queries", n_queries, 0)
    n_k = n_q if n_keys is None else integer("n_keys", n_keys, 0)
    first = offsets("offset", offset)
    first = first[:, None, None] if first.ndim else first
    return np.arange(n_k) - (np.arange(n_q) + first)[..., None]


def integer(name: str, value: Any, least: int = -FAR) -> int:
    if not hasattr(value, "__index__") or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be an integer: {value!r}")
    if operator.index(value) < least:
        refuse(f"{name} must be at least {least}", given=value)
    return operator.index(value)


def number(name: str, value: Any, positive: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number: {value!r}")
    if not math.isfinite(value) or (positive and value <= 0):
        rule = "finite and positive" if positive else "finite"
        refuse(f"{name} must be {rule}", given=value)
    return float(value)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False: {value!r}")
    return bool(value)


def one_of(name: str, value: Any, choices: Collection[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {choices}: {value!r}")


def instance(name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        found = type(value).__name__
        raise TypeError(f"{name} must be {kind.__name__}: {found}")


def options(
    function: str, given: Collection[str], known: Collection[str] = ()
) -> None:
    """Refuse an option that the function does not take."""
    hints = {
        "attn_mask": "give mask= (booleans, True means 'may attend') or bias=",
        "enable_gqa": "which heads are shared follows from the weights",
    }
    for name in set(given) - set(known):
        hint = hints.get(name, f"its options are {', '.join(known)}")
        raise TypeError(f"{function} takes no {name}: {hint}")


def leading_axes_broadcast(n_core: int, **arrays: Array) -> tuple[int, ...]:
    """Refuse arrays whose axes before the last `n_core` do not broadcast."""
    leading = [array.shape[: array.ndim - n_core] for array in arrays.values()]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        rule = f"the leading axes of {', '.join(arrays)} must broadcast"
        heads = [
            array.shape[-3] for array in arrays.values() if array.ndim > 2
        ]
        if len(heads) == len(arrays) and heads[0] % (heads[1] or 1) == 0:
            rule += " (enable_gqa=True lets query heads share the others)"
        refuse(rule, **arrays)


def matrix_fits(name: str, x: Array, weight_name: str, weight: Array) -> None:
    """Refuse tokens and a matrix that do not multiply."""
    pair = {name: x, weight_name: weight}
    if x.ndim < 2 or weight.ndim != 2 or x.shape[-1] != weight.shape[0]:
        rule = f"{name} (..., n, d_in) and {weight_name} (d_in, d_out) must"
        refuse(f"{rule} share d_in", **pair)


def row(name: str, row: ArrayLike, matrix_name: str, matrix: Array) -> Array:
    """Return a bias, one number per column, in the dtype of its matrix."""
    result = real(name, row)
    if result.shape != matrix.shape[1:]:
        rule = f"{name} must have one number per column of {matrix_name}"
        refuse(rule, **{name: result, matrix_name: matrix})
    return result.astype(matrix.dtype, copy=False)


# --- attention ---------------------------------------------------------------


class Given(NamedTuple):
    """The arguments of attention, ready to compute with.

    Where several query heads share a head, the axis of heads is split: query
    (..., heads, n_groups, n_q, d_k), key (..., heads, 1, n_k, d_k).
    """

    query: Array
    key: Array
    value: Array
    mask: Array | None  # mask and bias broadcast to the scores
    bias: Array | None
    reach: tuple[int | None, int | None, Array] | None  # left, right, offset
    scale: float
    sink: Array | None  # one score per head, (..., 1, 1)
    n_groups: int
    dtype: np.dtype[Any]

    def result(self, array: Array) -> Array:
        """Join split heads again, and give the promised dtype."""
        if self.n_groups > 1:
            *lead, heads, groups, n, d = array.shape
            array = array.reshape(*lead, heads * groups, n, d)
        with np.errstate(all="ignore"):  # float16 may overflow
            return array.astype(self.dtype, copy=False)


def attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike | None = None,
    **given: Unpack[AttentionOptions],
) -> Given:
    """Check and convert the arguments of attention, once for all its steps."""
    named = {"query": query, "key": key}
    named |= {} if value is None else {"value": value}
    converted, dtype = floats(**named)
    arrays = dict(zip(named, converted, strict=True))
    q, k, v = converted[0], converted[1], converted[-1]
    if min(q.ndim, k.ndim, v.ndim) < 2:
        refuse("arrays must have at least 2 axes (..., n, d)", **arrays)
    if q.shape[-1] != k.shape[-1]:
        refuse("query and key must share d_k (last axis)", query=q, key=k)
    if k.shape[-2] != v.shape[-2]:
        refuse("key and value must share n_k (axis -2)", key=k, value=v)
    n_groups, lead = 1, q.shape[:-2]
    if flag("enable_gqa", given.get("enable_gqa", False)):
        n_groups = _groups(arrays)
        lead = np.broadcast_shapes(lead, (*k.shape[:-3], 1))
    elif not lead == k.shape[:-2] == v.shape[:-2]:
        leading_axes_broadcast(2, **arrays)
        lead = np.broadcast_shapes(lead, k.shape[:-2])
    shape = (*lead, q.shape[-2], k.shape[-2])  # of the scores

    def split(array: Array) -> Array:  # heads into heads and groups
        if n_groups == 1 or array.ndim < 3:
            return array
        *lead, heads, n, d = array.shape
        pair = (1, 1) if heads == 1 else (heads // n_groups, n_groups)
        return array.reshape(*lead, *pair, n, d)

    mask, bias, sink = given.get("mask"), given.get("bias"), given.get("sink")
    scale, softcap = given.get("scale"), given.get("softcap")
    if softcap is not None:
        number("softcap", softcap, positive=True)
    if scale is None and q.shape[-1] == 0:
        refuse(
            "give scale, as 1/sqrt(d_k) is not defined for d_k = 0", query=q
        )
    with np.errstate(all="ignore"):
        if mask is not None:
            mask = split(fitted("mask", mask, "b", shape))
        if bias is not None:
            bias = split(fitted("bias", bias, "iuf", shape))
        if sink is not None:
            sink = split(_sink(sink, shape).astype(q.dtype))
    reach = _reach(given, shape)
    return Given(
        split(q),
        k if n_groups == 1 else k[..., None, :, :],
        v if n_groups == 1 else v[..., None, :, :],
        mask,
        bias,
        reach and (*reach[:2], split(reach[2])),
        q.shape[-1] ** -0.5 if scale is None else number("scale", scale),
        sink,
        n_groups,
        dtype,
    )


def _groups(arrays: dict[str, Array]) -> int:
    """Count the query heads that share one head of key and value."""
    if min(array.ndim for array in arrays.values()) < 3:
        refuse("enable_gqa needs axes (..., heads, n, d)", **arrays)
    leading_axes_broadcast(3, **arrays)
    heads, *shared = (array.shape[-3] for array in arrays.values())
    if len(set(shared)) > 1 or shared[0] == 0 or heads % shared[0]:
        rule = "query must have a multiple of the other heads (axis -3)"
        refuse(rule, **arrays)
    return int(heads // shared[0])


def fitted(
    name: str, array: ArrayLike, kinds: str, shape: tuple[int, ...]
) -> Array:
    """Refuse what does not broadcast to the scores, or would enlarge them."""
    result = real(name, array, kinds)
    try:
        np.broadcast_to(result, shape)
    except ValueError:
        hint = ""
        if result.ndim > len(shape):
            hint = f", and the scores have no axis {-result.ndim}"
            if result.ndim - 1 == len(shape) == 3 and result.shape[1] == 1:
                hint += f"; for arrays without heads use {name}[:, 0]"
        rule = f"{name} must broadcast to the scores{hint}"
        refuse(rule, **{name: result}, scores=shape)
    return np.atleast_2d(result)


def _sink(sink: ArrayLike, shape: tuple[int, ...]) -> Array:
    array = real("sink", sink)
    if array.ndim and (len(shape) < 3 or array.shape != shape[-3:-2]):
        rule = "sink must be a scalar or one score per head, shape (heads,)"
        refuse(rule, sink=array, scores=shape)
    return array[..., None, None]


def _reach(
    given: AttentionOptions, shape: tuple[int, ...]
) -> tuple[int | None, int | None, Array] | None:
    """Read how far a query sees to the left and right; None: everywhere."""
    is_causal = flag("is_causal", given.get("is_causal", False))
    window, offset = given.get("window"), given.get("offset")
    if window is None:
        window = (None, None)
    if not isinstance(window, tuple | list) or len(window) != 2:
        raise TypeError(f"window must be a pair (left, right): {window!r}")
    left, right = (
        None if side is None else min(integer(f"window[{i}]", side, 0), FAR)
        for i, side in enumerate(window)
    )
    right = 0 if is_causal else right
    is_limited = left is not None or right is not None
    n_q, n_k = shape[-2:]
    if is_limited and offset is None and n_q != n_k:
        refuse(
            f"{'is_causal' if is_causal else 'window'} needs as many queries "
            "as keys, or an offset (0 aligns the first query with the first "
            f"key, {n_k - n_q}, that is n_k - n_q, the last with the last, "
            "as decoding with a cache needs)",
            scores=shape,
        )
    first = offsets("offset", 0 if offset is None else offset)
    if first.ndim and (len(shape) < 3 or first.shape != shape[:1]):
        rule = "offset must be an integer, or one per sequence (first axis)"
        refuse(rule, offset=first, scores=shape)
    first = first.reshape(first.shape + (1,) * (len(shape) - 1) * first.ndim)
    return (left, right, first) if is_limited else None
