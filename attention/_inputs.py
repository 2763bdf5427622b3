"""Checks and conversions of what a caller gives.

A public function calls this module first. What does not fit is refused here,
by name and with its shape; the computation that follows checks nothing again.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Array = NDArray[Any]
FAR = 2**60  # beyond any key; sums of a few such numbers fit in 64 bits
NARROW = "torch.bfloat16", "torch.float8"  # tensors that NumPy cannot read


def refuse(rule: str, **given: Any) -> NoReturn:
    """Raise a ValueError with the broken rule and the shapes of arrays."""
    shown = (
        f"{name} {value.shape if isinstance(value, np.ndarray) else value}"
        for name, value in given.items()
    )
    raise ValueError(f"{rule}: {', '.join(shown)}")


def floats(**arrays: ArrayLike) -> tuple[list[Array], np.dtype[Any]]:
    """Convert arrays to one dtype; also return the dtype of the result.

    Integers and bools count as float64, bfloat16 and fp8 as float32. float16
    is computed in float32, so that sums do not overflow, and the result is
    float16.
    """
    given = [real(name, array) for name, array in arrays.items()]
    kinds = [a.dtype if a.dtype.kind == "f" else np.float64 for a in given]
    dtype = np.result_type(*kinds)
    compute = np.float32 if dtype == np.float16 else dtype
    return [array.astype(compute, copy=False) for array in given], dtype


def real(
    name: str, array: Any, kinds: str = "biuf", is_widened: bool = True
) -> Array:
    """Return an array of bools (b), integers (iu) or numbers (iuf, biuf).

    Formats of 16 and 8 bits that NumPy lacks, as bfloat16, become float32, or
    stay what they are if not widened: then a tensor of them stays a tensor.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array: use .filled()")
    if getattr(array, "requires_grad", False):  # a tensor of PyTorch
        rule = f"must not require gradients: give {name}.detach()"
        raise TypeError(f"{name} {rule}")
    try:
        if hasattr(array, "float") and str(array.dtype).startswith(NARROW):
            if not is_widened:
                tensor: Array = array
                return tensor
            array = array.float()
        result = np.asarray(array)
    except ValueError as error:  # nested lists of different lengths
        raise ValueError(f"{name} must be rectangular: {error}") from None
    except Exception as error:  # a tensor of another device …
        raise TypeError(f"{name} must be an array: {error}") from None
    if result.dtype.isbuiltin == 2 and "float" in result.dtype.name:
        if not is_widened:  # of ml_dtypes, as JAX has them
            return result
        result = result.astype(np.float32)
    dtype = result.dtype
    if dtype.kind not in kinds:
        rule = {
            "b": "booleans, True for 'may attend'; numbers are a bias=, "
            "and mask_to_bias makes them",
            "iu": "integers",
            "iuf": "numbers; booleans go to mask=",
        }.get(kinds, "real numbers")
        if kinds == "b" and dtype.kind in "iu" and set(result.flat) <= {0, 1}:
            rule += f" ({name}.astype(bool) makes True of 1, False of 0)"
        raise TypeError(f"{name} must hold {rule}: dtype {dtype}")
    return result


def floating(name: str, array: ArrayLike) -> Array:
    """Return an array in its own dtype; integers and bools as float64."""
    result = real(name, array)
    return result if result.dtype.kind == "f" else result.astype(np.float64)


def float_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    result = np.dtype(dtype)
    if result.kind != "f" or result.isbuiltin == 2:
        raise TypeError(f"dtype must be a floating-point type: {result}")
    return result


def integers(name: str, array: ArrayLike, n_axes: int = 64) -> Array:
    result = real(name, array, "iu")
    if result.ndim > n_axes:
        refuse(f"{name} must have at most {n_axes} axis", **{name: result})
    if (result > FAR).any() or (result < -FAR).any():
        refuse(f"{name} must be from -2**60 to 2**60", given=array)
    return result.astype(np.int64, copy=False)


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


