"""Sizes of blocks, tiles and parts of keys that are tried.

In each list the usual ones come first: where several sizes give the same
numbers, the first one is named.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from attention.testing.blocks import LOG2E, MEASURED, PLACES

BLOCKS = (64, 32, 128, 16, 256, 8, 48)  # keys, or rows
ODD = (40, 96, 80, 24, 100, 20, 12, 192)  # tried if none of these fits
OF_RULES = (64, 32, 16, 8, 128, 4)  # of places.toml and probes.toml
OF_REACH = (64, 32, 128, 16, 48, 8, 96, 4, 24, 12, 2, 80, 192, 256, 3)
_SIZES = (*BLOCKS, *ODD)
_PARTS = [
    *((m, 1) for m in (2, 4, 3, 8)),  # so many parts, of one size
    *((m, 0) for m in (4, 3, 8)),  # the first of them one key longer
    *((0, n) for n in _SIZES),  # parts of so many keys
    *product((2, 4, 8), (8, 16, 32, 64)),  # parts of whole blocks
]
_IN_BASE_TWO = [number / LOG2E for number in (8, 2, 4, 1, 16)]
EACH: dict[str, list[Any]] = {  # of mistakes.toml
    "blocks": [*_SIZES],
    "parts": [*_PARTS, (MEASURED, 0)],
    "thresholds": [*product((*_IN_BASE_TWO, 1, 2, 4, 5, 8), BLOCKS)],
    "lazy": [*product((8 / LOG2E, 8.0), _SIZES)],
    "some": [*product(PLACES, map(str, _SIZES))],
    "merges": [
        *((m, 1) for m in (8, 4, 2, 16, 32)),
        *((0, n) for n in (64, 32, 128, *ODD)),
        (4, 32),
    ],
    "splits": [
        *product((2, 3, 4, 5, 6, 7, 8, 16), (1, 16, 32, 64)),
        (32, 1),
        *((0, n) for n in (64, 32, 128, *ODD)),
    ],
    "turns": [*product((64, 1, 128, 32, 16), (64, 32, 128, 16, 48))],
    "rounding": [64, 10**6, 32, 128, 16, 8, *ODD],
    "tiles": [*product((1, 64, 32, 128, 16), (64, 32, 128, 16))],
}
# of regions.toml, by what a region says; they cost no run of a mistake, and so
# are more
OF_REGIONS: list[tuple[str, list[Any]]] = [
    ("{parts}", _PARTS),
    ("{m}", [*product((64, 128, 32, 16, 1, 48), (64, 32, 128, 16, 48, 8))]),
    ("{n}", [*BLOCKS]),
]


def parts_said(m: int, n: int) -> str:
    """Say what parts of the keys there are."""
    if m == MEASURED:
        return "parts as measured"
    if not m:
        return f"parts of {n} keys"
    return f"{m} parts" + f" of whole blocks of {n} keys" * (n > 1)
