"""What ONNX and Hugging Face compute for positions: rotations and biases."""

import math
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, Run, draw, in_double

Rotate = Callable[[Any], Any]
HEADS = range(1, 41)

POSITIONS = [[0, 1, 2], [7, 300, 2047]]  # two sequences, each at positions of its own
LLAMA: dict[str, dict[str, Any]] = {
    "plain": {},
    "base 500000": {"base": 500000.0},
    "interpolated by 4": {"interpolation": 4.0},
    "interpolated by 2.5, base 100": {"interpolation": 2.5, "base": 100.0},
}
PARTLY: dict[str, dict[str, Any]] = {
    f"{rotary_dim} of 8 features": {"rotary_dim": rotary_dim} for rotary_dim in (2, 4, 6, 8)
}


def for_every_number_of_heads(rotate: Rotate, x: Any) -> Any:
    """Run 1 to 40 heads; each run gives the heads of the last one, which is the result."""
    results = [rotate(x[:, :n_heads]) for n_heads in HEADS]
    for n_heads, result in zip(HEADS, results, strict=True):
        np.testing.assert_array_equal(result, results[-1][:, :n_heads])
    return results[-1]


def rotary(
    make: Callable[..., Rotate],
    *,
    layout: str,
    rotary_dim: int = 8,
    base: float = 10000.0,
    interpolation: float = 1.0,
    positions: Any = None,
    **options: Any,
) -> tuple[dict[str, Any], Any]:
    """Draw vectors, and rotate them by `make(positions, ...)`.

    Without positions: 40 heads of 4 features at two positions, for every number of heads.
    """
    rng = np.random.default_rng(5)
    inputs: dict[str, Any] = {"layout": layout, "rotary_dim": rotary_dim, "base": base, "interpolation": interpolation}
    if positions is None:
        inputs |= {"rotary_dim": 4, "positions": [[3, 1000]], "x": draw(rng, 1, 40, 2, 4)}
    else:
        inputs |= {"positions": positions, "x": draw(rng, len(positions), 2, len(positions[0]), 8)}
    x = inputs["x"]
    rotate = make(np.array(inputs["positions"]), inputs["rotary_dim"], base, interpolation, x.shape[-1], **options)
    return inputs, for_every_number_of_heads(rotate, x) if positions is None else rotate(x)


