"""Kernels of torch on a CPU: SDPA with either backend, its operator with the log-sum-exp, and FlexAttention."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import AuxRequest, create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

from examples.held.shared import allowed, to_bias


def sdpa(backend: str, format: str) -> Callable[..., Any]:
    """Return SDPA; what it has no option for becomes a mask."""
    dtype = getattr(torch, format)

    def kernel(
        query: Any, key: Any, value: Any, *, bias: Any = None, scale: Any = None, enable_gqa: bool = False, **who: Any
    ) -> Any:
        q, k, v = (torch.as_tensor(a).to(dtype) for a in (query, key, value))
        mask = allowed(q.shape[2], k.shape[2], **who)
        if bias is not None:
            mask = torch.as_tensor(to_bias(mask, bias)).to(dtype)
        elif mask is not None:
            mask = torch.as_tensor(mask)
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return scaled_dot_product_attention(q, k, v, mask, scale=scale, enable_gqa=enable_gqa)

    return kernel


def sdpa_causal(backend: str, format: str) -> Callable[..., Any]:
    """Return SDPA with its own is_causal, which aligns the first query with the first key."""
    dtype = getattr(torch, format)

    def kernel(query: Any, key: Any, value: Any, *, is_causal: bool, offset: Any = 0, **options: Any) -> Any:
        q, k, v = (torch.as_tensor(a).to(dtype) for a in (query, key, value))
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return scaled_dot_product_attention(q, k, v, is_causal=is_causal, **options)

    return kernel


def operator(format: str) -> Callable[..., Any]:
    """Return the operator behind the flash backend on a CPU, which also returns the log-sum-exp."""
    dtype = getattr(torch, format)

    def kernel(query: Any, key: Any, value: Any, *, scale: Any = None, **who: Any) -> Any:
        q, k, v = (torch.as_tensor(a).to(dtype) for a in (query, key, value))
        mask = allowed(q.shape[2], k.shape[2], **who)
        if mask is not None:
            mask = torch.as_tensor(to_bias(mask, None)).to(dtype)
        return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, attn_mask=mask, scale=scale)

    return kernel


def flex(format: str, *, compiled: bool = False, lse: bool = False) -> Callable[..., Any]:
    """Return FlexAttention: mask_mod for who may attend, score_mod for cap and bias."""
    dtype = getattr(torch, format)
    attend = torch.compile(flex_attention, dynamic=True) if compiled else flex_attention

    def kernel(
        query: Any,
        key: Any,
        value: Any,
        *,
        scale: Any = None,
        enable_gqa: bool = False,
        is_causal: bool = False,
        window: Any = None,
        offset: Any = 0,
        mask: Any = None,
        bias: Any = None,
        softcap: Any = None,
    ) -> Any:
        q, k, v = (torch.as_tensor(a).to(dtype) for a in (query, key, value))
        b, h, n_q, _ = q.shape
        n_k = k.shape[2]
        first = torch.as_tensor(np.broadcast_to(offset, b).copy())
        left, right = window or (None, None)
        right = 0 if is_causal else right
        given = None if mask is None else torch.as_tensor(np.broadcast_to(mask, (b, h, n_q, n_k)).copy())
        added = None if bias is None else torch.as_tensor(np.broadcast_to(bias, (b, h, n_q, n_k)).copy())

        def mask_mod(b: Any, h: Any, i: Any, j: Any) -> Any:
            distance = j - i - first[b]
            seen = distance == distance
            if left is not None:
                seen = seen & (distance >= -left)
            if right is not None:
                seen = seen & (distance <= right)
            return seen if given is None else seen & given[b, h, i, j]

        def score_mod(score: Any, b: Any, h: Any, i: Any, j: Any) -> Any:
            if softcap is not None:
                score = softcap * torch.tanh(score / softcap)
            return score if added is None else score + added[b, h, i, j]

        limits = is_causal or window is not None or mask is not None
        blocks = create_block_mask(mask_mod, b, None if mask is None else h, n_q, n_k, device="cpu") if limits else None
        changes = softcap is not None or bias is not None
        out = attend(
            q,
            k,
            v,
            score_mod if changes else None,
            blocks,
            scale=scale,
            enable_gqa=enable_gqa,
            return_aux=AuxRequest(lse=True) if lse else None,
        )
        return (out[0], out[1].lse) if lse else out

    return kernel


def gradients(backend: str, format: str) -> Callable[..., Any]:
    """Return what autograd makes of SDPA."""
    attend, dtype = sdpa(backend, format), getattr(torch, format)

    def function(query: Any, key: Any, value: Any, grad_output: Any, **options: Any) -> Any:
        leaves = [torch.as_tensor(a).to(dtype).requires_grad_() for a in (query, key, value)]
        if "bias" in options:
            leaves.append(torch.as_tensor(options.pop("bias")).to(dtype).requires_grad_())
            options["bias"] = leaves[-1]
        out = attend(*leaves[:3], **options)
        return torch.autograd.grad(out, leaves, torch.as_tensor(grad_output).to(dtype))

    return function


def nested(format: str) -> Callable[..., Any]:
    """Return SDPA of nested tensors: sequences of different lengths without padding."""
    dtype = getattr(torch, format)

    def kernel(query: Any, key: Any, value: Any, *, is_causal: bool = False, offset: Any = 0) -> Any:
        given = [torch.as_tensor(a).to(dtype).transpose(1, 2) for a in (query, key, value)]
        q, k, v = (torch.nested.nested_tensor(list(a), layout=torch.jagged).transpose(1, 2) for a in given)
        out = scaled_dot_product_attention(q, k, v, is_causal=is_causal)
        return torch.stack(list(out.transpose(1, 2).unbind())).transpose(1, 2)

    return kernel
