"""What stands around attention in a transformer: normalisation, feed-forward layer, residual sums."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks
from attention._erf import erf
from attention._scores import SharedOptions
from attention.cache import KVCache
from attention.multi_head import MultiHeadWeights, Rotary, multi_head_attention
from attention.projections import project

Activation = Callable[[NDArray[Any]], NDArray[Any]]
Norm = Literal["layer", "rms"]


def layer_norm(
    x: ArrayLike,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    eps: float = 1e-5,
) -> NDArray[Any]:
    r"""Shift and scale every token to mean 0 and variance 1.

    $$y = \frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{Var}(x) + \epsilon}} \odot g + b$$

    Mean and variance are taken over the features of one token; the variance
    divides by their number.

    Parameters
    ----------
    x : array_like of shape (..., d)
        Tokens; dtypes as in `softmax`, and only x decides the dtype of the
        result.
    weight : array_like of shape (d,), optional
        The gain $g$; ones if omitted.
    bias : array_like of shape (d,), optional
        The offset $b$; zeros if omitted.
    eps : float, optional
        Keeps the root away from zero.

    Returns
    -------
    y : ndarray, shape of x
        Normalised tokens.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or eps is not a number.
    ValueError
        If weight or bias do not have shape (d,), or eps is negative.

    References
    ----------
    [Ba et al. 2016](../reference/sources.md#ba2016), §3, eqs. (3) and (4).

    Examples
    --------
    Mean 3, variance 4:

    >>> from attention import layer_norm
    >>> layer_norm([1.0, 5.0, 1.0, 5.0], eps=0)
    array([-1.,  1., -1.,  1.])

    A constant token becomes the offset:

    >>> from attention import layer_norm
    >>> layer_norm([7.0, 7.0], weight=[2.0, 3.0], bias=[0.5, -0.5])
    array([ 0.5, -0.5])
    """
    (tokens,), dtype = _arrays.to_floats(x=x)
    gain, offset = (
        _feature_row("weight", weight, tokens),
        _feature_row("bias", bias, tokens),
    )
    with np.errstate(all="ignore"):
        centred = tokens - _mean(tokens)
        variance = _mean(centred * centred)
        y: NDArray[Any] = (
            centred / np.sqrt(variance + _small("eps", eps)) * gain
        )
        return (y if bias is None else y + offset).astype(dtype, copy=False)


def rms_norm(
    x: ArrayLike, weight: ArrayLike | None = None, *, eps: float = 1e-5
) -> NDArray[Any]:
    r"""Scale every token to a mean square of 1.

    $$y = \frac{x}{\sqrt{\operatorname{mean}(x^2) + \epsilon}} \odot g$$

    Parameters
    ----------
    x : array_like of shape (..., d)
        Tokens; dtypes as in `layer_norm`.
    weight : array_like of shape (d,), optional
        The gain $g$; ones if omitted.
    eps : float, optional
        Keeps the root away from zero.

    Returns
    -------
    y : ndarray, shape of x
        Scaled tokens; their mean is not moved.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or eps is not a number.
    ValueError
        If weight does not have shape (d,), or eps is negative.

    References
    ----------
    [Zhang & Sennrich 2019](../reference/sources.md#zhang2019), §4, eq. (4).

    Examples
    --------
    The mean square of 1, 7, 1, 7 is 25:

    >>> from attention import rms_norm
    >>> rms_norm([1.0, 7.0, 1.0, 7.0], eps=0)
    array([0.2, 1.4, 0.2, 1.4])

    A gain for each feature:

    >>> from attention import rms_norm
    >>> rms_norm([3.0, 3.0], weight=[1.0, 10.0], eps=0)
    array([ 1., 10.])
    """
    (tokens,), dtype = _arrays.to_floats(x=x)
    gain = _feature_row("weight", weight, tokens)
    with np.errstate(all="ignore"):
        y: NDArray[Any] = (
            tokens
            / np.sqrt(_mean(tokens * tokens) + _small("eps", eps))
            * gain
        )
        return y.astype(dtype, copy=False)


def gelu(x: ArrayLike, *, approximate: bool = False) -> NDArray[Any]:
    r"""Let large numbers pass and hold back negative ones, smoothly.

    $$\operatorname{gelu}(x) = x\, \Phi(x) = \frac x2 \Big(1 + \operatorname{erf} \frac{x}{\sqrt 2}\Big)$$

    $\Phi$ is the distribution function of the standard normal, and erf is
    right to two units in the last place.

    Parameters
    ----------
    x : array_like
        Any numbers; dtypes as in `softmax`.
    approximate : bool, optional
        Use $\frac x2 (1 + \tanh(\sqrt{2/\pi}\,(x + 0.044715\, x^3)))$ instead:
        faster here, and what some models were trained with.

    Returns
    -------
    y : ndarray, shape of x
        Near x for large x, near 0 for very negative x; 0 at -inf, the limit.

    Raises
    ------
    TypeError
        If x does not hold real numbers.

    References
    ----------
    [Hendrycks & Gimpel 2016](../reference/sources.md#hendrycks2016), §2.

    Examples
    --------
    $\Phi(0) = 1/2$ and $\Phi(1) = 0.8413$:

    >>> from attention import gelu
    >>> gelu([-100.0, 0.0, 1.0, 100.0]).round(4)
    array([ -0.    ,   0.    ,   0.8413, 100.    ])

    The approximation is close:

    >>> import numpy as np
    >>> from attention import gelu
    >>> x = np.linspace(-6, 6, 101)
    >>> bool(abs(gelu(x) - gelu(x, approximate=True)).max() < 5e-4)
    True
    """
    (numbers,), dtype = _arrays.to_floats(x=x)
    with np.errstate(all="ignore"):
        if _checks.flag("approximate", approximate):
            gate = np.tanh(
                math.sqrt(2 / math.pi)
                * (numbers + 0.044715 * (numbers * numbers * numbers))
            )
        else:
            gate = erf(numbers / math.sqrt(2))
        return _zero_at_minus_infinity(
            numbers, numbers / 2 * (1 + gate)
        ).astype(dtype, copy=False)


def silu(x: ArrayLike) -> NDArray[Any]:
    r"""Multiply each number by its logistic function: large ones pass, negative ones are held back.

    $$\operatorname{silu}(x) = x\, \sigma(x) = \frac{x}{1 + e^{-x}}$$

    It is also known as Swish, and is the activation in the feed-forward layers
    of Llama.

    Parameters
    ----------
    x : array_like
        Any numbers; dtypes as in `softmax`.

    Returns
    -------
    y : ndarray, shape of x
        Near x for large x, near 0 for very negative x; 0 at -inf, the limit.

    Raises
    ------
    TypeError
        If x does not hold real numbers.

    References
    ----------
    [Hendrycks & Gimpel 2016](../reference/sources.md#hendrycks2016), §2.

    Examples
    --------
    $\sigma(0) = 1/2$, and $\sigma(\ln 3) = 3/4$:

    >>> import numpy as np
    >>> from attention import silu
    >>> silu([-1000.0, 0.0, 1000.0])
    array([  -0.,    0., 1000.])
    >>> silu(np.log(3)) / np.log(3)
    np.float64(0.75)
    """
    (numbers,), dtype = _arrays.to_floats(x=x)
    with np.errstate(all="ignore"):
        small = np.exp(
            -np.abs(numbers)
        )  # at most 1, so that nothing overflows
        y = numbers * np.where(numbers < 0, small, 1) / (1 + small)
        return _zero_at_minus_infinity(numbers, y).astype(dtype, copy=False)


def _zero_at_minus_infinity(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    lowest = x == -np.inf  # there, -inf times 0 would be nan
    return np.where(lowest, 0, y) if lowest.any() else np.asarray(y)


def feed_forward(
    x: ArrayLike,
    w_in: ArrayLike,
    w_out: ArrayLike,
    b_in: ArrayLike | None = None,
    b_out: ArrayLike | None = None,
    *,
    w_gate: ArrayLike | None = None,
    activation: Callable[[NDArray[Any]], NDArray[Any]] = gelu,
) -> NDArray[Any]:
    r"""Widen every token, apply a function to each feature, and narrow it again.

    $$y = \phi(x W_{\text{in}} + b_{\text{in}})\, W_{\text{out}} + b_{\text{out}}$$

    With `w_gate` the function makes a gate for each feature instead (GEGLU;
    SwiGLU with `activation=silu`):

    $$y = \big(\phi(x W_{\text{gate}}) \odot (x W_{\text{in}} + b_{\text{in}})\big)\, W_{\text{out}} + b_{\text{out}}$$

    Tokens do not see each other here.

    Parameters
    ----------
    x : array_like of shape (..., n, d_model)
        Tokens, one a row. x and the matrices promote to a common dtype as in
        `project`.
    w_in : array_like of shape (d_model, d_hidden)
        It widens.
    w_out : array_like of shape (d_hidden, d_out)
        It narrows.
    b_in, b_out : array_like of shape (d_hidden,) and (d_out,), optional
        Biases.
    w_gate : array_like of shape (d_model, d_hidden), optional
        It makes the gates; they have no bias.
    activation : callable, optional
        The function $\phi$, from array to array of the same shape.

    Returns
    -------
    y : ndarray of shape (..., n, d_out)
        One row for every token.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or activation is not callable.
    ValueError
        If shapes do not fit, or activation changes the shape; the message
        shows them.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.3, eq. (2),
    there with a rectifier. Gates: [Shazeer
    2020](../reference/sources.md#shazeer2020), §2.

    Examples
    --------
    A rectifier keeps 3 and drops -3; then $2 \cdot 3 + 1 = 7$:

    >>> import numpy as np
    >>> from attention import feed_forward
    >>> def relu(x):
    ...     return np.maximum(x, 0)
    >>> w_in, w_out = [[1.0, -1.0]], [[2.0], [5.0]]
    >>> feed_forward([[3.0]], w_in, w_out, b_out=[1.0], activation=relu)
    array([[7.]])

    The rectified gate is $1 \cdot 3 = 3$ for the token 3, and 0 for the token
    -3; $3 \cdot (2 \cdot 3) = 18$:

    >>> import numpy as np
    >>> from attention import feed_forward
    >>> def relu(x):
    ...     return np.maximum(x, 0)
    >>> x, one = [[3.0], [-3.0]], [[1.0]]
    >>> feed_forward(x, [[2.0]], one, w_gate=one, activation=relu)
    array([[18.],
           [ 0.]])

    Each token by itself: reordered tokens give reordered results.

    >>> import numpy as np
    >>> from attention import feed_forward
    >>> x, w = np.array([[1.0, 2.0], [3.0, 4.0]]), np.eye(2)
    >>> np.array_equal(feed_forward(x[::-1], w, w), feed_forward(x, w, w)[::-1])
    True
    """
    _checks.function("activation", activation)
    gates = {} if w_gate is None else {"w_gate": w_gate}
    (tokens, wi, wo, *wg), dtype = _arrays.to_floats(
        x=x, w_in=w_in, w_out=w_out, **gates
    )
    _checks.matrix_fits("x", tokens, "w_in", wi)
    _checks.matrix_fits("w_in", wi, "w_out", wo)
    if wg:
        _checks.gate_fits(wg[0], wi)
    for end, bias, matrix in (("in", b_in, wi), ("out", b_out, wo)):
        if bias is not None:
            _checks.bias_fits(
                f"b_{end}",
                _arrays.real_array(f"b_{end}", bias),
                f"w_{end}",
                matrix,
            )
    hidden = project(tokens, wi, b_in)
    if wg:
        with np.errstate(all="ignore"):
            hidden = _activated(activation, project(tokens, wg[0])) * hidden
    else:
        hidden = _activated(activation, hidden)
    return _arrays.rounded(project(hidden, wo, b_out), dtype)


def _activated(activation: Activation, hidden: NDArray[Any]) -> NDArray[Any]:
    active = np.asarray(activation(hidden))
    if (
        active.shape != hidden.shape
    ):  # else a smaller one would broadcast in the residual sum
        raise ValueError(
            f"activation must keep the shape: given {hidden.shape}, returned {active.shape}"
        )
    return active


_ROWS = ("norm1_weight", "norm1_bias", "norm2_weight", "norm2_bias")


@dataclass(frozen=True, eq=False)
class BlockWeights:
    """All that one block of a transformer learns.

    Parameters
    ----------
    attention : MultiHeadWeights
        The heads; their output has d_model features.
    w_in, w_out : array_like of shape (d_model, d_hidden) and (d_hidden, d_model)
        The feed-forward layer.
    b_in, b_out : array_like of shape (d_hidden,) and (d_model,), optional
        Its biases.
    norm1_weight, norm1_bias, norm2_weight, norm2_bias : array_like of shape (d_model,), optional
        Gain and offset of the two norms, the first of attention, the second of
        the feed-forward layer.
    w_gate : array_like of shape (d_model, d_hidden), optional
        The gates of the feed-forward layer, as in `feed_forward`.
    norm : "layer" or "rms", optional
        `layer_norm` or `rms_norm`; the latter has no offset.
    activation : callable, optional
        The function in the feed-forward layer.
    eps : float, optional
        As in `layer_norm`.

    Raises
    ------
    TypeError
        If attention is not MultiHeadWeights, an array does not hold real
        numbers, or activation is not callable.
    ValueError
        If a matrix, bias, gain or offset does not fit; the message names it
        and shows the shapes. If norm is another name, or "rms" and an offset
        is given; if eps is negative.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.1 and §3.3.
    With RMS norms and gates: [Touvron et al.
    2023](../reference/sources.md#touvron2023), §2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from attention import BlockWeights, MultiHeadWeights
    >>> rng = np.random.default_rng(0)
    >>> heads = MultiHeadWeights.random(8, 2, rng=rng)
    >>> w_in, w_out = rng.standard_normal((8, 32)), rng.standard_normal((32, 8))
    >>> weights = BlockWeights(heads, w_in, w_out)
    >>> weights.w_in.shape, weights.b_in is None
    ((8, 32), True)

    The parts of Llama: RMS norms, a gated feed-forward layer, and heads that
    share keys and values.

    >>> import numpy as np
    >>> from attention import BlockWeights, MultiHeadWeights, silu
    >>> rng = np.random.default_rng(0)
    >>> heads = MultiHeadWeights.random(8, 4, n_kv_heads=2, rng=rng)
    >>> w_gate, w_in = rng.standard_normal((2, 8, 24))
    >>> llama = BlockWeights(
    ...     heads, w_in, w_in.T, w_gate=w_gate, norm="rms", activation=silu
    ... )
    >>> llama.norm, llama.w_gate.shape
    ('rms', (8, 24))
    """

    attention: MultiHeadWeights
    w_in: NDArray[Any]
    w_out: NDArray[Any]
    b_in: NDArray[Any] | None = None
    b_out: NDArray[Any] | None = None
    norm1_weight: NDArray[Any] | None = None
    norm1_bias: NDArray[Any] | None = None
    norm2_weight: NDArray[Any] | None = None
    norm2_bias: NDArray[Any] | None = None
    w_gate: NDArray[Any] | None = field(default=None, kw_only=True)
    norm: Norm = field(default="layer", kw_only=True)
    activation: Activation = field(default=gelu, kw_only=True)
    eps: float = field(default=1e-5, kw_only=True)

    if TYPE_CHECKING:  # for whoever checks types: anything like an array may be given, and an array is kept

        def __init__(
            self,
            attention: MultiHeadWeights,
            w_in: ArrayLike,
            w_out: ArrayLike,
            b_in: ArrayLike | None = None,
            b_out: ArrayLike | None = None,
            norm1_weight: ArrayLike | None = None,
            norm1_bias: ArrayLike | None = None,
            norm2_weight: ArrayLike | None = None,
            norm2_bias: ArrayLike | None = None,
            *,
            w_gate: ArrayLike | None = None,
            norm: Norm = "layer",
            activation: Activation = gelu,
            eps: float = 1e-5,
        ) -> None: ...

    def __post_init__(self) -> None:
        _checks.instance("attention", self.attention, MultiHeadWeights)
        _checks.one_of("norm", self.norm, ("layer", "rms"))
        _checks.function("activation", self.activation)
        _small("eps", self.eps)
        for name in ("w_in", "w_out", "w_gate", "b_in", "b_out", *_ROWS):
            given = getattr(self, name)
            if given is not None or name in ("w_in", "w_out"):
                object.__setattr__(
                    self, name, _arrays.float_array(name, given)
                )
        self._check(self.attention, self.attention.w_q.shape[0])

    def _check(self, heads: MultiHeadWeights, d_model: int) -> None:
        if not heads.w_k.shape[0] == heads.w_o.shape[1] == d_model:
            raise ValueError(
                f"attention must take and return d_model = {d_model} features: "
                f"w_q {heads.w_q.shape}, w_k {heads.w_k.shape}, w_o {heads.w_o.shape}"
            )
        if self.w_in.ndim != 2 or self.w_in.shape[0] != d_model:
            raise ValueError(
                f"w_in must have d_model = {d_model} rows: w_in {self.w_in.shape}, w_q {heads.w_q.shape}"
            )
        d_hidden = self.w_in.shape[1]
        if self.w_out.shape != (d_hidden, d_model):
            raise ValueError(
                f"w_out must have shape (d_hidden, d_model) = {(d_hidden, d_model)}: "
                f"w_out {self.w_out.shape}, w_in {self.w_in.shape}"
            )
        if self.w_gate is not None:
            _checks.gate_fits(self.w_gate, self.w_in)
        for end in ("in", "out"):
            bias = getattr(self, f"b_{end}")
            if bias is not None:
                _checks.bias_fits(
                    f"b_{end}", bias, f"w_{end}", getattr(self, f"w_{end}")
                )
        for name in _ROWS:
            row = getattr(self, name)
            if row is not None and row.shape != (d_model,):
                raise ValueError(
                    f"{name} must have a number for each of d_model = {d_model} features: {row.shape}"
                )
            if (
                row is not None
                and name.endswith("bias")
                and self.norm == "rms"
            ):
                raise ValueError(
                    f"{name} must be left out with norm='rms', which has no offset: {name} {row.shape}"
                )


class _BlockOptions(SharedOptions, total=False):
    """What a block passes on to `multi_head_attention`: all but memory, since its tokens attend to each other."""

    rotary: Rotary | None


def transformer_block(
    x: ArrayLike,
    weights: BlockWeights,
    *,
    norm_first: bool = True,
    cache: KVCache | None = None,
    **options: Unpack[_BlockOptions],
) -> NDArray[Any]:
    r"""Let tokens attend to each other, then transform each by itself, and add both to what came in.

    $$y = x + \operatorname{MHA}(\operatorname{LN}_1(x)), \qquad z = y + \operatorname{FF}(\operatorname{LN}_2(y))$$

    With norm_first=False the sums are normalised instead, as in the first
    transformer: $y = \operatorname{LN}_1(x + \operatorname{MHA}(x))$ and $z =
    \operatorname{LN}_2(y + \operatorname{FF}(y))$. LN is the norm that the
    weights name, `layer_norm` or `rms_norm`.

    Parameters
    ----------
    x : array_like of shape (..., n, d_model)
        Tokens, one a row. x and the matrices promote to a common dtype as in
        `multi_head_attention`.
    weights : BlockWeights
        What the block has learned.
    norm_first : bool, optional
        Where the norms stand: before each part (pre-LN), or after each sum
        (post-LN).
    cache : KVCache, optional
        The keys and values of this block for the tokens before x, as in
        `multi_head_attention`; each block has its own.
    **options
        rotary as in `multi_head_attention`, the others as in
        `attention_weights`; not memory, as the tokens attend to each other.

    Returns
    -------
    z : ndarray of shape (..., n, d_model)
        Tokens for the next block.

    Raises
    ------
    TypeError
        If weights are not BlockWeights; as in `multi_head_attention`.
    ValueError
        As in `multi_head_attention` and `feed_forward`. The cache is then
        unchanged.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.1, for
    post-LN; [Xiong et al. 2020](../reference/sources.md#xiong2020), §3, for
    pre-LN.

    Examples
    --------
    A block keeps the shape, so that blocks can be stacked:

    >>> import numpy as np
    >>> from attention import BlockWeights, MultiHeadWeights, transformer_block
    >>> rng = np.random.default_rng(0)
    >>> heads = MultiHeadWeights.random(8, 2, rng=rng)
    >>> w_in, w_out = rng.standard_normal((8, 32)), rng.standard_normal((32, 8))
    >>> weights = BlockWeights(heads, w_in, w_out)
    >>> x = rng.standard_normal((5, 8))
    >>> once = transformer_block(x, weights)
    >>> transformer_block(once, weights, is_causal=True).shape
    (5, 8)

    With parts that return zeros a pre-LN block hands its input on unchanged:

    >>> import numpy as np
    >>> from attention import BlockWeights, MultiHeadWeights, transformer_block
    >>> heads = MultiHeadWeights(*[np.zeros((4, 4))] * 4, n_heads=2)
    >>> zeros = BlockWeights(heads, np.zeros((4, 6)), np.zeros((6, 4)))
    >>> transformer_block([[1.0, 2, 3, 4]], zeros)
    array([[1., 2., 3., 4.]])
    """
    _checks.options_of(
        "transformer_block",
        ("norm_first", "cache", *_BlockOptions.__annotations__),
        options,
    )
    w = _checks.instance("weights", weights, BlockWeights)
    if cache is not None:
        _checks.instance("cache", cache, KVCache)

    def attend(tokens: NDArray[Any]) -> NDArray[Any]:
        return multi_head_attention(
            tokens, w.attention, cache=cache, **options
        )

    def transform(tokens: NDArray[Any]) -> NDArray[Any]:
        return feed_forward(
            tokens,
            w.w_in,
            w.w_out,
            w.b_in,
            w.b_out,
            w_gate=w.w_gate,
            activation=w.activation,
        )

    norm1, norm2 = partial(_norm, w, 1), partial(_norm, w, 2)
    heads, gates = (
        w.attention,
        {} if w.w_gate is None else {"w_gate": w.w_gate},
    )
    matrices = {
        "w_q": heads.w_q,
        "w_k": heads.w_k,
        "w_v": heads.w_v,
        "w_o": heads.w_o,
    }
    (tokens, *_), dtype = _arrays.to_floats(
        x=x, **matrices, w_in=w.w_in, w_out=w.w_out, **gates
    )
    _checks.matrix_fits(
        "x", tokens, "w_q", heads.w_q
    )  # else a norm would call it a matter of its weight
    with _checks.unchanged_if_refused(cache):
        if _checks.flag("norm_first", norm_first):
            y = _sum(tokens, attend(norm1(tokens)))
            z = _sum(y, transform(norm2(y)))
        else:
            y = norm1(_sum(tokens, attend(tokens)))
            z = norm2(_sum(y, transform(y)))
    return _arrays.rounded(z, dtype)


def _norm(w: BlockWeights, at: int, tokens: NDArray[Any]) -> NDArray[Any]:
    """Apply the first or the second norm of a block."""
    gain, offset = (
        getattr(w, f"norm{at}_{row}") for row in ("weight", "bias")
    )
    return (
        rms_norm(tokens, gain, eps=w.eps)
        if w.norm == "rms"
        else layer_norm(tokens, gain, offset, eps=w.eps)
    )


def _sum(x: NDArray[Any], change: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        total: NDArray[Any] = x + change
    return total


def _mean(x: NDArray[Any]) -> NDArray[Any]:
    """Average over the features; unlike np.mean without a warning where there are none."""
    mean: NDArray[Any] = x.sum(axis=-1, keepdims=True) / x.shape[-1]
    return mean


def _feature_row(
    name: str, row: ArrayLike | None, tokens: NDArray[Any]
) -> NDArray[Any]:
    """Return a gain or offset for each feature, in the dtype of the computation; ones if there is none."""
    _checks.has_axes("(..., d)", 1, x=tokens)
    array = _arrays.real_array(
        name, np.ones(tokens.shape[-1:]) if row is None else row
    )
    if array.shape != tokens.shape[-1:]:
        raise ValueError(
            f"{name} must have a number for each feature of x: {name} {array.shape}, x {tokens.shape}"
        )
    return array.astype(tokens.dtype)


def _small(name: str, value: float) -> float:
    if _checks.finite(name, value) < 0:
        raise ValueError(f"{name} must not be negative: {value}")
    return float(value)
