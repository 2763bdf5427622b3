"""Attention without a softmax: a state of fixed size in place of a cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs


def linear_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    chunk_size: int = 64,
) -> NDArray[Any]:
    r"""Weigh the values of earlier tokens by plain products, chunk by chunk.

    $$S_t = S_{t-1} + \k_t^\top \v_t, \qquad u_t = u_{t-1} + \k_t, \qquad
    \z_t = \frac{\q_t\, S_t}{\q_t\, u_t^\top}$$

    All tokens before a chunk are in the state $S$. Within a chunk each query
    is compared with each key. Any chunk_size gives the same, up to rounding.
    Raises [an error](index.md#errors) if chunk_size is below 1.

    Parameters
    ----------
    query, key : array_like of shape (..., n, d_k)
        Queries and keys after the feature map $\phi$: not negative.
    value : array_like of shape (..., n, d_v)
        Values. Leading axes broadcast.
    chunk_size : int, optional
        Tokens in a chunk.

    Returns
    -------
    output : ndarray of shape (..., n, d_v)
        One row per token; nan where all products of a query are 0.

    References
    ----------
    [Katharopoulos et al. 2020](../reference/sources.md#katharopoulos2020),
    §3.3.

    Examples
    --------
    The second query weighs its two values by 1 and 3:

    >>> from attention import linear_attention
    >>> linear_attention([[1.0], [1.0]], [[1.0], [3.0]], [[8.0], [4.0]])
    array([[8.],
           [5.]])
    """
    chunk_size = _inputs.integer("chunk_size", chunk_size, 1)
    (q, k, v), dtype = _inputs.floats(query=query, key=key, value=value)
    q, k, v = _inputs.axes_agree(
        query=(q, "n d_k"), key=(k, "n d_k"), value=(v, "n d_v")
    )
    state = np.zeros((*k.shape[:-2], k.shape[-1], v.shape[-1]), k.dtype)
    total, output = np.zeros_like(state[..., :1]), np.empty(v.shape, dtype)
    with np.errstate(all="ignore"):
        for start in range(0, v.shape[-2], chunk_size):
            rows = slice(start, start + chunk_size)
            q_c, k_c, v_c = q[..., rows, :], k[..., rows, :], v[..., rows, :]
            inside = np.tril(q_c @ k_c.swapaxes(-1, -2))  # of this chunk
            weighted = q_c @ state + inside @ v_c
            sums = q_c @ total + inside.sum(axis=-1, keepdims=True)
            output[..., rows, :] = weighted / sums
            state = state + k_c.swapaxes(-1, -2) @ v_c
            total = total + k_c.sum(axis=-2)[..., None]
    return output


def delta_rule(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    decay: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    state: ArrayLike | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    r"""Keep a state in which a key that returns overwrites its old value.

    $$\tilde S_t = \alpha_t \odot S_{t-1}, \qquad S_t = \tilde S_t + \beta_t\,
    \k_t^\top (\v_t - \k_t \tilde S_t), \qquad \z_t = \q_t\, S_t$$

    $\alpha$ is the decay. Layers usually scale keys to norm 1, and queries to
    $1/\sqrt{d_k}$, before they call this. Raises [an error](index.md#errors)
    if shapes do not fit.

    Parameters
    ----------
    query : array_like of shape (..., n, d_k)
        What is looked up in the state, after each token is written.
    key : array_like of shape (..., n, d_k)
        Where a token is written.
    value : array_like of shape (..., n, d_v)
        What is written. Leading axes broadcast.
    decay : array_like of shape (..., n, 1) or (..., n, d_k), optional
        How much of the old state each token keeps, from 0 to 1: one number
        (Gated DeltaNet), or one for each feature of the key (Kimi Delta
        Attention); 1 if omitted. Some libraries take its logarithm.
    beta : array_like of shape (..., n, 1), optional
        How much of the difference is written; 1 if omitted.
    state : array_like of shape (..., d_k, d_v), optional
        What an earlier call returned; zeros if omitted.

    Returns
    -------
    output : ndarray of shape (..., n, d_v)
        One row per token.
    state : ndarray of shape (..., d_k, d_v)
        After the last token, for the next call.

    References
    ----------
    [Gated DeltaNet](../reference/sources.md#yangs2024b), §3.1; without
    decay [Schlag et al. 2021](../reference/sources.md#schlag2021), §4.2.

    Examples
    --------
    A key returns with another value, and gets that alone:

    >>> from attention import delta_rule
    >>> key, value = [[0.0, 1.0]] * 2, [[8.0, 0.0], [0.0, 8.0]]
    >>> delta_rule(key, key, value)[0]
    array([[8., 0.],
           [0., 8.]])
    """
    optional = {"decay": decay, "beta": beta, "state": state}
    more = {name: x for name, x in optional.items() if x is not None}
    converted, dtype = _inputs.floats(
        query=query, key=key, value=value, **more
    )
    given = dict(zip(("query", "key", "value", *more), converted, strict=True))
    one = given.get("decay", np.ones(0)).shape[-1:] == (1,)
    axes = {"value": "n d_v", "beta": "n 1", "state": "d_k d_v"}
    axes["decay"] = "n 1" if one else "n d_k"
    agreed = _inputs.axes_agree(
        **{n: (part, axes.get(n, "n d_k")) for n, part in given.items()}
    )
    (q, k, v), given = agreed[:3], dict(zip(given, agreed, strict=True))
    ones = np.ones((*k.shape[:-1], 1), k.dtype)
    alpha, rate = given.get("decay", ones), given.get("beta", ones)
    empty = np.zeros((*k.shape[:-2], k.shape[-1], v.shape[-1]), k.dtype)
    table, output = given.get("state", empty), np.empty(v.shape, dtype)
    with np.errstate(all="ignore"):
        for t in range(v.shape[-2]):
            q_t, k_t, v_t = (part[..., t, None, :] for part in (q, k, v))
            table = alpha[..., t, :, None] * table  # (..., d_k, d_v)
            change = rate[..., t, :, None] * (v_t - k_t @ table)
            table = table + k_t.swapaxes(-1, -2) * change
            output[..., t, :] = (q_t @ table)[..., 0, :]
        return output, table.astype(dtype)
