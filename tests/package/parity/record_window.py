"""Which keys the cache of transformers returns under a sliding window, and how many it keeps, append for append.

`python -m tests.package.parity.record_window` writes window.json. A key is the number of its token.
"""

from pathlib import Path

from tests.package.parity.record import as_json, of_versions

RECORD = Path(__file__).parent / "window.json"
SIZES = (1, 5, 1, 2, 1, 1, 3)  # how many tokens arrive together


def record():
    import torch
    from transformers.cache_utils import DynamicSlidingWindowLayer

    cases = []
    for window in (1, 2, 3, 4, 8):
        layer, appends = DynamicSlidingWindowLayer(sliding_window=window), []
        for new in torch.arange(sum(SIZES)).double()[None, None, :, None].split(SIZES, dim=2):
            keys, _ = layer.update(new, -new)
            appends.append({"keys": keys.flatten().int().tolist(), "kept": layer.keys.shape[2]})
        inputs = {"window": window, "sizes": SIZES}
        cases.append({"case": f"window {window}", "inputs": inputs, "output": appends})
    return of_versions("torch", "transformers", cases=cases)


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
