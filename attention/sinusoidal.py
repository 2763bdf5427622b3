"""A position as a vector of sines and cosines, added to a token vector."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attention import _inputs


def sinusoidal_encoding(
    n_positions: int,
    d_model: int,
    *,
    base: float = 10000.0,
    dtype: DTypeLike = float,
) -> NDArray[Any]:
    r"""Write each position as sines and cosines of falling frequency.

    $$PE_{p,\,2i} = \sin\frac{p}{\text{base}^{2i/d}}, \qquad
    PE_{p,\,2i+1} = \cos\frac{p}{\text{base}^{2i/d}}, \qquad
    i = 0, \dots, \tfrac d2 - 1$$

    $i$ counts pairs of columns, and $d$ is `d_model`. Raises [an
    error](index.md#errors) if d_model is odd.

    Parameters
    ----------
    n_positions : int
        Rows: positions 0 to n_positions - 1.
    d_model : int
        Columns; even.
    base : float, optional
        Sets the longest wavelength, $2\pi \, \text{base}^{(d - 2) / d}$
        positions.
    dtype : dtype, optional
        Floating-point type of the result. The angles are computed in float64.

    Returns
    -------
    encoding : ndarray of dtype, shape (n_positions, d_model)
        Sines in the even columns, cosines in the odd ones.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.5.

    Examples
    --------
    Position 1 with two pairs: $\sin 1, \cos 1$, then $\sin 0.01, \cos 0.01$.

    >>> from attention import sinusoidal_encoding
    >>> sinusoidal_encoding(2, 4)[1].round(5)
    array([0.84147, 0.5403 , 0.01   , 0.99995])
    """
    n_positions = _inputs.integer("n_positions", n_positions, 0)
    if _inputs.integer("d_model", d_model, 2) % 2:
        rule = "d_model must be even, a sine and a cosine per frequency"
        _inputs.refuse(rule, d_model=d_model)
    base = _inputs.number("base", base, positive=True)
    frequencies = base ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.arange(n_positions)[:, None] * frequencies
    encoding = np.empty((n_positions, d_model), _inputs.float_dtype(dtype))
    with np.errstate(under="ignore"):  # float16 has no room for small sines
        encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles)
    return encoding
