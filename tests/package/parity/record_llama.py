"""What layers of Hugging Face's Llama and Mistral compute: `python -m tests.package.parity.record_llama` records it.

Inputs are multiples of 1/32, so that they are short and exact in the record. Norms, angles and softmax are float32
inside, whatever the model's dtype; `in_double` lets that mean float64. Nothing here uses the package.
"""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, draw, of_versions
from tests.package.parity.record_positions import in_double

RECORD = Path(__file__).parent / "llama.json"
N_TOKENS, EPS, BASE, WINDOW = 9, 1e-3, 100.0, 3
SIZES = {
    "vocab_size": 7,
    "hidden_size": 12,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 4,  # six of them are wider than a token
    "intermediate_size": 10,
    "num_hidden_layers": 1,
    "max_position_embeddings": 64,
    "rms_norm_eps": EPS,
}
PLAIN = {"rope_type": "default", "rope_theta": BASE}
STRETCHED = PLAIN | {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
CASES = {
    "Llama": {},
    "Llama, padded on the left": {"padding": [0, 4]},
    "Llama, frequencies of Llama 3": {"rope": STRETCHED},
    "Mistral, a sliding window": {"window": WINDOW},
}


def layer(*, padding=(0, 0), rope=PLAIN, window=None):
    """Run a model of one layer, without the norm that follows the last; return its inputs and its output."""
    import torch
    import transformers

    with in_double():
        if window is None:
            config = transformers.LlamaConfig(**SIZES, rope_parameters=rope)
            config._attn_implementation = "eager"
            model = transformers.LlamaModel(config)
        else:
            config = transformers.MistralConfig(**SIZES, rope_parameters=rope, sliding_window=window)
            config._attn_implementation = "eager"
            model = transformers.MistralModel(config)
        model = model.double().eval()
        model.norm = torch.nn.Identity()
        rng = np.random.default_rng(8)
        for parameter in model.layers.parameters():
            parameter.data = torch.tensor(draw(rng, *parameter.shape))
        x = draw(rng, len(padding), N_TOKENS, SIZES["hidden_size"])
        there = torch.arange(N_TOKENS) >= torch.tensor(padding)[:, None]
        with torch.no_grad():
            output = model(
                inputs_embeds=torch.tensor(x),
                attention_mask=there.long(),
                position_ids=(there.cumsum(1) - 1).clamp(min=0),
            ).last_hidden_state
        assert output.dtype == model.rotary_emb.inv_freq.dtype == torch.float64
    state = {name: value.numpy() for name, value in model.state_dict().items() if name.startswith("layers.0.")}
    inputs = {"x": x, "padding": list(padding), "window": window, "inv_freq": model.rotary_emb.inv_freq.numpy()}
    return inputs | {"state": state}, output.numpy()


def record():
    """Run everything; return what llama.json holds."""
    cases = []
    for name, options in CASES.items():
        inputs, output = layer(**options)
        cases.append({"case": name, "inputs": inputs, "output": output})
    return of_versions("torch", "transformers", "numpy", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
