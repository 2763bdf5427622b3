"""Multi-head latent attention: keys and values come from one short row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import SharedOptions, _prepared
from attention.block import rms_norm
from attention.dot_product import _weights
from attention.rotary import apply_rotary

Array = NDArray[Any]


def latent_attention(
    query: ArrayLike,
    query_rotary: ArrayLike,
    latent: ArrayLike,
    key_rotary: ArrayLike,
    w_uk: ArrayLike,
    w_uv: ArrayLike,
    *,
    absorb: bool = False,
    **options: Unpack[SharedOptions],
) -> Array:
    r"""Attend to keys and values that each head makes from a shared latent.

    $$\z_i = \softmax\!\Big(\frac{\q_i (c\, W_{UK,i})^\top + \q_i^R\,
    {\k^R}^\top}{\sqrt{d_h + d_R}}\Big)\, c\, W_{UV,i}$$

    $c$ is the latent, and $i$ a head. With `absorb` no key and no value is
    made: $W_{UK,i}^\top$ is applied to the query, and $W_{UV,i}$ to the
    weighted sum of the latents. The result is the same up to rounding. Raises
    [an error](index.md#errors) if arrays do not share an axis of one name.

    Parameters
    ----------
    query : array_like of shape (..., heads, n_q, d_h)
        The part of the queries that is not rotated.
    query_rotary : array_like of shape (..., heads, n_q, d_r)
        The rotated part; d_r may be 0.
    latent : array_like of shape (..., n_k, d_c)
        One row per token, for all heads.
    key_rotary : array_like of shape (..., n_k, d_r)
        The rotated part of the key, also for all heads.
    w_uk : array_like of shape (heads, d_c, d_h)
        Makes a key from a latent, in each head.
    w_uv : array_like of shape (heads, d_c, d_v)
        Makes a value.
    absorb : bool, optional
        Compute with the latents in place of keys and values.
    **options
        mask, bias, is_causal, window, offset, scale, softcap and sink, as in
        `scaled_dot_product_attention`; the scores have the shape (..., heads,
        n_q, n_k). The scale is $1/\sqrt{d_h + d_r}$ both ways if omitted.

    Returns
    -------
    output : ndarray of shape (..., heads, n_q, d_v)
        For `merge_heads` and the output projection.

    References
    ----------
    [DeepSeek-AI 2024](../reference/sources.md#deepseek2024), §2.1.3,
    eqs. (14) to (18); absorption in §2.1.2.

    Examples
    --------
    The head of [the page](../learn/smaller-caches.md#by-hand), where key and
    query add up to 3, 2, 0, 1 and 0 doublings:

    >>> import numpy as np
    >>> from attention import latent_attention
    >>> query, none = np.log(2) * np.array([[[1, 1, 0, 0]]]), np.zeros((1, 0))
    >>> latent = [[2, 0, 2], [1, 1, 1], [0, 0, 0], [0, 2, 0], [0, 0, 0]]
    >>> w_uk = [[[1, 0, 0, 1], [1, 0, 0, -1], [0, 2, 0, 0]]]
    >>> w_uv = [[[4, 0], [0, 4], [0, 0]]]
    >>> for absorb in (False, True):
    ...     z = latent_attention(query, none[None], latent, np.zeros((5, 0)),
    ...                          w_uk, w_uv, absorb=absorb)
    ...     print(z.round(12))
    [[[5. 2.]]]
    [[[5. 2.]]]
    """
    _inputs.options(latent_attention, options, SharedOptions)
    absorb = _inputs.flag("absorb", absorb)
    (q, q_r, c, k_r, w_uk, w_uv), dtype = _inputs.floats(
        query=query, query_rotary=query_rotary, latent=latent,
        key_rotary=key_rotary, w_uk=w_uk, w_uv=w_uv,
    )  # fmt: skip
    q, q_r, c, k_r, w_uk, w_uv = _inputs.axes_agree(
        query=(q, "heads n_q d_h"), query_rotary=(q_r, "heads n_q d_r"),
        latent=(c, "n_k d_c"), key_rotary=(k_r, "n_k d_r"),
        w_uk=(w_uk, "heads d_c d_h"), w_uv=(w_uv, "heads d_c d_v"),
    )  # fmt: skip
    if options.get("scale") is None and q.shape[-1] + q_r.shape[-1]:
        options["scale"] = (q.shape[-1] + q_r.shape[-1]) ** -0.5
    c, k_r = c[..., None, :, :], k_r[..., None, :, :]  # one for all heads
    with np.errstate(all="ignore"):
        if absorb:
            q = q @ w_uk.swapaxes(-1, -2)  # (..., heads, n_q, d_c)
            k, v = c, c
        else:
            k, v = c @ w_uk, c @ w_uv  # (..., heads, n_k, d_h and d_v)
            k_r = np.broadcast_to(k_r, (*k.shape[:-1], k_r.shape[-1]))
        q, k = np.concatenate([q, q_r], -1), np.concatenate([k, k_r], -1)
        given = _prepared(q, k, v, enable_gqa=absorb, **options)
        z = given.result(_weights(given) @ given.value)
        return (z @ w_uv if absorb else z).astype(dtype, copy=False)


class LatentWeights(NamedTuple):
    """The matrices of a layer of latent attention, for `latent_attention`.

    The row of a token is multiplied from the left, as in `Q = X W_Q`.
    """

    w_dq: Array | None  # (d_model, d_q), if queries come from a short row
    q_norm: Array | None  # (d_q,), the gain of its RMS norm
    w_uq: Array  # (heads, d_q, d_h)
    w_qr: Array  # (heads, d_q, d_r)
    w_dkv: Array  # (d_model, d_c)
    kv_norm: Array  # (d_c,)
    w_kr: Array  # (d_model, d_r)
    w_uk: Array  # (heads, d_c, d_h)
    w_uv: Array  # (heads, d_c, d_v)
    w_o: Array  # (heads * d_v, d_model)
    scale: float  # for latent_attention
    layout: Literal["interleaved", "half"]  # as in apply_rotary
    eps: float  # of the norms

    @classmethod
    def from_state(
        cls,
        state: Mapping[str, ArrayLike],
        n_heads: int,
        *,
        layout: Literal["interleaved", "half"] = "interleaved",
        mscale: float = 1.0,
        eps: float = 1e-6,
    ) -> Self:
        """Read a layer in the layout of DeepSeek's published weights.

        Parameters
        ----------
        state : mapping of names to array_like
            `kv_a_proj_with_mqa`, `kv_a_layernorm`, `kv_b_proj`, `o_proj`, and
            `q_proj`, or `q_a_proj`, `q_a_layernorm` and `q_b_proj`, with or
            without ".weight"; a row of a matrix makes one feature.
        n_heads : int
            The number of heads.
        layout : "interleaved" or "half", optional
            The checkpoints pair neighbours.
        mscale : float, optional
            The scale is multiplied by its square. In a model stretched by
            YaRN it is 0.1 * mscale_all_dim * ln(factor) + 1.
        eps : float, optional
            Of the norms.
        """
        heads = _inputs.integer("n_heads", n_heads, 1)
        _inputs.one_of("layout", layout, ("interleaved", "half"))
        given = {name.removesuffix(".weight"): x for name, x in state.items()}
        queries = ["q_a_proj", "q_a_layernorm", "q_b_proj"]
        queries = ["q_proj"] if "q_proj" in given else queries
        needed = ["kv_a_proj_with_mqa", "kv_a_layernorm", "kv_b_proj"]
        a = {}
        for name in (*needed, *queries, "o_proj"):
            if name not in given:
                raise ValueError(f"state lacks {name}")
            a[name] = _inputs.floating(name, given[name]).T
        by_head = []  # (heads, d_in, d)
        for name in (queries[-1], "kv_b_proj", "o_proj"):
            array = a[name] if name != "o_proj" else a[name].T
            if array.ndim != 2 or array.shape[1] % heads:
                rule = f"{name} must have {heads} heads of features"
                _inputs.refuse(rule, **{name: a[name].T})
            by_head.append(np.stack(np.split(array, heads, axis=1)))
        q, kv, o = by_head
        w_dkv, w_kr = np.split(a[needed[0]], [kv.shape[1]], axis=1)
        d_h = q.shape[-1] - w_kr.shape[-1]
        if d_h < 0 or d_h + o.shape[-1] != kv.shape[-1]:
            rule = "kv_b_proj must have d_h + d_v rows for each head, where "
            rule += f"{queries[-1]} has d_h + d_r, and {needed[0]} d_c + d_r"
            names = "kv_b_proj", queries[-1], "o_proj"
            _inputs.refuse(rule, **{name: a[name].T for name in names})
        scale = q.shape[-1] ** -0.5 * _inputs.number("mscale", mscale) ** 2
        return cls(
            a.get("q_a_proj"), a.get("q_a_layernorm"), q[..., :d_h],
            q[..., d_h:], w_dkv, a["kv_a_layernorm"], w_kr, kv[..., :d_h],
            kv[..., d_h:], a["o_proj"], scale, layout, eps,
        )  # fmt: skip

    def queries(
        self, x: ArrayLike, cos: ArrayLike, sin: ArrayLike
    ) -> tuple[Array, Array]:
        """Make both parts of the queries of tokens, (..., n, d_model)."""
        row = _inputs.floating("x", x)
        if self.w_dq is not None:
            _inputs.matrix_fits("x", row, "w_dq", self.w_dq)
            row = rms_norm(row @ self.w_dq, self.q_norm, eps=self.eps)
        row = row[..., None, :, :]  # one for all heads
        turned = apply_rotary(row @ self.w_qr, cos, sin, layout=self.layout)
        return row @ self.w_uq, turned

    def latents(
        self, x: ArrayLike, cos: ArrayLike, sin: ArrayLike
    ) -> tuple[Array, Array]:
        """Make what a cache keeps, the latent and the rotated key."""
        x = _inputs.floating("x", x)
        _inputs.matrix_fits("x", x, "w_dkv", self.w_dkv)
        turned = apply_rotary(x @ self.w_kr, cos, sin, layout=self.layout)
        latent = rms_norm(x @ self.w_dkv, self.kv_norm, eps=self.eps)
        return latent, turned
