"""The blend triangle as it stands without a script: its numbers, its drawing, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest

from docs_ext.extensions import fences
from docs_ext.fences import blend_triangle
from docs_ext.html import renderer
from tests.site.fences.reading import read, refuses, rows, text

SCRIPT = "widgets/blend-triangle.js"
SPEC = {
    "id": "t",
    "caption": "c",
    "names": ["cats", "dogs", "both"],
    "values": [[8, 0], [0, 8], [8, 8]],
    "axes": ["pages on cats", "pages on dogs"],
    "shares": [2, 4, 10],
}


def parse(spec):
    return read(fences.draw("blend-triangle", spec))


def numbers(text):
    return [float(part) for part in text.replace(",", " ").replace("translate(", "").replace(")", "").split()]


def test_the_blend_is_written_as_a_sum():
    assert text(parse(SPEC).find(".//output")) == "1/8 (8, 0) + 1/4 (0, 8) + 5/8 (8, 8) = (6, 7)"


def test_the_table_shows_every_step():
    assert rows(parse(SPEC)) == [
        ["cats", "(8, 0)", "2", "1/8", "(1, 0)"],
        ["dogs", "(0, 8)", "4", "1/4", "(0, 2)"],
        ["both", "(8, 8)", "10", "5/8", "(5, 5)"],
    ]
    assert rows(parse(SPEC), ".//tfoot/tr") == [["sum", "", "16", "1", "(6, 7)"]]


def test_500_states_are_weighted_sums():
    rng = np.random.default_rng(0)
    for _ in range(500):
        values, shares = rng.standard_normal((3, 2)), rng.integers(0, 17, 3)
        shown = renderer.call(SCRIPT, "compute", {"values": values}, {f"w{i}": int(n) for i, n in enumerate(shares)})
        weights = shares / shares.sum()
        np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
        np.testing.assert_allclose(shown["output"], weights @ values, rtol=0, atol=1e-12)


def test_a_point_that_is_dragged_has_the_nearest_whole_shares():
    rng = np.random.default_rng(1)
    corners, every = (
        [[0, 0], [240, 0], [0, -240]],
        np.array([(a, b, 16 - a - b) for a in range(17) for b in range(17 - a)]),
    )
    for _ in range(100):
        weights = rng.dirichlet([1, 1, 1])
        found = renderer.call(SCRIPT, "sharesAt", weights @ corners, corners, 16)
        assert sum(found) == 16
        nearest = np.abs(every / 16 - weights).sum(axis=1).min()
        assert np.abs(np.array(found) / 16 - weights).sum() == pytest.approx(nearest, abs=1e-9)
    assert renderer.call(SCRIPT, "sharesAt", [-50, 60], corners, 16) == [16, 0, 0]  # outside: the edge or the corner


def test_shares_that_are_all_zero_make_no_blend():
    given = renderer.plain({"id": "t", "title": "c", **blend_triangle.data(SPEC)})
    assert renderer.call(SCRIPT, "compute", given, {"w0": 0, "w1": 0, "w2": 0}) is None
    drawn = read(renderer.call(SCRIPT, "html", given, {"w0": 0, "w1": 0, "w2": 0}, None)["text"])
    assert text(drawn.find(".//output")).startswith("All shares are 0")
    assert rows(drawn)[0] == ["cats", "(8, 0)", "0", "none", "none"]
    assert drawn.find(".//{*}g[@class='blend']") is None


@pytest.mark.parametrize("shares", [[2, 4, 10], [1, 1, 1], [0, 0, 7], [16, 3, 0]], ids=str)
@pytest.mark.parametrize("values", [[[8, 0], [0, 8], [8, 8]], [[-3, 5], [4, -1], [0, 2]]], ids=str)
def test_the_point_is_drawn_where_the_weights_put_it(shares, values):
    root = parse(SPEC | {"shares": shares, "values": values})
    weights = [Fraction(share, sum(shares)) for share in shares]
    corners = np.reshape(numbers(root.find(".//{*}polygon").get("points")), (3, 2))
    expected = [sum(float(w) * corner[axis] for w, corner in zip(weights, corners, strict=True)) for axis in (0, 1)]
    point = root.find(".//{*}g[@class='blend']").get("transform")
    np.testing.assert_allclose(numbers(point), expected, atol=1e-3)
    unit = max(np.ptp(np.array(values), axis=0)) / 240
    np.testing.assert_allclose(
        (corners - corners[0]) * [unit, -unit], np.array(values) - np.array(values[0]), atol=1e-4
    )  # to scale, the second feature upwards
    for line, corner in zip(root.findall(".//{*}line"), corners, strict=True):
        ends = [float(line.get(name)) for name in ("x1", "y1", "x2", "y2")]
        np.testing.assert_allclose(ends, [*corner, *expected], atol=1e-3)


REFUSED = {
    "two names": ({"names": ["a", "b"]}, "names", "3 words: 2"),
    "one axis": ({"axes": ["a"]}, "axes", "2 words: 1"),
    "two values": ({"values": [[8, 0], [0, 8]]}, "values", "three points"),
    "no triangle": ({"values": [[0, 0], [1, 1], [2, 2]]}, "values", "line"),
    "nothing to share": ({"shares": [0, 0, 0]}, "shares", "not all 0"),
    "too large": ({"shares": [1, 2, 17]}, "shares", "0 to 16"),
    "half a share": ({"shares": [0.5, 2, 4]}, "shares", "whole"),
    "two shares": ({"shares": [1, 2]}, "shares", "three"),
}
test_what_does_not_fit_is_refused = refuses(blend_triangle.data, SPEC, REFUSED)
