"""Conversions and checks of arguments: one place, so that every function refuses bad input in the same words."""

import math
import operator
from numbers import Real
from typing import Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Floats = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]
T = TypeVar("T")


class AttentionOptions(TypedDict, total=False):
    """The options of `scaled_dot_product_attention`, for functions that pass them on."""

    mask: ArrayLike | None
    bias: ArrayLike | None
    is_causal: bool
    scale: float | None
    softcap: float | None
    sink: ArrayLike | None
    enable_gqa: bool


def to_floats(**arrays: ArrayLike) -> tuple[list[Floats], np.dtype[Any]]:
    """Convert the named arrays to the dtype to compute in; return them and the dtype of the result.

    Integers and bools count as float64. float16 is computed in float32, so that sums do not overflow.
    """
    converted = [real_array(name, array) for name, array in arrays.items()]
    dtype = np.result_type(*(a.dtype if a.dtype.kind == "f" else np.float64 for a in converted))
    return [a.astype(compute_dtype(dtype), copy=False) for a in converted], dtype


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def as_array(name: str, array: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(array)
    except ValueError as error:  # nested lists of different lengths
        raise ValueError(f"{name} must be a rectangular array: {error}") from None


def real_array(name: str, array: ArrayLike) -> NDArray[Any]:
    """`array` as it is, if it holds real numbers or bools."""
    result = as_array(name, array)
    if result.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers: dtype {result.dtype}")
    return result


def bool_array(name: str, array: ArrayLike, hint: str = "") -> Bools:
    result = as_array(name, array)
    if result.dtype != np.bool_:
        raise TypeError(f"{name} must be boolean, True means 'may attend': dtype {result.dtype}{hint}")
    return result


def integer_array(name: str, array: ArrayLike) -> NDArray[np.integer[Any]]:
    result = as_array(name, array)
    if result.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers: dtype {result.dtype}")
    return result


def float_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    result = np.dtype(dtype)
    if result.kind != "f":
        raise TypeError(f"dtype must be a floating-point type: {result}")
    return result


def count(name: str, value: int, *, minimum: int = 0, hint: str = "") -> int:
    """`value` as an int of at least `minimum`."""
    result = integer(name, value)
    if result < minimum:
        raise ValueError(f"{name} must be at least {minimum}: {result}{hint}")
    return result


def integer(name: str, value: int) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer: {value!r}") from None


def finite(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number: {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite: {value}")
    return float(value)


def positive(name: str, value: float) -> float:
    if finite(name, value) <= 0:
        raise ValueError(f"{name} must be positive: {value}")
    return float(value)


def flag(name: str, value: bool) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False: {type(value).__name__}")
    return bool(value)


def instance(name: str, value: T, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {kind.__name__}: {type(value).__name__}")
    return value


def has_axes(layout: str, n_axes: int, **arrays: NDArray[Any]) -> None:
    """Refuse an array with fewer axes than its layout, such as '(..., n, d)', has."""
    for name, array in arrays.items():
        if array.ndim < n_axes:
            plural = "axis" if n_axes == 1 else "axes"
            raise ValueError(f"{name} must have at least {n_axes} {plural} {layout}: {name} {array.shape}")


def same_size(what: str, axes: tuple[int, int], **pair: NDArray[Any]) -> None:
    """Refuse two arrays whose given axes differ in size; `what` says what they must share."""
    (first, a), (second, b) = pair.items()
    if a.shape[axes[0]] != b.shape[axes[1]]:
        raise ValueError(f"{first} and {second} must share {what}: {first} {a.shape}, {second} {b.shape}")


def matrix_fits(name: str, tokens: NDArray[Any], weight_name: str, weight: NDArray[Any]) -> None:
    """Refuse tokens and a matrix that do not multiply."""
    has_axes("(..., n, d_in)", 2, **{name: tokens})
    if weight.ndim != 2:
        raise ValueError(f"{weight_name} must have shape (d_in, d_out): {weight_name} {weight.shape}")
    what = f"d_in (last axis of {name}, first of {weight_name})"
    same_size(what, (-1, 0), **{name: tokens, weight_name: weight})


def leading_axes_broadcast(n_core: int, **arrays: NDArray[Any]) -> tuple[int, ...]:
    """Broadcast the axes before the last `n_core` ones (batch, heads)."""
    leading = {a.shape[: a.ndim - n_core] for a in arrays.values()}
    if len(leading) == 1:  # the usual case, and NumPy takes its time
        return leading.pop()
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
        raise ValueError(f"the leading axes of {', '.join(arrays)} must broadcast: {shapes}") from None


def fits_scores(name: str, array: NDArray[Any], scores_shape: tuple[int, ...]) -> None:
    """Refuse a mask or bias that would not broadcast to the scores, or would enlarge them."""
    extra = array.ndim - len(scores_shape)
    problem = ""
    if extra > 0:
        problem = f"the scores have no axis {-array.ndim}"
        if extra == 1 and array.ndim == 4 and array.shape[1] == 1:
            problem += f"; for arrays without a heads axis use {name}[:, 0]"
    else:
        for axis in range(-array.ndim, 0):
            if array.shape[axis] not in (1, scores_shape[axis]):
                problem = f"axis {axis} has {array.shape[axis]} instead of 1 or {scores_shape[axis]}"
                break
    if problem:
        raise ValueError(f"{name} must broadcast to the scores: {name} {array.shape}, scores {scores_shape}; {problem}")


def mask_for_scores(mask: ArrayLike | None, scores_shape: tuple[int, ...]) -> Bools | None:
    """`mask` as an array that broadcasts to the scores; None stays None."""
    if mask is None:
        return None
    hint = "; numbers to add to the scores go to bias=, and mask_to_bias turns a mask into such numbers"
    allowed: Bools = np.atleast_1d(bool_array("mask", mask, hint))
    fits_scores("mask", allowed, scores_shape)
    return allowed


def show_infinities(scores: Floats, query: Floats, key: Floats) -> None:
    """Make every score of a vector with nan or inf nan; else -inf passes for a masked key, and a softcap hides it."""
    if np.isfinite(query.sum() + key.sum()):  # an overflow of the sum only costs the time to look again
        return
    broken_query: Bools = np.logical_not(np.isfinite(query).all(axis=-1))
    broken_key: Bools = np.logical_not(np.isfinite(key).all(axis=-1))
    if broken_query.any() or broken_key.any():
        np.copyto(scores, np.nan, where=broken_query[..., :, None] | broken_key[..., None, :])


def distances(n_queries: int, n_keys: int | None, offset: int) -> NDArray[np.int64]:
    """Key position minus (query position + offset), shape (n_queries, n_keys); n_keys=None: n_queries."""
    rows = count("n_queries", n_queries)
    columns = rows if n_keys is None else count("n_keys", n_keys)
    return np.arange(columns) - (np.arange(rows)[:, None] + integer("offset", offset))


def rotary_tables_for(
    name: str, array: Floats, cos: ArrayLike, sin: ArrayLike, layout: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give the tables in the dtype of `array`, if they can turn its features."""
    if layout not in ("interleaved", "half"):
        raise ValueError(f"layout must be 'interleaved' or 'half': {layout!r}")
    c, s = real_array("cos", cos), real_array("sin", sin)
    problem = ""
    if not (array.ndim and c.ndim):
        problem = f"{name} must have shape (..., n, d), cos and sin (..., n, rotary_dim / 2)"
    elif c.shape != s.shape:
        problem = "cos and sin must have the same shape"
    elif 2 * c.shape[-1] > array.shape[-1]:
        problem = f"cos and sin turn {2 * c.shape[-1]} features (twice their last axis), more than {name} has"
    elif not broadcasts_to(c.shape[:-1], array.shape[:-1]):
        problem = f"cos and sin must broadcast to {name}, with a row for each of its positions (axis -2)"
    if problem:
        raise ValueError(f"{problem}: {name} {array.shape}, cos {c.shape}, sin {s.shape}")
    return c.astype(array.dtype, copy=False), s.astype(array.dtype, copy=False)


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether `shape` broadcasts to `target` without enlarging it."""
    last = target[len(target) - len(shape) :]
    return len(shape) <= len(target) and (shape == last or all(a in (1, b) for a, b in zip(shape, last, strict=True)))
