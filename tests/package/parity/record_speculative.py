"""How often transformers' rule for a rejected guess gives each word, counted over all guesses and 1000 draws each.

`python -m tests.package.parity.record_speculative` writes speculative.json.
"""

from pathlib import Path
from unittest.mock import patch

from tests.package.parity.record import as_json, of_versions

RECORD = Path(__file__).parent / "speculative.json"
PAIRS = (([0.5, 0.25, 0.25], [0.25, 0.5, 0.25]), ([0.9, 0.1], [0.5, 0.5]), ([0.125, 0.5, 0.375], [0.25, 0.25, 0.5]))


def chances(torch, rule, large, small):
    p, g = (torch.tensor([[row]], dtype=torch.float64).log() for row in (large, small))
    out = torch.zeros(len(large), dtype=torch.float64)
    for guess, chance in enumerate(small):
        for draw in range(1000):
            number = torch.full((1,), (draw + 0.5) / 1000, dtype=torch.float64)
            with (
                patch("torch.rand_like", return_value=number),
                patch("torch.multinomial", wraps=torch.multinomial) as pick,
            ):
                _, matches = rule(torch.tensor([[guess]]), g, 1, p.repeat(1, 2, 1))
            out += chance / 1000 * (torch.eye(len(large)).double()[guess] if matches else pick.call_args.args[0][0])
    return out.tolist()


def record():
    import torch
    from transformers.generation.utils import _speculative_sampling as rule

    cases = []
    for large, small in PAIRS:
        output = chances(torch, rule, large, small)
        cases.append({"case": f"{large} by {small}", "inputs": {"large": large, "small": small}, "output": output})
    return of_versions("torch", "transformers", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
