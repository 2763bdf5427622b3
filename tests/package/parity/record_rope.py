"""The frequencies of Hugging Face's rules for long texts: `python -m tests.package.parity.record_rope` records it.

It needs torch and transformers. Nothing here uses the package.

The rules compute in float32, whatever the model's dtype. So that they can be compared to 1e-12, their own code runs
here with `torch.float32` standing for float64. No rule is called NTK-aware. The dynamic one with factor 1 is it, for a
text of s times the trained length.
"""

from pathlib import Path

from tests.package.parity.record import as_json, of_versions
from tests.package.parity.record_positions import in_double

RECORD = Path(__file__).parent / "rope.json"
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
OPTIONS = {"llama3": {"low_freq_factor": 1.0, "high_freq_factor": 4.0}, "yarn": {"beta_fast": 32, "beta_slow": 1}}


def frequencies(rule, rotary_dim, base, trained, factor, length=None):
    """Run a rule of transformers; return the frequencies, and the factor on the tables."""
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    parameters = {"rope_type": rule, "rope_theta": base, "factor": factor, "original_max_position_embeddings": trained}
    config = LlamaConfig(
        hidden_size=2 * rotary_dim,
        num_attention_heads=2,
        head_dim=rotary_dim,
        max_position_embeddings=trained if rule == "dynamic" else int(trained * factor),
        rope_parameters=parameters | OPTIONS.get(rule, {}),
    )
    with in_double():
        inv_freq, scaling = ROPE_INIT_FUNCTIONS[rule](config, "cpu", seq_len=length)
    return inv_freq.numpy(), scaling


def cases():
    """Yield every rule at every size, and the published models."""
    runs = {}
    for rotary_dim, base, trained in SIZES:
        for factor in FACTORS:
            size = f"{rotary_dim} features, base {base:.0f}, {trained} tokens, factor {factor:.0f}"
            for rule in ("linear", "yarn", "llama3"):
                runs[f"{rule}, {size}"] = (rule, rotary_dim, base, trained, factor, None)
            runs[f"ntk, {size}"] = ("dynamic", rotary_dim, base, trained, 1.0, int(trained * factor))
            runs[f"dynamic, {size}"] = ("dynamic", rotary_dim, base, trained, factor, 3 * trained)
    runs |= {name: (*model, None) for name, model in MODELS.items()}
    keys = ("rule", "rotary_dim", "base", "trained", "factor", "length")
    for name, run in runs.items():
        inv_freq, scaling = frequencies(*run)
        yield {"case": name, "inputs": dict(zip(keys, run, strict=True)), "scaling": scaling, "output": inv_freq}


def record():
    """Run everything; return what rope.json holds."""
    return of_versions("torch", "transformers", cases=cases())


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
