"""What attention costs: closed formulas, exact integers."""

from __future__ import annotations

from attention import _inputs


def attention_flops(
    n_queries: int,
    n_keys: int,
    d_k: int,
    d_v: int,
    *,
    n_heads: int = 1,
    is_causal: bool = False,
) -> int:
    r"""Count the floating-point operations of the two matrix products.

    $$2\, n_q n_k (d_k + d_v) \cdot \text{heads}$$

    A product of shapes $(a, b)$ and $(b, c)$ counts as $2abc$: one
    multiplication and one addition per term. The projections and the softmax,
    a few operations per score, are not counted. Raises [an
    error](index.md#errors) if is_causal is given and n_queries != n_keys.

    Parameters
    ----------
    n_queries, n_keys : int
        Rows and columns of the scores.
    d_k, d_v : int
        Features of a key and of a value, in one head.
    n_heads : int, optional
        Query heads. Shared keys and values save memory, not operations.
    is_causal : bool, optional
        Count only the pairs that a causal mask allows, $n (n + 1) / 2$ of
        $n^2$; needs n_queries == n_keys.

    Returns
    -------
    flops : int
        A plain Python integer, exact at any size.

    Examples
    --------
    Three queries, five keys, four features each: $2 \cdot 15 \cdot (4 + 4)$.

    >>> from attention import attention_flops
    >>> attention_flops(3, 5, 4, 4)
    240
    """
    n_q, n_k = _size("n_queries", n_queries), _size("n_keys", n_keys)
    pairs = n_q * n_k
    if _inputs.flag("is_causal", is_causal):
        if n_q != n_k:
            rule = "is_causal=True needs as many queries as keys"
            _inputs.refuse(rule, n_queries=n_q, n_keys=n_k)
        pairs = n_q * (n_q + 1) // 2
    width = _size("d_k", d_k) + _size("d_v", d_v)
    return 2 * pairs * width * _size("n_heads", n_heads)


def kv_cache_bytes(
    n_tokens: int,
    *,
    n_layers: int,
    n_kv_heads: int,
    d_head: int,
    itemsize: int = 2,
) -> int:
    r"""Count the bytes of a KV cache, over all layers.

    $$2 \cdot \text{layers} \cdot \text{kv heads} \cdot d_{\text{head}}
    \cdot n \cdot \text{itemsize}$$

    The 2 counts a key and a value. Raises [an error](index.md#errors) if a
    size is negative.

    Parameters
    ----------
    n_tokens : int
        Tokens in the cache; times the batch, if there is one.
    n_layers : int
        Layers; each keeps keys and values of its own.
    n_kv_heads : int
        Heads of keys and values: all heads in multi-head attention, fewer with
        grouped queries, one with multi-query.
    d_head : int
        Features of a key, and of a value, in one head.
    itemsize : int, optional
        Bytes per number: 2 for float16.

    Returns
    -------
    n_bytes : int
        A plain Python integer.

    References
    ----------
    [Shazeer 2019](../reference/sources.md#shazeer2019), §2.4, on the memory
    that decoding reads.

    Examples
    --------
    GPT-3 175B has 96 layers of 96 heads with 128 features. One token in
    float16, by hand: $2 \cdot 96 \cdot 96 \cdot 128 \cdot 2$ bytes, 4.5 MiB.

    >>> from attention import kv_cache_bytes
    >>> kv_cache_bytes(1, n_layers=96, n_kv_heads=96, d_head=128) / 2**20
    4.5
    """
    numbers = _size("n_kv_heads", n_kv_heads) * _size("d_head", d_head)
    numbers *= _size("n_tokens", n_tokens) * _size("n_layers", n_layers)
    return 2 * numbers * _size("itemsize", itemsize)


def _size(name: str, value: int) -> int:
    return _inputs.integer(name, value, 0)
