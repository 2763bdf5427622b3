"""What Hugging Face's latent attention computes.

DeepSeek-V2 as it is and as its Lite, without a short row for the queries; DeepSeek-V3 stretched by YaRN, which changes
its scale, with rotary pairs of neighbours, as in its checkpoints, and of halves. They make keys and values for every
head, so that they never absorb.
"""

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, causal, draw, fill, in_double

N_TOKENS, EPS, BASE = 7, 1e-3, 100.0
SIZES: dict[str, Any] = {
    "hidden_size": 12,
    "num_attention_heads": 3,
    "num_key_value_heads": 3,
    "q_lora_rank": 8,
    "kv_lora_rank": 10,
    "qk_nope_head_dim": 6,
    "qk_rope_head_dim": 4,
    "v_head_dim": 5,
    "num_hidden_layers": 1,
    "rms_norm_eps": EPS,
    "max_position_embeddings": 640,
}
PLAIN: dict[str, Any] = {"rope_type": "default", "rope_theta": BASE}
YARN = PLAIN | {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 16}
YARN |= {"mscale": 1.0, "mscale_all_dim": 1.0}  # as in the configuration of DeepSeek-V3, like the factor


def layer(version: str, rope: dict[str, Any], **options: Any) -> tuple[dict[str, Any], Any]:
    """Run one attention layer over a causal text."""
    import torch
    import transformers

    name = f"deepseek_{version}"
    deepseek = import_module(f"transformers.models.{name}.modeling_{name}")
    attention, rotary = (
        getattr(deepseek, f"Deepseek{version.upper()}{part}") for part in ("Attention", "RotaryEmbedding")
    )
    with in_double():
        config = getattr(transformers, f"Deepseek{version.upper()}Config")(**SIZES | options, rope_parameters=rope)
        config._attn_implementation = "eager"
        module, rotary = attention(config, 0).double().eval(), rotary(config)
        for name in ("kv_a_layernorm", "q_a_layernorm")[: 2 if config.q_lora_rank else 1]:
            getattr(module, name).variance_epsilon = EPS
        rng = np.random.default_rng(8)
        state = fill(module, rng)
        x = torch.tensor(draw(rng, 1, N_TOKENS, SIZES["hidden_size"]))
        with torch.no_grad():
            angles = rotary(x, torch.arange(N_TOKENS)[None])
            output, *_ = module(x, position_embeddings=angles, attention_mask=causal(N_TOKENS))
        assert output.dtype == rotary.inv_freq.dtype == torch.float64
        assert rotary.attention_scaling == 1
    inputs = {"x": x[0].numpy(), "factor": rope.get("factor", 1.0), "neighbours": options.get("rope_interleave", True)}
    inputs |= {"scale": module.scaling, "inv_freq": rotary.inv_freq.numpy(), "state": state}
    return inputs, output[0].numpy()


RECORDER = Recorder(
    "latent",
    ("torch", "transformers", "numpy"),
    {
        "DeepSeek-V2": partial(layer, "v2", PLAIN),
        "DeepSeek-V2-Lite": partial(layer, "v2", PLAIN, q_lora_rank=None),
        "DeepSeek-V3": partial(layer, "v3", YARN),
        "DeepSeek-V3, halves": partial(layer, "v3", YARN, rope_interleave=False),
    },
)
