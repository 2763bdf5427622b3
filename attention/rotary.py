"""A position as a rotation of queries and keys.

Their dot products then depend on the distance between positions alone.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention import _inputs


def rotary_tables(
    positions: ArrayLike,
    rotary_dim: int,
    *,
    base: float = 10000.0,
    inv_freq: ArrayLike | None = None,
    interpolation: float = 1.0,
    dtype: DTypeLike = float,
) -> tuple[NDArray[Any], NDArray[Any]]:
    r"""Tabulate the cosine and sine of each angle of rotation.

    $$\cos\frac{p\,\theta_i}{s}, \quad \sin\frac{p\,\theta_i}{s}, \qquad
    \theta_i = \text{base}^{-2i/r}, \qquad i = 0, \dots, \tfrac r2 - 1$$

    $p$ is a position, $r$ is `rotary_dim` and $s$ is `interpolation`.

    Parameters
    ----------
    positions : array_like, any shape
        Positions of the tokens: 0, 1, 2, … or any real numbers.
    rotary_dim : int
        How many features are rotated, two per angle; even. All features of a
        head, or fewer for a partial rotation.
    base : float, optional
        The larger the base, the slower the last pairs rotate.
    inv_freq : array_like of shape (rotary_dim / 2,), optional
        Use these frequencies $\theta_i$, in radians per position, in place of
        a base, for models that stretch some of them more than others. A pair
        with frequency 0 is not rotated.
    interpolation : float, optional
        Divide the positions by this. With s, a model trained on n tokens reads
        s * n: all angles stay in the range that it was trained on. Since
        neighbours are closer together, it is fine-tuned briefly.
    dtype : dtype, optional
        Floating-point type of the tables. The angles are computed in float64.

    Returns
    -------
    cos, sin : ndarray of dtype, shape positions.shape + (rotary_dim / 2,)
        One angle per position and pair, for `apply_rotary`.

    Raises
    ------
    TypeError
        If positions or inv_freq are not real numbers, rotary_dim not an
        integer, base or interpolation not a number, or dtype not a
        floating-point type.
    ValueError
        If rotary_dim is not a positive even number, or base or interpolation
        is not positive. If inv_freq has another shape, holds a number that is
        negative, nan or inf, or is given together with another base.

    References
    ----------
    [Su et al. 2021](../reference/sources.md#su2021), eq. (15). Interpolation:
    [Chen et al. 2023](../reference/sources.md#chen2023), §2.3.

    Examples
    --------
    Position 1 rotates the first of two pairs by one radian, the second by a
    hundredth of a radian:

    >>> from attention import rotary_tables
    >>> cos, sin = rotary_tables([0, 1], 4)
    >>> cos.round(5)
    array([[1.     , 1.     ],
           [0.5403 , 0.99995]])
    >>> sin.round(5)
    array([[0.     , 0.     ],
           [0.84147, 0.01   ]])

    Interpolated by 4, position 8 is rotated as position 2 was in training:

    >>> from attention import rotary_tables
    >>> rotary_tables(8, 4, interpolation=4)[1].round(5)
    array([0.9093, 0.02  ])
    >>> rotary_tables(2, 4)[1].round(5)
    array([0.9093, 0.02  ])

    With frequencies of your own, here 1 and 0, the second pair is not rotated:

    >>> from attention import rotary_tables
    >>> cos, sin = rotary_tables([1, 2], 4, inv_freq=[1.0, 0.0])
    >>> sin.round(5)
    array([[0.84147, 0.     ],
           [0.9093 , 0.     ]])
    """
    p = _inputs.real("positions", positions).astype(np.float64)
    rotary_dim = _rotary_dim(rotary_dim)
    base = _inputs.number("base", base, positive=True)
    interpolation = _inputs.number("interpolation", interpolation, True)
    dtype = _inputs.float_dtype(dtype)
    if inv_freq is None:
        frequencies = base ** (-np.arange(0, rotary_dim, 2) / rotary_dim)
    else:
        if base != 10000.0:  # it would be ignored
            _inputs.refuse("inv_freq replaces base: give one", base=base)
        frequencies = _frequencies(inv_freq, rotary_dim)
    with np.errstate(all="ignore"):  # float16 has no room for small sines
        angles = p[..., None] / interpolation * frequencies  # (..., r / 2)
        cos, sin = np.cos(angles), np.sin(angles)
        return cos.astype(dtype, copy=False), sin.astype(dtype, copy=False)


def _frequencies(inv_freq: ArrayLike, rotary_dim: int) -> NDArray[Any]:
    array = _inputs.real("inv_freq", inv_freq).astype(np.float64)
    if array.shape != (rotary_dim // 2,):
        rule = "inv_freq must have shape (rotary_dim / 2,), one per pair"
        _inputs.refuse(rule, inv_freq=array, rotary_dim=rotary_dim)
    if not (np.isfinite(array) & (array >= 0)).all():
        rule = "inv_freq must hold finite numbers of 0 or more"
        _inputs.refuse(rule, smallest=array.min(), largest=array.max())
    return array


def apply_rotary(
    x: ArrayLike,
    cos: ArrayLike,
    sin: ArrayLike,
    *,
    layout: Literal["interleaved", "half"],
) -> NDArray[Any]:
    r"""Rotate every pair of features by the angle of its position.

    $$\begin{pmatrix} x'_a \\ x'_b \end{pmatrix} =
    \begin{pmatrix} \cos & -\sin \\ \sin & \cos \end{pmatrix}
    \begin{pmatrix} x_a \\ x_b \end{pmatrix}, \qquad
    (a, b) = \begin{cases} (2i,\, 2i + 1) & \text{interleaved} \\
    (i,\, i + \tfrac r2) & \text{half} \end{cases}$$

    $r$ is twice the last axis of the tables. The product of a rotated query
    and a rotated key depends only on the distance between their positions,
    $R_m^\top R_n = R_{n - m}$, and rotations preserve norms.

    Parameters
    ----------
    x : array_like of shape (..., n, d)
        Queries or keys; a single vector of shape (d,) too.
    cos, sin : array_like of shape (..., n, r/2)
        Tables from `rotary_tables`, one row per token, or a single one for
        all: (1, r/2). They must broadcast to x: leading axes (batch, heads)
        may be left out. The first r <= d features are rotated.
    layout : "interleaved" or "half"
        Whether neighbours form a pair, or features r/2 apart. Weights trained
        with one layout give nonsense with the other, and no shape shows it,
        which is why there is no default.

    Returns
    -------
    rotated : ndarray of shape (..., n, d)
        In the dtype of x, whatever that of the tables; float16 is computed in
        float32.

    Raises
    ------
    TypeError
        If layout is missing, or an array does not hold real numbers.
    ValueError
        If layout is anything else, cos and sin differ in shape, do not
        broadcast to x, or have no rows for its tokens; the message shows the
        shapes.

    References
    ----------
    [Su et al. 2021](../reference/sources.md#su2021), eqs. (15), (16) and (34).

    Examples
    --------
    A quarter turn takes the first axis to the second, and the second to minus
    the first. The zeros are not exact, because $\pi / 2$ is rounded:

    >>> import numpy as np
    >>> from attention import apply_rotary, rotary_tables
    >>> cos, sin = rotary_tables([np.pi / 2], 2)
    >>> apply_rotary([[1.0, 0.0], [0.0, 1.0]], cos, sin, layout="half")
    array([[ 6.123234e-17,  1.000000e+00],
           [-1.000000e+00,  6.123234e-17]])

    The layouts pair different features. Half a turn, of the first pair only:

    >>> from attention import apply_rotary
    >>> cos, sin = [[-1.0, 1.0]], [[0.0, 0.0]]
    >>> apply_rotary([[1.0, 2.0, 3.0, 4.0]], cos, sin, layout="interleaved")
    array([[-1., -2.,  3.,  4.]])
    >>> apply_rotary([[1.0, 2.0, 3.0, 4.0]], cos, sin, layout="half")
    array([[-1.,  2., -3.,  4.]])
    """
    (features,), dtype = _inputs.floats(x=x)
    c, s = _inputs.real("cos", cos), _inputs.real("sin", sin)
    _rotation_fits("x", features, c, s, layout)
    width = 2 * c.shape[-1]
    if layout == "interleaved":
        first, second = slice(0, width, 2), slice(1, width, 2)
    else:
        first, second = slice(0, width // 2), slice(width // 2, width)
    a, b = features[..., first], features[..., second]
    rotated = features.copy()
    with np.errstate(all="ignore"):
        c, s = c.astype(features.dtype), s.astype(features.dtype)
        rotated[..., first] = a * c - b * s
        rotated[..., second] = a * s + b * c
        return rotated.astype(dtype, copy=False)


def _rotation_fits(
    name: str,
    x: NDArray[Any],
    cos: NDArray[Any],
    sin: NDArray[Any],
    layout: str,
) -> None:
    """Refuse tables that cannot rotate the features of x."""
    given = {name: x, "cos": cos, "sin": sin}
    _inputs.one_of("layout", layout, ("interleaved", "half"))
    if not (x.ndim and cos.ndim) or cos.shape != sin.shape:
        rule = f"{name} needs axes (..., n, d), cos and sin (..., n, r/2)"
        _inputs.refuse(rule, **given)
    if 2 * cos.shape[-1] > x.shape[-1]:
        rule = f"cos and sin (..., r/2) rotate more features than {name} has"
        _inputs.refuse(rule, **given)
    if cos.ndim == 1 < x.ndim and x.shape[-2] != 1:
        rule = "cos and sin need a row for each token, as from "
        rule += f"rotary_tables(np.arange({x.shape[-2]}), ...)"
        _inputs.refuse(rule, **given)
    try:
        np.broadcast_to(cos[..., :0], (*x.shape[:-1], 0))
    except ValueError:
        rule = f"cos and sin must broadcast to {name}, one row per position"
        _inputs.refuse(rule, **given)


def rotary_permutation(rotary_dim: int) -> NDArray[np.intp]:
    r"""List interleaved features in the order of the half layout.

    $$\pi_i = 2i, \qquad \pi_{r / 2 + i} = 2i + 1, \qquad i = 0, \dots,
    \tfrac r2 - 1$$

    With `order = rotary_permutation(r)`, `x[..., order]` goes from interleaved
    to half, and `x[..., np.argsort(order)]` goes back. The columns of a head's
    $W_Q$ and $W_K$ in this order are its weights for the half layout.

    Parameters
    ----------
    rotary_dim : int
        How many features are rotated; even.

    Returns
    -------
    order : ndarray of int, shape (rotary_dim,)
        Indices of features.

    Raises
    ------
    TypeError
        If rotary_dim is not an integer.
    ValueError
        If rotary_dim is not a positive even number.

    References
    ----------
    [Su et al. 2021](../reference/sources.md#su2021), eq. (34): interleaved.

    Examples
    --------
    >>> from attention import rotary_permutation
    >>> rotary_permutation(6)
    array([0, 2, 4, 1, 3, 5])
    """
    pairs: NDArray[np.intp] = np.arange(_rotary_dim(rotary_dim)).reshape(-1, 2)
    return pairs.T.ravel()


def _rotary_dim(rotary_dim: int) -> int:
    if _inputs.integer("rotary_dim", rotary_dim, 2) % 2:
        rule = "rotary_dim must be even, two features per angle"
        _inputs.refuse(rule, rotary_dim=rotary_dim)
    return rotary_dim
