"""The rest of a transformer block: norms, the feed-forward layer, the sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import SharedOptions
from attention.cache import KVCache
from attention.multi_head import MultiHeadWeights, Rotary, multi_head_attention

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

    $$y = \frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{Var}(x) +
    \epsilon}} \odot g + b$$

    Mean and variance are taken over the features of one token; the variance
    divides by their number. Raises [an error](index.md#errors) if eps is
    negative.

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
        Normalised tokens. If the squares overflow, beyond about 1e19 in
        float32 and 1e154 in float64, all features are 0 before gain and
        offset.

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

    >>> layer_norm([7.0, 7.0], weight=[2.0, 3.0], bias=[0.5, -0.5])
    array([ 0.5, -0.5])
    """
    (tokens,), dtype = _inputs.floats(x=x)
    gain = _per_feature("weight", weight, 1, tokens)
    offset = _per_feature("bias", bias, 0, tokens)
    eps = _not_negative("eps", eps)
    n_features = tokens.shape[-1]
    with np.errstate(all="ignore"):
        mean = tokens.sum(axis=-1, keepdims=True) / n_features
        squares = (tokens - mean) ** 2
        variance = squares.sum(axis=-1, keepdims=True) / n_features
        y: NDArray[Any] = (tokens - mean) / np.sqrt(variance + eps)
        y = y * gain + offset
        return y.astype(dtype, copy=False)


def rms_norm(
    x: ArrayLike, weight: ArrayLike | None = None, *, eps: float = 1e-5
) -> NDArray[Any]:
    r"""Scale every token to a mean square of 1.

    $$y = \frac{x}{\sqrt{\operatorname{mean}(x^2) + \epsilon}} \odot g$$

    Raises [an error](index.md#errors) if eps is negative.

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
        Scaled tokens. Squares that overflow make zeros, as in `layer_norm`.

    References
    ----------
    [Zhang & Sennrich 2019](../reference/sources.md#zhang2019), §4, eq. (4).

    Examples
    --------
    The mean square of 1, 7, 1, 7 is 25. The mean is not subtracted, and it is
    divided by 5 like everything else, from 4 to 0.8:

    >>> from attention import rms_norm
    >>> y = rms_norm([1.0, 7.0, 1.0, 7.0], eps=0)
    >>> print(y, y.mean().round(12))
    [0.2 1.4 0.2 1.4] 0.8
    """
    (tokens,), dtype = _inputs.floats(x=x)
    gain = _per_feature("weight", weight, 1, tokens)
    eps = _not_negative("eps", eps)
    with np.errstate(all="ignore"):
        total = (tokens**2).sum(axis=-1, keepdims=True)
        mean_square = total / tokens.shape[-1]
        y: NDArray[Any] = tokens / np.sqrt(mean_square + eps) * gain
        return y.astype(dtype, copy=False)


def gelu(x: ArrayLike, *, approximate: bool = False) -> NDArray[Any]:
    r"""Let large numbers pass and hold back negative ones, smoothly.

    $$\operatorname{gelu}(x) = x\, \Phi(x) = \frac x2 \Big(1 +
    \operatorname{erf} \frac{x}{\sqrt 2}\Big)$$

    $\Phi$ is the distribution function of the standard normal; erf is that of
    Python's `math`. Raises [an error](index.md#errors) if x holds no real
    numbers.

    Parameters
    ----------
    x : array_like
        Any numbers; dtypes as in `softmax`.
    approximate : bool, optional
        Use $\frac x2 (1 + \tanh(\sqrt{2/\pi}\,(x + 0.044715\, x^3)))$
        instead: faster here, and what some models were trained with.

    Returns
    -------
    y : ndarray, shape of x
        Near x for large x, near 0 for very negative x; 0 at -inf, the limit.

    References
    ----------
    [Hendrycks & Gimpel 2016](../reference/sources.md#hendrycks2016), §2.

    Examples
    --------
    $\Phi(0) = 1/2$ and $\Phi(1) = 0.8413$:

    >>> from attention import gelu
    >>> gelu([-100.0, 0.0, 1.0, 100.0]).round(4)
    array([ -0.    ,   0.    ,   0.8413, 100.    ])
    """
    (x,), dtype = _inputs.floats(x=x)
    approximate = _inputs.flag("approximate", approximate)
    with np.errstate(all="ignore"):
        if approximate:
            inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
            y = x / 2 * (1 + np.tanh(inner))
        else:
            erf = np.vectorize(math.erf, otypes=[np.float64])  # NumPy has none
            y = x / 2 * (1 + erf(x / math.sqrt(2)).astype(x.dtype))
        y = np.where(x == -np.inf, 0, y)  # -inf times 0 would be nan
        return y.astype(dtype, copy=False)


