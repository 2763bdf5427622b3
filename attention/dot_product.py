"""Scaled dot-product attention: scores, weights, and weighted sums of values.

Each function checks and converts its arguments at the top, and then shows the
formula step by step. Two steps have a function of their own at the end.
"""

from typing import Any, Never, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention._inputs import AttentionOptions, Given, Window


def attention_scores(
    query: ArrayLike,
    key: ArrayLike,
    *,
    scale: float | None = None,
    softcap: float | None = None,
    enable_gqa: bool = False,
) -> NDArray[Any]:
    r"""Score every query against every key.

    $$S = \frac{\Q \K^\top}{\sqrt{d_k}}$$

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key. Leading axes (batch, heads)
        broadcast. query and key promote to a common dtype as in NumPy;
        integers and bools count as float64, float16 is computed in float32 and
        returned as float16.
    scale : float, optional
        Factor on the dot products; $1/\sqrt{d_k}$ if omitted.
    softcap : float, optional
        Bound every scaled score to (-softcap, softcap) by $c \tanh(s / c)$.
    enable_gqa : bool, optional
        Let query heads be a multiple of key heads; each key head serves a run
        of neighbouring query heads.

    Returns
    -------
    scores : ndarray of shape (..., n_q, n_k)
        Unbounded reals; a softmax over the last axis turns each row into
        weights. A query or key with nan or inf makes its scores nan.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or an option is of the wrong
        type.
    ValueError
        If query and key differ in d_k, or their leading axes do not fit; the
        message shows both shapes. If scale is not finite, softcap not
        positive, or d_k is 0 and no scale is given.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1, eq.
    (1), without the softmax. Grouped heads: [Ainslie et al.
    2023](../reference/sources.md#ainslie2023), §2.2.

    Examples
    --------
    $2 \cdot 3 / \sqrt 4 = 3$; the second key is orthogonal to the query:

    >>> from attention import attention_scores
    >>> attention_scores([[2.0, 0, 0, 0]], [[3.0, 0, 0, 0], [0, 5, 0, 0]])
    array([[3., 0.]])

    Two doublings for the verb of the running example become $2 \ln 2$; scores
    count in units of $\ln 2$:

    >>> import numpy as np
    >>> from attention import attention_scores, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, embed
    >>> x = embed(S5, EARLY5)
    >>> attention_scores(project(x, W_Q1), project(x, W_K))[4] / np.log(2)
    array([3., 2., 0., 1., 0.])
    """
    given = _inputs.attention(
        query, key, scale=scale, softcap=softcap, enable_gqa=enable_gqa
    )
    q, k = given.query, given.key
    with np.errstate(all="ignore"):
        scores = q @ k.swapaxes(-1, -2) * given.scale  # (..., n_q, n_k)
        if softcap is not None:
            scores = softcap * np.tanh(scores / softcap)
        return given.result(scores)


