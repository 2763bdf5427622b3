"""Which tiles of a mask torch computes, and which of them without a mask."""

from functools import partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder

TEXTS = np.repeat(np.arange(4), 256)
MIXED = np.random.default_rng(0).permutation(TEXTS)
RULES = {
    "causal": lambda i, j: i >= j,
    "window of 100": lambda i, j: (i >= j) & (i - j <= 100),
    "four texts": lambda i, j: (i >= j) & (TEXTS[i] == TEXTS[j]),
    "four texts, mixed": lambda i, j: MIXED[i] == MIXED[j],
}


def tiles(name: str) -> tuple[dict[str, Any], list[int]]:
    """Count the tiles that are computed, and those among them that are full."""
    import torch
    from torch.nn.attention.flex_attention import create_block_mask

    table = torch.tensor(RULES[name](*np.indices((1024, 1024))))
    found = create_block_mask(lambda b, h, i, j: table[i, j], 1, 1, 1024, 1024, device="cpu")
    part, full = found.kv_num_blocks.sum().item(), found.full_kv_num_blocks.sum().item()
    return {"mask": name}, [part + full, full]


RECORDER = Recorder("blocks", ("torch",), {name: partial(tiles, name) for name in RULES})
