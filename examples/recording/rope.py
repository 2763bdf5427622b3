"""The frequencies of Hugging Face's rules for long texts, and the factor on the tables.

No rule is called NTK-aware. The dynamic one with factor 1 is it, for a text of s times the trained length.
"""

from functools import partial
from typing import Any

from examples.recording.shared import Recorder, Run, in_double

SIZES = (  # rotary_dim, base, trained length
    (64, 10000.0, 2048),
    (128, 500000.0, 8192),
    (80, 10000.0, 4096),
    (64, 10000.0, 131072),  # so long that the ramp would end behind the last pair
    (80, 10000.0, 128),  # so short that it would begin before the first
)
FACTORS = (2.0, 4.0, 8.0, 40.0)
MODELS = {  # as their config.json says
    "Llama 3.1": ("llama3", 128, 500000.0, 8192, 8.0),
    "Llama 3.2": ("llama3", 64, 500000.0, 8192, 32.0),
    "Yarn-Llama-2-7b-128k": ("yarn", 128, 10000.0, 4096, 32.0),
    "DeepSeek-V3": ("yarn", 64, 10000.0, 4096, 40.0),
}
OPTIONS: dict[str, dict[str, float]] = {
    "llama3": {"low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "yarn": {"beta_fast": 32, "beta_slow": 1},
}


def frequencies(
    rule: str,
    rotary_dim: int,
    base: float,
    trained: int,
    factor: float,
    length: int | None = None,
    truncate: bool = True,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a rule of transformers."""
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    parameters = {"rope_type": rule, "rope_theta": base, "factor": factor, "original_max_position_embeddings": trained}
    config = LlamaConfig(
        hidden_size=2 * rotary_dim,
        num_attention_heads=2,
        head_dim=rotary_dim,
        max_position_embeddings=trained if rule == "dynamic" else int(trained * factor),
        rope_parameters=parameters | OPTIONS.get(rule, {}) | ({} if truncate else {"truncate": False}),
    )
    with in_double():
        inv_freq, scaling = ROPE_INIT_FUNCTIONS[rule](config, "cpu", seq_len=length)
    inputs = {"rule": rule, "rotary_dim": rotary_dim, "base": base, "trained": trained, "factor": factor}
    return inputs | {"length": length, "truncate": truncate}, {"scaling": scaling, "inv_freq": inv_freq.numpy()}


CASES: dict[str, Run] = {}
for rotary_dim, base, trained in SIZES:
    for factor in FACTORS:
        size = f"{rotary_dim} features, base {base:.0f}, {trained} tokens, factor {factor:.0f}"
        given = rotary_dim, base, trained
        CASES |= {f"{rule}, {size}": partial(frequencies, rule, *given, factor) for rule in OPTIONS | {"linear": {}}}
        CASES[f"ntk, {size}"] = partial(frequencies, "dynamic", *given, 1.0, int(trained * factor))
        CASES[f"dynamic, {size}"] = partial(frequencies, "dynamic", *given, factor, 3 * trained)
CASES |= {name: partial(frequencies, *model) for name, model in MODELS.items()}
CASES["gpt-oss"] = partial(frequencies, "yarn", 64, 150000.0, 4096, 32.0, truncate=False)
RECORDER = Recorder("rope", ("torch", "transformers"), CASES)
