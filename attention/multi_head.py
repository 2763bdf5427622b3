"""Several heads side by side, and the matrix that joins them."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention import _inputs
from attention.arguments import SharedOptions, _prepared, _read_window
from attention.cache import KVCache
from attention.dot_product import _weights
from attention.head_shapes import merge_heads, split_heads
from attention.rotary import _rotation_fits, apply_rotary


class Rotary(NamedTuple):
    """Tables for rotary positions, and how the features are paired.

    `rotary_tables` makes the tables, and `apply_rotary` uses them.

    Attributes
    ----------
    cos, sin : array_like of shape (n, r / 2) or (batch, 1, n, r / 2)
        Cosines and sines of the angles, one for each position and pair, as
        `rotary_tables` gives them for r = rotary_dim features. If every
        sequence of a batch has positions of its own, the axis of size 1 is
        that of the heads.
    layout : "interleaved" or "half"
        Pairs of neighbouring features, or of features half of rotary_dim
        apart, as in Llama.
    """

    cos: ArrayLike
    sin: ArrayLike
    layout: Literal["interleaved", "half"]


@dataclass(frozen=True, eq=False)
class MultiHeadWeights:
    r"""The matrices of a layer of attention with several heads.

    $$\text{head}_i = \operatorname{Attention}(X W_Q^{(i)}, Y W_K^{(i)}, Y
    W_V^{(i)}), \qquad \Z = [\text{head}_1, \dots, \text{head}_h]\, W_O$$

    The columns of each matrix are the heads side by side.

    Parameters
    ----------
    w_q : array_like of shape (d_model, n_heads * d_k)
        Makes the queries of all heads.
    w_k : array_like of shape (d_memory, n_kv_heads * d_k)
        Makes the keys; d_memory is d_model in self-attention.
    w_v : array_like of shape (d_memory, n_kv_heads * d_v)
        Makes the values.
    w_o : array_like of shape (n_heads * d_v, d_out)
        Joins the outputs of the heads.
    b_q, b_k, b_v, b_o : array_like, optional
        Biases, one number per column of the matrix of the same letter.
    n_heads : int
        Query heads.
    n_kv_heads : int, optional
        Heads of keys and values, a divisor of n_heads. n_heads is multi-head
        attention (the default), 1 is multi-query, anything between is
        grouped-query attention.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.2. Shared
    heads: [Shazeer 2019](../reference/sources.md#shazeer2019), §3; [Ainslie et
    al. 2023](../reference/sources.md#ainslie2023), §2.2.
    """

    w_q: NDArray[Any]
    w_k: NDArray[Any]
    w_v: NDArray[Any]
    w_o: NDArray[Any]
    b_q: NDArray[Any] | None = None
    b_k: NDArray[Any] | None = None
    b_v: NDArray[Any] | None = None
    b_o: NDArray[Any] | None = None
    n_heads: int = field(kw_only=True)
    n_kv_heads: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        heads = shared = _inputs.integer("n_heads", self.n_heads, 1)
        if self.n_kv_heads is not None:
            shared = _inputs.integer("n_kv_heads", self.n_kv_heads, 1)
        if heads % shared:
            rule = "n_heads must be a multiple of n_kv_heads"
            _inputs.refuse(rule, n_heads=heads, n_kv_heads=shared)
        object.__setattr__(self, "n_kv_heads", shared)
        for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"):
            given = getattr(self, name)
            if given is not None or name.startswith("w"):
                array = _inputs.floating(name, given)
                object.__setattr__(self, name, array)
        self._check(heads, shared)

    def _check(self, heads: int, shared: int) -> None:
        w_q, w_k, w_v, w_o = self.w_q, self.w_k, self.w_v, self.w_o
        for name, n in (("w_q", heads), ("w_k", shared), ("w_v", shared)):
            matrix = getattr(self, name)
            if matrix.ndim != 2 or matrix.shape[1] % n:
                rule = f"{name} must have shape (d_in, {n} heads * d)"
                _inputs.refuse(rule, **{name: matrix})
        d_k, d_v = w_q.shape[1] // heads, w_v.shape[1] // shared
        if w_k.shape[1] != shared * d_k:
            rule = f"w_k must have {shared} heads of the d_k = {d_k} of w_q"
            _inputs.refuse(rule, w_q=w_q, w_k=w_k)
        if w_k.shape[0] != w_v.shape[0]:
            rule = "w_k and w_v must share d_memory (first axis)"
            _inputs.refuse(rule, w_k=w_k, w_v=w_v)
        if w_o.ndim != 2 or w_o.shape[0] != heads * d_v:
            rule = f"w_o must have {heads} heads * d_v = {heads * d_v} rows"
            _inputs.refuse(rule, w_o=w_o, w_v=w_v)
        for letter, matrix in zip("qkvo", (w_q, w_k, w_v, w_o), strict=True):
            name, bias = f"b_{letter}", getattr(self, f"b_{letter}")
            if bias is not None:
                _inputs.row(name, bias, f"w_{letter}", matrix)

    @classmethod
    def random(
        cls,
        d_model: int,
        n_heads: int,
        *,
        n_kv_heads: int | None = None,
        rng: np.random.Generator,
        dtype: DTypeLike = float,
    ) -> Self:
        r"""Draw weights to start training from: Glorot uniform, no biases.

        $$W_{ij} \sim U(-a, a), \qquad a = \sqrt{6 / (d_{\text{in}} +
        d_{\text{out}})}$$

        Parameters
        ----------
        d_model : int
            Features of a token; a multiple of n_heads.
        n_heads : int
            Query heads.
        n_kv_heads : int, optional
            Heads of keys and values; n_heads if omitted.
        rng : numpy.random.Generator
            Where the numbers come from.
        dtype : dtype, optional
            Floating-point type; the numbers are drawn in float64 and rounded.

        References
        ----------
        [Glorot & Bengio 2010](../reference/sources.md#glorot2010), eq. (16).
        """
        shared = n_heads if n_kv_heads is None else n_kv_heads
        sizes = {"d_model": d_model, "n_heads": n_heads, "n_kv_heads": shared}
        for name, size in sizes.items():
            _inputs.integer(name, size, 1)
        if d_model % n_heads:
            _inputs.refuse("n_heads must divide d_model", **sizes)
        _inputs.instance("rng", rng, np.random.Generator)
        dtype = _inputs.float_dtype(dtype)
        width = d_model // n_heads * shared

        def draw(d_in: int, d_out: int) -> NDArray[Any]:
            limit = (6 / (d_in + d_out)) ** 0.5
            numbers = rng.uniform(-limit, limit, (d_in, d_out))
            return numbers.astype(dtype, copy=False)

        matrices = [
            draw(d_model, d_out) for d_out in (d_model, width, width, d_model)
        ]
        return cls(*matrices, n_heads=n_heads, n_kv_heads=shared)


def multi_head_attention(
    x: ArrayLike,
    weights: MultiHeadWeights,
    *,
    memory: ArrayLike | None = None,
    rotary: Rotary | None = None,
    cache: KVCache | None = None,
    return_weights: bool = False,
    **options: Unpack[SharedOptions],
) -> Any:
    r"""Run several heads side by side and join their outputs.

    $$\Z = [\text{head}_1, \dots, \text{head}_h]\, W_O = \sum_i
    \text{head}_i\, W_O^{(i)}$$

    $W_O^{(i)}$ are the rows of $W_O$ that belong to head i. Multi-head,
    grouped-query and multi-query attention differ in `weights.n_kv_heads`
    alone. Raises [an error](index.md#errors) if rotary is given with memory.
    With a cache it raises one if memory or offset is given; if the window
    reaches further back than the cache, or ahead, to tokens that are not there
    yet; if rotary has too few rows; if sequences differ in length and
    is_causal is False, since then the new tokens would see the padding. The
    cache is then unchanged.

    Parameters
    ----------
    x : array_like of shape (..., n_q, d_model)
        The tokens that make the queries.
    weights : MultiHeadWeights
        The matrices. x, memory and matrices promote to a common dtype as in
        NumPy; biases are cast.
    memory : array_like of shape (..., n_k, d_memory), optional
        The tokens that make keys and values; x itself if omitted.
    rotary : Rotary, optional
        Tables that turn the queries and keys of every head, but not the
        values; self-attention only.
    cache : KVCache, optional
        Keys and values of the tokens before x, already turned; those of x are
        appended, and x attends to all of them. The offset follows from the
        cache, and rotary needs a row for every position of the text: each
        sequence takes its rows from `cache.n_seen` on. A cache with a window
        needs window=(left, 0) with left at most `cache.window` - 1. An x of
        shape (n, d_model) is a batch of one sequence. For float16 tokens the
        cache holds float32.
    return_weights : bool, optional
        Return the weights of attention as well.
    **options
        mask, bias, is_causal, window, offset, scale, softcap and sink, as in
        `scaled_dot_product_attention`; the scores have the shape (..., heads,
        n_q, n_k). enable_gqa follows from the weights.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_out)
        One row for every token of x.
    weights : ndarray of shape (..., n_heads, n_q, n_k)
        If they are asked for, as from `attention_weights`.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.2.

    Examples
    --------
    *chased* needs its agent and its object. Head 1 asks for the first noun,
    head 2 for the last; $W_O$ subtracts *dogs* from *cats* in each:

    >>> import numpy as np
    >>> from attention import MultiHeadWeights, multi_head_attention
    >>> from attention.example import EARLY, SENTENCE, embed
    >>> from attention.example import W_K, W_O, W_Q1, W_Q2, W_V
    >>> pairs = (W_Q1, W_Q2), (W_K, W_K), (W_V, W_V)
    >>> two = [np.hstack(pair) for pair in pairs]
    >>> heads = MultiHeadWeights(*two, np.eye(4), n_heads=2)
    >>> multi_head_attention(embed(SENTENCE, EARLY), heads)[2]
    array([5., 2., 2., 5.])
    >>> joined = MultiHeadWeights(*two, W_O, n_heads=2)
    >>> multi_head_attention(embed(SENTENCE, EARLY), joined)[2]
    array([ 3., -3.])

    With a cache, three tokens and then two equal the five at once:

    >>> from attention import KVCache, Rotary, rotary_tables
    >>> x, cache = embed(SENTENCE, EARLY), KVCache()
    >>> rotary = Rotary(*rotary_tables(range(5), 4), layout="half")
    >>> options = {"rotary": rotary, "is_causal": True}
    >>> whole = multi_head_attention(x, joined, **options)
    >>> for new in (x[:3], x[3:]):
    ...     last = multi_head_attention(new, joined, cache=cache, **options)
    >>> np.allclose(last, whole[3:]), len(cache)
    (True, 5)
    """
    _inputs.options(multi_head_attention, options, SharedOptions)
    _inputs.instance("weights", weights, MultiHeadWeights)
    return_weights = _inputs.flag("return_weights", return_weights)
    w, n_kv_heads = weights, weights.n_kv_heads or weights.n_heads
    tokens = {"x": x} if memory is None else {"x": x, "memory": memory}
    (x, *others, w_q, w_k, w_v, w_o), dtype = _inputs.floats(
        **tokens, w_q=w.w_q, w_k=w.w_k, w_v=w.w_v, w_o=w.w_o
    )
    y = others[0] if others else x
    _inputs.matrix_fits("x", x, "w_q", w_q)
    _inputs.matrix_fits("memory" if others else "x", y, "w_k", w_k)
    is_single = cache is not None and x.ndim == 2
    if is_single:
        x = y = x[None]  # a batch of one
    if cache is not None:
        _check_cache(cache, x, memory, options)
        step = copy(cache)  # a refused call leaves the cache as it was
    if rotary is not None:
        cos, sin = _tables(rotary, x, memory, cache)

    with np.errstate(all="ignore"):
        b_q, b_k, b_v, b_o = [
            0 if bias is None else bias.astype(x.dtype, copy=False)
            for bias in (w.b_q, w.b_k, w.b_v, w.b_o)
        ]
        query = split_heads(x @ w_q + b_q, w.n_heads)  # (..., heads, n_q, d_k)
        key = split_heads(y @ w_k + b_k, n_kv_heads)
        value = split_heads(y @ w_v + b_v, n_kv_heads)
        if rotary is not None:
            _rotation_fits("query", query, cos, sin, rotary.layout)
            _rotation_fits("key", key, cos, sin, rotary.layout)
            query = apply_rotary(query, cos, sin, layout=rotary.layout)
            key = apply_rotary(key, cos, sin, layout=rotary.layout)
        if cache is not None:
            key, value = step.append(key, value)
            if options.get("is_causal") or options.get("window") is not None:
                options["offset"] = step.offset
        is_shared = n_kv_heads != w.n_heads
        given = _prepared(query, key, value, enable_gqa=is_shared, **options)
        shares = _weights(given)
        heads = given.result(shares @ given.value)  # (..., heads, n_q, d_v)
        shares = given.result(shares)
        output = merge_heads(heads) @ w_o + b_o  # (..., n_q, d_out)
        if cache is not None:  # nothing was refused
            vars(cache).update(vars(step))
        if is_single:
            output, shares = output[0], shares[0]
        output = output.astype(dtype, copy=False)
        shares = shares.astype(dtype, copy=False)
        return (output, shares) if return_weights else output


def _check_cache(
    cache: KVCache,
    x: NDArray[Any],
    memory: ArrayLike | None,
    options: SharedOptions,
) -> None:
    """Refuse what would make a step differ from the whole text at once."""
    _inputs.instance("cache", cache, KVCache)
    if memory is not None:
        raise ValueError("cache is for self-attention: leave out memory")
    if options.get("offset") is not None:
        raise ValueError("offset follows from cache: leave out offset")
    if cache.n_seen.shape not in ((), x.shape[:1]):
        rule = "x must have the sequences of the cache (first axis)"
        _inputs.refuse(rule, x=x, n_seen=cache.n_seen)
    left, right = _read_window(options.get("window"))
    if cache.window is not None and (left is None or left >= cache.window):
        rule = f"window must be (left, 0) with left at most {cache.window - 1}"
        given = {"window": options.get("window"), "cache.window": cache.window}
        _inputs.refuse(f"{rule}, as the cache forgets what is older", **given)
    if options.get("is_causal") or right == 0:
        return
    if left is not None or right is not None:
        rule = "window must not look ahead: later tokens are not in the cache"
        _inputs.refuse(rule, window=options.get("window"))
    if (cache.n_seen != cache.n_seen.max(initial=0)).any():
        rule = "is_causal must be True, as padding follows shorter sequences"
        _inputs.refuse(rule, n_seen=cache.n_seen.tolist())


def _tables(
    rotary: Rotary,
    x: NDArray[Any],
    memory: ArrayLike | None,
    cache: KVCache | None,
) -> list[NDArray[Any]]:
    """Return cos and sin; after a cache the rows for the positions of x."""
    if not isinstance(rotary, Rotary):
        rule = (
            "rotary must be a Rotary(cos, sin, layout='half'), or interleaved"
        )
        raise TypeError(f"{rule}: {type(rotary).__name__}")
    if memory is not None:
        raise ValueError("rotary is for self-attention: leave out memory")
    tables = [_inputs.real(n, getattr(rotary, n)) for n in ("cos", "sin")]
    if cache is None:
        return tables
    return [
        _rows(name, table, x, cache.n_seen)
        for name, table in zip(("cos", "sin"), tables, strict=True)
    ]


def _rows(
    name: str, table: NDArray[Any], x: NDArray[Any], n_seen: NDArray[np.int64]
) -> NDArray[Any]:
    """Pick the rows of cos or sin for the tokens of x, from n_seen on."""
    n_new, n_axes = x.shape[-2], x.ndim + 1  # (batch, ..., heads, n, pairs)
    n_needed = int(n_seen.max(initial=0)) + n_new
    table = table.reshape(*[1] * (n_axes - table.ndim), *table.shape)
    too_short = table.shape[-2] < n_needed
    if too_short or table.ndim > n_axes or len(table) not in (1, len(x)):
        rule = f"{name} must have a row for each of {n_needed} positions, for "
        rule += "all sequences or for each"
        _inputs.refuse(rule, **{name: table}, x=x, n_seen=n_seen.tolist())
    first = n_seen.reshape(-1, *[1] * (n_axes - 1))
    positions = first + np.arange(n_new)[:, None]
    return np.take_along_axis(table, positions, axis=-2)
