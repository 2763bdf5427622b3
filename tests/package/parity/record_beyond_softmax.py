"""What layers without a softmax compute: `python -m tests.package.parity.record_beyond_softmax` records it.

The differential attention of DiffLlama, the linear attention of MiniMax, which fades and has a gate behind it, and the
delta rule of Qwen3-Next, all as in Transformers. Inputs are multiples of 1/32; `in_double` lets float32 mean float64.
Nothing here uses the package.
"""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, draw, of_versions
from tests.package.parity.record_positions import in_double

RECORD = Path(__file__).parent / "beyond_softmax.json"
N_TOKENS, D_MODEL, EPS, BASE = 7, 10, 1e-3, 100.0
CASES = ("differential, layer 0", "differential, layer 5", "fading and gated", "delta rule")


def differential(layer):
    """DiffLlama's attention under a causal mask: 4 heads of 6 features, in pairs, on 2 heads of keys and values."""
    import torch
    from transformers.models.diffllama import modeling_diffllama as diffllama

    config = diffllama.DiffLlamaConfig(
        hidden_size=D_MODEL,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=6,
        num_hidden_layers=layer + 1,
        rms_norm_eps=EPS,
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
    )
    config._attn_implementation = "eager"
    module = diffllama.DiffLlamaAttention(config, layer).double().eval()
    state, x = fill(module)
    tables = diffllama.DiffLlamaRotaryEmbedding(config)(torch.tensor(x), torch.arange(N_TOKENS)[None])
    mask = torch.full((N_TOKENS, N_TOKENS), -torch.inf).triu(1)[None, None]
    with torch.no_grad():
        output = module(torch.tensor(x), tables, mask)[0]
    return {"x": x, "layer": layer, "state": state}, output


def fading():
    """MiniMax's lightning attention: 2 heads of 6 features, in blocks of 3 tokens."""
    import torch
    from transformers.models.minimax import modeling_minimax as minimax

    config = minimax.MiniMaxConfig(
        hidden_size=D_MODEL, num_attention_heads=2, head_dim=6, num_hidden_layers=4, block_size=3
    )
    module = minimax.MiniMaxLightningAttention(config, 1).double().eval()
    state, x = fill(module)
    with torch.no_grad():
        output = module(torch.tensor(x), None, None)[0]
    decay = torch.exp(-module.slope_rate).reshape(-1).numpy()
    return {"x": x, "decay": decay, "norm_eps": module.norm.variance_epsilon, "state": state}, output


def delta():
    """Qwen3-Next's recurrence without its decay: keys of 4 features, scaled to length 1 by itself, values of 5."""
    import torch
    from transformers.models.qwen3_next import modeling_qwen3_next as qwen

    rng = np.random.default_rng(8)
    q, k, v = (draw(rng, 1, N_TOKENS, 1, size) for size in (4, 4, 5))
    beta = rng.integers(0, 33, (1, N_TOKENS, 1)) / 32
    arrays = [torch.tensor(array) for array in (q, k, v, np.zeros_like(beta), beta)]
    output, _ = qwen.torch_recurrent_gated_delta_rule(*arrays, use_qk_l2norm_in_kernel=True)
    return {"q": q[0, :, 0], "k": k[0, :, 0], "v": v[0, :, 0], "beta": beta[0, :, 0]}, output[0, :, 0]


def fill(module):
    """Give a module parameters and an input that are short in the record; return both."""
    import torch

    rng = np.random.default_rng(8)
    for parameter in module.parameters():
        parameter.data = torch.tensor(draw(rng, *parameter.shape))
    return {name: value.detach().numpy() for name, value in module.named_parameters()}, draw(rng, 1, N_TOKENS, D_MODEL)


def record():
    """Run everything; return what beyond_softmax.json holds."""
    import torch

    cases = []
    with in_double():
        runs = (lambda: differential(0), lambda: differential(5), fading, delta)
        for name, run in zip(CASES, runs, strict=True):
            inputs, output = run()
            assert output.dtype == torch.float64
            cases.append({"case": name, "inputs": inputs, "output": output.numpy()})
    return of_versions("torch", "transformers", "numpy", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
