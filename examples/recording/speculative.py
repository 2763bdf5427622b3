"""How often transformers' rule for a rejected guess gives each word, counted over all guesses and 1000 draws each."""

from functools import partial
from typing import Any
from unittest.mock import patch

from examples.recording.shared import Recorder

PAIRS = (([0.5, 0.25, 0.25], [0.25, 0.5, 0.25]), ([0.9, 0.1], [0.5, 0.5]), ([0.125, 0.5, 0.375], [0.25, 0.25, 0.5]))


def chances(large: list[float], small: list[float]) -> tuple[dict[str, Any], list[float]]:
    """Let a small model guess and a large one judge; return how often each word comes out."""
    import torch
    from transformers.generation.utils import _speculative_sampling as rule

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
    return {"large": large, "small": small}, out.tolist()


RECORDER = Recorder(
    "speculative",
    ("torch", "transformers"),
    {f"{large} by {small}": partial(chances, large, small) for large, small in PAIRS},
)
