"""Strips: the numbers of a matrix in cells, told apart by more than colour."""

from docs_ext.html import renderer
from tests.site.fences.reading import plain, read

MATRIX = [[2.0, 0.0, -1.0], [20 / 3, 1e-17, 0.5]]


def strips(matrix, **heads):
    return read(renderer.call("lib/grid.js", "strips", matrix, heads)["text"]).find("table")


def test_every_cell_holds_its_number_exactly_and_as_people_read_it():
    table = strips(MATRIX, role="key")
    cells = [list(row) for row in table.findall("tbody/tr")]
    assert [[float(cell.get("data-number")) for cell in row] for row in cells] == MATRIX
    assert [[plain(cell) for cell in row] for row in cells] == [["2", "·0", "-1"], ["20/3", "·0", "0.5"]]
    assert table.get("class") == "strips key"


def test_sign_and_strength_are_told():
    cells = strips(MATRIX).findall(".//tbody/tr/td")
    expected = ["positive", "zero", "negative", "positive", "zero", "positive"]
    assert [cell.get("class") for cell in cells] == expected
    assert [cell.get("style") for cell in cells][:4] == ["--s:0.3", "--s:0", "--s:0.15", "--s:1"]
    assert strips([[0.0, 0.0]]).find(".//td").get("style") == "--s:0"


def test_words_and_features_head_rows_and_columns_where_they_are_given():
    table = strips(MATRIX, name="K < Q", words=["a", "b"], features=["x", "y", "z"])
    assert plain(table.find("caption")) == "K < Q"
    assert [plain(th) for th in table.findall("thead/tr/th[@scope='col']")] == ["x", "y", "z"]
    assert [plain(row.find("th[@scope='row']")) for row in table.findall("tbody/tr")] == ["a", "b"]
    assert len(table.find("thead/tr")) == len(table.find("tbody/tr")) == 4
    assert [child.tag for child in strips(MATRIX)] == ["tbody"]
