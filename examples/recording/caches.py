"""What Transformers keeps of a text: the bytes in its cache objects, of a dozen models, and what its compressors make.

Every model stands here whole, with the sizes of its configuration, on torch's device `meta`: nothing is computed there,
yet each array has its shape and its format, so that a cache can be weighed. A text is read but for its last token, and
that is one more step, as in a server. Layers of experts and MLPs are left out; they keep nothing.

Where the defaults of a class are not those of the published model, what is changed stands below.
"""

import importlib.metadata
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from examples.recording.shared import draw, fill

LENGTHS = (101, 1027, 5000)  # shorter than a window, between the windows, and longer than all
NANO = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "Llama 3 8B": ("LlamaConfig", {"num_key_value_heads": 8}),
    "gpt-oss-120b": ("GptOssConfig", {}),
    "Gemma 3 27B": (
        "Gemma3TextConfig",
        {"num_hidden_layers": 62, "num_key_value_heads": 16, "head_dim": 128, "sliding_window": 1024}
        | {"hidden_size": 5376, "num_attention_heads": 32},
    ),
    "Gemma 3n E4B": ("Gemma3nTextConfig", {}),
    "Gemma 4 31B": (
        "Gemma4TextConfig",
        {"num_hidden_layers": 60, "num_key_value_heads": 16, "num_global_key_value_heads": 4, "sliding_window": 1024}
        | {"hidden_size": 5376, "num_attention_heads": 32, "attention_k_eq_v": True, "hidden_size_per_layer_input": 0},
    ),
    "DeepSeek-V3": ("DeepseekV3Config", {}),
    "DeepSeek-V3.2": ("DeepseekV32Config", {}),
    "DeepSeek-V4-Flash": ("DeepseekV4Config", {"compress_ratios": [0, 0, *[4, 128] * 20, 4]}),
    "DeepSeek-V4-Pro": (
        "DeepseekV4Config",
        {"num_hidden_layers": 61, "compress_ratios": [128, 128, *[4, 128] * 29, 4]}
        | {"hidden_size": 7168, "num_attention_heads": 128, "o_groups": 16},
    ),
    "Qwen3-Next 80B": ("Qwen3NextConfig", {}),
    "Kimi Linear 48B": (
        "KimiLinearConfig",
        {
            "layer_types": [*["linear_attention"] * 3, "full_attention"] * 6
            + ["linear_attention"] * 2
            + ["full_attention"]
        },
    ),
    "Nemotron 3 Nano 30B": (
        "NemotronHConfig",
        {"hybrid_override_pattern": NANO, "hidden_size": 2688, "num_key_value_heads": 2, "mamba_num_heads": 64},
    ),
}
LEFT_OUT = ("mlp", "experts", "moe", "feed_forward")


def model(name: str) -> tuple[Any, Any]:
    """Make a model that has sizes and no numbers, and its configuration."""
    import torch
    import transformers

    def nothing(x: Any, *_: Any, **__: Any) -> Any:
        return (x * 0, None) if name.startswith("gpt-oss") else x * 0

    called, sizes = MODELS[name]
    config = getattr(transformers, called)(**sizes)
    with torch.device("meta"):
        made = transformers.AutoModel.from_config(config, dtype=torch.bfloat16).eval()
    for module in [*made.modules()]:
        for part, child in module.named_children():
            if part in LEFT_OUT or (part == "mixer" and getattr(module, "block_type", "") in LEFT_OUT):
                child.forward = nothing
    return made, config


def arrays(held: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every array that a layer of a cache holds, and where."""
    import torch

    if torch.is_tensor(held):
        yield path, held
    elif isinstance(held, dict):
        for name, part in held.items():
            yield from arrays(part, f"{path}.{name}" if path else str(name))


def weigh(name: str, n: int, static: bool = False) -> dict[str, Any]:
    """Read n - 1 tokens, take one step, and count bytes: of each kind of layer, by the arrays that it holds."""
    import torch
    from transformers import DynamicCache, StaticCache

    made, config = model(name)
    cache = StaticCache(config=config, max_cache_len=n) if static else DynamicCache(config=config)
    tokens = torch.zeros(1, n, dtype=torch.long, device="meta")
    with torch.no_grad():
        for part in (tokens[:, :-1], tokens[:, -1:]):
            made(input_ids=part, past_key_values=cache, use_cache=True)
    layers = []
    for layer in cache.layers:
        once = {id(held): (path, held) for path, held in [*arrays(vars(layer))][::-1]}.values()  # K may be V
        layers.append({path: held.nbytes for path, held in once if held.ndim > 1})  # no counters
    kinds = list({json.dumps(layer): layer for layer in layers}.values())
    return {
        "tokens": n,
        "bytes": sum(sum(layer.values()) for layer in layers),
        "kinds": [{"layers": layers.count(kind), "arrays": kind} for kind in kinds],
    }


def compressor(kind: str, m: int) -> dict[str, Any]:
    """Run one of DeepSeek-V4's compressors in float32 on a few tokens, up to its norm and as a whole."""
    import torch
    from transformers.models.deepseek_v4 import modeling_deepseek_v4 as v4

    rates = {"compressed_sparse_attention": m, "heavily_compressed_attention": m}
    config = v4.DeepseekV4Config(
        hidden_size=12, head_dim=8, q_lora_rank=6, qk_rope_head_dim=4, index_head_dim=4, index_n_heads=2,
        num_hidden_layers=2, num_attention_heads=2, compress_rates=rates, compress_rope_theta=100.0,
    )  # fmt: skip
    module = getattr(v4, f"DeepseekV4{kind}Compressor")(config).eval()
    rng = np.random.default_rng(4)
    state = fill(module, rng)
    averages: list[Any] = []
    module.kv_norm.register_forward_pre_hook(lambda _, given: averages.append(given[0]))
    x = draw(rng, 1, 3 * m + 2, config.hidden_size)
    given = [torch.tensor(part, dtype=torch.float32) for part in (x, draw(rng, *x.shape[:2], config.q_lora_rank))]
    module.float()
    with torch.no_grad():
        entries, _ = module(*given, torch.arange(x.shape[1])[None], None, 0)
    own = {name: array for name, array in state.items() if "indexer" not in name}
    return {"kind": kind, "m": m, "x": x[0], "state": own, "averages": averages[0][0], "entries": entries[0, 0]}


class Recorder:
    """The record, and where it is."""

    file = Path(__file__).parents[2] / "docs/assets/records/caches.json"

    def record(self) -> str:
        """Weigh every model; return what the file holds, a line for each model, cache and compressor."""
        versions = {name: importlib.metadata.version(name) for name in ("torch", "transformers")}
        write = partial(json.dumps, separators=(",", ":"), default=lambda array: array.tolist())
        tables = {
            "models": [
                {"model": name, "class": called, "changed": sizes, "held": [weigh(name, n) for n in LENGTHS]}
                for name, (called, sizes) in MODELS.items()
            ],
            "static": [{"model": name} | weigh(name, 5000, static=True) for name in [*MODELS][:3]],
            "compressors": [compressor("HCA", 8), compressor("CSA", 4)],
        }
        rows = (f'"{name}": [\n' + ",\n".join(map(write, table)) + "\n]" for name, table in tables.items())
        return f'{{"versions": {json.dumps(versions)},\n' + ",\n".join(rows) + "\n}\n"


RECORDER = Recorder()
