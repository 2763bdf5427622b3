"""Hugging Face's attention functions: the eager ones of four models, and the one that calls torch's SDPA."""

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import torch
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from examples.held.shared import allowed, to_bias


def eager(model: str, format: str, *, as_given: bool = False) -> Callable[..., Any]:
    """Return the eager function of a model; its mask is the lowest number of the format, or boolean as given."""
    dtype = getattr(torch, format)
    forward = import_module(f"transformers.models.{model}.modeling_{model}").eager_attention_forward
    return _adapter(forward, dtype, None if as_given else torch.finfo(dtype).min)


def sdpa(format: str) -> Callable[..., Any]:
    """Return the function behind attn_implementation="sdpa"."""
    return _adapter(sdpa_attention_forward, getattr(torch, format), -torch.inf)


def _adapter(forward: Callable[..., Any], dtype: torch.dtype, hidden: float | None) -> Callable[..., Any]:
    def kernel(
        query: Any,
        key: Any,
        value: Any,
        *,
        bias: Any = None,
        scale: Any = None,
        enable_gqa: bool = False,
        softcap: Any = None,
        sink: Any = None,
        **who: Any,
    ) -> Any:
        q, k, v = (torch.as_tensor(a).to(dtype) for a in (query, key, value))
        module = SimpleNamespace(num_key_value_groups=q.shape[1] // k.shape[1], training=False, is_causal=False)
        if sink is not None:
            module.sinks = torch.as_tensor(sink).to(dtype)
        seen = allowed(q.shape[2], k.shape[2], **who)
        added = seen if hidden is None else to_bias(seen, bias, hidden)
        mask = None if added is None else torch.as_tensor(added)
        if mask is not None and mask.dtype != torch.bool:
            mask = mask.to(dtype)
        more = {} if softcap is None else {"softcap": softcap}
        scale = q.shape[-1] ** -0.5 if scale is None else scale
        return forward(module, q, k, v, mask, scaling=scale, **more)[0].transpose(1, 2)

    return kernel
