"""ONNX Runtime on a CPU: Attention of the default domain, and Microsoft's GroupQueryAttention."""

from collections.abc import Callable
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from examples.held.shared import allowed, to_bias

DTYPES = {"float32": np.float32, "float64": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


@cache
def session(
    op: str,
    domain: str,
    opset: int,
    kinds: tuple[tuple[str, Any], ...],
    outputs: tuple[str, ...],
    options: tuple[tuple[str, Any], ...],
) -> Any:
    """Make a model of one node."""
    node = helper.make_node(op, [name for name, _ in kinds], list(outputs), domain=domain, **dict(options))
    ins = [helper.make_tensor_value_info(name, kind, None) for name, kind in kinds if name]
    outs = [helper.make_tensor_value_info(name, kinds[0][1], None) for name in outputs if name]
    graph = helper.make_graph([node], "attention", ins, outs)
    versions = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=versions, ir_version=11)
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    return onnxruntime.InferenceSession(made.SerializeToString(), settings)


def run(
    op: str, domain: str, opset: int, feeds: dict[str, Any], options: dict[str, Any], outputs: tuple[str, ...]
) -> Any:
    """Run one node, and return its first output."""
    kinds = tuple((name, 0 if a is None else helper.np_dtype_to_tensor_dtype(a.dtype)) for name, a in feeds.items())
    kinds = tuple(("" if kind == 0 else name, kind) for name, kind in kinds)
    while not kinds[-1][0]:
        kinds = kinds[:-1]
    made = session(op, domain, opset, kinds, outputs, tuple(options.items()))
    given = {name: a for name, a in feeds.items() if a is not None}
    if any(a.dtype == ml_dtypes.bfloat16 for a in given.values()):
        given = {
            name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(a, helper.np_dtype_to_tensor_dtype(a.dtype))
            if a.dtype == ml_dtypes.bfloat16
            else onnxruntime.OrtValue.ortvalue_from_numpy(a)
            for name, a in given.items()
        }
        return made.run_with_ort_values([outputs[0]], given)[0].numpy()
    return made.run([outputs[0]], given)[0]


def attention(
    format: str, opset: int = 23, *, own_causal: bool = False, softmax_in: str | None = None
) -> Callable[..., Any]:
    """Return Attention of the default domain; the heads may differ in number."""
    dtype = DTYPES[format]

    def kernel(
        query: Any,
        key: Any,
        value: Any,
        *,
        bias: Any = None,
        scale: Any = None,
        enable_gqa: bool = False,
        softcap: Any = None,
        window: Any = None,
        **who: Any,
    ) -> Any:
        q, k, v = (np.asarray(a, dtype) for a in (query, key, value))
        options: dict[str, Any] = {}
        if own_causal:
            options["is_causal"] = int(who.pop("is_causal", False))
            who.pop("offset", None)
        if opset >= 25 and window is not None and not np.any(who.get("offset", 0)):
            left, right = (-1 if side is None else side for side in window)
            options |= {"left_window_size": left, "right_window_size": right}
            window = None
        if scale is not None:
            options["scale"] = float(scale)
        if softcap is not None:
            options["softcap"] = float(softcap)
        if softmax_in:
            options["softmax_precision"] = getattr(TensorProto, softmax_in)
        seen = allowed(q.shape[2], k.shape[2], window=window, **who)
        mask = seen if bias is None else np.asarray(to_bias(seen, bias), dtype)
        if mask is not None and mask.ndim == 4 and mask.shape[0] == 1:
            mask = mask[0] if mask.shape[1] > 1 else mask[0, 0]
        feeds = {"Q": q, "K": k, "V": v, "attn_mask": mask}
        return run("Attention", "", opset, feeds, options, ("Y",))

    return kernel


def group_query(format: str, *, counted: bool = True) -> Callable[..., Any]:
    """Return GroupQueryAttention: always causal; earlier keys come as its past, and its window counts the query."""
    dtype = DTYPES[format]

    def kernel(
        query: Any,
        key: Any,
        value: Any,
        *,
        is_causal: bool,
        enable_gqa: bool = False,
        window: Any = None,
        offset: Any = 0,
        scale: Any = None,
        softcap: Any = None,
        sink: Any = None,
        bias: Any = None,
    ) -> Any:
        q, k, v = (np.asarray(a, dtype) for a in (query, key, value))
        (b, h, n_q, d), n_k = q.shape, k.shape[2]
        before = np.broadcast_to(offset, b)
        if n_k < n_q or (np.ndim(offset) == 0 and n_k - n_q != offset):
            raise NotImplementedError("it has as many new keys as queries")
        past = [np.stack([a[i, :, : before.max()] for i in range(b)]) for a in (k, v)]
        new = [np.stack([a[i, :, f : f + n_q] for i, f in enumerate(before)]) for a in (k, v)]
        flat = [a.swapaxes(1, 2).reshape(b, n_q, -1) for a in (q, *new)]
        options: dict[str, Any] = {"num_heads": h, "kv_num_heads": k.shape[1]}
        if window is not None:
            options["local_window_size"] = window[0] + counted
        if softcap is not None:
            options["softcap"] = float(softcap)
        if scale is not None:
            options["scale"] = float(scale)
        feeds = {
            "query": flat[0], "key": flat[1], "value": flat[2], "past_key": past[0], "past_value": past[1],
            "seqlens_k": (before + n_q - 1).astype(np.int32),
            "total_sequence_length": np.array(before.max() + n_q, np.int32),
            "cos_cache": None, "sin_cache": None, "position_ids": None,
            "attention_bias": None if bias is None else np.asarray(bias, dtype),
            "head_sink": None if sink is None else np.asarray(sink, dtype),
        }  # fmt: skip
        out = run(
            "GroupQueryAttention", "com.microsoft", 23, feeds, options, ("output", "present_key", "present_value")
        )
        return out.reshape(b, n_q, h, d).swapaxes(1, 2)

    return kernel
