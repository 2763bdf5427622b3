"""How torch adds in 16 bits, and its softmax: `python -m tests.package.parity.record_sums` records it on a CPU."""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json

RECORD = Path(__file__).parent / "sums.json"
TERMS = {"ones": np.ones(65536), "random": np.random.default_rng(1).integers(1, 65, 300) / 32}


def added(x):
    total = x.new_zeros(())
    for term in x:
        total += term  # rounded to the type of x
    first = x.softmax(0)[0]
    return {"sum": x.sum().item(), "cumsum": x.cumsum(0)[-1].item(), "loop": total.item(), "softmax": first.item()}


if __name__ == "__main__":
    import torch

    keys = [("ones", "bfloat16"), ("random", "bfloat16"), ("random", "float16")]
    cases = [{"terms": t, "format": f, **added(torch.tensor(TERMS[t], dtype=getattr(torch, f)))} for t, f in keys]
    RECORD.write_text(as_json({"versions": {"torch": torch.__version__}, "cases": cases}), encoding="utf-8")
