"""Layers beyond a plain softmax over all keys.

The sparse attention of DeepSeek-V3.2 with its indexer, and the gated delta rules of Qwen3-Next and Kimi Linear, alone
and in their layers, as in Transformers.
"""

from functools import partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, causal, draw, fill, in_double

N_TOKENS, D_MODEL, BASE = 9, 10, 100.0


def sparse() -> tuple[dict[str, Any], Any]:
    """DeepSeek-V3.2's layer: 2 heads on a latent of 6 features, and an indexer of 3 heads that keeps 3 tokens."""
    import torch
    from transformers.models.deepseek_v32 import modeling_deepseek_v32 as deepseek

    config = deepseek.DeepseekV32Config(
        hidden_size=D_MODEL,
        num_attention_heads=2,
        num_key_value_heads=2,
        num_hidden_layers=1,
        q_lora_rank=5,
        kv_lora_rank=6,
        qk_nope_head_dim=3,
        qk_rope_head_dim=4,
        v_head_dim=4,
        index_n_heads=3,
        index_head_dim=6,
        index_topk=3,
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
    )
    config._attn_implementation = "eager"
    with in_double():
        module = deepseek.DeepseekV32Attention(config, 0).double().eval()
        module.num_key_value_groups = 1  # the eager function asks for it
        rng = np.random.default_rng(8)
        state = fill(module, rng)
        x = draw(rng, 1, N_TOKENS, D_MODEL)
        tables = deepseek.DeepseekV32RotaryEmbedding(config)(torch.tensor(x), torch.arange(N_TOKENS)[None])
        kept = list[Any]()
        module.indexer.register_forward_hook(lambda *call: kept.append(call[-1][0].numpy()))
        with torch.no_grad():
            output = module(torch.tensor(x), tables, causal(N_TOKENS))[0]
        assert output.dtype == torch.float64
    return {"x": x[0], "state": state, "kept": np.sort(kept[0], axis=1)}, output[0].numpy()


def delta() -> tuple[dict[str, Any], Any]:
    """Qwen3-Next's recurrence: keys of 4 features, scaled to length 1 by itself, values of 5."""
    import torch
    from transformers.models.qwen3_next import modeling_qwen3_next as qwen

    rng = np.random.default_rng(8)
    q, k, v = (draw(rng, 1, N_TOKENS, 1, size) for size in (4, 4, 5))
    beta, fades = rng.integers(0, 33, (2, 1, N_TOKENS, 1)) / 32
    with in_double():
        arrays = [torch.tensor(array) for array in (q, k, v, -fades, beta)]
        output, _ = qwen.torch_recurrent_gated_delta_rule(*arrays, use_qk_l2norm_in_kernel=True)
        assert output.dtype == torch.float64
    inputs = {"q": q[0, :, 0], "k": k[0, :, 0], "v": v[0, :, 0], "fades": fades[0, :, 0], "beta": beta[0, :, 0]}
    return inputs, output[0, :, 0].numpy()


def kimi() -> tuple[dict[str, Any], Any]:
    """Kimi Linear's recurrence: a decay for each of 4 features, from a state that an earlier text left."""
    import torch
    from transformers.models.kimi_linear import modeling_kimi_linear as kimi

    rng = np.random.default_rng(8)
    q, k, v, state = (
        draw(rng, 1, *shape) for shape in ((N_TOKENS, 2, 4), (N_TOKENS, 2, 4), (N_TOKENS, 2, 5), (2, 4, 5))
    )
    fades, beta = rng.integers(0, 33, (1, N_TOKENS, 2, 4)) / 32, rng.integers(0, 33, (1, N_TOKENS, 2)) / 32
    with in_double():
        arrays = [torch.tensor(array) for array in (q, k, v, -fades, beta, state)]
        output, last = kimi.recurrent_kimi_delta_attention(
            *arrays, output_final_state=True, use_qk_l2norm_in_kernel=True
        )
        assert output.dtype == torch.float64
    inputs = {"q": q[0], "k": k[0], "v": v[0], "fades": fades[0], "beta": beta[0], "state": state[0]}
    return inputs | {"last": last[0].numpy()}, output[0].numpy()


def whole(name: str) -> tuple[dict[str, Any], Any]:
    """Run a layer of 4 heads of 4 features, in double, with the cache it leaves, and as users run it, in float32."""
    import torch
    from transformers.models.kimi_linear import modeling_kimi_linear as kimi
    from transformers.models.qwen3_next import modeling_qwen3_next as qwen

    sizes: dict[str, Any] = {
        "hidden_size": 10,
        "num_hidden_layers": 1,
        "layer_types": ["linear_attention"],
        "rms_norm_eps": 1e-6,
    }
    if name == "Qwen3-Next":
        sizes |= {"linear_num_key_heads": 2, "linear_num_value_heads": 4}
        config = qwen.Qwen3NextConfig(linear_key_head_dim=4, linear_value_head_dim=5, **sizes)
        kind, cached = qwen.Qwen3NextGatedDeltaNet, qwen.DynamicCache
    else:
        config = kimi.KimiLinearConfig(linear_num_heads=4, linear_head_dim=4, **sizes)
        kind, cached = kimi.KimiLinearDeltaAttention, kimi.DynamicCache
    rng, outputs = np.random.default_rng(9), list[Any]()
    x = draw(rng, 1, N_TOKENS, 10)
    with in_double(), torch.no_grad():
        module, cache = kind(config, 0).double().eval(), cached(config=config)
        state = fill(module, rng)
        outputs.append(module(torch.tensor(x[:, :5]), cache))
        outputs += [module(torch.tensor(x[:, t : t + 1]), cache) for t in range(5, N_TOKENS)]
        kept = cache.get_conv_state(0), cache.get_recurrent_state(0)
    with torch.no_grad():
        single = module.float()(torch.tensor(x).float())[0]
    record = {"x": x[0], "state": state, "inputs": kept[0][0, :, -3:].numpy().T, "last": kept[1][0].numpy()}
    return record | {"single": single.numpy().astype(float)}, torch.cat(outputs, 1)[0].numpy()


RECORDER = Recorder(
    "beyond_softmax",
    ("torch", "transformers", "numpy"),
    {"sparse": sparse, "gated delta rule": delta, "Kimi Delta Attention": kimi}
    | {f"layer of {name}": partial(whole, name) for name in ("Qwen3-Next", "Kimi Linear")},
)
