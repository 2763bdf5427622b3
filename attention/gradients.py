"""What learning sees: how the output of attention changes with everything that went into it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks, _positions, _scores, tiles
from attention._arrays import Bools, Floats
from attention._positions import Window


def softmax_vjp(weights: ArrayLike, grad_weights: ArrayLike) -> NDArray[Any]:
    r"""Carry a gradient from the weights of a softmax back to its scores.

    $$dS_j = P_j \Big( dP_j - \sum_l P_l \, dP_l \Big)$$

    Each row of gradients is multiplied by the Jacobian $\operatorname{diag}(P)
    - P P^\top$, which is never built. A score gains by how far its own
    gradient lies above the weighted average of its row.

    Parameters
    ----------
    weights : array_like of shape (..., n)
        What softmax returned, $P$; a softmax over the last axis.
    grad_weights : array_like of shape (..., n)
        The gradient of a loss with respect to these weights, $dP$. Dtypes
        promote as in `softmax`.

    Returns
    -------
    grad_scores : ndarray of shape (..., n)
        The gradient with respect to the scores. Each row sums to zero if its
        weights sum to one, because adding the same number to all scores of a
        row changes nothing.

    Raises
    ------
    TypeError
        If an array does not hold real numbers.
    ValueError
        If the shapes differ, or there is no axis.

    References
    ----------
    [Dao et al. 2022](../reference/sources.md#dao2022), appendix B.2.

    Examples
    --------
    The verb of the running example gives *cat* the weight 1/2, and its output
    is (5, 2). What *cat* hands over, (8, 0), is 3 more than that in the first
    number and 2 less in the second, so per unit of *cat*'s score the output
    moves by $(3, -2) / 2 = (1.5, -1)$, in the first column:

    >>> import numpy as np
    >>> from attention import softmax_vjp
    >>> weights = np.array([8, 4, 1, 2, 1]) / 16
    >>> values = np.array([[8.0, 0], [4, 4], [0, 0], [0, 8], [0, 0]])
    >>> softmax_vjp([weights, weights], values.T)
    array([[ 1.5   , -0.25  , -0.3125, -0.625 , -0.3125],
           [-1.    ,  0.5   , -0.125 ,  0.75  , -0.125 ]])

    A row that has made up its mind learns nothing:

    >>> from attention import softmax_vjp
    >>> softmax_vjp([1.0, 0.0], [-5.0, 5.0])
    array([0., 0.])
    """
    (p, dp), dtype = _arrays.to_floats(
        weights=weights, grad_weights=grad_weights
    )
    _checks.has_axes("(..., n)", 1, weights=p)
    if p.shape != dp.shape:
        raise ValueError(
            f"weights and grad_weights must have the same shape: weights {p.shape}, grad_weights {dp.shape}"
        )
    with np.errstate(all="ignore"):
        return _arrays.rounded(p * (dp - _row_sums(p, dp)), dtype)


@_checks.names_attn_mask
def attention_vjp(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    grad_output: ArrayLike,
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
    return_bias: bool = False,
    return_sink: bool = False,
) -> tuple[NDArray[Any], ...]:
    r"""Carry a gradient from the output of `scaled_dot_product_attention` back to everything that went into it.

    $$\begin{aligned}
    d\V &= P^\top d\Z, & dP &= d\Z \, \V^\top, & D_i &= \sum_j P_{ij} \, dP_{ij}, \\
    dS_{ij} &= P_{ij} \, (dP_{ij} - D_i), & d\Q &= \frac{dS \, \K}{\sqrt{d_k}}, & d\K &= \frac{dS^\top \Q}{\sqrt{d_k}}
    \end{aligned}$$

    $P$ are the weights, computed again. An input that served several rows,
    heads or sequences gets the sum of what each of them sends back: keys
    shared by a group of heads, axes of size 1, and axes it did not have. With
    a softcap $c$, $dS$ is multiplied by $1 - (S / c)^2$ on its way to $d\Q$
    and $d\K$, where $S$ are the capped scores.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        As it was given to `scaled_dot_product_attention`, like all that
        follows but grad_output.
    key : array_like of shape (..., n_k, d_k)
        The keys.
    value : array_like of shape (..., n_k, d_v)
        The values.
    grad_output : array_like of shape (..., n_q, d_v)
        The gradient of a loss with respect to the output, $d\Z$. It is cast to
        the dtype of the computation, which query, key and value decide.
    mask, bias, is_causal, window, offset, scale, softcap, sink, enable_gqa : optional
        As in `attention_weights`.
    return_bias, return_sink : bool, optional
        Return the gradient of bias or sink as well.

    Returns
    -------
    d_query, d_key, d_value : ndarray
        The gradient of each, in the shape of that array and in the dtype of
        the output. What no query attends to gets zero, whatever it or its
        value holds, and so does a query without any allowed key.
    d_bias, d_sink : ndarray
        In the shape of bias and of sink, if they are asked for.

    Raises
    ------
    TypeError
        As in `scaled_dot_product_attention`.
    ValueError
        As in `scaled_dot_product_attention`; if grad_output does not have the
        shape of the output, or the gradient of a bias or sink is asked for
        that was not given.

    References
    ----------
    [Dao et al. 2022](../reference/sources.md#dao2022), appendix B.2, with eq.
    (4) for $D$, which is also the sum of $d\Z_i \cdot \Z_i$ over the features.

    Examples
    --------
    *ran* of the running example, and a loss that is the first number of its
    output. Each value gets its weight; the gradient of a bias of zero is that
    of the scores, 1.5 for *cat*, and sums to zero:

    >>> from attention import attention_vjp, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> grad_output, bias = [[1.0, 0.0]], [[0.0] * 5]
    >>> d_q, d_k, d_v, d_bias = attention_vjp(
    ...     q, k, v, grad_output, bias=bias, return_bias=True
    ... )
    >>> d_v[:, 0]
    array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625])
    >>> d_bias
    array([[ 1.5   , -0.25  , -0.3125, -0.625 , -0.3125]])

    $d_k$ is 4, so a score is half the product of query and key: the gradient
    of the query is half the sum of the keys, each times the gradient of its
    score. In its first feature the keys are (2, 2, 0, 2, 0), and $(1.5 - 0.25
    - 0.625) \cdot 2 / 2 = 0.625$:

    >>> from attention import attention_vjp, project
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> d_q, d_k, d_v = attention_vjp(q, k, v, [[1.0, 0.0]])
    >>> d_q
    array([[ 0.625 ,  2.75  , -0.4375,  2.125 ]])
    """
    (q, k, v), dtype = _scores.checked(
        enable_gqa, query=query, key=key, value=value
    )
    d_output = _arrays.rounded(
        _arrays.float_array("grad_output", grad_output), q.dtype
    )  # (..., n_q, d_v)
    factor = _scores.scale_factor(scale, q)
    wanted_bias, wanted_sink = (
        _wanted("bias", return_bias, bias),
        _wanted("sink", return_sink, sink),
    )
    with np.errstate(all="ignore"):
        scores = _scores.scaled(q, k, scale, softcap)
        slope = (
            None
            if softcap is None
            else _scores.slope_of_cap(scores, float(softcap))
        )
        reach = _positions.reach(is_causal, window, offset, scores.shape)
        weights = _scores.softmax_rows(
            _scores.masked(scores, bias, mask, reach), sink
        )  # (..., n_q, n_k)
        _check_grad_output(d_output, _output_shape(weights, v, enable_gqa))

        attended = None  # all pairs of query and key, until nan or inf must be kept from those that do not attend
        if not all(map(_scores.finite, (weights, v, d_output))):
            attended = (
                _scores.masked(
                    np.zeros(weights.shape, weights.dtype), bias, mask, reach
                )
                != -np.inf
            )
            weights = _kept(weights, attended)

        d_value = _blended_back(weights, d_output, attended)  # (..., n_k, d_v)
        d_weights = _scores.product(
            d_output, v.swapaxes(-1, -2)
        )  # (..., n_q, n_k)
        d_weights = _kept(_summed(d_weights, weights.shape), attended)
        row_sums = _row_sums(weights, d_weights)  # (..., n_q, 1)
        d_weights -= (
            row_sums  # in place, as fresh arrays of this size are slow
        )
        d_scores = _kept(
            np.multiply(weights, d_weights, out=d_weights), attended
        )
        d_products = d_scores if slope is None else d_scores * slope
        d_query = factor * _scores.product(
            d_products, _scores.finite_part(k)
        )  # (..., n_q, d_k)
        d_key = factor * (
            d_products.swapaxes(-1, -2) @ _scores.finite_part(q)
        )  # (..., n_k, d_k)

        gradients = [
            _summed(d, x.shape)
            for d, x in ((d_query, q), (d_key, k), (d_value, v))
        ]
        gradients += [_summed(d_scores, np.shape(one)) for one in wanted_bias]
        gradients += [_of_sink(d_scores, np.shape(one)) for one in wanted_sink]
        return tuple(
            gradient.astype(dtype, copy=False) for gradient in gradients
        )


@_checks.names_attn_mask
def tiled_attention_vjp(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    grad_output: ArrayLike,
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
    return_bias: bool = False,
    return_sink: bool = False,
    query_block: int = 256,
    key_block: int = 512,
) -> tuple[NDArray[Any], ...]:
    r"""Compute `attention_vjp` in tiles, without ever holding its n_q x n_k weights.

    $$P_{ij} = e^{S_{ij} - L_i}, \qquad D_i = d\Z_i \cdot \Z_i$$

    A first pass over a block of queries keeps two things of every row, its
    output $\Z_i$ and the logarithm $L_i$ of the sum of its exponentials. With
    these a second pass computes any tile of the weights again by itself, and
    $D_i$ needs no tile at all. Beside the gradients it needs a few tiles,
    whatever n is.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        As in `attention_vjp`, like all that follows but the blocks.
    key : array_like of shape (..., n_k, d_k)
        The keys.
    value : array_like of shape (..., n_k, d_v)
        The values.
    grad_output : array_like of shape (..., n_q, d_v)
        The gradient of a loss with respect to the output.
    mask, bias, is_causal, window, offset, scale, softcap, sink, enable_gqa : optional
        As in `attention_weights`. Mask and bias are read tile by tile, and may
        be views made by `np.broadcast_to`; the gradient of a bias has its
        shape.
    return_bias, return_sink : bool, optional
        As in `attention_vjp`.
    query_block, key_block : int, optional
        Rows and columns of a tile at most.

    Returns
    -------
    d_query, d_key, d_value : ndarray
        As from `attention_vjp`, save for rounding.
    d_bias, d_sink : ndarray
        If they are asked for.

    Raises
    ------
    TypeError
        As in `attention_vjp`; if a block size is not an integer.
    ValueError
        As in `attention_vjp`; if a block size is less than 1.

    References
    ----------
    [Dao et al. 2022](../reference/sources.md#dao2022), appendix B.2, eq. (4).

    Examples
    --------
    *ran* of the running example, as in `attention_vjp`, in tiles of two keys:

    >>> from attention import project, tiled_attention_vjp
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x[4:], W_Q1), project(x, W_K), project(x, W_V)
    >>> d_q, d_k, d_v = tiled_attention_vjp(q, k, v, [[1.0, 0.0]], key_block=2)
    >>> d_q
    array([[ 0.625 ,  2.75  , -0.4375,  2.125 ]])
    >>> d_v[:, 0]
    array([0.5   , 0.25  , 0.0625, 0.125 , 0.0625])
    """
    problem, dtype = tiles.prepared(
        query, key, value, mask=mask, bias=bias, is_causal=is_causal, window=window, offset=offset,
        scale=scale, softcap=softcap, sink=sink, enable_gqa=enable_gqa,
    )  # fmt: skip
    given = _arrays.rounded(
        _arrays.float_array("grad_output", grad_output), problem.query.dtype
    )
    query_block = _checks.count("query_block", query_block, minimum=1)
    key_block = _checks.count("key_block", key_block, minimum=1)
    (*few, n_groups, n_q, _), d_v = (
        problem.query.shape,
        problem.value.shape[-1],
    )
    lead = (*few[:-1], few[-1] * n_groups) if few else ()
    _check_grad_output(given, (*lead, n_q, d_v))
    wanted_bias, wanted_sink = (
        _wanted("bias", return_bias, bias),
        _wanted("sink", return_sink, sink),
    )
    by_group = problem.query.shape[:-1]  # (..., group, n_q)
    with np.errstate(all="ignore"):
        d_output = given.reshape(*by_group, d_v)
        d_bias = [
            np.zeros(_by_group(np.shape(one), problem, len(lead)), given.dtype)
            for one in wanted_bias
        ]
        d_sink = [np.zeros(by_group, given.dtype) for _ in wanted_sink]
        d_query, d_key, d_value = _sum_of_tiles(
            problem, d_output, d_bias, d_sink, query_block, key_block
        )
        d_query = d_query.reshape(*lead, *d_query.shape[-2:])
        of_inputs = (d_query, query), (d_key, key), (d_value, value)
        gradients = [_summed(d, np.shape(x)) for d, x in of_inputs]
        gradients += [
            d.reshape(np.shape(one))
            for d, one in zip(d_bias, wanted_bias, strict=True)
        ]
        rows_of = [d.reshape(*lead, n_q, 1) for d in d_sink]
        gradients += [
            _of_sink(d, np.shape(one))
            for d, one in zip(rows_of, wanted_sink, strict=True)
        ]
        return tuple(
            gradient.astype(dtype, copy=False) for gradient in gradients
        )


def _wanted(
    name: str, is_wanted: bool, array: ArrayLike | None
) -> list[ArrayLike]:
    """List the bias or sink if its gradient is asked for."""
    if not _checks.flag(f"return_{name}", is_wanted):
        return []
    if array is None:
        raise ValueError(
            f"return_{name} asks for the gradient of {name}, which is not given"
        )
    return [array]


def _by_group(
    shape: tuple[int, ...], problem: tiles.Problem, n_lead: int
) -> tuple[int, ...]:
    """Give a bias the axes (..., group, n_q, n_k) of a problem, each of its full size or of 1."""
    *lead, n_q, n_k = (1,) * (n_lead + 2 - len(shape)) + shape
    if not lead:
        return (1, n_q, n_k)
    heads = (1, 1) if lead[-1] == 1 else problem.query.shape[-4:-2]
    return (*lead[:-1], *heads, n_q, n_k)


def _sum_of_tiles(
    problem: tiles.Problem,
    d_output: Floats,
    d_bias: list[Floats],
    d_sink: list[Floats],
    query_block: int,
    key_block: int,
) -> tuple[Floats, Floats, Floats]:
    """Answer one block of queries after another, then compute its tiles again and add up what each sends back.

    To what `d_bias` holds its gradients are added, and to what `d_sink` holds,
    (..., group, n_q), the sums of those of each row.
    """
    d_query, d_key, d_value = (
        np.zeros(x.shape, x.dtype)
        for x in (problem.query, problem.key, problem.value)
    )
    (*few, n_groups, n_q, _), n_k = problem.query.shape, problem.key.shape[-2]
    n_rows = tiles.rows_of_a_block(problem, query_block)
    buffer = np.empty(n_groups * n_rows * min(key_block, n_k), d_query.dtype)
    for at in np.ndindex(*few):
        head = problem.head(at)
        key = head.key if head.finite else _scores.finite_part(head.key)
        value = head.value if head.broken is None else head.broken
        is_sound = _scores.finite(value) and _scores.finite(d_output[at])
        for first in range(0, n_q, max(1, n_rows)):
            rows = slice(first, min(first + n_rows, n_q))
            d_out, query = (
                _flat(d_output[at][:, rows]),
                _flat(_scores.finite_part(head.query[:, rows])),
            )
            output = np.empty_like(d_output[at][:, rows])
            logsumexp = tiles.attend(
                head, rows, key_block, buffer, output
            ).reshape(-1, 1)
            averages = np.vecdot(d_out, _flat(output))[:, None]
            is_sound_here = is_sound and _scores.finite(logsumexp)
            d_rows = np.zeros_like(query)
            for columns, scores, slope in tiles.scored(
                head, rows, key_block, buffer, with_slope=True
            ):
                attended = None if is_sound_here else scores != -np.inf
                scores -= logsumexp
                weights = _kept(
                    np.exp(scores, out=scores), attended
                )  # (group * rows, columns)
                d_value[at][columns] += _blended_back(weights, d_out, attended)
                by_column = (
                    not weights.flags.c_contiguous
                )  # as the weights lie in memory
                d_weights = _scores.product(d_out, value[columns].T, by_column)
                d_scores = _kept(weights * (d_weights - averages), attended)
                for of_bias in d_bias:
                    _add_tile(
                        of_bias,
                        at,
                        rows,
                        columns,
                        d_scores.reshape(n_groups, -1, len(value[columns])),
                    )
                for of_sink in d_sink:
                    of_sink[at][:, rows] += d_scores.sum(axis=-1).reshape(
                        n_groups, -1
                    )
                d_products = d_scores if slope is None else d_scores * slope
                d_rows += d_products @ key[columns]
                d_key[at][columns] += d_products.T @ query
            d_query[at][:, rows] = d_rows.reshape(head.query[:, rows].shape)
    d_query *= problem.factor
    d_key *= problem.factor
    return d_query, d_key, d_value


def _flat(heads: Floats) -> Floats:
    """(group, rows, d) as (group * rows, d)."""
    return heads.reshape(heads.shape[0] * heads.shape[1], heads.shape[2])


def _add_tile(
    d_bias: Floats,
    at: tuple[int, ...],
    rows: slice,
    columns: slice,
    tile: Floats,
) -> None:
    """Add the gradients of a tile of scores to those of the bias that was added there."""
    for i in at:
        d_bias = d_bias[i if d_bias.shape[0] > 1 else 0]
    part = d_bias[
        :,
        rows if d_bias.shape[1] > 1 else slice(None),
        columns if d_bias.shape[2] > 1 else slice(None),
    ]
    part += _summed(tile, part.shape)


def _check_grad_output(d_output: Floats, shape: tuple[int, ...]) -> None:
    if d_output.shape != shape:
        raise ValueError(
            f"grad_output must have the shape of the output: grad_output {d_output.shape}, output {shape}"
        )


def _output_shape(
    weights: Floats, value: Floats, enable_gqa: bool
) -> tuple[int, ...]:
    lead = (*value.shape[:-3], 1) if enable_gqa else value.shape[:-2]
    return (
        *np.broadcast_shapes(weights.shape[:-2], lead),
        weights.shape[-2],
        value.shape[-1],
    )


def _row_sums(weights: Floats, d_weights: Floats) -> Floats:
    """Average the gradients of each row by its weights; no array of their size is made."""
    sums: Floats = np.vecdot(weights, d_weights)[..., None]
    return sums


def _kept(pairs: Floats, attended: Bools | None) -> Floats:
    """Write 0 where a query does not attend to a key, whatever stood there."""
    return pairs if attended is None else np.where(attended, pairs, 0)


def _blended_back(
    weights: Floats, d_output: Floats, attended: Bools | None
) -> Floats:
    """Send each query's gradient to the values that it blended, by the same weights."""
    back = weights.swapaxes(-1, -2)  # (..., n_k, n_q)
    d_value: Floats = back @ _scores.finite_part(d_output)
    return (
        d_value
        if attended is None
        else d_value + _scores.broken_part(attended.swapaxes(-1, -2), d_output)
    )


def _of_sink(d_scores: Floats, shape: tuple[int, ...]) -> Floats:
    """Together with its sink, the gradients of a row sum to zero: the sink has what the others lack."""
    return -_summed(d_scores, (*shape, 1, 1)).reshape(shape)


def _summed(gradient: Floats, shape: tuple[int, ...]) -> Floats:
    """Sum what an array of this shape sent to many places: heads that shared it, axes of size 1 and such it lacked."""
    if gradient.ndim > len(shape):
        gradient = np.asarray(
            gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
        )
    if len(shape) > 2 and shape[-3] not in (1, gradient.shape[-3]):
        n_groups = gradient.shape[-3] // shape[-3]
        gradient = gradient.reshape(
            *gradient.shape[:-3], shape[-3], n_groups, *gradient.shape[-2:]
        ).sum(axis=-3)
    repeated = tuple(
        axis for axis, size in enumerate(shape) if size != gradient.shape[axis]
    )
    return gradient.sum(axis=repeated, keepdims=True) if repeated else gradient
