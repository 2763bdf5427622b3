"""What Hugging Face's attention of DeepSeek-V2 computes: `python -m tests.package.parity.record_latent` records it.

It makes keys and values for every head, so that it never absorbs. Inputs are multiples of 1/32, and `in_double` lets
float32 mean float64. Nothing here uses the package.
"""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, draw, of_versions
from tests.package.parity.record_positions import in_double

RECORD = Path(__file__).parent / "latent.json"
N_TOKENS, EPS, BASE = 7, 1e-3, 100.0
SIZES = {
    "hidden_size": 12,
    "num_attention_heads": 3,
    "kv_lora_rank": 10,
    "qk_nope_head_dim": 6,
    "qk_rope_head_dim": 4,
    "v_head_dim": 5,
    "num_hidden_layers": 1,
    "rms_norm_eps": EPS,
    "max_position_embeddings": 64,
}
CASES = {"queries from the token": None, "queries from a short row": 8}


def layer(q_lora_rank):
    """Run one attention layer over a causal text; return its inputs and its output."""
    import torch
    import transformers
    from transformers.models.deepseek_v2 import modeling_deepseek_v2 as deepseek

    with in_double():
        rope = {"rope_type": "default", "rope_theta": BASE}
        config = transformers.DeepseekV2Config(**SIZES, q_lora_rank=q_lora_rank, rope_parameters=rope)
        config._attn_implementation = "eager"
        module, rotary = deepseek.DeepseekV2Attention(config, 0), deepseek.DeepseekV2RotaryEmbedding(config)
        for norm in (module.kv_a_layernorm, module.q_a_layernorm):
            if norm is not None:
                norm.variance_epsilon = EPS
        rng = np.random.default_rng(8)
        module = module.double().eval()
        for parameter in module.parameters():
            parameter.data = torch.tensor(draw(rng, *parameter.shape))
        x = torch.tensor(draw(rng, 1, N_TOKENS, SIZES["hidden_size"]))
        future = torch.full((N_TOKENS, N_TOKENS), -torch.inf, dtype=torch.float64).triu(1)[None, None]
        with torch.no_grad():
            angles = rotary(x, torch.arange(N_TOKENS)[None])
            output, _ = module(x, attention_mask=future, position_embeddings=angles)
        assert output.dtype == torch.float64
        assert angles.dtype == torch.complex128
    state = {name: value.numpy() for name, value in module.state_dict().items()}
    return {"x": x[0].numpy(), "state": state}, output[0].numpy()


def record():
    """Run everything; return what latent.json holds."""
    cases = []
    for name, q_lora_rank in CASES.items():
        inputs, output = layer(q_lora_rank)
        cases.append({"case": name, "inputs": inputs, "output": output})
    return of_versions("torch", "transformers", "numpy", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
