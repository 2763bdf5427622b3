"""What models keep of a text: `docs_ext/caches.yml` holds it, layer by layer, and explains the parts of a layer."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

PARTS = {"row": 0, "every": 1, "near": 0, "window": 1, "rest": 0, "last": 0, "state": 0}


@cache
def caches() -> dict[str, dict[str, Any]]:
    """Return the models by name: their layers, and by letter the parts of a layer, in two bytes and as served."""
    models: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "caches.yml").read_text("utf-8"))
    for one in models.values():
        one["kinds"] = {kind: PARTS | one.pop(kind) for kind in "FCHWS" if kind in one}
        one["served"] = {kind: one["kinds"][kind] | parts for kind, parts in one.get("served", {}).items()}
    return models


def cache_bytes(name: str, n: int, served: bool = False) -> int:
    """Return what a model keeps of a text of n tokens, in bytes."""
    one = caches()[name]
    kinds = one["kinds"] | (one["served"] if served else {})
    return sum(kept(n, **kinds[layer]) for layer in one["layers"] if layer in kinds)


def kept(n: int, row: int, every: int, near: int, window: int, rest: int, last: int, state: int) -> int:
    """Return what one layer keeps of n tokens, in bytes."""
    rows, waiting = divmod(n, every)
    return row * rows + near * min(n, window - 1) + rest * waiting + last * (rows > 0) + state


FUNCTIONS = (caches, cache_bytes)
