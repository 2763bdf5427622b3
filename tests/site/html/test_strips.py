"""Strips: the numbers of a matrix in cells, told apart by more than colour."""

from docs_ext.html import renderer
from tests.site.fences.reading import read

MATRIX = [[2.0, 0.0, -1.0], [20 / 3, 1e-17, 0.5]]


def strips(matrix, **heads):
    return read(renderer.call("lib/grid.js", "strips", matrix, heads)["text"]).find("table")


def test_sign_and_strength_are_told():
    cells = strips(MATRIX).findall(".//tbody/tr/td")
    expected = ["positive", "zero", "negative", "positive", "zero", "positive"]
    assert [cell.get("class") for cell in cells] == expected
    assert [cell.get("style") for cell in cells][:4] == ["--s:0.3", "--s:0", "--s:0.15", "--s:1"]
    assert strips([[0.0, 0.0]]).find(".//td").get("style") == "--s:0"
