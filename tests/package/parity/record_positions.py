"""What ONNX and Hugging Face compute for positions: `python -m tests.package.parity.record_positions` records it.

It needs onnx, torch and transformers. Nothing here uses the package.

Hugging Face's angles and slopes are float32 inside, whatever the model's dtype. So that they can be compared to 1e-12,
its own code runs here with `torch.float32` and `Tensor.float` standing for float64. T5's buckets run as they are.
"""

import math
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.package.parity.record import as_json, draw, of_versions

RECORD = Path(__file__).parent / "positions.json"
HEADS = range(1, 41)

POSITIONS = [[0, 1, 2], [7, 300, 2047]]  # two sequences, each at positions of its own
ONNX = {
    f"{layout}, {rotary_dim} of 8 features, {axes} axes": {"layout": layout, "rotary_dim": rotary_dim, "axes": axes}
    for layout in ("interleaved", "half")
    for rotary_dim, axes in ((8, 4), (8, 3), (6, 4), (4, 3), (2, 4))
}
LLAMA = {
    "plain": {},
    "base 500000": {"base": 500000.0},
    "interpolated by 4": {"interpolation": 4.0},
    "interpolated by 2.5, base 100": {"interpolation": 2.5, "base": 100.0},
}
NEOX = {f"{rotary_dim} of 8 features": {"rotary_dim": rotary_dim} for rotary_dim in (2, 4, 6, 8)}
GPTJ = {f"{rotary_dim} of 8 features": {"rotary_dim": rotary_dim} for rotary_dim in (2, 4, 6, 8)}
BUCKETS: dict[str, Any] = {
    "32 buckets, both sides": {},
    "32 buckets, causal": {"bidirectional": False},
    "64 buckets to 256, both sides": {"n_buckets": 64, "max_distance": 256},
    "10 buckets to 160, causal": {"bidirectional": False, "n_buckets": 10, "max_distance": 160},
    "18 buckets to 128, both sides": {"n_buckets": 18, "max_distance": 128},
    "4 buckets to 3, both sides": {"n_buckets": 4, "max_distance": 3},
    "48 buckets to 81, causal": {"bidirectional": False, "n_buckets": 48, "max_distance": 81},
}


@contextmanager
def in_double():
    """Let torch's float32 mean float64."""
    import torch

    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with (
            patch.object(torch, "float32", torch.float64),
            patch.object(torch, "float", torch.float64),
            patch.object(torch.Tensor, "float", torch.Tensor.double),
        ):
            yield
    finally:
        torch.set_default_dtype(default)


def for_every_number_of_heads(rotate, x):
    """Run 1 to 40 heads; each run gives the heads of the last one, which is the result."""
    results = [rotate(x[:, :n_heads]) for n_heads in HEADS]
    for n_heads, result in zip(HEADS, results, strict=True):
        np.testing.assert_array_equal(result, results[-1][:, :n_heads])
    return results[-1]


def rotary(make, *, layout, rotary_dim=8, base=10000.0, interpolation=1.0, positions=None, **options):
    """Draw vectors, rotate them by `make(positions, ...)`; return the inputs and the result.

    Without positions: 40 heads of 4 features at two positions, for every number of heads.
    """
    rng = np.random.default_rng(5)
    inputs = {"layout": layout, "rotary_dim": rotary_dim, "base": base, "interpolation": interpolation}
    if positions is None:
        inputs |= {"rotary_dim": 4, "positions": [[3, 1000]], "x": draw(rng, 1, 40, 2, 4)}
    else:
        inputs |= {"positions": positions, "x": draw(rng, len(positions), 2, len(positions[0]), 8)}
    x = inputs["x"]
    rotate = make(np.array(inputs["positions"]), inputs["rotary_dim"], base, interpolation, x.shape[-1], options)
    return inputs, for_every_number_of_heads(rotate, x) if positions is None else rotate(x)


