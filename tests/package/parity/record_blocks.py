"""Which tiles of a mask torch computes: `python -m tests.package.parity.record_blocks` records it on a CPU."""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, of_versions

RECORD = Path(__file__).parent / "blocks.json"
TEXTS = np.repeat(np.arange(4), 256)
MIXED = np.random.default_rng(0).permutation(TEXTS)
RULES = {
    "causal": lambda i, j: i >= j,
    "window of 100": lambda i, j: (i >= j) & (i - j <= 100),
    "four texts": lambda i, j: (i >= j) & (TEXTS[i] == TEXTS[j]),
    "four texts, mixed": lambda i, j: MIXED[i] == MIXED[j],
}


def record():
    import torch
    from torch.nn.attention.flex_attention import create_block_mask

    cases = []
    for name, rule in RULES.items():
        table = torch.tensor(rule(*np.indices((1024, 1024))))
        found = create_block_mask(lambda b, h, i, j, table=table: table[i, j], 1, 1, 1024, 1024, device="cpu")
        part, full = found.kv_num_blocks.sum().item(), found.full_kv_num_blocks.sum().item()
        cases.append({"case": name, "inputs": {"mask": name}, "output": [part + full, full]})
    return of_versions("torch", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
