"""Where a token stands, as numbers that attention can see."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention import _checks


def sinusoidal_encoding(
    n_positions: int, d_model: int, *, base: float = 10000.0, dtype: DTypeLike = float
) -> NDArray[Any]:
    r"""Write each position as sines and cosines of falling frequency.

    $$PE_{p,\,2i} = \sin\frac{p}{\text{base}^{2i/d}}, \qquad PE_{p,\,2i+1} = \cos\frac{p}{\text{base}^{2i/d}},
    \qquad i = 0, \dots, \tfrac d2 - 1$$

    i counts pairs of columns, and $d$ is `d_model`.

    Parameters
    ----------
    n_positions : int
        Rows: positions 0 to n_positions - 1.
    d_model : int
        Columns; even.
    base : float, optional
        Sets the longest wavelength, $2\pi \, \text{base}^{(d - 2) / d}$ positions.
    dtype : dtype, optional
        Floating-point type of the result. The angles are computed in float64.

    Returns
    -------
    encoding : ndarray of dtype, shape (n_positions, d_model)
        Sines in the even columns, cosines in the odd ones.

    Raises
    ------
    TypeError
        If a size is not an integer, base not a number, or dtype not a floating-point type.
    ValueError
        If n_positions is negative, d_model not a positive even number, or base not positive.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.5.

    Examples
    --------
    Position 1 with two pairs: $\sin 1, \cos 1$, then $\sin 0.01, \cos 0.01$.

    >>> from attention import sinusoidal_encoding
    >>> sinusoidal_encoding(2, 4)[1].round(5)
    array([0.84147, 0.5403 , 0.01   , 0.99995])

    The dot product of two encodings depends on their distance alone:

    >>> import numpy as np
    >>> from attention import sinusoidal_encoding
    >>> pe = sinusoidal_encoding(20, 6)
    >>> bool(np.isclose(pe[0] @ pe[5], pe[14] @ pe[19]))
    True
    """
    n_positions = _checks.count("n_positions", n_positions)
    d_model = _checks.count("d_model", d_model, minimum=2)
    if d_model % 2:
        raise ValueError(f"d_model must be even, a sine and a cosine for every pair: {d_model}")
    base, dtype = _checks.positive("base", base), _checks.float_dtype(dtype)
    frequencies = base ** (-np.arange(0, d_model, 2) / d_model)  # (d_model / 2,)
    angles = np.arange(n_positions)[:, None] * frequencies  # (n_positions, d_model / 2)
    encoding = np.empty((n_positions, d_model), dtype)
    with np.errstate(under="ignore"):  # float16 has no room for the smallest sines
        encoding[:, 0::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles)
    return encoding


def rotary_tables(
    positions: ArrayLike,
    rotary_dim: int,
    *,
    base: float = 10000.0,
    interpolation: float = 1.0,
    dtype: DTypeLike = float,
) -> tuple[NDArray[Any], NDArray[Any]]:
    r"""Look up the cosines and sines of the angles by which rotary positions turn pairs of features.

    $$\cos\frac{p\,\theta_i}{s}, \quad \sin\frac{p\,\theta_i}{s}, \qquad \theta_i = \text{base}^{-2i/r},
    \qquad i = 0, \dots, \tfrac r2 - 1$$

    p is a position, $r$ is `rotary_dim`, $s$ is `interpolation`.

    Parameters
    ----------
    positions : array_like, any shape
        Where the tokens stand: 0, 1, 2, … or any real numbers.
    rotary_dim : int
        How many features are turned, two for each angle; even. All of a head's, or fewer for a partial rotation.
    base : float, optional
        The larger, the slower the last pairs turn.
    interpolation : float, optional
        Divide the positions by this. A model trained on n tokens reads s * n of them with interpolation s: all angles
        stay inside the range it was trained on, and neighbours stand closer together, for which it is fine-tuned
        briefly.
    dtype : dtype, optional
        Floating-point type of the tables. The angles are computed in float64.

    Returns
    -------
    cos, sin : ndarray of dtype, shape positions.shape + (rotary_dim / 2,)
        One angle for each position and pair, for `apply_rotary`.

    Raises
    ------
    TypeError
        If positions are not real numbers, rotary_dim not an integer, base or interpolation not a number, or dtype not a
        floating-point type.
    ValueError
        If rotary_dim is not a positive even number, or base or interpolation not positive.

    References
    ----------
    [Su et al. 2021](../reference/sources.md#su2021), eq. (15). Interpolation:
    [Chen et al. 2023](../reference/sources.md#chen2023), §2.3.

    Examples
    --------
    Position 1 turns the first of two pairs by one radian, the second by a hundredth:

    >>> from attention import rotary_tables
    >>> cos, sin = rotary_tables([0, 1], 4)
    >>> cos.round(5)
    array([[1.     , 1.     ],
           [0.5403 , 0.99995]])
    >>> sin.round(5)
    array([[0.     , 0.     ],
           [0.84147, 0.01   ]])

    Interpolated by 4, position 8 is turned as position 2 was in training:

    >>> import numpy as np
    >>> from attention import rotary_tables
    >>> np.array_equal(rotary_tables(8, 6, interpolation=4), rotary_tables(2, 6))
    True

    Why the angles are computed in float64: at position one million, those of float32 are wrong by up to 0.05 radians,
    three degrees.

    >>> import numpy as np
    >>> frequencies = 10000.0 ** (-np.arange(0, 128, 2) / 128)
    >>> single = np.float32(1_000_000) * frequencies.astype(np.float32)
    >>> float(np.abs(single - 1_000_000 * frequencies).max().round(3))
    0.052
    """
    where = _checks.real_array("positions", positions).astype(np.float64)
    rotary_dim = _rotary_dim(rotary_dim)
    base, interpolation = _checks.positive("base", base), _checks.positive("interpolation", interpolation)
    dtype = _checks.float_dtype(dtype)
    frequencies = base ** (-np.arange(0, rotary_dim, 2) / rotary_dim)  # (rotary_dim / 2,)
    with np.errstate(all="ignore"):  # float16 has no room for the smallest sines; nan and inf show
        angles = where[..., None] / interpolation * frequencies  # (..., rotary_dim / 2)
        return np.cos(angles).astype(dtype, copy=False), np.sin(angles).astype(dtype, copy=False)


def apply_rotary(
    x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, layout: Literal["interleaved", "half"]
) -> NDArray[Any]:
    r"""Turn every pair of features by the angle of its position.

    $$\begin{pmatrix} x'_a \\ x'_b \end{pmatrix} =
    \begin{pmatrix} \cos & -\sin \\ \sin & \cos \end{pmatrix} \begin{pmatrix} x_a \\ x_b \end{pmatrix}, \qquad
    (a, b) = \begin{cases} (2i,\, 2i + 1) & \text{interleaved} \\ (i,\, i + \tfrac r2) & \text{half} \end{cases}$$

    $r$ is twice the last axis of the tables. The product of a turned query and a turned key depends on the distance of
    their positions alone, $R_m^\top R_n = R_{n - m}$, and norms stay as they are.

    Parameters
    ----------
    x : array_like of shape (..., n, d)
        Queries or keys; a single vector of shape (d,) too.
    cos, sin : array_like of shape (..., n, r/2)
        Tables from `rotary_tables`, which must broadcast to x: leading axes (batch, heads) may be left out or 1, and
        so may n. The first r features are turned, the others stay: r <= d.
    layout : "interleaved" or "half"
        Pairs of neighbours, or of features r/2 apart. Weights that were trained with one give nonsense with the
        other, and no shape shows it; so there is no default.

    Returns
    -------
    rotated : ndarray of shape (..., n, d)
        In the dtype of x, to which the tables are cast; float16 is computed in float32.

    Raises
    ------
    TypeError
        If layout is missing, or an array does not hold real numbers.
    ValueError
        If layout is anything else, cos and sin differ in shape, or they do not broadcast to x; the message shows the
        shapes.

    References
    ----------
    [Su et al. 2021](../reference/sources.md#su2021), eqs. (15), (16) and (34).

    Examples
    --------
    A quarter turn takes the first axis to the second, and the second to minus the first. The zeros are not exact, since
    the double nearest to $\pi / 2$ is not $\pi / 2$:

    >>> import numpy as np
    >>> from attention import apply_rotary, rotary_tables
    >>> cos, sin = rotary_tables(np.pi / 2, 2)
    >>> apply_rotary([[1.0, 0.0], [0.0, 1.0]], cos, sin, layout="half")
    array([[ 6.123234e-17,  1.000000e+00],
           [-1.000000e+00,  6.123234e-17]])

    The layouts pair different features; here by half a turn, of one pair only:

    >>> import numpy as np
    >>> from attention import apply_rotary
    >>> cos, sin = [[-1.0, 1.0]], [[0.0, 0.0]]
    >>> apply_rotary([[1.0, 2.0, 3.0, 4.0]], cos, sin, layout="interleaved")
    array([[-1., -2.,  3.,  4.]])
    >>> apply_rotary([[1.0, 2.0, 3.0, 4.0]], cos, sin, layout="half")
    array([[-1.,  2., -3.,  4.]])
    """
    (given,), dtype = _checks.to_floats(x=x)
    c, s = _checks.rotary_tables_for("x", given, cos, sin, layout)
    turn = _turn_neighbours if layout == "interleaved" else _turn_halves
    width = 2 * c.shape[-1]
    rotated = np.empty(given.shape, given.dtype)
    with np.errstate(all="ignore"):
        turn(given[..., :width], c, s, rotated[..., :width])
        rotated[..., width:] = given[..., width:]
        return rotated.astype(dtype, copy=False)


def _turn_neighbours(x: NDArray[Any], cos: NDArray[Any], sin: NDArray[Any], out: NDArray[Any]) -> None:
    """Multiply each pair, read as a complex number, with cos + i sin."""
    turns = np.empty(cos.shape, np.result_type(x.dtype, np.complex64))
    turns.real, turns.imag = cos, sin
    pairs = x if x.strides[-1] == x.itemsize else np.ascontiguousarray(x)  # a view needs neighbours in memory
    np.multiply(pairs.view(turns.dtype), turns, out=out.view(turns.dtype))


def _turn_halves(x: NDArray[Any], cos: NDArray[Any], sin: NDArray[Any], out: NDArray[Any]) -> None:
    """Add the features times cos and their partners times sin, which the first half takes off."""
    half = cos.shape[-1]
    partners = np.concatenate([x[..., half:], x[..., :half]], axis=-1)
    partners *= np.concatenate([-sin, sin], axis=-1)
    np.multiply(x, np.concatenate([cos, cos], axis=-1), out=out)
    out += partners


def rotary_permutation(rotary_dim: int) -> NDArray[np.intp]:
    r"""List the features of the interleaved layout in the order of the half layout.

    $$(0, 2, 4, \dots, r - 2,\; 1, 3, 5, \dots, r - 1)$$

    With `order = rotary_permutation(r)`, `x[..., order]` goes from interleaved to half, and
    `x[..., np.argsort(order)]` back. Applied to the columns of a head's $W_Q$ and $W_K$ it converts weights.

    Parameters
    ----------
    rotary_dim : int
        How many features are turned; even.

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
    [Su et al. 2021](../reference/sources.md#su2021), eq. (34), has the interleaved layout.

    Examples
    --------
    >>> from attention import rotary_permutation
    >>> rotary_permutation(6)
    array([0, 2, 4, 1, 3, 5])

    Reorder and turn, or turn and reorder:

    >>> import numpy as np
    >>> from attention import apply_rotary, rotary_permutation, rotary_tables
    >>> x, order = np.arange(12.0).reshape(2, 6), rotary_permutation(6)
    >>> cos, sin = rotary_tables([3, 4], 6)
    >>> half = apply_rotary(x[..., order], cos, sin, layout="half")
    >>> np.allclose(half, apply_rotary(x, cos, sin, layout="interleaved")[..., order])
    True
    """
    pairs: NDArray[np.intp] = np.arange(_rotary_dim(rotary_dim)).reshape(-1, 2)
    return pairs.T.ravel()


def _rotary_dim(rotary_dim: int) -> int:
    result = _checks.count("rotary_dim", rotary_dim, minimum=2)
    if result % 2:
        raise ValueError(f"rotary_dim must be even, two features for every angle: {result}")
    return result


def alibi_slopes(n_heads: int, *, dtype: DTypeLike = float) -> NDArray[Any]:
    r"""Give every head its own price for a step of distance.

    $$m_h = 2^{-8 h / H}, \qquad h = 1, \dots, H$$

    That is for H a power of two. Otherwise the slopes of the power of two below come first, then every other one of
    the power above: its 1st, 3rd, 5th, …

    Parameters
    ----------
    n_heads : int
        The number H of heads; any.
    dtype : dtype, optional
        Floating-point type of the result.

    Returns
    -------
    slopes : ndarray of dtype, shape (n_heads,)
        Positive and below 1.

    Raises
    ------
    TypeError
        If n_heads is not an integer, or dtype not a floating-point type.
    ValueError
        If n_heads is less than 1.

    References
    ----------
    [Press et al. 2022](../reference/sources.md#press2022), §3, and the paper's code for other numbers of heads.

    Examples
    --------
    Eight heads: 1/2, 1/4, … 1/256.

    >>> from attention import alibi_slopes
    >>> 1 / alibi_slopes(8)
    array([  2.,   4.,   8.,  16.,  32.,  64., 128., 256.])

    Six heads: the four slopes of four heads, then the first and the third of eight.

    >>> from attention import alibi_slopes
    >>> 1 / alibi_slopes(6)
    array([  4.,  16.,  64., 256.,   2.,   8.])
    """
    n_heads = _checks.count("n_heads", n_heads, minimum=1)
    below = 1 << (n_heads.bit_length() - 1)  # the largest power of two that is not above n_heads
    steps = np.concatenate([8 * np.arange(1, below + 1) / below, 8 * np.arange(1, 2 * below, 2) / (2 * below)])
    slopes: NDArray[Any] = np.exp2(-steps[:n_heads])
    return slopes.astype(_checks.float_dtype(dtype), copy=False)


def alibi_bias(
    n_heads: int, n_queries: int, n_keys: int | None = None, *, offset: int = 0, dtype: DTypeLike = float
) -> NDArray[Any]:
    r"""Take points off a score in proportion to the distance.

    $$B_{hij} = -m_h\, | j - (i + \text{offset}) |$$

    $m_h$ are the `alibi_slopes`. Under a causal mask the sign of the distance does not matter.

    Parameters
    ----------
    n_heads : int
        Heads; each has its own slope.
    n_queries : int
        Rows.
    n_keys : int, optional
        Columns; n_queries if omitted.
    offset : int, optional
        As in `causal_mask`: n_keys - n_queries aligns the last query with the last key.
    dtype : dtype, optional
        Floating-point type of the result.

    Returns
    -------
    bias : ndarray of dtype, shape (n_heads, n_queries, n_keys)
        To be added to scaled scores: `bias=` of `scaled_dot_product_attention`.

    Raises
    ------
    TypeError
        If a size or the offset is not an integer, or dtype not a floating-point type.
    ValueError
        If n_heads is less than 1, or a size negative.

    References
    ----------
    [Press et al. 2022](../reference/sources.md#press2022), §3.

    Examples
    --------
    The first of eight heads pays half a point a step:

    >>> from attention import alibi_bias
    >>> alibi_bias(8, 3)[0]
    array([[ 0. , -0.5, -1. ],
           [-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])

    One new query behind three cached tokens:

    >>> from attention import alibi_bias
    >>> alibi_bias(8, 1, 4, offset=3)[1]
    array([[-0.75, -0.5 , -0.25,  0.  ]])
    """
    slopes = alibi_slopes(n_heads)
    steps = -np.abs(_checks.distances(n_queries, n_keys, offset))  # (n_queries, n_keys)
    with np.errstate(all="ignore"):  # float16 may overflow or underflow
        return (slopes[:, None, None] * steps).astype(_checks.float_dtype(dtype))


def relative_position_bias(
    table: ArrayLike, n_queries: int, n_keys: int | None = None, *, offset: int = 0
) -> NDArray[Any]:
    r"""Look up a learned number for every head and distance; far distances share the last one.

    $$B_{hij} = t_{h,\, D + \operatorname{clip}(j - (i + \text{offset}),\, -D,\, D)}$$

    $t$ is the table and D the distance at which it ends.

    Parameters
    ----------
    table : array_like of shape (n_heads, 2 * D + 1)
        One number for each distance from -D to D, with distance 0 in the middle.
    n_queries : int
        Rows.
    n_keys : int, optional
        Columns; n_queries if omitted.
    offset : int, optional
        As in `causal_mask`: n_keys - n_queries aligns the last query with the last key.

    Returns
    -------
    bias : ndarray of shape (n_heads, n_queries, n_keys)
        To be added to scaled scores: `bias=` of `scaled_dot_product_attention`.

    Raises
    ------
    TypeError
        If a size or the offset is not an integer, or the table does not hold real numbers.
    ValueError
        If a size is negative, or the table has no middle: an even number of columns.

    References
    ----------
    Clipped distances: [Shaw et al. 2018](../reference/sources.md#shaw2018), §3.2. A scalar for each head, added to the
    scores: [Raffel et al. 2020](../reference/sources.md#raffel2020), §2.1.

    Examples
    --------
    One head that likes the token before it:

    >>> from attention import relative_position_bias
    >>> relative_position_bias([[7.0, 0.0, -1.0]], 3)
    array([[[ 0., -1., -1.],
            [ 7.,  0., -1.],
            [ 7.,  7.,  0.]]])

    The second of two queries stands at the last of three keys:

    >>> from attention import relative_position_bias
    >>> relative_position_bias([[-2.0, -1.0, 0.0, 1.0, 2.0]], 2, 3, offset=1)
    array([[[-1.,  0.,  1.],
            [-2., -1.,  0.]]])
    """
    (numbers,), dtype = _checks.to_floats(table=table)
    if numbers.ndim != 2 or numbers.shape[1] % 2 == 0:
        raise ValueError(f"table must have shape (n_heads, 2 * max_distance + 1): table {numbers.shape}")
    end = numbers.shape[1] // 2
    distance = _checks.distances(n_queries, n_keys, offset)  # (n_queries, n_keys)
    return numbers.astype(dtype, copy=False)[:, end + np.clip(distance, -end, end)]


def relative_position_bucket(
    distance: ArrayLike, *, bidirectional: bool = True, n_buckets: int = 32, max_distance: int = 128
) -> NDArray[np.int64]:
    r"""Sort distances into buckets: one each for the near ones, wider and wider ones for the far ones.

    $$b(\delta) = \begin{cases} \delta & \delta < e \\
    \min\Big(B - 1,\; e + \Big\lfloor (B - e)\, \frac{\ln(\delta / e)}{\ln(D / e)} \Big\rfloor\Big)
    & \text{otherwise} \end{cases} \qquad e = \lfloor B / 2 \rfloor$$

    $\delta$ is how far the key stands before the query, B the number of buckets and D is `max_distance`.
    Bidirectional, each side has half of the buckets, and keys after the query the upper half of the numbers.
    Otherwise all keys after the query share bucket 0 with the query's own position. A bucket that begins at a whole
    number begins there exactly; code that takes the logarithm in float32 can miss such a distance by one bucket.

    Parameters
    ----------
    distance : array_like of int, any shape
        Key position minus query position.
    bidirectional : bool, optional
        Whether to tell keys after the query apart; False in a causal model.
    n_buckets : int, optional
        Buckets of both sides together; even if bidirectional.
    max_distance : int, optional
        All distances from here on share the last bucket of their side.

    Returns
    -------
    bucket : ndarray of int, shape of distance
        From 0 to n_buckets - 1; columns of a table (n_heads, n_buckets): `table[:, bucket]` is a bias.

    Raises
    ------
    TypeError
        If distance does not hold integers, a size is not an integer, or bidirectional not a bool.
    ValueError
        If a side has fewer than two buckets, n_buckets is odd though bidirectional, or max_distance not above the
        distances that have buckets of their own.

    References
    ----------
    [Raffel et al. 2020](../reference/sources.md#raffel2020), §2.1, and the paper's code.

    Examples
    --------
    Up to 7 each distance has a bucket, then buckets widen:

    >>> from attention import relative_position_bucket
    >>> relative_position_bucket([0, -1, -7, -8, -11, -12, -127, -128, -9999])
    array([ 0,  1,  7,  8,  8,  9, 15, 15, 15])

    Keys after the query, in both kinds of model:

    >>> from attention import relative_position_bucket
    >>> relative_position_bucket([1, 7, 8, 128])
    array([17, 23, 24, 31])
    >>> relative_position_bucket([1, 7, 8, 128], bidirectional=False)
    array([0, 0, 0, 0])
    """
    steps = _checks.integer_array("distance", distance).astype(np.int64)
    both = _checks.flag("bidirectional", bidirectional)
    n_buckets = _checks.count("n_buckets", n_buckets, minimum=4 if both else 2)
    if both and n_buckets % 2:
        raise ValueError(f"n_buckets must be even, half of them for each side: {n_buckets}")
    side = n_buckets // 2 if both else n_buckets
    near = side // 2
    max_distance = _checks.count("max_distance", max_distance, minimum=near + 1)
    far = side - near
    starts = near * (max_distance / near) ** (np.arange(1, far) / far)  # where the far buckets after the first begin
    starts = np.ceil(starts * (1 - 1e-12))  # a start that is an integer stays one whatever its rounding
    delta = np.abs(steps) if both else np.maximum(-steps, 0)
    bucket = np.where(delta < near, delta, near + np.searchsorted(starts, delta, side="right"))
    return bucket + np.where(both & (steps > 0), side, 0)