def onnx(
    positions: Any, rotary_dim: int, base: float, interpolation: float, d: int, *, interleaved: int, axes: int = 4
) -> Rotate:
    """Rotate with the reference evaluator of ONNX, whose operator takes tables and indices of their rows."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    angles = [[p / base ** (2 * i / rotary_dim) for i in range(rotary_dim // 2)] for p in range(positions.max() + 1)]
    tables = {
        "cos": np.array([[math.cos(angle) for angle in row] for row in angles]),
        "sin": np.array([[math.sin(angle) for angle in row] for row in angles]),
    }

    def rotate(x: Any) -> Any:
        batch, n_heads, n, _ = x.shape
        node = helper.make_node(
            "RotaryEmbedding",
            ["x", "cos", "sin", "positions"],
            ["y"],
            interleaved=interleaved,
            rotary_embedding_dim=rotary_dim if rotary_dim < d else 0,
            **({"num_heads": n_heads} if axes == 3 else {}),
        )
        types = dict.fromkeys(("x", "cos", "sin"), TensorProto.DOUBLE) | {"positions": TensorProto.INT64}
        graph = helper.make_graph(
            [node],
            "rotary",
            [helper.make_tensor_value_info(name, kind, None) for name, kind in types.items()],
            [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)],
        )
        evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)]))
        given = x.transpose(0, 2, 1, 3).reshape(batch, n, -1) if axes == 3 else x
        (result,) = evaluator.run(None, {"x": given, "positions": positions, **tables})
        assert result.dtype == np.float64
        return result.reshape(batch, n, n_heads, d).transpose(0, 2, 1, 3) if axes == 3 else result

    return rotate


def hugging_face(positions: Any, rotary_dim: int, base: float, interpolation: float, d: int, *, model: str) -> Rotate:
    """Rotate as the Llama and GPT-NeoX models of Hugging Face do: a module makes tables, a function applies them."""
    import torch
    import transformers

    name = {"llama": "Llama", "gpt_neox": "GPTNeoX"}[model]
    module = import_module(f"transformers.models.{model}.modeling_{model}")
    parameters = {"rope_type": "default", "rope_theta": base, "partial_rotary_factor": rotary_dim / d}
    if interpolation != 1:
        parameters |= {"rope_type": "linear", "factor": interpolation}
    config = getattr(transformers, f"{name}Config")(
        hidden_size=2 * d, num_attention_heads=2, max_position_embeddings=4096, rope_parameters=parameters
    )

    def rotate(x: Any) -> Any:
        with in_double():
            query = torch.from_numpy(x)
            cos, sin = getattr(module, f"{name}RotaryEmbedding")(config)(query, torch.from_numpy(positions))
            turned, key = module.apply_rotary_pos_emb(query, query, cos, sin)
        assert torch.equal(turned, key)
        return turned.numpy()

    return rotate


def gptj(positions: Any, rotary_dim: int, base: float, interpolation: float, d: int) -> Rotate:
    """Rotate as the GPT-J model of Hugging Face does: heads behind tokens, sines before cosines."""
    import torch
    from transformers.models.gptj import modeling_gptj

    assert (base, interpolation) == (10000.0, 1.0)

    def rotate(x: Any) -> Any:
        with in_double():
            table = modeling_gptj.create_sinusoidal_positions(int(positions.max()) + 1, rotary_dim)
            sin, cos = table[torch.from_numpy(positions)].chunk(2, dim=-1)
            tokens = torch.from_numpy(x).transpose(1, 2)
            turned = modeling_gptj.apply_rotary_pos_emb(tokens[..., :rotary_dim], sin, cos)
        return torch.cat([turned, tokens[..., rotary_dim:]], dim=-1).transpose(1, 2).numpy()

    return rotate


def single_precision() -> tuple[dict[str, Any], Any]:
    """Make Llama's tables as they are: cosines of float32 angles."""
    import torch
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    positions = [1, 1_000_000]
    config = LlamaConfig(
        hidden_size=256, num_attention_heads=2, rope_parameters={"rope_type": "default", "rope_theta": 1e4}
    )
    cos, _ = LlamaRotaryEmbedding(config)(torch.zeros(1, dtype=torch.float32), torch.tensor([positions]))
    return {"positions": positions, "rotary_dim": 128}, cos[0, :, :64].numpy()


def alibi(model: str, n_heads: int) -> tuple[dict[str, Any], Any]:
    """Run the ALiBi of Bloom or MPT: what is added to the scores of the last query of a causal model."""
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    n_keys = 5 if n_heads < 9 else 2  # a step is a slope; more would only make the record longer
    with in_double():
        if model == "bloom":
            bias = build_alibi_tensor(torch.ones(1, n_keys, dtype=torch.int64), n_heads, torch.float64)
        else:
            bias = build_mpt_alibi_tensor(n_heads, n_keys)
    assert bias.dtype == torch.float64
    return {"n_heads": n_heads, "n_keys": n_keys}, bias[:, 0].numpy()


CASES: dict[tuple[str, str], Run] = {}
for layout in ("interleaved", "half"):
    turned = partial(rotary, onnx, layout=layout, interleaved=int(layout == "interleaved"))
    CASES["onnx RotaryEmbedding", f"{layout}, 1 to 40 heads"] = turned
    for rotary_dim, axes in ((8, 4), (8, 3), (6, 4), (4, 3), (2, 4)):
        label = f"{layout}, {rotary_dim} of 8 features, {axes} axes"
        CASES["onnx RotaryEmbedding", label] = partial(turned, positions=POSITIONS, rotary_dim=rotary_dim, axes=axes)
for model, cases in {"llama": LLAMA, "gpt_neox": PARTLY, "gptj": PARTLY}.items():
    if model == "gptj":
        turned = partial(rotary, gptj, layout="interleaved")
    else:
        turned = partial(rotary, hugging_face, layout="half", model=model)
    CASES[model, "1 to 40 heads"] = turned
    CASES |= {(model, label): partial(turned, positions=POSITIONS, **options) for label, options in cases.items()}
CASES["llama tables", "float32"] = single_precision
for n_heads in HEADS:
    CASES |= {(model, f"{n_heads} heads"): partial(alibi, model, n_heads) for model in ("bloom", "mpt")}
RECORDER = Recorder("positions", ("torch", "transformers", "onnx", "numpy"), CASES)
