"""Attention in tiles: the whole answer in memory that does not grow with n x n."""

from typing import Any

from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks, tiles
from attention._positions import Window


@_checks.names_attn_mask
def tiled_attention(
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
    query_block: int = 256,
    key_block: int = 512,
    n_threads: int = 1,
) -> NDArray[Any]:
    r"""Compute `scaled_dot_product_attention` in tiles, without ever holding its n_q x n_k weights.

    $$\Z_i = \frac{\sum_j e^{S_{ij} - m_i} \, \V_j}{\sum_j e^{S_{ij} - m_i}}$$

    Both sums grow tile by tile. $m_i$ is the largest score of the row so far;
    when it grows, what was summed before shrinks by $e^{m_i^{\text{old}} -
    m_i}$. Where the lengths of queries and keys promise small scores, $m_i$
    stays 0. The division comes last, and blocks of queries are the outer loop.
    Beyond the output it needs one tile a thread, half a MiB in float32,
    whatever n is. Tiles that `is_causal` or `window` forbids are not computed.

    Parameters
    ----------
    query : array_like of shape (..., n_q, d_k)
        What is asked, one row a query.
    key : array_like of shape (..., n_k, d_k)
        What it is compared with, one row a key.
    value : array_like of shape (..., n_k, d_v)
        What each key hands over. Leading axes and dtypes as in
        `scaled_dot_product_attention`.
    mask, bias, is_causal, window, offset, scale, softcap, sink, enable_gqa : optional
        As in `attention_weights`. Mask and bias are read tile by tile, and may
        be views made by `np.broadcast_to`.
    query_block, key_block : int, optional
        Rows and columns of a tile at most. Any size is right; the defaults are
        fast.
    n_threads : int, optional
        How many threads share the blocks of queries. NumPy's own matrix
        product may use threads too: with more than one here, set the
        environment variable OPENBLAS_NUM_THREADS=1 before NumPy is imported,
        or they compete.

    Returns
    -------
    output : ndarray of shape (..., n_q, d_v)
        As from `scaled_dot_product_attention`, save for rounding.

    Raises
    ------
    TypeError
        As in `scaled_dot_product_attention`; if a block size or n_threads is
        not an integer.
    ValueError
        As in `scaled_dot_product_attention`; if a block size or n_threads is
        less than 1.

    References
    ----------
    [Rabe & Staats 2021](../reference/sources.md#rabe2021), §2 and §3, and [Dao
    2023](../reference/sources.md#dao2023), §3.1, divide once at the end, with
    queries outside, as here; [Dao et al.
    2022](../reference/sources.md#dao2022), Algorithm 1, normalises at every
    step, with keys outside.

    Examples
    --------
    The running example in tiles of two queries by two keys:

    >>> from attention import project, tiled_attention
    >>> from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
    >>> x = embed(S5, EARLY5)
    >>> q, k, v = project(x, W_Q1), project(x, W_K), project(x, W_V)
    >>> tiled_attention(q, k, v, query_block=2, key_block=2)
    array([[2.4, 2.4],
           [5. , 2. ],
           [5. , 2. ],
           [2.4, 2.4],
           [5. , 2. ]])

    Equal scores average the values that a query may see; the weights of 2000
    tokens would fill 32 MB:

    >>> import numpy as np
    >>> from attention import tiled_attention
    >>> same, count = np.zeros((2000, 4)), np.arange(2000.0)[:, None]
    >>> tiled_attention(same, same, count, is_causal=True)[:3].round(9)
    array([[0. ],
           [0.5],
           [1. ]])
    """
    problem, dtype = tiles.prepared(
        query, key, value, mask=mask, bias=bias, is_causal=is_causal, window=window, offset=offset,
        scale=scale, softcap=softcap, sink=sink, enable_gqa=enable_gqa,
    )  # fmt: skip
    output, _ = tiles.solve(
        problem, query_block, key_block, n_threads, with_logsumexp=False
    )
    return _arrays.rounded(output, dtype)
