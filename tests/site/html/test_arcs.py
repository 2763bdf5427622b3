"""Arcs over a sentence: where they begin and end, that they are as thick as their weights, and that no two cross."""

import re
from itertools import pairwise

import numpy as np
import pytest

from attention.example import EARLY5, EARLY7, S5, S7, W_Q1, W_Q2, W_Q7, attend, embed
from docs_ext.html import arcs

HEADS = {
    "five words": (S5, attend(embed(S5, EARLY5), W_Q1)[0]),
    "five words, the other head": (S5, attend(embed(S5, EARLY5), W_Q2)[0]),
    "seven words": (S7, attend(embed(S7, EARLY7), W_Q7)[0]),
    "seven words, no positions": (S7, attend(embed(S7), W_Q7)[0]),
}
CASES = [
    pytest.param(words, weights, row, id=f"{name}: {words[row]}")
    for name, (words, weights) in HEADS.items()
    for row in range(len(words))
    if np.ptp(weights[row]) > 0
]


def points(arc, count=400):
    """Follow the cubic curve of an arc."""
    ends = np.array(re.findall(r"-?[\d.]+", arc.path), float).reshape(4, 2)
    t = np.linspace(0, 1, count)[:, None]
    return (1 - t) ** 3 * ends[0] + 3 * (1 - t) ** 2 * t * ends[1] + 3 * (1 - t) * t**2 * ends[2] + t**3 * ends[3]


def drawn(words, weights, row):
    columns = arcs.widths(words)
    return columns, arcs.arcs(row, dict(enumerate(weights[row].tolist())), columns)


@pytest.mark.parametrize(("words", "weights", "row"), CASES)
def test_an_arc_goes_from_the_chosen_word_to_each_word(words, weights, row):
    columns, found = drawn(words, weights, row)
    edges = np.cumsum([0, *columns])
    assert sorted(arc.key for arc in found) == list(range(len(words)))
    for arc in found:
        (start, floor), (end, landing) = points(arc)[[0, -1]]
        assert edges[row] < start < edges[row + 1]
        assert floor == landing == pytest.approx(arcs.height(columns), rel=1e-5)
        if arc.key != row:
            assert end == pytest.approx((edges[arc.key] + edges[arc.key + 1]) / 2, rel=1e-5)
        else:
            assert start < end < edges[row + 1]


@pytest.mark.parametrize(("words", "weights", "row"), CASES)
def test_no_two_arcs_cross_and_all_stay_within_the_drawing(words, weights, row):
    found = drawn(words, weights, row)[1]
    curves = [points(arc) for arc in found]
    for i, one in enumerate(curves):
        assert one[:, 1].min() > found[i].thickness / 2
        for j, other in enumerate(curves[:i]):
            apart = np.linalg.norm(one[:, None] - other[None], axis=2).min()
            assert apart > (found[i].thickness + found[j].thickness) / 2 - 1, f"{words[i]} and {words[j]}"


def test_arcs_leave_side_by_side_and_are_together_as_thick_as_the_budget():
    weights = {0: 1 / 2, 2: 1 / 4, 3: 1 / 4}
    found = arcs.arcs(1, weights, arcs.widths(["a", "b", "c", "d"]))
    assert [arc.key for arc in found] == [0, 3, 2]  # the farthest in the middle
    assert sum(arc.thickness for arc in found) == arcs.BUDGET
    starts = [points(arc)[0, 0] for arc in found]
    gaps = [(a.thickness + b.thickness) / 2 for a, b in pairwise(found)]
    np.testing.assert_allclose(np.diff(starts), gaps, rtol=1e-4)


def test_thickness_is_the_weight_down_to_what_can_be_seen():
    assert arcs.thickness(1) == arcs.BUDGET
    assert arcs.thickness(1 / 8) == arcs.BUDGET / 8
    assert arcs.thickness(1 / 1000) == arcs.thickness(0) == arcs.THINNEST
    assert arcs.thickness(1 / 16) > arcs.thickness(1 / 32)
