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
    dtype: DTypeLike = float,
) -> tuple[NDArray[Any], NDArray[Any]]:
    r"""Tabulate the cosine and sine of each angle of rotation.

    $$\cos p\,\theta_i, \quad \sin p\,\theta_i, \qquad \theta_i =
    \text{base}^{-2i/r}, \qquad i = 0, \dots, \tfrac r2 - 1$$

    $p$ is a position, and $r$ is `rotary_dim`. Raises [an
    error](index.md#errors) if rotary_dim is odd, or inv_freq holds a number
    that is not finite or negative, or comes with another base.

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
        a base; `rotary_frequencies` makes those of models for long texts. A
        pair with frequency 0 is not rotated.
    dtype : dtype, optional
        Floating-point type of the tables. The angles are computed in float64.

    Returns
    -------
    cos, sin : ndarray of dtype, shape positions.shape + (rotary_dim / 2,)
        One angle per position and pair, for `apply_rotary`.

    References
    ----------
    [Su et al. 2021](../reference/sources.md#su2021), eq. (15).

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
    """
    p = _inputs.real("positions", positions).astype(np.float64)
    rotary_dim = _rotary_dim(rotary_dim)
    base = _inputs.number("base", base, positive=True)
    dtype = _inputs.float_dtype(dtype)
    if inv_freq is None:
        frequencies = base ** (-np.arange(0, rotary_dim, 2) / rotary_dim)
    else:
        if base != 10000.0:  # it would be ignored
            _inputs.refuse("inv_freq replaces base: give one", base=base)
        frequencies = _frequencies(inv_freq, rotary_dim)
    with np.errstate(all="ignore"):  # float16 has no room for small sines
        angles = p[..., None] * frequencies  # (..., r / 2)
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


def rotary_frequencies(
    rotary_dim: int,
    *,
    base: float = 10000.0,
    rule: Literal["linear", "ntk", "llama3", "yarn"] | None = None,
    factor: float = 1.0,
    n_trained: int | None = None,
    slow: float = 1.0,
    fast: float | None = None,
    truncate: bool = True,
) -> NDArray[Any]:
    r"""Slow pairs of features down, so that a model can read longer texts.

    $$\theta'_i = g_i\, \theta_i + (1 - g_i)\, \frac{\theta_i}{s}, \qquad
    \theta_i = \text{base}^{-2i/r}$$

    $s$ is the factor. $g_i$ rises from 0 at `slow` to 1 at `fast` turns in a
    text of n_trained tokens: in a straight line over the turns in "llama3",
    and over the pairs $i$ in "yarn". It is 0 in "linear". "ntk" divides
    $\theta_i$ by $s^{2i / (r - 2)}$ instead. Raises [an
    error](index.md#errors) if rotary_dim is odd, base not above 1, n_trained
    missing, or fast not above slow.

    Parameters
    ----------
    rotary_dim : int
        How many features are rotated, two per frequency; even.
    base : float, optional
        `rope_theta` in a config.json.
    rule : "linear", "ntk", "llama3" or "yarn", optional
        `rope_type`, where "dynamic" is "ntk" with a factor that follows the
        length of the text. Without a rule the frequencies stay as they are.
    factor : float, optional
        How many times as long the texts become.
    n_trained : int, optional
        `original_max_position_embeddings`, for "llama3" and "yarn".
    slow, fast : float, optional
        `beta_slow` and `beta_fast`, or `low_freq_factor` and
        `high_freq_factor`. fast is 4 in "llama3" and 32 in "yarn" if omitted.
    truncate : bool, optional
        Whether the ramp of "yarn" ends at whole pairs. False in gpt-oss.

    Returns
    -------
    inv_freq : ndarray of shape (rotary_dim / 2,)
        For `rotary_tables`. YaRN's factor on the scores is not in it.

    References
    ----------
    "linear": [Chen et al. 2023](../reference/sources.md#chen2023), §2.3.
    [Peng et al. 2023](../reference/sources.md#peng2023), §3.1 and §3.2, and
    the code of Transformers.

    Examples
    --------
    Of four pairs the first is kept, and the last is slowed by 8:

    >>> from attention import rotary_frequencies
    >>> plain = rotary_frequencies(8, base=256.0)
    >>> for rule in ("ntk", "llama3"):
    ...     new = rotary_frequencies(
    ...         8, base=256.0, rule=rule, factor=8, n_trained=32
    ...     )
    ...     print(rule, (plain / new).round(2))
    ntk [1. 2. 4. 8.]
    llama3 [1.   4.89 8.   8.  ]
    """
    r, base = _rotary_dim(rotary_dim), _inputs.number("base", base, True)
    s: Any = _inputs.number("factor", factor, positive=True)
    slow = _inputs.number("slow", slow, positive=True)
    fast = {"llama3": 4.0}.get(str(rule), 32.0) if fast is None else fast
    truncate = _inputs.flag("truncate", truncate)
    names = "linear", "ntk", "llama3", "yarn"
    _inputs.one_of("rule", "linear" if rule is None else rule, names)
    fast = _inputs.number("fast", fast)
    pairs = np.arange(r // 2)
    theta: NDArray[Any] = base ** (-2 * pairs / r)
    keep: Any = 0.0 if rule == "linear" else 1.0
    if rule == "ntk":
        s = s ** (pairs / max(pairs[-1], 1))
        keep = 0.0
    elif rule in ("llama3", "yarn"):
        n = _inputs.integer("n_trained", n_trained, 1)
        if base <= 1 or fast <= slow:
            need = "base must be above 1, and fast above slow"
            _inputs.refuse(need, base=base, fast=fast, slow=slow)
        keep = (n * theta / (2 * np.pi) - slow) / (fast - slow)
        if rule == "yarn":  # the pairs that turn so often, as fractions
            first, last = (
                r * np.log(n / (2 * np.pi * turns)) / (2 * np.log(base))
                for turns in (fast, slow)
            )
            if truncate:
                first, last = np.floor(first), np.ceil(last)
            first, last = max(first, 0), min(last, r - 1)
            keep = 1 - (pairs - first) / (last - first or 0.001)
    keep = np.clip(keep, 0, 1)
    slower: NDArray[Any] = keep * theta + (1 - keep) * theta / s
    return slower


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
    $R_m^\top R_n = R_{n - m}$, and rotations preserve norms. Raises [an
    error](index.md#errors) if the tables do not broadcast to x, or have no
    rows for its tokens.

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
    rotated = features.copy()
    with np.errstate(all="ignore"):
        c, s = c.astype(features.dtype), s.astype(features.dtype)
        if layout == "interleaved":  # neighbours are a complex number, a + ib
            pairs = rotated[..., :width].view(np.result_type(c, np.complex64))
            pairs *= c + 1j * s
        else:
            first, second = slice(0, width // 2), slice(width // 2, width)
            a, b = features[..., first], features[..., second]
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


def _rotary_dim(rotary_dim: int) -> int:
    if _inputs.integer("rotary_dim", rotary_dim, 2) % 2:
        rule = "rotary_dim must be even, two features per angle"
        _inputs.refuse(rule, rotary_dim=rotary_dim)
    return rotary_dim
