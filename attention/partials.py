"""Attention over some of the keys, and the merge of such parts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import AttentionOptions, _checked
from attention.tiling import _attend_in_tiles, _read_blocks, _results


class PartialAttention(NamedTuple):
    r"""Attention over some of the keys, and how much these keys weigh.

    Attributes
    ----------
    output : ndarray of shape (..., n_q, d_v)
        The weighted sum of the values of these keys; zero for a query that
        sees none of them. The weights sum to one, or to less with a sink.
    logsumexp : ndarray of shape (..., n_q)
        The natural logarithm of the sum of their exponentials. That of a sink
        is included, which some kernels leave out. -inf for a query with
        neither. Divided by $\ln 2$ it is the one in base 2 of some kernels.
    """

    output: NDArray[Any]
    logsumexp: NDArray[Any]


def partial_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    query_block: int = 256,
    key_block: int | None = None,
    n_threads: int = 1,
    **options: Unpack[AttentionOptions],
) -> PartialAttention:
    r"""Attend to some of the keys, and keep what is needed to add the others.

    $$\Z_P = \softmax(S_P) \, \V_P, \qquad L_P = \log \sum_{j \in P} e^{S_j}$$

    The scores are computed in tiles, as in `tiled_attention`, and never held
    all at once. Raises [an error](index.md#errors) as `tiled_attention` does.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row per query.
    key : array_like of shape (..., n_k, d_k)
        Some of the keys; none at all, without a sink, gives the part that
        changes no number when merged.
    value : array_like of shape (..., n_k, d_v)
        Their values. Leading axes and dtypes as in
        `scaled_dot_product_attention`.
    query_block, key_block, n_threads : int, optional
        As in `tiled_attention`.
    **options
        mask, bias, is_causal, window, offset, scale, softcap, sink and
        enable_gqa, as in `scaled_dot_product_attention`. Mask and bias are
        those of the given keys, and positions count from the first of these:
        if it is key `first` of the text, subtract `first` from the offset.
        Give a sink to one part only, or it is counted once for every part.

    Returns
    -------
    part : PartialAttention
        output of shape (..., n_q, d_v) and logsumexp of shape (..., n_q), for
        `merge_partials`. For float16 inputs the logsumexp is float32, since it
        is an exponent and needs more digits.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §3, on
    the running maximum and sum; [Dao et al.
    2022](../reference/sources.md#dao2022), §3.1, for attention.

    Examples
    --------
    *ran* of the running example and the first two words, *cats* with 8 and
    *who* with 4 parts: the output is $(8 \cdot (8, 0) + 4 \cdot (4, 4)) / 12$
    and the exponentials sum to 12:

    >>> import numpy as np
    >>> from attention import partial_attention, project
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> part = partial_attention(q, k[:2], v[:2])
    >>> part.output
    array([[6.66666667, 1.33333333]])
    >>> np.exp(part.logsumexp)
    array([12.])
    """
    _inputs.options(partial_attention, options, AttentionOptions)
    given = _checked(query, key, value, **options)
    blocks = _read_blocks(query_block, key_block, n_threads)
    return PartialAttention(
        *_results(given, *_attend_in_tiles(given, *blocks))
    )


def merge_partials(
    first: PartialAttention,
    *rest: PartialAttention,
    base: float | None = None,
) -> PartialAttention:
    r"""Join attention over several sets of keys into attention over all keys.

    $$L = \log \sum_P e^{L_P}, \qquad \Z = \sum_P e^{L_P - L} \, \Z_P$$

    A softmax over the parts. Their order and grouping change nothing but the
    rounding, so parts may be computed anywhere and merged as they arrive. A
    part without keys, zeros with a logsumexp of -inf, changes no number.
    Raises [an error](index.md#errors) if a part's output and logsumexp do not
    fit, or base is not larger than 1.

    Parameters
    ----------
    first : PartialAttention
        Attention of some queries over some of the keys.
    *rest : PartialAttention
        Attention of the same queries over other keys. A pair (output,
        logsumexp) will do.
    base : float, optional
        The base of the logarithms, of the parts and of the result: 2 for
        those of a kernel that counts in powers of two; e if omitted.

    Returns
    -------
    part : PartialAttention
        Attention of these queries over the keys of all parts.

    References
    ----------
    [Milakov & Gimelshein 2018](../reference/sources.md#milakov2018), §3.1,
    eq. (4).

    Examples
    --------
    *ran* of the running example reads its five keys in blocks of 2, 2 and 1.
    The exponentials sum to 16, 12 of them in the first block:

    >>> import numpy as np
    >>> from attention import merge_partials, partial_attention, project
    >>> from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
    >>> x = embed(SENTENCE, EARLY)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> blocks = slice(0, 2), slice(2, 4), slice(4, 5)
    >>> a, b, c = (partial_attention(q, k[some], v[some]) for some in blocks)
    >>> whole = merge_partials(merge_partials(a, b), c)
    >>> whole.output, np.exp([a.logsumexp, whole.logsumexp]).round(12)
    (array([[5., 2.]]), array([[12.],
           [16.]]))
    """
    outputs, logs, dtype = _read_parts(first, *rest)
    unit = (
        1.0 if base is None else math.log(_inputs.number("base", base, True))
    )
    if unit <= 0:
        _inputs.refuse("base must be larger than 1", base=base)
    with np.errstate(all="ignore"):
        largest = logs.max(axis=0)  # (..., n_q)
        largest = np.where(largest == -np.inf, 0, largest)  # not -inf - -inf
        exponentials = np.exp((logs - largest) * unit)  # (parts, ..., n_q)
        total = exponentials.sum(axis=0)
        weights = exponentials / np.where(total == 0, 1, total)
        output = (weights[..., None] * outputs).sum(axis=0)
        logsumexp = largest + np.log(total) / unit
        return PartialAttention(output.astype(dtype, copy=False), logsumexp)


def _read_parts(
    *parts: PartialAttention,
) -> tuple[NDArray[Any], NDArray[Any], np.dtype[Any]]:
    """Stack outputs and logsumexps; also return the dtype of the output."""
    outputs, logs = {}, {}
    for i, part in enumerate(parts):
        name = f"rest[{i - 1}]" if i else "first"
        if not isinstance(part, tuple | list) or len(part) != 2:
            rule = "must be a PartialAttention, or a pair (output, logsumexp)"
            raise TypeError(f"{name} {rule}: {type(part).__name__}")
        outputs[f"{name}.output"], logs[f"{name}.logsumexp"] = part
    arrays, dtype = _inputs.floats(**outputs)
    totals, _ = _inputs.floats(**logs)
    shape = arrays[0].shape
    fits = {x.shape for x in arrays} == {shape} and shape != ()
    if not fits or {x.shape for x in totals} != {shape[:-1]}:
        rule = (
            "parts must have outputs of one shape (..., n_q, d_v), and each "
        )
        rule += "a logsumexp of shape (..., n_q)"
        given = dict(zip(outputs, arrays, strict=True))
        _inputs.refuse(rule, **given, **dict(zip(logs, totals, strict=True)))
    return np.stack(arrays), np.stack(totals), dtype
