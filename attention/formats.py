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
}


def round_to_format(x: ArrayLike, format: str) -> NDArray[Any]:
    r"""Round every number to the nearest one of a format of 16 or 8 bits.

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
    | `"float8_e5m2"` | 1, 5, 2 | 3 | $-14$ | 57344 | inf |
    | `"float8_e4m3fn"` | 1, 4, 3 | 4 | $-6$ | 448 | nan |

    Parameters
    ----------
    x : array_like
        Integers and bools become float64.
    format : {"float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"}
        The names are those of ml_dtypes and PyTorch.

    Returns
    -------
    rounded : ndarray of shape of x
        In the dtype of x. float32 and float64 hold every number of the four
        formats; in float16 those from 65536 on become inf. Zeros keep their
        sign. A number less than half a step above the largest becomes the
        largest. One beyond that becomes inf or nan, as in ml_dtypes; some
        programs clip it to the largest instead, among them PyTorch 2.13 for
        `"float8_e4m3fn"`.

    Raises
    ------
    TypeError
        If x does not hold real numbers.
    ValueError
        If there is no such format; the message lists the four.

    References
    ----------
    [Micikevicius et al. 2022](../reference/sources.md#micikevicius2022),
    abstract, on the two formats of 8 bits.

    Examples
    --------
    With 3 significant bits the numbers from 1 to 2 are 1/4 apart, and 1.125 is
    a tie, which goes to the even multiple:

    >>> from attention import round_to_format
    >>> round_to_format([1.1, 1.125, 1.2, 1.375], "float8_e5m2")
    array([1.  , 1.  , 1.25, 1.5 ])

    From 256 on the numbers of bfloat16 are 2 apart, so that adding 1 changes
    nothing:

    >>> from attention import round_to_format
    >>> round_to_format(256 + 1, "bfloat16")
    array(256.)

    The largest number of this format is 448, and 464 is half a step above it:

    >>> from attention import round_to_format
    >>> round_to_format([448, 464, 465], "float8_e4m3fn")
    array([448., 448.,  nan])
    """
    (numbers,), dtype = _inputs.floats(x=x)
    _inputs.one_of("format", format, tuple(_FORMATS))
    precision, min_exponent, largest, overflow = _FORMATS[format]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(numbers)  # |numbers| < 2**exponent
        step = np.maximum(exponent - 1, min_exponent) - precision + 1
        nearest = np.ldexp(np.rint(np.ldexp(numbers, -step)), step)
        too_large = np.abs(nearest) > largest
        beyond = np.copysign(nearest.dtype.type(overflow), nearest)
        rounded: NDArray[Any] = np.where(too_large, beyond, nearest)
        return rounded.astype(dtype, copy=False)
