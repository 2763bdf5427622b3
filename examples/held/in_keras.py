"""Keras on torch: its operation, and the layer, whose projections change nothing here."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from examples.held.shared import allowed

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras


def operation(format: str) -> Callable[..., Any]:
    """Return keras.ops.dot_product_attention; tokens before heads."""

    def kernel(
        query: Any,
        key: Any,
        value: Any,
        *,
        bias: Any = None,
        scale: Any = None,
        enable_gqa: bool = False,
        **who: Any,
    ) -> Any:
        q, k, v = (keras.ops.convert_to_tensor(a, format) for a in (query, key, value))
        mask = allowed(q.shape[1], k.shape[1], **who)
        return keras.ops.dot_product_attention(q, k, v, bias=bias, mask=mask, scale=scale)

    return kernel


def layer(format: str, **options: Any) -> Callable[..., Any]:
    """Return keras.layers.MultiHeadAttention, which returns the weights too and so computes by itself."""

    def kernel(query: Any, key: Any, value: Any, **who: Any) -> Any:
        b, n_q, h, d_k = query.shape
        n_k, d_v = key.shape[1], value.shape[-1]
        made = keras.layers.MultiHeadAttention(
            h, d_k, d_v, use_bias=False, output_shape=h * d_v, dtype=format, **options
        )
        flat = [keras.ops.convert_to_tensor(a.reshape(b, -1, h * a.shape[-1]), format) for a in (query, key, value)]
        q, k, v = flat
        made.build(q.shape, v.shape, k.shape)
        made.set_weights([np.eye(int(w.size**0.5)).reshape(w.shape) for w in made.get_weights()])
        mask = allowed(n_q, n_k, **who)
        if mask is not None and (mask != mask[:, :1]).any():
            raise ValueError("the layer takes one mask for all heads")
        out, _ = made(q, v, k, attention_mask=None if mask is None else mask[:, 0], return_attention_scores=True)
        return keras.ops.reshape(out, (b, n_q, h, d_v))

    return kernel
