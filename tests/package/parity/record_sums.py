"""How torch adds in 16 bits, and its softmax: `python -m tests.package.parity.record_sums` records it on a CPU."""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, of_versions

RECORD = Path(__file__).parent / "sums.json"
TERMS = {"ones": np.ones(65536), "random": np.random.default_rng(1).integers(1, 65, 300) / 32}


def added(x):
    total = x.new_zeros(())
    for term in x:
        total += term  # rounded to the type of x
    first = x.softmax(0)[0]
    return {"sum": x.sum().item(), "cumsum": x.cumsum(0)[-1].item(), "loop": total.item(), "softmax": first.item()}


def record():
    import torch

    keys = [("ones", "bfloat16"), ("random", "bfloat16"), ("random", "float16")]
    cases = []
    for terms, name in keys:
        output = added(torch.tensor(TERMS[terms], dtype=getattr(torch, name)))
        cases.append({"inputs": {"terms": terms, "format": name}, "output": output})
    return of_versions("torch", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
