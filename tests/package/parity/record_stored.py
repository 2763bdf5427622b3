"""What the attention of three models of Hugging Face computes, each from weights as it stores them.

`python -m tests.package.parity.record_stored` writes stored.json. Inputs are multiples of 1/32, so that they are
short and exact in the record. Nothing here uses the package.
"""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, draw, of_versions

RECORD = Path(__file__).parent / "stored.json"
N_HEADS, N_KV_HEADS, D_MODEL, LAYER, N_TOKENS = 6, 2, 24, 1, 5
BASE = 10000.0  # of Llama's rotary positions


def bert(torch, transformers):
    sizes = {"num_attention_heads": N_HEADS, "num_hidden_layers": LAYER + 1, "intermediate_size": 8}
    config = transformers.BertConfig(vocab_size=7, hidden_size=D_MODEL, max_position_embeddings=N_TOKENS, **sizes)
    model, prefix = (
        transformers.BertModel._from_config(config, attn_implementation="eager"),
        "encoder.layer.1.attention.",
    )
    attention = model.encoder.layer[LAYER].attention
    # without what follows in BERT: the residual and the layer norm
    return model, prefix, attention, lambda x: attention.output.dense(attention.self(x)[0])


def gpt2(torch, transformers):
    config = transformers.GPT2Config(vocab_size=7, n_embd=D_MODEL, n_head=N_HEADS, n_layer=LAYER + 1)
    model = transformers.GPT2Model._from_config(config, attn_implementation="eager")
    attention = model.h[LAYER].attn
    return model, "h.1.attn.", attention, lambda x: attention(x, attention_mask=causal(torch))[0]


def llama(torch, transformers):
    sizes = {"num_attention_heads": N_HEADS, "num_key_value_heads": N_KV_HEADS, "num_hidden_layers": LAYER + 1}
    config = transformers.LlamaConfig(vocab_size=7, hidden_size=D_MODEL, intermediate_size=8, **sizes)
    model = transformers.LlamaModel._from_config(config, attn_implementation="sdpa")  # eager has a softmax in float32
    attention = model.layers[LAYER].self_attn
    frequencies = torch.tensor(BASE) ** (-torch.arange(0, D_MODEL // N_HEADS, 2) / (D_MODEL // N_HEADS)).double()
    angles = torch.arange(N_TOKENS)[:, None] * torch.cat([frequencies, frequencies])  # float64, unlike the model's own
    positions = angles.cos()[None], angles.sin()[None]
    return model, "layers.1.self_attn.", attention, lambda x: attention(x, positions, causal(torch))[0]


def causal(torch):
    return torch.full((N_TOKENS, N_TOKENS), -torch.inf).double().triu(1)[None, None]


def record():
    import torch
    import transformers

    rng = np.random.default_rng(0)
    cases = []
    for call in (bert, gpt2, llama):
        model, prefix, attention, run = call(torch, transformers)
        model.double().eval()
        for parameter in attention.parameters():
            parameter.data = torch.tensor(draw(rng, *parameter.shape))
        x = draw(rng, 2, N_TOKENS, D_MODEL)
        with torch.no_grad():
            output = run(torch.tensor(x)).tolist()
        state = {name: value.tolist() for name, value in model.state_dict().items() if name.startswith(prefix)}
        state = {name: value for name, value in state.items() if "LayerNorm" not in name}
        cases.append({"call": call.__name__, "inputs": {"x": x, "state": state}, "output": output})
    return of_versions("torch", "transformers", "numpy", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
