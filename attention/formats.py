"""Numbers with fewer bits, in formats that NumPy mostly lacks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs


class _Format(NamedTuple):
    precision: int  # significant bits of a normal number, leading 1 included
    min_exponent: int  # 2**min_exponent is the smallest normal number
    largest: float
    overflow: float  # what larger numbers become


_FORMATS = {
    "float16": _Format(11, -14, (2 - 2**-10) * 2.0**15, np.inf),
    "bfloat16": _Format(8, -126, (2 - 2**-7) * 2.0**127, np.inf),
    "float8_e5m2": _Format(3, -14, (2 - 2**-2) * 2.0**15, np.inf),
    # Its one bit pattern above 448 is nan, and it has no inf.
    "float8_e4m3fn": _Format(4, -6, 448.0, np.nan),
    "tf32": _Format(11, -126, (2 - 2**-10) * 2.0**127, np.inf),
    "float8_e5m2fnuz": _Format(3, -15, (2 - 2**-2) * 2.0**15, np.nan),
    "float8_e4m3fnuz": _Format(4, -7, 240.0, np.nan),
    "float8_e8m0fnu": _Format(1, -127, 2.0**127, np.nan),
    "float4_e2m1fn": _Format(2, 0, 6.0, 6.0),
}


def round_to_format(x: ArrayLike, format: str) -> NDArray[Any]:
    r"""Round every number to the nearest one of a format with fewer bits.

    Around a number $x$ with $2^e \le \lvert x \rvert < 2^{e+1}$ the format has
    the multiples of a step $u$:

    $$\hat x = u \, \operatorname{round}\!\left(\frac{x}{u}\right), \qquad
    u = 2^{\max(e,\, e_\text{min}) - p + 1}$$

    A tie goes to the even multiple, as in processors. The bits are those of
    sign, exponent and fraction; $p$ is the precision.

    | format | bits | precision $p$ | from $e_\text{min}$ | largest | beyond |
    | --- | --- | --- | --- | --- | --- |
    | `"float16"` | 1, 5, 10 | 11 | $-14$ | 65504 | inf |
    | `"bfloat16"` | 1, 8, 7 | 8 | $-126$ | about 3.39e38 | inf |
    | `"tf32"` | 1, 8, 10 | 11 | $-126$ | about 3.40e38 | inf |
    | `"float8_e5m2"` | 1, 5, 2 | 3 | $-14$ | 57344 | inf |
    | `"float8_e4m3fn"` | 1, 4, 3 | 4 | $-6$ | 448 | nan |
    | `"float8_e5m2fnuz"` | 1, 5, 2 | 3 | $-15$ | 57344 | nan |
    | `"float8_e4m3fnuz"` | 1, 4, 3 | 4 | $-7$ | 240 | nan |
    | `"float8_e8m0fnu"` | 0, 8, 0 | 1 | $-127$ | $2^{127}$ | nan |
    | `"float4_e2m1fn"` | 1, 2, 1 | 2 | 0 | 6 | 6 |

    Two formats are blocks of e2m1 along the last axis, with a scale $s$ for
    each block: $\hat x$ is $s$ times the rounded $x / s$. In `"mxfp4"` a block
    has 32 numbers, and $s$ is the power of two of its largest number, divided
    by 4. In `"nvfp4"` it has 16, and $s$ is a sixth of the largest, rounded to
    e4m3 in units of the largest of the whole array / 2688, a float32. (torchao
    raises the rounded number to $2^{-6}$ if it is below.) Raises [an
    error](index.md#errors) if the last axis does not divide into blocks.

    Parameters
    ----------
    x : array_like
        Integers and bools become float64.
    format : str
        One of the table, "mxfp4" or "nvfp4". The names are those of ml_dtypes
        and PyTorch.

    Returns
    -------
    rounded : ndarray of shape of x
        In the dtype of x. float32 and float64 hold every number of the
        formats; in float16 those from 65536 on become inf. Zeros keep their
        sign, except in fnuz, which has no -0. A number less than half a step
        above the largest becomes the largest. One beyond that becomes what the
        table says, as in ml_dtypes; some programs clip it instead, among them
        PyTorch 2.13 for `"float8_e4m3fn"`. e8m0 has no zero and no sign: what
        is not positive is nan. In blocks, nan and inf make the block nan, and
        in `"nvfp4"` the array.

    References
    ----------
    [Micikevicius et al. 2022](../reference/sources.md#micikevicius2022),
    abstract, on the two formats of 8 bits;
    [MX](../reference/sources.md#ocp-mx), §6.3, on `"mxfp4"`.

    Examples
    --------
    With 3 significant bits the numbers from 1 to 2 are 1/4 apart, and 1.125 is
    a tie, which goes to the even multiple:

    >>> from attention import round_to_format
    >>> round_to_format([1.1, 1.125, 1.2, 1.375], "float8_e5m2")
    array([1.  , 1.  , 1.25, 1.5 ])

    In a block each number is rounded to a multiple of its scale, here 1 and 2:

    >>> import numpy as np
    >>> x = np.linspace(0.25, 8, 32)
    >>> round_to_format(np.stack([x - 2, x]), "mxfp4")[:, [7, 16, 31]]
    array([[0., 2., 6.],
           [2., 4., 8.]])
    """
    (numbers,), dtype = _inputs.floats(x=x)
    blocks = {"mxfp4": (32, _mx_scales), "nvfp4": (16, _nv_scales)}
    _inputs.one_of("format", format, (*_FORMATS, *blocks))
    with np.errstate(all="ignore"):
        if format in _FORMATS:
            rounded = _nearest(numbers, format)
            return rounded.astype(dtype, copy=False)
        size, scales = blocks[format]
        if numbers.ndim < 1 or numbers.shape[-1] % size:
            rule = f"x must have a multiple of {size} on its last axis"
            _inputs.refuse(rule, x=numbers)
        x = numbers.reshape(*numbers.shape[:-1], -1, size).astype(np.float64)
        scale = scales(np.abs(x).max(axis=-1, keepdims=True))
        units = x / np.where(scale == 0, 1, scale)
        rounded = np.asarray(_nearest(units, "float4_e2m1fn") * scale)
        return rounded.reshape(numbers.shape).astype(dtype)


def _nearest(numbers: NDArray[Any], format: str) -> NDArray[Any]:
    precision, min_exponent, largest, overflow = _FORMATS[format]
    if format == "float8_e8m0fnu":  # has no zero and no sign
        least = np.maximum(numbers, 2.0**-127).astype(numbers.dtype)
        numbers = np.where(numbers > 0, least, np.nan).astype(numbers.dtype)
    _, exponent = np.frexp(numbers)  # |numbers| < 2**exponent
    step = np.maximum(exponent - 1, min_exponent) - precision + 1
    nearest = np.ldexp(np.rint(np.ldexp(numbers, -step)), step)
    too_large = np.abs(nearest) > largest
    beyond = np.copysign(nearest.dtype.type(overflow), nearest)
    rounded: NDArray[Any] = np.where(too_large, beyond, nearest)
    return rounded + 0 if format.endswith("fnuz") else rounded  # 0 for -0


def _mx_scales(largest: NDArray[Any]) -> NDArray[Any]:
    """Divide by 4, the power of two of 6, what fits into e8m0."""
    exponent = np.clip(np.frexp(largest)[1] - 1 - 2, -127, 127)
    scale: NDArray[Any] = np.ldexp(1.0, exponent)
    return np.where(np.isfinite(largest), scale, np.nan)


def _nv_scales(largest: NDArray[Any]) -> NDArray[Any]:
    """Bring the largest of a block to 6, and that of the array to 448."""
    of_array = float(np.float32(largest.max(initial=0) / (448 * 6))) or 1.0
    of_block = np.minimum(largest / 6 / of_array, 448)
    return _nearest(of_block, "float8_e4m3fn") * of_array
