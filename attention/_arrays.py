"""What a caller gives, as arrays to compute with: one place, so that every function reads its input alike."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Floats = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]
_COMPUTED = frozenset(
    map(np.dtype, (np.float32, np.float64, np.longdouble))
)  # as they are


def to_floats(**arrays: ArrayLike) -> tuple[list[Floats], np.dtype[Any]]:
    """Convert the named arrays to the dtype to compute in; return them and the dtype of the result.

    Integers and bools count as float64. float16 is computed in float32, so
    that sums do not overflow.
    """
    converted = [float_array(name, array) for name, array in arrays.items()]
    dtypes = [array.dtype for array in converted]
    dtype = dtypes[0]
    if dtype in _COMPUTED and dtypes.count(dtype) == len(dtypes):
        return converted, dtype
    dtype = np.result_type(*dtypes)
    compute_dtype = np.float32 if dtype == np.float16 else dtype
    return [
        array.astype(compute_dtype, copy=False) for array in converted
    ], dtype


def rounded(result: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Give a result the dtype that `to_floats` promised; float16 may overflow or underflow."""
    with np.errstate(all="ignore"):
        return result.astype(dtype, copy=False)


def real_array(name: str, array: ArrayLike) -> NDArray[Any]:
    """`array` as it is, if it holds real numbers or bools."""
    result = _any_array(name, array)
    dtype = result.dtype
    if (
        dtype.kind not in "biuf" or dtype.isbuiltin == 2
    ):  # 2: bfloat16 and others that libraries add
        foreign = (
            "; bfloat16 and its like are not NumPy types: cast to float32"
            if dtype.kind in "Vf"
            else ""
        )
        raise TypeError(
            f"{name} must hold real numbers: dtype {dtype}{foreign}"
        )
    return result


def float_array(name: str, array: ArrayLike) -> Floats:
    """`array` as it is, if it holds floating-point numbers; integers and bools as float64."""
    if (
        type(array) is np.ndarray and array.dtype in _COMPUTED
    ):  # the usual case
        return array
    result = real_array(name, array)
    return result if result.dtype.kind == "f" else result.astype(np.float64)


def bool_array(name: str, array: ArrayLike, hint: str = "") -> Bools:
    result = _any_array(name, array)
    if result.dtype != np.bool_:
        raise TypeError(
            f"{name} must be boolean, True means 'may attend': dtype {result.dtype}{hint}"
        )
    return result


def integer_array(name: str, array: ArrayLike) -> NDArray[np.integer[Any]]:
    result = _any_array(name, array)
    if result.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers: dtype {result.dtype}")
    return result


def int64_array(name: str, array: ArrayLike) -> NDArray[np.int64]:
    """Integers to count with; those that only an unsigned type holds are refused."""
    result = integer_array(name, array)
    if result.dtype == np.uint64 and (result > np.iinfo(np.int64).max).any():
        raise ValueError(f"{name} must be less than 2**63: {result.max()}")
    return result.astype(np.int64, copy=False)


def float_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        result = np.dtype(dtype)
    except Exception as error:  # of many kinds
        raise TypeError(
            f"dtype must be a floating-point type: {error}"
        ) from None
    if result.kind != "f" or result.isbuiltin == 2:
        raise TypeError(
            f"dtype must be a floating-point type of NumPy: {result}"
        )
    return result


def _any_array(name: str, array: ArrayLike) -> NDArray[Any]:
    if type(array) is np.ndarray:
        return array
    try:
        result = np.asanyarray(array)
    except ValueError as error:  # nested lists of different lengths
        raise ValueError(
            f"{name} must be a rectangular array: {error}"
        ) from None
    except Exception as error:  # from another library: a tensor on another device, with gradients, in bfloat16
        hint = ": cast to float32" if "bfloat16" in str(error).lower() else ""
        raise TypeError(
            f"{name} must be an array, or turn into one: {error}{hint}"
        ) from None
    if isinstance(result, np.ma.MaskedArray) or _holds_masked(
        array, result.ndim
    ):
        raise TypeError(
            f"{name} must not be a masked array: its mask would be ignored; use .filled(number)"
        )
    return np.asarray(result)


def _holds_masked(array: object, n_axes: int) -> bool:
    """Whether a list has a masked array somewhere in it."""
    if n_axes and isinstance(array, (list, tuple)):
        kinds = (list, tuple, np.ma.MaskedArray)
        return any(
            _holds_masked(part, n_axes - 1)
            for part in array
            if isinstance(part, kinds)
        )
    return isinstance(array, np.ma.MaskedArray)
