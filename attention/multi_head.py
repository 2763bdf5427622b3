"""Several heads side by side, and the matrix that joins them."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks
from attention._scores import SharedOptions
from attention.cache import KVCache
from attention.dot_product import scaled_dot_product_attention
from attention.head_shapes import merge_heads, split_heads
from attention.projections import project
from attention.rotary import apply_rotary


class Rotary(NamedTuple):
    """Tables for rotary positions, and how the features are paired; see `rotary_tables` and `apply_rotary`.

    Attributes
    ----------
    cos, sin : array_like of shape (n, rotary_dim / 2) or (batch, 1, n, rotary_dim / 2)
        Cosines and sines of the angles, one for each position and pair. With a
        batch whose sequences stand at positions of their own, an axis of size
        1 stands for the heads.
    layout : "interleaved" or "half"
        Pairs of neighbouring features, or of features half of rotary_dim
        apart.

    Examples
    --------
    Positions 0 to 4 for heads of six features, in the layout of Llama:

    >>> import numpy as np
    >>> from attention import Rotary, rotary_tables
    >>> rotary = Rotary(*rotary_tables(np.arange(5), 6), layout="half")
    >>> rotary.cos.shape, rotary.layout
    ((5, 3), 'half')

    Only differences of positions count: the same layer, a thousand tokens
    later in the text.

    >>> import numpy as np
    >>> from attention import MultiHeadWeights, Rotary
    >>> from attention import multi_head_attention, rotary_tables
    >>> rng = np.random.default_rng(0)
    >>> weights = MultiHeadWeights.random(12, 2, rng=rng)
    >>> x = rng.standard_normal((5, 12))
    >>> def output(start):
    ...     tables = rotary_tables(start + np.arange(5), 6)
    ...     rotary = Rotary(*tables, layout="half")
    ...     return multi_head_attention(x, weights, rotary=rotary)
    >>> np.allclose(output(0), output(1000))
    True
    """

    cos: ArrayLike
    sin: ArrayLike
    layout: Literal["interleaved", "half"]


@dataclass(frozen=True, eq=False)
class MultiHeadWeights:
    r"""The matrices of a layer of attention with several heads.

    $$\text{head}_i = \operatorname{Attention}(X W_Q^{(i)}, Y W_K^{(i)}, Y W_V^{(i)}), \qquad
    \Z = [\text{head}_1, \dots, \text{head}_h]\, W_O$$

    The columns of each matrix are the heads side by side.

    Parameters
    ----------
    w_q : array_like of shape (d_model, n_heads * d_k)
        It makes the queries of all heads.
    w_k : array_like of shape (d_memory, n_kv_heads * d_k)
        It makes the keys; d_memory is d_model in self-attention.
    w_v : array_like of shape (d_memory, n_kv_heads * d_v)
        It makes the values.
    w_o : array_like of shape (n_heads * d_v, d_out)
        It joins the outputs of the heads.
    b_q, b_k, b_v, b_o : array_like, optional
        Biases, one number for each column of the matrix of the same letter.
    n_heads : int
        Query heads.
    n_kv_heads : int, optional
        Heads of keys and values, a divisor of n_heads. n_heads is multi-head
        attention (the default), 1 is multi-query, anything between is
        grouped-query attention.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or a number of heads is not an
        integer.
    ValueError
        If a matrix or bias does not fit; the message names it and shows the
        shapes.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.2. Shared
    heads: [Shazeer 2019](../reference/sources.md#shazeer2019), §3; [Ainslie et
    al. 2023](../reference/sources.md#ainslie2023), §2.2.

    Examples
    --------
    Two heads of the running example, with the matrix that joins them:

    >>> import numpy as np
    >>> from attention import MultiHeadWeights
    >>> from attention.example import W_K, W_O, W_Q1, W_Q2, W_V
    >>> two = [np.hstack(pair) for pair in ((W_Q1, W_Q2), (W_K, W_K), (W_V, W_V))]
    >>> weights = MultiHeadWeights(*two, W_O, n_heads=2)
    >>> weights.w_q.shape, weights.w_o.shape
    ((4, 8), (4, 2))

    Random weights for eight query heads on two heads of keys and values:

    >>> import numpy as np
    >>> from attention import MultiHeadWeights
    >>> rng = np.random.default_rng(0)
    >>> weights = MultiHeadWeights.random(64, 8, n_kv_heads=2, rng=rng)
    >>> weights.w_q.shape, weights.w_k.shape, weights.w_o.shape
    ((64, 64), (64, 16), (64, 64))
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

    if TYPE_CHECKING:  # for whoever checks types: anything like an array may be given, and an array is kept

        def __init__(
            self,
            w_q: ArrayLike,
            w_k: ArrayLike,
            w_v: ArrayLike,
            w_o: ArrayLike,
            b_q: ArrayLike | None = None,
            b_k: ArrayLike | None = None,
            b_v: ArrayLike | None = None,
            b_o: ArrayLike | None = None,
            *,
            n_heads: int,
            n_kv_heads: int | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        heads = _checks.count("n_heads", self.n_heads, minimum=1)
        shared = (
            heads
            if self.n_kv_heads is None
            else _checks.count("n_kv_heads", self.n_kv_heads, minimum=1)
        )
        if heads % shared:
            raise ValueError(
                f"n_heads must be a multiple of n_kv_heads: n_heads {heads}, n_kv_heads {shared}"
            )
        object.__setattr__(self, "n_kv_heads", shared)
        for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"):
            given = getattr(self, name)
            if given is not None or name.startswith("w"):
                object.__setattr__(
                    self, name, _arrays.float_array(name, given)
                )
        self._check(heads, shared)

    def _check(self, heads: int, shared: int) -> None:
        for name, parts in (("w_q", heads), ("w_k", shared), ("w_v", shared)):
            matrix = getattr(self, name)
            if matrix.ndim != 2 or matrix.shape[1] % parts:
                raise ValueError(
                    f"{name} must have shape (d_in, {parts} heads * d): {name} {matrix.shape}"
                )
        d_k, d_v = self.w_q.shape[1] // heads, self.w_v.shape[1] // shared
        if self.w_k.shape[1] != shared * d_k:
            raise ValueError(
                f"w_k must have {shared} heads of the d_k = {d_k} of w_q: w_q {self.w_q.shape}, w_k {self.w_k.shape}"
            )
        _checks.same_size(
            "d_memory (first axis)", (0, 0), w_k=self.w_k, w_v=self.w_v
        )
        if self.w_o.ndim != 2 or self.w_o.shape[0] != heads * d_v:
            raise ValueError(
                f"w_o must have {heads} heads * d_v = {heads * d_v} rows: w_o {self.w_o.shape}, w_v {self.w_v.shape}"
            )
        for letter in "qkvo":
            bias, matrix = (
                getattr(self, f"b_{letter}"),
                getattr(self, f"w_{letter}"),
            )
            if bias is not None:
                _checks.bias_fits(f"b_{letter}", bias, f"w_{letter}", matrix)

    @classmethod  # Generator is quoted: to look it up would import numpy.random, which takes longer than all of this
    def random(
        cls,
        d_model: int,
        n_heads: int,
        *,
        n_kv_heads: int | None = None,
        rng: "np.random.Generator",
    ) -> Self:
        r"""Draw weights without biases as training starts from them: Glorot uniform.

        $$W_{ij} \sim U(-a, a), \qquad a = \sqrt{6 / (d_{\text{in}} + d_{\text{out}})}$$

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

        Returns
        -------
        weights : MultiHeadWeights
            In float64.

        Raises
        ------
        TypeError
            If a size is not an integer, or rng not a numpy.random.Generator.
        ValueError
            If n_heads does not divide d_model, or n_kv_heads not n_heads.

        References
        ----------
        [Glorot & Bengio 2010](../reference/sources.md#glorot2010), eq. (16).

        Examples
        --------
        >>> import numpy as np
        >>> from attention import MultiHeadWeights
        >>> MultiHeadWeights.random(12, 3, rng=np.random.default_rng(0)).w_k.shape
        (12, 12)
        """
        d_model, n_heads = (
            _checks.size("d_model", d_model, minimum=1),
            _checks.size("n_heads", n_heads, minimum=1),
        )
        shared = (
            n_heads
            if n_kv_heads is None
            else _checks.size("n_kv_heads", n_kv_heads, minimum=1)
        )
        if d_model % n_heads:
            raise ValueError(
                f"n_heads must divide d_model: d_model {d_model}, n_heads {n_heads}"
            )
        if not isinstance(rng, np.random.Generator):
            raise TypeError(
                f"rng must be a numpy.random.Generator, such as numpy.random.default_rng(0): {_checks.shown(rng)}"
            )
        width = d_model // n_heads * shared

        def draw(d_in: int, d_out: int) -> NDArray[np.float64]:
            limit = (6 / (d_in + d_out)) ** 0.5
            return rng.uniform(-limit, limit, (d_in, d_out))

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
    **options: Unpack[SharedOptions],
) -> NDArray[Any]:
    r"""Run several heads side by side and join their outputs.

    $$\Z = [\text{head}_1, \dots, \text{head}_h]\, W_O = \sum_i \text{head}_i\, W_O^{(i)}$$

    $W_O^{(i)}$ are the rows of $W_O$ that belong to head i. Multi-head,
    grouped-query and multi-query attention differ in `weights.n_kv_heads`
    alone.

    Parameters
    ----------
    x : array_like of shape (..., n_q, d_model)
        The tokens that ask.
    weights : MultiHeadWeights
        The matrices. x, memory and matrices promote to a common dtype as in
        NumPy; biases are cast.
    memory : array_like of shape (..., n_k, d_memory), optional
        The tokens that answer; x itself if omitted.
    rotary : Rotary, optional
        Tables that turn the queries and keys of every head, but not the
        values; self-attention only.
    cache : KVCache, optional
        Keys and values of the tokens before x, each turned to its own
        position; those of x are appended, and x attends to all of them. offset
        follows from the cache, and rotary has a row for every position of the
        text: x takes the rows from `cache.n_seen` on, of each sequence its own
        in a ragged batch. A cache with a window needs window=(left, ...) with
        left at most `cache.window` - 1. Of float16 tokens it keeps float32.
    **options
        mask, bias, is_causal, window, offset, scale, softcap and sink, as in
        `attention_weights`; the scores have the shape (..., heads, n_q, n_k).
        enable_gqa follows from the weights.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_out)
        One row for every token that asks.

    Raises
    ------
    TypeError
        If weights are not MultiHeadWeights, rotary is not a Rotary or cache
        not a KVCache, or enable_gqa or an unknown option is given; as in
        `scaled_dot_product_attention` and `apply_rotary`.
    ValueError
        If the tokens do not fit the matrices; as in
        `scaled_dot_product_attention`, `apply_rotary` and `KVCache.append`; if
        rotary meets memory. If a cache meets memory or offset, the window
        reaches back further than the cache, a ragged batch is not causal, or
        rotary has too few rows or those of other sequences. The cache is then
        unchanged.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.2.

    Examples
    --------
    *chased* needs its agent and its object. Head 1 asks for the first noun,
    head 2 for the last; $W_O$ subtracts *dog* from *cat* in each:

    >>> import numpy as np
    >>> from attention import MultiHeadWeights, multi_head_attention
    >>> from attention.example import EARLY5, S5, W_K, W_O, W_Q1, W_Q2, W_V, embed
    >>> two = [np.hstack(pair) for pair in ((W_Q1, W_Q2), (W_K, W_K), (W_V, W_V))]
    >>> heads = MultiHeadWeights(*two, np.eye(4), n_heads=2)
    >>> multi_head_attention(embed(S5, EARLY5), heads)[2]
    array([5., 2., 2., 5.])
    >>> joined = MultiHeadWeights(*two, W_O, n_heads=2)
    >>> multi_head_attention(embed(S5, EARLY5), joined)[2]
    array([ 3., -3.])

    With one head it is self-attention, followed by $W_O$:

    >>> import numpy as np
    >>> from attention import MultiHeadWeights, multi_head_attention
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> one = MultiHeadWeights(W_Q1, W_K, W_V, np.eye(2), n_heads=1)
    >>> multi_head_attention(embed(S5, EARLY5), one)[4]
    array([5., 2.])

    Reversing the words reverses the outputs, until rotary positions turn
    queries and keys:

    >>> import numpy as np
    >>> from attention import MultiHeadWeights, Rotary
    >>> from attention import multi_head_attention, rotary_tables
    >>> rng = np.random.default_rng(0)
    >>> weights = MultiHeadWeights.random(12, 2, rng=rng)
    >>> x = rng.standard_normal((5, 12))
    >>> def is_reversed(**options):
    ...     forwards = multi_head_attention(x, weights, **options)
    ...     backwards = multi_head_attention(x[::-1], weights, **options)
    ...     return np.allclose(forwards, backwards[::-1])
    >>> is_reversed()
    True
    >>> is_reversed(rotary=Rotary(*rotary_tables(np.arange(5), 6), layout="half"))
    False

    With a cache, three tokens and then two equal the five at once:

    >>> import numpy as np
    >>> from attention import KVCache, MultiHeadWeights, Rotary
    >>> from attention import multi_head_attention, rotary_tables
    >>> rng = np.random.default_rng(0)
    >>> weights = MultiHeadWeights.random(12, 2, rng=rng)
    >>> x = rng.standard_normal((5, 12))
    >>> rotary = Rotary(*rotary_tables(np.arange(5), 6), layout="half")
    >>> options = {"rotary": rotary, "is_causal": True}
    >>> whole = multi_head_attention(x, weights, **options)
    >>> cache = KVCache()
    >>> for new in (x[:3], x[3:]):
    ...     last = multi_head_attention(new, weights, cache=cache, **options)
    >>> np.allclose(last, whole[3:]), cache.n_seen
    (True, 5)
    """
    own = ("memory", "rotary", "cache", *SharedOptions.__annotations__)
    _checks.options_of("multi_head_attention", own, options)
    if rotary is not None:
        _check_rotary(rotary, memory)
    if cache is not None:
        _check_cache(cache, memory, options)
    w = _checks.instance("weights", weights, MultiHeadWeights)
    n_kv_heads = w.n_kv_heads or w.n_heads
    arrays = {"x": x, "memory": x if memory is None else memory}
    matrices = {"w_q": w.w_q, "w_k": w.w_k, "w_v": w.w_v, "w_o": w.w_o}
    (x_, y, wq, wk, wv, wo), dtype = _arrays.to_floats(**arrays, **matrices)
    answering = "x" if memory is None else "memory"
    _checks.matrix_fits("x", x_, "w_q", wq)
    _checks.matrix_fits(answering, y, "w_k", wk)
    query = split_heads(project(x_, wq, w.b_q), w.n_heads)
    key = split_heads(project(y, wk, w.b_k), n_kv_heads)
    value = split_heads(project(y, wv, w.b_v), n_kv_heads)
    if rotary is not None:
        cos, sin = (
            _rows_of(x_, name, getattr(rotary, name), cache)
            for name in ("cos", "sin")
        )
        query, key = (
            _turned(n, a, cos, sin, rotary.layout)
            for n, a in (("query", query), ("key", key))
        )
    with _checks.unchanged_if_refused(cache):
        if cache is not None:
            key, value = cache.append(key, value)
            options["offset"] = cache.offset
        heads = scaled_dot_product_attention(
            query, key, value, enable_gqa=n_kv_heads != w.n_heads, **options
        )
    return _arrays.rounded(project(merge_heads(heads), wo, w.b_o), dtype)


def _check_rotary(rotary: Rotary, memory: ArrayLike | None) -> None:
    if not isinstance(rotary, Rotary):
        missing = (
            "; the layout is missing"
            if isinstance(rotary, tuple) and len(rotary) == 2
            else ""
        )
        raise TypeError(
            "rotary must be a Rotary, as in Rotary(*rotary_tables(positions, rotary_dim), layout='half'): "
            f"{type(rotary).__name__}{missing}"
        )
    if memory is not None:
        raise ValueError(
            "rotary positions are for self-attention: leave out memory"
        )


def _check_cache(
    cache: KVCache, memory: ArrayLike | None, options: SharedOptions
) -> None:
    """Refuse what would make a step with the cache differ from the whole at once."""
    _checks.instance("cache", cache, KVCache)
    if memory is not None:
        raise ValueError("cache is for self-attention: leave out memory")
    if options.get("offset") is not None:
        raise ValueError("offset follows from cache: leave out offset")
    window = options.get("window")
    left, right = (
        window
        if isinstance(window, tuple | list) and len(window) == 2
        else (None, None)
    )
    if cache.window is not None and (
        left is None or _checks.integer("window[0]", left) >= cache.window
    ):
        raise ValueError(
            f"window must be (left, right) with left at most {cache.window - 1}, since the cache forgets what came "
            f"before: window {_checks.shown(window)}, cache.window {cache.window}"
        )
    if np.ndim(cache.n_seen) and not options.get("is_causal") and right != 0:
        raise ValueError(
            "is_causal must be True with a cache of sequences that differ in length: beyond a shorter one lies padding"
        )


def _rows_of(
    x: NDArray[Any], name: str, table: ArrayLike, cache: KVCache | None
) -> NDArray[Any]:
    """Pick the rows of cos or sin for the tokens of x, which stand behind what the cache has seen."""
    rows = _arrays.real_array(name, table)
    if cache is None:
        return rows
    n_seen, n_new = cache.n_seen, x.shape[-2]
    n_rows, n_needed = (
        rows.shape[-2] if rows.ndim > 1 else 1,
        int(np.max(n_seen, initial=0)) + n_new,
    )
    if n_rows < n_needed:
        raise ValueError(
            f"rotary must have a row for each position: {name} {rows.shape} has {n_rows}, {n_needed} are needed for "
            f"x {x.shape} behind cache.n_seen {n_seen}"
        )
    if isinstance(n_seen, int):
        return rows[..., n_seen : n_seen + n_new, :]
    n_axes = x.ndim + 1  # (batch, ..., heads, n, pairs)
    rows = rows.reshape(*[1] * (n_axes - rows.ndim), *rows.shape)
    if (
        x.ndim < 3
        or len(x) != len(n_seen)
        or rows.ndim > n_axes
        or len(rows) not in (1, len(x))
    ):
        raise ValueError(
            "x must have the sequences of the cache, and rotary theirs or one table for all: "
            f"x {x.shape}, {name} {np.shape(table)}, cache.n_seen {n_seen}"
        )
    places = (
        n_seen.reshape(-1, *[1] * (n_axes - 1)) + np.arange(n_new)[:, None]
    )
    return np.take_along_axis(rows, places, axis=-2)


def _turned(
    name: str,
    heads: NDArray[Any],
    cos: NDArray[Any],
    sin: NDArray[Any],
    layout: Literal["interleaved", "half"],
) -> NDArray[Any]:
    _checks.tables_turn(
        name, heads, cos, sin, layout
    )  # else apply_rotary calls a query x
    return apply_rotary(heads, cos, sin, layout=layout)
