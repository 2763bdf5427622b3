"""The blend triangle as it stands without a script: its numbers, its drawing, and what it refuses."""

import json
from fractions import Fraction

import numpy as np
import pytest

from docs_ext.fences import blend_triangle
from tests.site.fences.reading import read, refuses, rows, text

SPEC = {
    "id": "t",
    "caption": "c",
    "names": ["cats", "dogs", "both"],
    "values": [[8, 0], [0, 8], [8, 8]],
    "axes": ["pages on cats", "pages on dogs"],
    "shares": [2, 4, 10],
}


def parse(spec):
    return read(blend_triangle.render(spec))


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


@pytest.mark.parametrize("shares", [[2, 4, 10], [1, 1, 1], [0, 0, 7], [16, 3, 0]], ids=str)
@pytest.mark.parametrize("values", [[[8, 0], [0, 8], [8, 8]], [[-3, 5], [4, -1], [0, 2]]], ids=str)
def test_the_point_is_drawn_where_the_weights_put_it(shares, values):
    root = parse(SPEC | {"shares": shares, "values": values})
    weights = [Fraction(share, sum(shares)) for share in shares]
    corners = np.reshape(numbers(root.find(".//{*}polygon").get("points")), (3, 2))
    expected = [sum(float(w) * corner[axis] for w, corner in zip(weights, corners, strict=True)) for axis in (0, 1)]
    point = root.find(".//{*}g[@class='blend']").get("transform")
    np.testing.assert_allclose(numbers(point), expected, atol=1e-3)
    unit = max(np.ptp(np.array(values), axis=0)) / blend_triangle.SIDE
    np.testing.assert_allclose(
        (corners - corners[0]) * [unit, -unit], np.array(values) - np.array(values[0]), atol=1e-4
    )  # to scale, the second feature upwards
    for line, corner in zip(root.findall(".//{*}line"), corners, strict=True):
        ends = [float(line.get(name)) for name in ("x1", "y1", "x2", "y2")]
        np.testing.assert_allclose(ends, [*corner, *expected], atol=1e-3)


def test_the_drawing_has_a_name_a_description_and_room_for_its_labels():
    root = parse(SPEC)
    svg = root.find(".//{*}svg")
    assert svg.get("role") == "img"
    by_id = {element.get("id"): text(element) for element in root.iter() if element.get("id")}
    assert by_id[svg.get("aria-labelledby")] == "c"
    assert by_id[svg.get("aria-describedby")] == text(root.find(".//output"))
    left, top, width, height = map(float, svg.get("viewBox").split())
    for label in svg.findall("{*}text[@x]"):
        half = len(text(label)) * 3.5
        assert left <= float(label.get("x")) - half
        assert float(label.get("x")) + half <= left + width
        assert top + 10 <= float(label.get("y")) <= top + height - 4


def test_the_script_gets_what_the_drawing_shows():
    widget = parse(SPEC).find(".//blend-triangle")
    corners = np.reshape(numbers(parse(SPEC).find(".//{*}polygon").get("points")), (3, 2))
    np.testing.assert_allclose(json.loads(widget.get("data-corners")), corners, atol=1e-3)
    assert json.loads(widget.get("data-shares")) == [2, 4, 10]


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
test_what_does_not_fit_is_refused = refuses(blend_triangle.render, SPEC, REFUSED)
