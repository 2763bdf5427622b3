"""How torch adds in 16 bits, and its softmax there."""

from functools import partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder

TERMS = {"ones": np.ones(65536), "random": np.random.default_rng(1).integers(1, 65, 300) / 32}


def added(terms: str, name: str) -> tuple[dict[str, Any], dict[str, float]]:
    """Add terms in a format, in three ways."""
    import torch

    x = torch.tensor(TERMS[terms], dtype=getattr(torch, name))
    total = x.new_zeros(())
    for term in x:
        total += term  # rounded to the type of x
    found = {"sum": x.sum(), "cumsum": x.cumsum(0)[-1], "loop": total, "softmax": x.softmax(0)[0]}
    return {"terms": terms, "format": name}, {way: value.item() for way, value in found.items()}


KEYS = [("ones", "bfloat16"), ("random", "bfloat16"), ("random", "float16")]
RECORDER = Recorder("sums", ("torch",), {f"{terms} in {name}": partial(added, terms, name) for terms, name in KEYS})
