"""Triton's interpreter on a CPU: the kernels of flash-linear-attention, which want as many keys as queries."""

import os
from collections.abc import Callable
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"  # before anything imports triton
import torch
from fla.ops.attn import parallel_attn


def parallel(format: str) -> Callable[..., Any]:
    """Return parallel_attn: always causal, tokens before heads, and its window counts the query."""
    return lambda query, key, value, **options: _attend(format, query, key, value, **options)[0]


def gradients(format: str) -> Callable[..., Any]:
    """Return what its backward kernels make of it."""

    def function(query: Any, key: Any, value: Any, grad_output: Any, **options: Any) -> Any:
        out, leaves = _attend(format, query, key, value, **options)
        return torch.autograd.grad(out, leaves, torch.as_tensor(grad_output).to(out.dtype))

    return function


def _attend(
    format: str,
    *arrays: Any,
    is_causal: bool,
    enable_gqa: bool = False,
    window: Any = None,
    sink: Any = None,
    scale: Any = None,
    offset: int = 0,
) -> tuple[Any, list[Any]]:
    leaves = [torch.as_tensor(a).to(getattr(torch, format)).requires_grad_() for a in arrays]
    if sink is not None:
        leaves.append(torch.as_tensor(sink).float().requires_grad_())
    width = None if window is None else window[0] + 1
    out = parallel_attn(*leaves[:3], scale=scale, window_size=width, sink_bias=leaves[3] if sink is not None else None)
    return out, leaves
