"""Arcs over a sentence: one for each word that the chosen one listens to, as thick as its weight.

The drawing has units of its own, in which a letter is LETTER wide on average; a style sheet scales it to the room that
there is. Nothing in it needs the metrics of a font: a word has a column, and an arc ends in the middle of it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from docs_ext.html.template import template

FONT, LETTER = 26, 13
PADDING, NARROWEST = 26, 44  # around the letters of a word; a column in which a finger finds room
BUDGET = 34  # how thick a weight of 1 is
THINNEST = 1.5  # so that 1/32 can be seen
LOWEST, RISE = 14, 0.4  # the height of an arc: this, and so much of the way that it goes
LOOP = 36  # the height of a word's arc to itself
GAP = 15  # between the two ends of a loop

_ARC = template("M{{ a | g }} {{ y | g }}C{{ b | g }} {{ top | g }} {{ c | g }} {{ top | g }} {{ d | g }} {{ y | g }}")


class Arc(NamedTuple):
    """The curve from the chosen word to another one, or to itself."""

    key: int
    thickness: float
    path: str


def widths(words: Sequence[str]) -> list[int]:
    """Return how wide the column of each word is.

    >>> widths(["a", "chased"])
    [44, 104]
    """
    return [max(LETTER * len(word) + PADDING, NARROWEST) for word in words]


def thickness(weight: float) -> float:
    """Return how thick the arc of a weight is.

    >>> thickness(1/2), thickness(1/32)
    (17.0, 1.5)
    """
    return round(max(BUDGET * weight, THINNEST), 3)


def height(columns: Sequence[int]) -> float:
    """Return how high the drawing must be for the longest arc, at its thickest."""
    longest = sum(columns) - (columns[0] + columns[-1]) / 2
    return max(LOWEST + RISE * longest, LOOP) + BUDGET / 2


def arcs(row: int, weights: dict[int, float], columns: Sequence[int]) -> list[Arc]:
    """Draw the arcs of a word to the words in `weights`.

    They leave it side by side, so that together they are as thick as the whole budget. The one that goes farthest to a
    side leaves in the middle, and goes above the others: no two cross.
    """
    centres = [sum(columns[:i]) + width / 2 for i, width in enumerate(columns)]
    left = sorted(key for key in weights if key < row)[::-1]  # the nearest first
    right = sorted(key for key in weights if key > row)[::-1]
    order = [*left, *([row] if row in weights else []), *right]
    spans = [thickness(weights[key]) + (key == row) * (thickness(weights[key]) + GAP) for key in order]
    x, floor, drawn = centres[row] - sum(spans) / 2, height(columns), []
    for key, span in zip(order, spans, strict=True):
        thick = thickness(weights[key])
        start = x + thick / 2
        if key == row:  # a drop that hangs above the word
            end, up, bulge = x + span - thick / 2, float(LOOP), GAP / 2
        else:
            end, bulge = centres[key], 0.0
            up = LOWEST + RISE * abs(centres[key] - centres[row])
        top = floor - up * 4 / 3  # of a curve whose highest point is `up`
        path = _ARC(a=start, b=start - bulge, c=end + bulge, d=end, y=floor, top=top)
        drawn.append(Arc(key, thick, path))
        x += span
    return drawn