HINTS = {  # what PyTorch calls otherwise, and what weights already say
    "attn_mask": "give mask= (booleans, True means 'may attend') or bias=",
    "key_padding_mask": "give mask=~key_padding_mask[:, None, None, :], as "
    "here True means 'may attend'",
    "dropout_p": "nothing here is random; leave it out",
    "need_weights": "return_weights=True of scaled_dot_product_attention, "
    "self_attention, cross_attention and multi_head_attention returns them",
    "enable_gqa": "the weights say which heads are shared",
}


def options(function: Any, given: Collection[str], kind: Any) -> None:
    """Refuse options that neither the function nor a kind of options has."""
    known = *kind.__annotations__, *(function.__kwdefaults__ or ())
    for name in set(given) - set(known):
        hint = HINTS.get(name, f"its options are {', '.join(known)}")
        raise TypeError(f"{function.__name__} takes no {name}: {hint}")


def aligned(name: str, n_queries: int, n_keys: int) -> None:
    """Refuse a rectangle of queries and keys if no offset places the first."""
    if n_queries != n_keys:
        rule = f"{name} needs as many queries as keys, or an offset: offset=0 "
        rule += "aligns the first query and key, offset="
        rule += f"{n_keys - n_queries} (n_k - n_q, as in decoding) the last"
        refuse(rule, n_q=n_queries, n_k=n_keys)


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Broadcast shapes; NumPy takes long to say that they are equal."""
    first, *others = {*shapes}
    return np.broadcast_shapes(first, *others) if others else first


def leading_axes_broadcast(
    n_core: list[int], hint: str, **arrays: Array
) -> tuple[int, ...]:
    """Broadcast the axes before the last `n_core` of each array, or refuse."""
    pairs = zip(arrays.values(), n_core, strict=True)
    leads = (array.shape[: array.ndim - n] for array, n in pairs)
    try:
        return broadcast(*leads)
    except ValueError:
        rule = f"the leading axes of {', '.join(arrays)} must broadcast"
        refuse(rule + hint, **arrays)


def axes_agree(**arrays: tuple[Array, str]) -> list[Array]:
    """Refuse arrays whose axes of one name differ, or cannot broadcast.

    Each comes with the names of its last axes; those before them broadcast.
    """
    given = {name: array for name, (array, _) in arrays.items()}
    seen: dict[str, tuple[str, int]] = {}
    cores = []
    for name, (array, axes) in arrays.items():
        names = axes.split()
        if array.ndim < len(names):
            rule = f"{name} must have axes (..., {', '.join(names)})"
            refuse(rule, **{name: array})
        cores.append(array.shape[array.ndim - len(names) :])
        for axis, size in zip(names, cores[-1], strict=True):
            if axis == "1" != str(size):
                refuse(f"{name} must end with an axis of 1", **{name: array})
            other, known = seen.setdefault(axis, (name, size))
            if size != known:
                pair = {other: given[other], name: array}
                refuse(f"{other} and {name} must share {axis}", **pair)
    lead = leading_axes_broadcast([*map(len, cores)], "", **given)
    pairs = zip(given.values(), cores, strict=True)
    return [np.broadcast_to(array, (*lead, *core)) for array, core in pairs]


def matrix_fits(name: str, x: Array, weight_name: str, weight: Array) -> None:
    """Refuse tokens and a matrix that do not multiply."""
    pair = {name: x, weight_name: weight}
    if x.ndim < 2 or weight.ndim != 2 or x.shape[-1] != weight.shape[0]:
        rule = f"{name} (..., n, d_in) and {weight_name} (d_in, d_out) must"
        refuse(f"{rule} share d_in", **pair)


def row(
    name: str, row: ArrayLike, matrix_name: str, matrix: Array,
    of: str = "column",
) -> Array:  # fmt: skip
    """Return a bias, one number per column, in the dtype of its matrix."""
    result = real(name, row)
    if result.shape != matrix.shape[-1:]:
        rule = f"{name} must have one number per {of} of {matrix_name}"
        refuse(rule, **{name: result, matrix_name: matrix})
    with np.errstate(all="ignore"):
        return result.astype(matrix.dtype, copy=False)
