"""The blend triangle: its numbers, its drawing, where a hand that drags it leads, and what it refuses."""

import re

import numpy as np
import pytest

from tests.site.fences.reading import Figure, rows, says

VALUES, AXES = [[8, 0], [0, 8], [8, 8]], ["pages on cats", "pages on dogs"]
TRIANGLE = Figure("blend-triangle", names=["cats", "dogs", "both"], values=VALUES, axes=AXES, shares=[2, 4, 10])


def numbers(text):
    return [float(part) for part in re.findall(r"-?[\d.]+", text)]


def test_the_blend_is_written_as_a_sum_and_in_steps():
    root = TRIANGLE.still()
    assert says(root) == "1/8 (8, 0) + 1/4 (0, 8) + 5/8 (8, 8) = (6, 7)"
    assert rows(root) == [
        ["cats", "(8, 0)", "2", "1/8", "(1, 0)"],
        ["dogs", "(0, 8)", "4", "1/4", "(0, 2)"],
        ["both", "(8, 8)", "10", "5/8", "(5, 5)"],
    ]
    assert rows(root, ".//tfoot/tr") == [["sum", "", "16", "1", "(6, 7)"]]


@TRIANGLE.on_500_states
def test_500_states_are_weighted_sums(rng):
    values, shares = rng.standard_normal((3, 2)), rng.integers(0, 17, 3)
    weights = shares / shares.sum()
    state = {f"w{i}": n for i, n in enumerate(shares)}
    return {"values": values}, state, {"weights": weights, "output": weights @ values}


def test_a_point_that_is_dragged_has_the_nearest_whole_shares():
    rng = np.random.default_rng(1)
    corners = [[0, 0], [240, 0], [0, -240]]
    every = np.array([(a, b, 16 - a - b) for a in range(17) for b in range(17 - a)])
    for _ in range(100):
        weights = rng.dirichlet([1, 1, 1])
        found = TRIANGLE.call("sharesAt", weights @ corners, corners, 16)
        assert sum(found) == 16
        nearest = np.abs(every / 16 - weights).sum(axis=1).min()
        assert np.abs(np.array(found) / 16 - weights).sum() == pytest.approx(nearest, abs=1e-9)
    assert TRIANGLE.call("sharesAt", [-50, 60], corners, 16) == [16, 0, 0]  # outside: the edge or the corner


def test_shares_that_are_all_zero_make_no_blend():
    root = TRIANGLE.live(w0=0, w1=0, w2=0)
    assert says(root).startswith("All shares are 0")
    assert [row[3:] for row in rows(root)] == [["none", "none"]] * 3
    assert root.find(".//{*}g[@class='blend']") is None


@pytest.mark.parametrize("shares", [[2, 4, 10], [0, 0, 7]], ids=str)
@pytest.mark.parametrize("values", [VALUES, [[-3, 5], [4, -1], [0, 2]]], ids=str)
def test_the_point_is_drawn_where_the_weights_put_it(shares, values):
    root = TRIANGLE.still(shares=shares, values=values)
    corners = np.reshape(numbers(root.find(".//{*}polygon").get("points")), (3, 2))
    expected = np.array(shares) / sum(shares) @ corners
    point = root.find(".//{*}g[@class='blend']").get("transform")
    np.testing.assert_allclose(numbers(point), expected, atol=1e-3)
    unit = max(np.ptp(values, axis=0)) / 240  # to scale, the second feature upwards
    np.testing.assert_allclose((corners - corners[0]) * [unit, -unit], np.subtract(values, values[0]), atol=1e-4)
    for line, corner in zip(root.findall(".//{*}line"), corners, strict=True):
        ends = [float(line.get(name)) for name in ("x1", "y1", "x2", "y2")]
        np.testing.assert_allclose(ends, [*corner, *expected], atol=1e-3)


test_what_does_not_fit_is_refused = TRIANGLE.refuses(
    {
        "two names": ({"names": ["a", "b"]}, "names", "3 words: 2"),
        "one axis": ({"axes": ["a"]}, "axes", "2 words: 1"),
        "two values": ({"values": [[8, 0], [0, 8]]}, "values", "three points"),
        "no triangle": ({"values": [[0, 0], [1, 1], [2, 2]]}, "values", "line"),
        "nothing to share": ({"shares": [0, 0, 0]}, "shares", "not all 0"),
        "too large": ({"shares": [1, 2, 17]}, "shares", "0 to 16"),
        "half a share": ({"shares": [0.5, 2, 4]}, "shares", "whole"),
    }
)
