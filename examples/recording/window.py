"""Which keys the cache of transformers returns under a sliding window, and how many it keeps, append for append.

A key is the number of its token.
"""

from functools import partial
from typing import Any

from examples.recording.shared import Recorder

SIZES = (1, 5, 1, 2, 1, 1, 3)  # how many tokens arrive together


def appended(window: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Append to a cache; return what each append gives and leaves."""
    import torch
    from transformers.cache_utils import DynamicSlidingWindowLayer

    layer, appends = DynamicSlidingWindowLayer(sliding_window=window), []
    for new in torch.arange(sum(SIZES)).double()[None, None, :, None].split(SIZES, dim=2):
        keys, _ = layer.update(new, -new)
        appends.append({"keys": keys.flatten().int().tolist(), "kept": layer.keys.shape[2]})
    return {"window": window, "sizes": SIZES}, appends


RECORDER = Recorder(
    "window", ("torch", "transformers"), {f"window {window}": partial(appended, window) for window in (1, 2, 3, 4, 8)}
)