def onnx_rotary(interleaved):
    """Rotate with the reference evaluator of ONNX, whose operator takes tables and indices of their rows."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    def make(positions, rotary_dim, base, interpolation, d, options):
        angles = [
            [p / base ** (2 * i / rotary_dim) for i in range(rotary_dim // 2)] for p in range(positions.max() + 1)
        ]
        tables = {
            "cos": np.array([[math.cos(angle) for angle in row] for row in angles]),
            "sin": np.array([[math.sin(angle) for angle in row] for row in angles]),
        }

        def rotate(x):
            batch, n_heads, n, _ = x.shape
            flat = options["axes"] == 3
            node = helper.make_node(
                "RotaryEmbedding",
                ["x", "cos", "sin", "positions"],
                ["y"],
                interleaved=interleaved,
                rotary_embedding_dim=rotary_dim if rotary_dim < d else 0,
                **({"num_heads": n_heads} if flat else {}),
            )
            types = dict.fromkeys(("x", "cos", "sin"), TensorProto.DOUBLE) | {"positions": TensorProto.INT64}
            graph = helper.make_graph(
                [node],
                "rotary",
                [helper.make_tensor_value_info(name, kind, None) for name, kind in types.items()],
                [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)],
            )
            evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)]))
            given = x.transpose(0, 2, 1, 3).reshape(batch, n, -1) if flat else x
            (result,) = evaluator.run(None, {"x": given, "positions": positions, **tables})
            assert result.dtype == np.float64
            return result.reshape(batch, n, n_heads, d).transpose(0, 2, 1, 3) if flat else result

        return rotate

    return make


def llama(module, config_class, rotary_class):
    """Rotate as the Llama and GPT-NeoX models of Hugging Face do: a module makes tables, a function applies them."""
    import torch

    def make(positions, rotary_dim, base, interpolation, d, options):
        parameters = {"rope_type": "default", "rope_theta": base, "partial_rotary_factor": rotary_dim / d}
        if interpolation != 1:
            parameters |= {"rope_type": "linear", "factor": interpolation}
        config = config_class(
            hidden_size=2 * d, num_attention_heads=2, max_position_embeddings=4096, rope_parameters=parameters
        )

        def rotate(x):
            with in_double():
                query = torch.from_numpy(x)
                cos, sin = rotary_class(config)(query, torch.from_numpy(positions))
                turned, key = module.apply_rotary_pos_emb(query, query, cos, sin)
            assert torch.equal(turned, key)
            return turned.numpy()

        return rotate

    return make


def gptj(positions, rotary_dim, base, interpolation, d, options):
    """Rotate as the GPT-J model of Hugging Face does: heads behind tokens, sines before cosines."""
    import torch
    from transformers.models.gptj import modeling_gptj

    assert (base, interpolation) == (10000.0, 1.0)

    def rotate(x):
        with in_double():
            table = modeling_gptj.create_sinusoidal_positions(int(positions.max()) + 1, rotary_dim)
            sin, cos = table[torch.from_numpy(positions)].chunk(2, dim=-1)
            tokens = torch.from_numpy(x).transpose(1, 2)
            turned = modeling_gptj.apply_rotary_pos_emb(tokens[..., :rotary_dim], sin, cos)
        return torch.cat([turned, tokens[..., rotary_dim:]], dim=-1).transpose(1, 2).numpy()

    return rotate


def rotations():
    """Run every rotation, and the first of each kind for 1 to 40 heads."""
    from transformers import GPTNeoXConfig, LlamaConfig
    from transformers.models.gpt_neox import modeling_gpt_neox
    from transformers.models.llama import modeling_llama

    for layout in ("interleaved", "half"):
        make = onnx_rotary(int(layout == "interleaved"))
        yield "onnx RotaryEmbedding", f"{layout}, 1 to 40 heads", *rotary(make, layout=layout, axes=4)
    for label, options in ONNX.items():
        make = onnx_rotary(int(options["layout"] == "interleaved"))
        yield "onnx RotaryEmbedding", label, *rotary(make, positions=POSITIONS, **options)
    kinds: dict[str, Any] = {
        "llama": ("half", llama(modeling_llama, LlamaConfig, modeling_llama.LlamaRotaryEmbedding), LLAMA),
        "gpt_neox": ("half", llama(modeling_gpt_neox, GPTNeoXConfig, modeling_gpt_neox.GPTNeoXRotaryEmbedding), NEOX),
        "gptj": ("interleaved", gptj, GPTJ),
    }
    for call, (layout, make, cases) in kinds.items():
        yield call, "1 to 40 heads", *rotary(make, layout=layout)
        for label, options in cases.items():
            yield call, label, *rotary(make, layout=layout, positions=POSITIONS, **options)


def single_precision():
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


def biases():
    """Run the ALiBi of Bloom and MPT: what is added to the scores of the last query of a causal model."""
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    for n_heads in HEADS:
        n_keys = 5 if n_heads < 9 else 2  # a step is a slope; more would only make the record longer
        with in_double():
            bloom = build_alibi_tensor(torch.ones(1, n_keys, dtype=torch.int64), n_heads, torch.float64)
            mpt = build_mpt_alibi_tensor(n_heads, n_keys)
        assert bloom.dtype == mpt.dtype == torch.float64
        yield "bloom", f"{n_heads} heads", {"n_heads": n_heads, "n_keys": n_keys}, bloom[:, 0].numpy()
        yield "mpt", f"{n_heads} heads", {"n_heads": n_heads, "n_keys": n_keys}, mpt[:, 0].numpy()


def buckets():
    """Run T5's buckets, and its bias from a table of them."""
    import torch
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    for label, options in BUCKETS.items():
        reach = options.get("max_distance", 128) + 20
        named = {"bidirectional": True, "n_buckets": 32, "max_distance": 128} | options
        bucket = T5Attention._relative_position_bucket(
            torch.arange(-reach, reach + 1),
            bidirectional=named["bidirectional"],
            num_buckets=named["n_buckets"],
            max_distance=named["max_distance"],
        )
        yield "t5 buckets", label, {"reach": reach, **named}, bucket.numpy()
    for label, is_decoder in {"encoder": False, "decoder": True}.items():
        config = T5Config(d_model=4, d_kv=2, num_heads=2, relative_attention_num_buckets=8, is_decoder=is_decoder)
        config.relative_attention_max_distance = 12
        layer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).double()
        table = draw(np.random.default_rng(6), 8, 2)
        layer.relative_attention_bias.load_state_dict({"weight": torch.from_numpy(table)})
        inputs = {"table": table.T, "bidirectional": not is_decoder, "n_buckets": 8, "max_distance": 12}
        bias = layer.compute_bias(5, 17, past_seen_tokens=10)[0].detach().numpy()
        yield "t5 bias", label, {**inputs, "n_queries": 5, "n_keys": 17, "offset": 10}, bias


def record():
    """Run everything; return what positions.json holds."""
    cases = [*rotations(), ("llama tables", "float32", *single_precision()), *biases(), *buckets()]
    keys = ("call", "case", "inputs", "output")
    named = (dict(zip(keys, case, strict=True)) for case in cases)
    return of_versions("torch", "transformers", "onnx", "numpy", cases=named)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
