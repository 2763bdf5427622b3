"""What the attention of three models of Hugging Face computes, each from weights as it stores them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, causal, draw, fill

N_HEADS, N_KV_HEADS, D_MODEL, LAYER, N_TOKENS = 6, 2, 24, 1, 5
BASE = 10000.0  # of Llama's rotary positions
Parts = tuple[Any, str, Any, Callable[[Any], Any]]


def bert() -> Parts:
    """Return the model, the prefix of its attention's weights, that attention, and how to run it."""
    import transformers

    sizes = {"num_attention_heads": N_HEADS, "num_hidden_layers": LAYER + 1, "intermediate_size": 8}
    config = transformers.BertConfig(vocab_size=7, hidden_size=D_MODEL, max_position_embeddings=N_TOKENS, **sizes)
    model = transformers.BertModel._from_config(config, attn_implementation="eager")
    attention = model.encoder.layer[LAYER].attention
    # without what follows in BERT: the residual and the layer norm
    return model, "encoder.layer.1.attention.", attention, lambda x: attention.output.dense(attention.self(x)[0])


def gpt2() -> Parts:
    """Do the same for GPT-2."""
    import transformers

    config = transformers.GPT2Config(vocab_size=7, n_embd=D_MODEL, n_head=N_HEADS, n_layer=LAYER + 1)
    model = transformers.GPT2Model._from_config(config, attn_implementation="eager")
    attention = model.h[LAYER].attn
    return model, "h.1.attn.", attention, lambda x: attention(x, attention_mask=causal(N_TOKENS))[0]


def llama() -> Parts:
    """Do the same for Llama."""
    import torch
    import transformers

    sizes = {"num_attention_heads": N_HEADS, "num_key_value_heads": N_KV_HEADS, "num_hidden_layers": LAYER + 1}
    config = transformers.LlamaConfig(vocab_size=7, hidden_size=D_MODEL, intermediate_size=8, **sizes)
    model = transformers.LlamaModel._from_config(config, attn_implementation="sdpa")  # eager has a softmax in float32
    attention = model.layers[LAYER].self_attn
    frequencies = torch.tensor(BASE) ** (-torch.arange(0, D_MODEL // N_HEADS, 2) / (D_MODEL // N_HEADS)).double()
    angles = torch.arange(N_TOKENS)[:, None] * torch.cat([frequencies, frequencies])  # float64, unlike the model's own
    positions = angles.cos()[None], angles.sin()[None]
    return model, "layers.1.self_attn.", attention, lambda x: attention(x, positions, causal(N_TOKENS))[0]


def attend(parts: Callable[[], Parts]) -> tuple[dict[str, Any], Any]:
    """Run the attention of one layer."""
    import torch

    model, prefix, attention, run = parts()
    model.double().eval()
    rng = np.random.default_rng(0)
    fill(attention, rng)
    x = draw(rng, 2, N_TOKENS, D_MODEL)
    with torch.no_grad():
        output = run(torch.tensor(x)).numpy()
    stored = {name: value.numpy() for name, value in model.state_dict().items() if name.startswith(prefix)}
    return {"x": x, "state": {name: array for name, array in stored.items() if "LayerNorm" not in name}}, output


RECORDER = Recorder(
    "stored",
    ("torch", "transformers", "numpy"),
    {parts.__name__: partial(attend, parts) for parts in (bert, gpt2, llama)},
)
