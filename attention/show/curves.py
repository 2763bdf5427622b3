"""Arcs over words: where words are, and the arcs from one to the others.

The scripts of the site compute the same (docs/assets/js/lib/sentence.js and
stage.js), and a test compares them.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

LETTER = 13  # how wide a letter is on average
PADDING, NARROWEST = 26, 44  # around the letters of a word; of a column
THINNEST = 1.5  # so that 1/32 can be seen
SEAM = 1 / 12  # between arcs that leave side by side, as part of the budget
BUDGET = 28.0  # how thick a weight of 1 is on a stage
LOWEST, RISE = 24.0, 0.25  # an arc's height: this, and a part of its way
HIGHEST, STEEPEST = 300.0, 0.4
LOOP, GAP = 19.0, 22.0  # a word's arc to itself: height, gap of its ends


class Arc(NamedTuple):
    """An arc to a key: its path, how thick it is, and its highest point."""

    key: int
    d: str
    thickness: float
    top: tuple[float, float]


class Place(NamedTuple):
    """The line on which arcs end, and how they rise."""

    floor: float
    budget: float
    lowest: float
    rise: float
    loop: float
    gap: float


def text_of(x: float) -> str:
    """Write a coordinate in six digits, as JavaScript writes it.

    Examples
    --------
    >>> text_of(12.0), text_of(1 / 3)
    ('12', '0.333333')
    """
    return repr(float(f"{x:.6g}")).removesuffix(".0")


def widths(words: Sequence[str]) -> list[int]:
    """Return how wide the columns of words are."""
    return [max(LETTER * len(word) + PADDING, NARROWEST) for word in words]


def centres(columns: Sequence[float]) -> list[float]:
    """Return the middles of columns."""
    ends = accumulate(columns)
    return [end - wide / 2 for end, wide in zip(ends, columns, strict=True)]


def curves(
    middles: Sequence[float],
    place: Place,
    row: int,
    weights: Sequence[float | None],
) -> list[Arc]:
    """Return the arcs of a row to the keys that have a weight.

    They leave side by side, so that together they are as thick as the whole
    budget. The one that goes farthest to a side leaves in the middle and goes
    above the others, so no two cross.
    """
    heard = {k: w for k, w in enumerate(weights) if w is not None}
    left = [key for key in heard if key < row][::-1]
    right = [key for key in heard if key > row][::-1]
    order = [*left, *(key for key in heard if key == row), *right]
    thick = {
        key: math.floor(1000 * max(place.budget * weight, THINNEST) + 0.5)
        / 1000
        for key, weight in heard.items()
    }
    spans = [
        thick[k] + (thick[k] + place.gap if k == row else 0) for k in order
    ]
    arcs = []
    for i, key in enumerate(order):
        seams = SEAM * place.budget * (i - (len(order) - 1) / 2)
        start = middles[row] - sum(spans) / 2 + sum(spans[:i]) + seams
        end, own = middles[key], key == row
        bulge, up = 0.0, place.lowest + place.rise * abs(end - middles[row])
        if own:
            end = start + spans[i] - thick[key] / 2
            bulge, up = min(place.gap / 2, 8), place.loop
        start += thick[key] / 2
        points = (
            (start, 0),
            (start - bulge, up * 4 / 3),
            (end + bulge, up * 4 / 3),
            (end, 0),
        )
        a, b, c, d = (
            f"{text_of(x)} {text_of(place.floor - y)}" for x, y in points
        )
        top = (start + end) / 2, place.floor - up
        arcs.append(Arc(key, f"M{a}C{b} {c} {d}", thick[key], top))
    return arcs


def on_stage(
    words: Sequence[str], row: int, weights: Sequence[float | None]
) -> list[Arc]:
    """Return the arcs of a stage, whose farthest is as high as the stage."""
    columns = widths(words)
    middles = centres(columns)
    reach = max(middles[row] - middles[0], middles[-1] - middles[row])
    rise = min(STEEPEST, _rise(columns) * _longest(columns) / (reach or 1))
    place = Place(height(words), BUDGET, LOWEST, rise, LOOP, GAP)
    return curves(middles, place, row, weights)


def height(words: Sequence[str]) -> float:
    """Return what the longest arc of a stage needs, at its thickest."""
    columns = widths(words)
    arc = LOWEST + _rise(columns) * _longest(columns)
    return max(arc, LOOP) + BUDGET / 2


def _longest(columns: Sequence[float]) -> float:
    return sum(columns) - (columns[0] + columns[-1]) / 2


def _rise(columns: Sequence[float]) -> float:
    return min(RISE, HIGHEST / (_longest(columns) or 1))
