"""The error function, which NumPy does not have."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STEP = 1 / 512
_TABLE = np.array(
    [math.erf(i * _STEP) for i in range(6 * 512 + 1)]
)  # from 6 on, it rounds to 1
_NEAR = 1 / 16  # below it, six terms of the series have all digits of float64
_SERIES = [
    2 / math.sqrt(math.pi) * (-1) ** k / (math.factorial(k) * (2 * k + 1))
    for k in range(6)
]


def erf(x: NDArray[Any]) -> NDArray[Any]:
    r"""Integrate $2 e^{-t^2} / \sqrt\pi$ from 0 to x, in the dtype of x; right to two units in the last place."""
    size = np.abs(x)
    with np.errstate(all="ignore"):  # what is not chosen may be anything
        return np.where(
            size < _NEAR, _near(x), np.copysign(_far(np.minimum(size, 6)), x)
        )


def _near(x: NDArray[Any]) -> NDArray[Any]:
    r"""Sum $\frac{2}{\sqrt\pi} \sum_k \frac{(-1)^k x^{2k + 1}}{k!\,(2k + 1)}$, [DLMF (7.6.1)](https://dlmf.nist.gov/7.6#E1).

    It is x and what is small beside it, so that the last addition alone
    rounds.
    """
    square = x * x
    change: NDArray[Any] = _SERIES[-1] * square
    for term in _SERIES[-2:0:-1]:
        change += term
        change *= square
    change += _SERIES[0] - 1
    near: NDArray[Any] = x + x * change
    return near


def _far(x: NDArray[Any]) -> NDArray[Any]:
    r"""Add to the integral up to the nearest point of a grid, which is known, the piece that is missing.

    With its middle at m it reaches from m - h to m + h. There $e^{-(m + s)^2}
    = e^{-m^2} (1 - 2ms + (2m^2 - 1) s^2 + \dots)$, where odd powers cancel, so
    that the piece is $2h\, e^{-m^2} (1 + (2m^2 - 1) h^2 / 3)$ times $2 /
    \sqrt\pi$. It is so much smaller than the rest that its own rounding does
    not count.
    """
    nearest = np.rint(x / _STEP)
    h = (x - nearest * _STEP) / 2
    m_squared = (x - h) ** 2
    known = _TABLE.astype(x.dtype).take(
        nearest.astype(np.intp), mode="clip"
    )  # nan has no place: any will do
    missing = (
        4
        / math.sqrt(math.pi)
        * h
        * np.exp(-m_squared)
        * (1 + (2 * m_squared - 1) / 3 * (h * h))
    )
    return known + missing
