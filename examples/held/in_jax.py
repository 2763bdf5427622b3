"""JAX on a CPU: jax.nn.dot_product_attention, and the Pallas kernel for GPUs as its interpreter runs it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.gpu.attention import BlockSizes, mha

from examples.held.shared import allowed

jax.config.update("jax_platforms", "cpu")
STATIC = ("scale", "is_causal", "local_window_size", "return_residual")
compiled = jax.jit(jax.nn.dot_product_attention, static_argnames=STATIC)


def nn(format: str, *, own_causal: bool = False, lse: bool = False) -> Callable[..., Any]:
    """Return jax.nn.dot_product_attention; tokens before heads."""

    def kernel(
        query: Any,
        key: Any,
        value: Any,
        *,
        bias: Any = None,
        scale: Any = None,
        enable_gqa: bool = False,
        window: Any = None,
        **who: Any,
    ) -> Any:
        q, k, v = (jnp.asarray(a, format) for a in (query, key, value))
        more: dict[str, Any] = {}
        if own_causal:  # aligned with the first key
            more = {"is_causal": who.pop("is_causal", False)}
            who.pop("offset", None)
        if window is not None and not np.any(who.get("offset", 0)):
            left, right = window
            n = max(q.shape[1], k.shape[1])
            more["local_window_size"] = (n if left is None else left, n if right is None else right)
            window = None
        seen = allowed(q.shape[1], k.shape[1], window=window, **who)
        mask = None if seen is None else jnp.asarray(seen)
        added = None if bias is None else jnp.asarray(bias, format)
        # what a CPU lacks for float16 is caught only where each step runs by itself
        attend = jax.nn.dot_product_attention if format == "float16" else compiled
        return attend(q, k, v, added, mask, scale=scale, return_residual=lse, **more)

    return kernel


def pallas(format: str) -> Callable[..., Any]:
    """Return the Pallas kernel; it wants blocks to be full, and aligns causal with the first key."""

    def kernel(query: Any, key: Any, value: Any, *, is_causal: bool = False, offset: Any = 0, scale: Any = None) -> Any:
        q, k, v = (jnp.asarray(a, format) for a in (query, key, value))
        scale = q.shape[-1] ** -0.5 if scale is None else scale
        return mha(q, k, v, None, sm_scale=scale, causal=is_causal, interpret=True, block_sizes=BlockSizes(32, 32))

    return kernel


def gradients(format: str) -> Callable[..., Any]:
    """Return what jax.vjp makes of it."""

    def function(
        query: Any,
        key: Any,
        value: Any,
        grad_output: Any,
        *,
        bias: Any = None,
        scale: Any = None,
        enable_gqa: bool = False,
        **who: Any,
    ) -> Any:
        q, k, v, dz = (jnp.asarray(a, format) for a in (query, key, value, grad_output))
        seen = allowed(q.shape[1], k.shape[1], **who)
        mask = None if seen is None else jnp.asarray(seen)
        added = None if bias is None else jnp.asarray(bias, format)
        found = pulled(q, k, v, added, mask, dz, scale)
        return found[:3] if bias is None else found

    return function


@partial(jax.jit, static_argnames="scale")
def pulled(q: Any, k: Any, v: Any, bias: Any, mask: Any, dz: Any, scale: Any) -> Any:
    """Return the gradients of queries, keys, values and bias."""
    _, pull = jax.vjp(
        lambda q, k, v, bias: jax.nn.dot_product_attention(q, k, v, bias, mask, scale=scale), q, k, v, bias
    )
    return pull(dz)