def attention_weights(
    query: ArrayLike,
    key: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    window: Window | None = None,
    offset: ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
    enable_gqa: bool = False,
    **foreign: Never,
) -> NDArray[Any]:
    r"""Share each query's budget of one among the keys it may attend to.

    $$A = \softmax\!\Big(\frac{\Q \K^\top}{\sqrt{d_k}} + B\Big) \quad \text{over the allowed keys of each row}$$

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key. Leading axes and dtypes as in
        `attention_scores`. Only query and key decide the dtype of the weights.
    mask : array_like of bool, broadcasting to (..., n_q, n_k), optional
        True means "may attend". A masked key cannot change the weights,
        whatever is in it.
    bias : array_like of float, broadcasting to (..., n_q, n_k), optional
        Added to the scaled scores. A bias of -inf is arithmetic, not a mask:
        an inf key under it gives nan.
    is_causal : bool, optional
        Let a query attend to its own position and to earlier ones. Key j
        stands at j, query i at i + offset. With a mask or a window, all must
        allow.
    window : (left, right), optional
        How many keys before and after its own position a query may attend to;
        None on a side is no limit.
    offset : int or array_like of int, shape (batch,), optional
        Where the first query stands, for is_causal and window; with several,
        one for each sequence of a batch, the first axis. If omitted it is 0,
        and they ask for equally many queries and keys, since libraries
        disagree on the rest: 0 aligns the first query with the first key, n_k
        - n_q the last with the last.
    scale, softcap : float, optional
        As in `attention_scores`. The scores are capped before bias and mask.
    sink : float or array_like of shape (heads,), optional
        Score of a virtual key with a value of zero: it takes a share of every
        row, and the weights sum to less than one. Neither scaled, capped,
        biased nor masked. -inf is no sink.
    enable_gqa : bool, optional
        As in `attention_scores`.

    Returns
    -------
    weights : ndarray of shape (..., n_q, n_k)
        Each row sums to one. A row without any allowed key is zero, the sum
        over nothing. An attended query or key with nan or inf makes its rows
        nan.

    Raises
    ------
    TypeError
        If mask is not boolean or bias is, an array does not hold real numbers,
        window is not a pair of integers or None, offset does not hold
        integers, or another option is of the wrong type.
    ValueError
        As in `attention_scores`; if mask or bias do not broadcast to the
        scores, or sink or offset does not fit them; if a side of window is
        negative; if is_causal or window meets n_q != n_k without an offset.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1, eq.
    (1); masks: §3.2.3. Window: [Beltagy et al.
    2020](../reference/sources.md#beltagy2020), §3.1. Sink: [Xiao et al.
    2023](../reference/sources.md#xiao2023), §3.3. Softcap: [Gemma Team
    2024](../reference/sources.md#gemma2024), §2.

    Examples
    --------
    The verb of the running example gives its subject *cat* half of its budget:

    >>> from attention import attention_weights, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k = project(x, W_Q1), project(x, W_K)
    >>> attention_weights(q, k)[4]
    array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625])

    Mask *cat*, and the survivors keep their ratios:

    >>> from attention import attention_weights, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k = project(x, W_Q1), project(x, W_K)
    >>> attention_weights(q, k, mask=[False, True, True, True, True])[4]
    array([0.   , 0.5  , 0.125, 0.25 , 0.125])

    A query that may attend to no key at all gets weights of zero:

    >>> from attention import attention_weights
    >>> attention_weights([[0.0]], [[1.0], [2.0]], mask=[False, False])
    array([[0., 0.]])

    Alone at position 4, as in decoding, the verb looks one word back: *dog*
    counts twice as much as itself.

    >>> from attention import attention_weights, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k = project(x[4:], W_Q1), project(x, W_K)
    >>> attention_weights(q, k, window=(1, 0), offset=4) * 3
    array([[0., 0., 0., 2., 1.]])
    """
    _inputs.options("attention_weights", foreign)
    given = prepared(
        query, key, mask=mask, bias=bias, is_causal=is_causal,
        window=window, offset=offset, scale=scale, softcap=softcap, sink=sink,
        enable_gqa=enable_gqa,
    )  # fmt: skip
    q, k, _, allowed = given[:4]
    with np.errstate(all="ignore"):
        scores = q @ k.swapaxes(-1, -2) * given.scale  # (..., n_q, n_k)
        if softcap is not None:
            scores = softcap * np.tanh(scores / softcap)
        if given.bias is not None:
            scores = scores + given.bias
        if allowed is not None:  # mask, is_causal, window
            scores = np.where(allowed, scores, -np.inf)
        return given.result(softmax_rows(scores, given.sink))


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    window: Window | None = None,
    offset: ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
    enable_gqa: bool = False,
    **foreign: Never,
) -> NDArray[Any]:
    r"""Answer every query with a blend of the values, weighted by how well their keys match.

    $$\Z = \softmax\!\Big(\frac{\Q \K^\top}{\sqrt{d_k}}\Big) \V$$

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query. Heads stand before the tokens: (batch,
        heads, n, d). In general an array (batch, n, heads, d) cannot be told
        from it: then the heads of one token attend to each other, no token
        hears another, and the weights have the shape (batch, n, heads, heads).
        `split_heads` makes the right layout.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key.
    value : array_like of shape (..., n_k, d_v)
        What each key hands over; d_v may differ from d_k. Leading axes (batch,
        heads) broadcast. query, key and value promote among themselves as in
        NumPy, and only they decide the dtype of the output; integers and bools
        count as float64, float16 is computed in float32 and returned as
        float16.
    mask, bias, is_causal, window, offset, scale, softcap, sink, enable_gqa : optional
        As in `attention_weights`; enable_gqa shares the values as it shares
        the keys. Shared heads are never copied.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        Row i is a weighted average of the value rows. A query without any
        allowed key gets a row of zeros. The value of a key that a query may
        not attend to does not count, whatever it holds; nan or inf in an
        attended input shows.

    Raises
    ------
    TypeError
        As in `attention_weights`.
    ValueError
        As in `attention_weights`; if key and value differ in n_k, or their
        leading axes do not fit.

    References
    ----------
    [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.1, eq.
    (1).

    Examples
    --------
    *ran* of the running example asks "which noun came first?" and receives 5
    parts *cat*, 2 parts *dog*:

    >>> from attention import project, scaled_dot_product_attention
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x, W_Q1), project(x, W_K), project(x, W_V)
    >>> scaled_dot_product_attention(q, k, v)[4]
    array([5., 2.])

    Equal scores average the values that a query may see:

    >>> import numpy as np
    >>> from attention import scaled_dot_product_attention
    >>> same = np.zeros((3, 4))
    >>> scaled_dot_product_attention(same, same, [[1], [2], [6]], is_causal=True)
    array([[1. ],
           [1.5],
           [3. ]])

    Heads behind the tokens, (batch, n, heads, d): a change of the last token
    reaches no other, until the axes are exchanged.

    >>> import numpy as np
    >>> from attention import scaled_dot_product_attention
    >>> x = np.arange(30.0).reshape(1, 5, 2, 3) / 30
    >>> other = x.copy()
    >>> other[0, 4] += 1
    >>> def tokens_that_change(attend):
    ...     return (attend(x) != attend(other)).any(axis=(0, 2, 3))
    >>> def wrong(a):
    ...     return scaled_dot_product_attention(a, a, a)
    >>> tokens_that_change(wrong)
    array([False, False, False, False,  True])
    >>> def right(a):
    ...     return wrong(a.swapaxes(-2, -3)).swapaxes(-2, -3)
    >>> tokens_that_change(right)
    array([ True,  True,  True,  True,  True])

    The value of a masked key may hold anything:

    >>> import numpy as np
    >>> from attention import scaled_dot_product_attention
    >>> query, key, value = [[1.0]], [[1.0], [1.0]], [[5.0], [np.nan]]
    >>> scaled_dot_product_attention(query, key, value, mask=[True, False])
    array([[5.]])
    """
    _inputs.options("scaled_dot_product_attention", foreign)
    given = prepared(
        query, key, value, mask=mask, bias=bias, is_causal=is_causal,
        window=window, offset=offset, scale=scale, softcap=softcap, sink=sink,
        enable_gqa=enable_gqa,
    )  # fmt: skip
    q, k, v, allowed = given[:4]
    with np.errstate(all="ignore"):
        scores = q @ k.swapaxes(-1, -2) * given.scale  # (..., n_q, n_k)
        if softcap is not None:
            scores = softcap * np.tanh(scores / softcap)
        if given.bias is not None:
            scores = scores + given.bias
        if allowed is not None:  # mask, is_causal, window
            scores = np.where(allowed, scores, -np.inf)
        weights = softmax_rows(scores, given.sink)  # each row sums to one
        return given.result(weights @ v)  # (..., n_q, d_v)


