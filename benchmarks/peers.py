"""What the package is measured against: every contender computes the attention of one head."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import apply_rotary, rotary_tables, scaled_dot_product_attention, tiled_attention

Floats = NDArray[np.floating[Any]]
Contenders = dict[str, Callable[[], object]]

OURS = "tiled_attention"
REFERENCE = "scaled_dot_product_attention"
TUTORIAL = "NumPy as in tutorials (einsum)"
SCIPY = "matmul and scipy.special.softmax"
ROTARY = "apply_rotary, interleaved"
FLASH = "torch, flash kernel"
MATH = "torch, math kernel"


def contenders(query: Floats, key: Floats, value: Floats, *, is_causal: bool = False) -> Contenders:
    """Everyone who is installed here, ready to be called."""
    everyone: Contenders = {
        OURS: lambda: tiled_attention(query, key, value, is_causal=is_causal),
        REFERENCE: lambda: scaled_dot_product_attention(query, key, value, is_causal=is_causal),
    }
    if not is_causal:
        everyone[TUTORIAL] = lambda: einsum_attention(query, key, value)
        if find_spec("scipy"):
            softmax = import_module("scipy.special").softmax
            factor = query.dtype.type(query.shape[-1] ** -0.5)
            everyone[SCIPY] = lambda: softmax(query @ key.T * factor, axis=-1) @ value
    everyone |= torch_contenders(query, key, value, is_causal=is_causal)
    if find_spec("onnxruntime") and find_spec("onnx"):
        everyone["onnxruntime, Attention"] = onnxruntime_attention(query, key, value, is_causal=is_causal)
    if find_spec("jax"):
        everyone["jax, compiled"] = jax_attention(query, key, value, is_causal=is_causal)
    return everyone


def einsum_attention(query: Floats, key: Floats, value: Floats) -> Floats:
    """Write attention as tutorials do: einsum without a plan, a new array for every step."""
    scores = np.einsum("qd,kd->qk", query, key) / np.sqrt(query.shape[-1]).astype(query.dtype)
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = exponentials / np.sum(exponentials, axis=-1, keepdims=True)
    output: Floats = np.einsum("qk,kv->qv", weights, value)
    return output


def loop_encoding(n_positions: int, d_model: int) -> Floats:
    """Write the sinusoidal encoding as tutorials do: one number after the other."""
    encoding = np.zeros((n_positions, d_model))
    for position in range(n_positions):
        for i in range(0, d_model, 2):
            angle = position / 10000 ** (i / d_model)
            encoding[position, i] = np.sin(angle)
            encoding[position, i + 1] = np.cos(angle)
    return encoding


def rotary_contenders(x: Floats) -> Contenders:
    """Turn the features of x, (heads, n, d), as model code does; the peers get tables as wide as x, made beforehand."""
    cos, sin = rotary_tables(np.arange(x.shape[-2]), x.shape[-1], dtype=x.dtype)
    wide_cos, wide_sin = (np.concatenate([table, table], axis=-1) for table in (cos, sin))
    everyone: Contenders = {
        ROTARY: lambda: apply_rotary(x, cos, sin, layout="interleaved"),
        "apply_rotary, half": lambda: apply_rotary(x, cos, sin, layout="half"),
        "rotate-half, NumPy": lambda: rotate_half(x, wide_cos, wide_sin, np.concatenate),
    }
    if find_spec("torch"):
        torch = import_module("torch")
        torch.set_num_threads(1)
        t, c, s = (torch.from_numpy(array) for array in (x, wide_cos, wide_sin))
        everyone["rotate-half, torch"] = lambda: rotate_half(t, c, s, torch.cat)
    return everyone


def rotate_half(x: Any, cos: Any, sin: Any, join: Callable[..., Any]) -> Any:
    """Turn features half the width apart: arrays or tensors."""
    half = x.shape[-1] // 2
    return x * cos + join((-x[..., half:], x[..., :half]), -1) * sin


def torch_contenders(
    query: Floats, key: Floats, value: Floats, *, is_causal: bool = False, attn_mask: NDArray[Any] | None = None
) -> Contenders:
    """One function, two kernels; none without torch. Leading axes count as heads."""
    if not find_spec("torch"):
        return {}
    torch, choice = import_module("torch"), import_module("torch.nn.attention")
    attend = torch.nn.functional.scaled_dot_product_attention
    torch.set_num_threads(1)
    extra = None if attn_mask is None else torch.from_numpy(attn_mask)
    tensors = [torch.from_numpy(a.reshape(1, -1, *a.shape[-2:])) for a in (query, key, value)]

    def flash() -> object:
        return attend(*tensors, attn_mask=extra, is_causal=is_causal)  # the default on a CPU

    def math() -> object:
        with choice.sdpa_kernel(choice.SDPBackend.MATH):
            return attend(*tensors, attn_mask=extra, is_causal=is_causal)

    return {FLASH: flash, MATH: math}


def onnxruntime_attention(query: Floats, key: Floats, value: Floats, *, is_causal: bool) -> Callable[[], object]:
    """Run a graph of one node, the Attention operator of ONNX opset 23."""
    runtime, helper = import_module("onnxruntime"), import_module("onnx.helper")
    kind = import_module("onnx").TensorProto.FLOAT
    arrays = {name: a[None, None] for name, a in zip("QKV", (query, key, value), strict=True)}
    node = helper.make_node("Attention", list(arrays), ["Y"], is_causal=int(is_causal))
    inputs = [helper.make_tensor_value_info(name, kind, a.shape) for name, a in arrays.items()]
    output = helper.make_tensor_value_info("Y", kind, (1, 1, len(query), value.shape[-1]))
    graph = helper.make_graph([node], "attention", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, arrays)


def jax_attention(query: Floats, key: Floats, value: Floats, *, is_causal: bool) -> Callable[[], object]:
    """Compile jax.nn.dot_product_attention; its layout is (batch, n, heads, d)."""
    jax = import_module("jax")
    arrays = [jax.numpy.asarray(a[None, :, None]) for a in (query, key, value)]
    compiled = jax.jit(lambda *qkv: jax.nn.dot_product_attention(*qkv, is_causal=is_causal))
    return lambda: compiled(*arrays).block_until_ready()
