"""What layers of Hugging Face's Llama and Mistral compute."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, draw, fill, in_double

N_TOKENS, EPS, BASE, WINDOW = 9, 1e-3, 100.0, 3
SIZES: dict[str, Any] = {
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
PLAIN: dict[str, Any] = {"rope_type": "default", "rope_theta": BASE}
STRETCHED = PLAIN | {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}


def layer(
    *, padding: Sequence[int] = (0, 0), rope: dict[str, Any] = PLAIN, window: int | None = None
) -> tuple[dict[str, Any], Any]:
    """Run a model of one layer, without the norm that follows the last."""
    import torch
    import transformers

    kind, options = ("Llama", {}) if window is None else ("Mistral", {"sliding_window": window})
    with in_double():
        config = getattr(transformers, f"{kind}Config")(**SIZES, **options, rope_parameters=rope)
        config._attn_implementation = "eager"
        model = getattr(transformers, f"{kind}Model")(config).double().eval()
        model.norm = torch.nn.Identity()
        rng = np.random.default_rng(8)
        state = {f"layers.{name}": array for name, array in fill(model.layers, rng).items()}
        x = draw(rng, len(padding), N_TOKENS, SIZES["hidden_size"])
        there = torch.arange(N_TOKENS) >= torch.tensor(padding)[:, None]
        with torch.no_grad():
            output = model(
                inputs_embeds=torch.tensor(x),
                attention_mask=there.long(),
                position_ids=(there.cumsum(1) - 1).clamp(min=0),
            ).last_hidden_state
        assert output.dtype == model.rotary_emb.inv_freq.dtype == torch.float64
    inputs = {"x": x, "padding": list(padding), "window": window, "inv_freq": model.rotary_emb.inv_freq.numpy()}
    return inputs | {"state": state}, output.numpy()


RECORDER = Recorder(
    "llama",
    ("torch", "transformers", "numpy"),
    {
        "Llama": layer,
        "Llama, padded on the left": partial(layer, padding=[0, 4]),
        "Llama, frequencies of Llama 3": partial(layer, rope=STRETCHED),
        "Mistral, a sliding window": partial(layer, window=WINDOW),
    },
)
