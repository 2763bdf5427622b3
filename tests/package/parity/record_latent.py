"""What Hugging Face's latent attention computes: `python -m tests.package.parity.record_latent` records it.

DeepSeek-V2 as it is, and DeepSeek-V3 stretched by YaRN, which changes its scale, with rotary pairs of neighbours, as in
its checkpoints, and of halves. They make keys and values for every head, so that they never absorb. Inputs are
multiples of 1/32, and `in_double` lets float32 mean float64. Nothing here uses the package.
"""

from importlib import import_module
from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, draw, of_versions
from tests.package.parity.record_positions import in_double

RECORD = Path(__file__).parent / "latent.json"
N_TOKENS, EPS, BASE = 7, 1e-3, 100.0
SIZES = {
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
PLAIN = {"rope_type": "default", "rope_theta": BASE}
YARN = PLAIN | {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 16}
YARN |= {"mscale": 1.0, "mscale_all_dim": 1.0}  # as in the configuration of DeepSeek-V3, like the factor
CASES = {
    "DeepSeek-V2": ("v2", PLAIN, {}),
    "DeepSeek-V3": ("v3", YARN, {}),
    "DeepSeek-V3, halves": ("v3", YARN, {"rope_interleave": False}),
}


def layer(version, rope, options):
    """Run one attention layer over a causal text; return its inputs and its output."""
    import torch
    import transformers

    name = f"deepseek_{version}"
    deepseek = import_module(f"transformers.models.{name}.modeling_{name}")
    attention, rotary = (
        getattr(deepseek, f"Deepseek{version.upper()}{part}") for part in ("Attention", "RotaryEmbedding")
    )
    with in_double():
        config = getattr(transformers, f"Deepseek{version.upper()}Config")(**SIZES, **options, rope_parameters=rope)
        config._attn_implementation = "eager"
        module, rotary = attention(config, 0), rotary(config)
        for norm in (module.kv_a_layernorm, module.q_a_layernorm):
            norm.variance_epsilon = EPS
        rng = np.random.default_rng(8)
        module = module.double().eval()
        for parameter in module.parameters():
            parameter.data = torch.tensor(draw(rng, *parameter.shape))
        x = torch.tensor(draw(rng, 1, N_TOKENS, SIZES["hidden_size"]))
        future = torch.full((N_TOKENS, N_TOKENS), -torch.inf, dtype=torch.float64).triu(1)[None, None]
        with torch.no_grad():
            angles = rotary(x, torch.arange(N_TOKENS)[None])
            output, *_ = module(x, position_embeddings=angles, attention_mask=future)
        assert output.dtype == rotary.inv_freq.dtype == torch.float64
        assert rotary.attention_scaling == 1
    state = {name: value.numpy() for name, value in module.state_dict().items()}
    inputs = {"x": x[0].numpy(), "factor": rope.get("factor", 1.0), "neighbours": options.get("rope_interleave", True)}
    inputs |= {"scale": module.scaling, "inv_freq": rotary.inv_freq.numpy(), "state": state}
    return inputs, output[0].numpy()


def record():
    """Run everything; return what latent.json holds."""
    cases = []
    for name, case in CASES.items():
        inputs, output = layer(*case)
        cases.append({"case": name, "inputs": inputs, "output": output})
    return of_versions("torch", "transformers", "numpy", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