def silu(x: ArrayLike) -> NDArray[Any]:
    r"""Multiply each number by its logistic function, as a smooth gate.

    $$\operatorname{silu}(x) = x\, \sigma(x) = \frac{x}{1 + e^{-x}}$$

    It is also known as Swish, and is the activation in the feed-forward layers
    of Llama. Raises [an error](index.md#errors) if x holds no real numbers.

    Parameters
    ----------
    x : array_like
        Any numbers; dtypes as in `softmax`.

    Returns
    -------
    y : ndarray, shape of x
        Near x for large x, near 0 for very negative x; 0 at -inf, the limit.

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
    (x,), dtype = _inputs.floats(x=x)
    with np.errstate(all="ignore"):
        small = np.exp(-np.abs(x))  # at most 1, so that nothing overflows
        y = x * np.where(x < 0, small, 1) / (1 + small)
        y = np.where(x == -np.inf, 0, y)  # -inf times 0 would be nan
        return y.astype(dtype, copy=False)


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
    r"""Widen every token, apply a function to each feature, and narrow it.

    $$y = \phi(x W_{\text{in}} + b_{\text{in}})\, W_{\text{out}} +
    b_{\text{out}}$$

    With `w_gate` the function makes a gate for each feature instead (GEGLU;
    SwiGLU with `activation=silu`):

    $$y = \big(\phi(x W_{\text{gate}}) \odot (x W_{\text{in}} +
    b_{\text{in}})\big)\, W_{\text{out}} + b_{\text{out}}$$

    Tokens do not see each other here. Raises [an error](index.md#errors) if
    activation changes the shape.

    Parameters
    ----------
    x : array_like of shape (..., n, d_model)
        Tokens, one per row. x and the matrices promote to a common dtype as
        in `project`.
    w_in, w_out : array_like of shape (d_model, d_hidden) and (d_hidden, d_out)
        Widens the tokens, and narrows them again.
    b_in, b_out : array_like of shape (d_hidden,) and (d_out,), optional
        Biases.
    w_gate : array_like of shape (d_model, d_hidden), optional
        Makes the gates; they have no bias.
    activation : callable, optional
        The function $\phi$, from array to array of the same shape.

    Returns
    -------
    y : ndarray of shape (..., n, d_out)
        One row for every token.

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
    """
    _check_activation(activation)
    gates = {} if w_gate is None else {"w_gate": w_gate}
    (x, w_in, w_out, *given), dtype = _inputs.floats(
        x=x, w_in=w_in, w_out=w_out, **gates
    )
    _inputs.matrix_fits("x", x, "w_in", w_in)
    if w_out.ndim != 2 or w_out.shape[0] != w_in.shape[1]:
        rule = "w_in (d_in, d_hidden) and w_out (d_hidden, d_out) must fit"
        _inputs.refuse(rule, w_in=w_in, w_out=w_out)
    w_gate = given[0] if given else None
    _check_gate(w_gate, w_in)
    b_in = 0 if b_in is None else _inputs.row("b_in", b_in, "w_in", w_in)
    b_out = 0 if b_out is None else _inputs.row("b_out", b_out, "w_out", w_out)
    with np.errstate(all="ignore"):
        hidden = x @ w_in + b_in
        gated = activation(hidden if w_gate is None else x @ w_gate)
        gated = _inputs.real("what activation returns", gated)
        if gated.shape != hidden.shape:  # a smaller one would broadcast
            rule = "activation must keep the shape"
            _inputs.refuse(rule, given=hidden, returned=gated)
        if w_gate is not None:
            gated = gated * hidden
        y = gated @ w_out + b_out
        return y.astype(dtype, copy=False)


_ROWS = ("norm1_weight", "norm1_bias", "norm2_weight", "norm2_bias")


@dataclass(frozen=True, eq=False)
class BlockWeights:
    """All that one block of a transformer learns.

    Parameters
    ----------
    attention : MultiHeadWeights
        The heads; their output has d_model features.
    w_in : array_like of shape (d_model, d_hidden)
        The feed-forward layer's first matrix.
    w_out : array_like of shape (d_hidden, d_model)
        Its second matrix.
    b_in, b_out : array_like of shape (d_hidden,) and (d_model,), optional
        Its biases.
    norm1_weight, norm1_bias : array_like of shape (d_model,), optional
        Gain and offset of the norm of attention.
    norm2_weight, norm2_bias : array_like of shape (d_model,), optional
        Gain and offset of the norm of the feed-forward layer.
    w_gate : array_like of shape (d_model, d_hidden), optional
        The gates of the feed-forward layer, as in `feed_forward`.
    norm : "layer" or "rms", optional
        `layer_norm` or `rms_norm`; the latter has no offset.
    activation : callable, optional
        The function in the feed-forward layer.
    eps : float, optional
        As in `layer_norm`.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.1 and §3.3.
    With RMS norms and gates: [Touvron et al.
    2023](../reference/sources.md#touvron2023), §2.2.
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

    def __post_init__(self) -> None:
        _inputs.instance("attention", self.attention, MultiHeadWeights)
        _inputs.one_of("norm", self.norm, ("layer", "rms"))
        _check_activation(self.activation)
        _not_negative("eps", self.eps)
        for name in ("w_in", "w_out", "w_gate", "b_in", "b_out", *_ROWS):
            given = getattr(self, name)
            if given is not None or name in ("w_in", "w_out"):
                array = _inputs.floating(name, given)
                object.__setattr__(self, name, array)
        self._check(self.attention, self.attention.w_q.shape[0])

    def _check(self, heads: MultiHeadWeights, d_model: int) -> None:
        w_in, w_out = self.w_in, self.w_out
        if not heads.w_k.shape[0] == heads.w_o.shape[1] == d_model:
            rule = f"attention must take and return d_model = {d_model}"
            given = {"w_q": heads.w_q, "w_k": heads.w_k, "w_o": heads.w_o}
            _inputs.refuse(f"{rule} features", **given)
        if w_in.ndim != 2 or w_in.shape[0] != d_model:
            rule = f"w_in must have d_model = {d_model} rows"
            _inputs.refuse(rule, w_in=w_in, w_q=heads.w_q)
        if w_out.shape != (w_in.shape[1], d_model):
            rule = "w_out must have shape (d_hidden, d_model) = "
            rule += f"{(w_in.shape[1], d_model)}"
            _inputs.refuse(rule, w_out=w_out, w_in=w_in)
        _check_gate(self.w_gate, w_in)
        if self.b_in is not None:
            _inputs.row("b_in", self.b_in, "w_in", w_in)
        if self.b_out is not None:
            _inputs.row("b_out", self.b_out, "w_out", w_out)
        for name in _ROWS:
            row = getattr(self, name)
            if row is not None and row.shape != (d_model,):
                rule = f"{name} must have one number for each of d_model = "
                _inputs.refuse(f"{rule}{d_model} features", **{name: row})
            if row is not None and name[5:] == "_bias" and self.norm == "rms":
                rule = f"{name} must be left out, as norm='rms' has no offset"
                _inputs.refuse(rule, **{name: row})


class _BlockOptions(SharedOptions, total=False):
    """What a block passes on: all but memory, as its tokens are its memory."""

    rotary: Rotary | None


def transformer_block(
    x: ArrayLike,
    weights: BlockWeights,
    *,
    norm_first: bool = True,
    cache: KVCache | None = None,
    **options: Unpack[_BlockOptions],
) -> NDArray[Any]:
    r"""Let tokens attend to each other, then transform each by itself.

    $$y = x + \operatorname{MHA}(\operatorname{LN}_1(x)), \qquad z = y +
    \operatorname{FF}(\operatorname{LN}_2(y))$$

    With norm_first=False the sums are normalised instead, as in the first
    transformer: $y = \operatorname{LN}_1(x + \operatorname{MHA}(x))$ and $z =
    \operatorname{LN}_2(y + \operatorname{FF}(y))$. LN is the norm that the
    weights name, `layer_norm` or `rms_norm`. Raises [an
    error](index.md#errors) as `multi_head_attention` and `feed_forward` do;
    the cache is then unchanged.

    Parameters
    ----------
    x : array_like of shape (..., n, d_model)
        Tokens, one per row. x and the matrices promote to a common dtype as in
        `multi_head_attention`.
    weights : BlockWeights
        What the block has learned.
    norm_first : bool, optional
        Normalise before each part (pre-LN), or after each sum (post-LN).
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

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.1, for
    post-LN; [Xiong et al. 2020](../reference/sources.md#xiong2020), §3, for
    pre-LN.

    Examples
    --------
    With parts that return zeros a pre-LN block hands its input on unchanged:

    >>> import numpy as np
    >>> from attention import BlockWeights, MultiHeadWeights, transformer_block
    >>> heads = MultiHeadWeights(*[np.zeros((4, 4))] * 4, n_heads=2)
    >>> zeros = BlockWeights(heads, np.zeros((4, 6)), np.zeros((6, 4)))
    >>> transformer_block([[1.0, 2, 3, 4]], zeros)
    array([[1., 2., 3., 4.]])
    """
    _inputs.options(transformer_block, options, _BlockOptions)
    _inputs.instance("weights", weights, BlockWeights)
    w, heads = weights, weights.attention
    matrices = {"w_q": heads.w_q, "w_k": heads.w_k, "w_v": heads.w_v}
    matrices |= {"w_o": heads.w_o, "w_in": w.w_in, "w_out": w.w_out}
    if w.w_gate is not None:
        matrices["w_gate"] = w.w_gate
    (x, w_q, *_), dtype = _inputs.floats(x=x, **matrices)
    _inputs.matrix_fits("x", x, "w_q", w_q)
    norm_first = _inputs.flag("norm_first", norm_first)
    if cache is not None:
        _inputs.instance("cache", cache, KVCache)
    step = copy(cache)  # a refused call leaves the cache as it was

    def attend(tokens: NDArray[Any]) -> Any:
        return multi_head_attention(tokens, heads, cache=step, **options)

    def transform(tokens: NDArray[Any]) -> NDArray[Any]:
        return feed_forward(
            tokens, w.w_in, w.w_out, w.b_in, w.b_out, w_gate=w.w_gate,
            activation=w.activation,
        )  # fmt: skip

    def norm(i: Literal[1, 2], tokens: NDArray[Any]) -> NDArray[Any]:
        gain = getattr(w, f"norm{i}_weight")
        if w.norm == "rms":
            return rms_norm(tokens, gain, eps=w.eps)
        return layer_norm(tokens, gain, getattr(w, f"norm{i}_bias"), eps=w.eps)

    with np.errstate(all="ignore"):
        if norm_first:
            y: NDArray[Any] = x + attend(norm(1, x))
            z: NDArray[Any] = y + transform(norm(2, y))
        else:
            y = norm(1, x + attend(x))
            z = norm(2, y + transform(y))
        if cache is not None:  # nothing was refused
            vars(cache).update(vars(step))
        return z.astype(dtype, copy=False)


def _per_feature(
    name: str, row: ArrayLike | None, default: float, x: NDArray[Any]
) -> NDArray[Any]:
    """Return one number per feature of x, in its dtype."""
    if x.ndim < 1:
        _inputs.refuse("x must have at least 1 axis, (..., d)", x=x)
    if row is None:
        return np.full(x.shape[-1:], default, x.dtype)
    return _inputs.row(name, row, "x", x, "feature")


def _not_negative(name: str, value: float) -> float:
    if _inputs.number(name, value) < 0:
        _inputs.refuse(f"{name} must not be negative", given=value)
    return float(value)


def _check_activation(activation: Activation) -> None:
    if not callable(activation):
        raise TypeError(f"activation must be a function: {activation!r}")


def _check_gate(w_gate: NDArray[Any] | None, w_in: NDArray[Any]) -> None:
    if w_gate is not None and w_gate.shape != w_in.shape:
        rule = "w_gate must have the shape of w_in"
        _inputs.refuse(rule, w_gate=w_gate, w_in=w_in)