def prepared(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike | None = None,
    **options: Unpack[AttentionOptions],
) -> Given:
    """Check and convert the arguments, and combine all that forbids.

    The `mask` that comes back is True where a query may attend to a key, by
    mask, is_causal and window; None if it may do so everywhere. A key that no
    query may see is padding, and may hold anything: here it becomes 0, since
    a weight of 0 times nan would be nan.
    """
    given = _inputs.attention(query, key, value, **options)
    q, k, v, allowed = given[:4]
    if given.reach is not None:
        left, right, offset = given.reach
        keys = np.arange(k.shape[-2])
        positions = np.arange(q.shape[-2])[:, None] + offset  # (..., n_q, 1)
        allowed = np.ones((1, 1), bool) if allowed is None else allowed
        if left is not None:
            allowed = allowed & (keys >= positions - left)
        if right is not None:
            allowed = allowed & (keys <= positions + right)
    if allowed is not None:
        seen = allowed.any(axis=-2)[..., None]  # (..., n_k, 1)
        if given.n_groups > 1 and seen.ndim > 2:  # by any head of a group
            seen = seen.any(axis=-3, keepdims=True)
        k, v = np.where(seen, k, 0), np.where(seen, v, 0)
    return given._replace(key=k, value=v, mask=allowed)


def softmax_rows(
    scores: NDArray[Any], sink: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Turn each row of scores into weights, as `softmax` does.

    A sink is one more score, whose weight nobody receives. A row without an
    allowed key, or without any key, gets weights of zero.
    """
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    if sink is not None:
        largest = np.maximum(largest, sink)
    largest = np.where(largest == -np.inf, 0, largest)  # not -inf - -inf
    exponentials = np.exp(scores - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - largest)
    weights: NDArray[Any] = exponentials / np.where(total == 0, 1, total)
    return weights
