"""Strips: the numbers of a matrix in cells, told apart by more than colour."""

import numpy as np
import pytest

from docs_ext.html.strips import strips
from tests.site.fences.reading import plain, read

MATRIX = np.array([[2.0, 0.0, -1.0], [20 / 3, 1e-17, 0.5]])


def test_every_cell_holds_its_number_exactly_and_as_people_read_it():
    table = read(strips(MATRIX, "key")).find("table")
    cells = [list(row) for row in table.findall("tbody/tr")]
    np.testing.assert_array_equal([[float(cell.get("data-number")) for cell in row] for row in cells], MATRIX)
    assert [[plain(cell) for cell in row] for row in cells] == [["2", "0", "-1"], ["20/3", "0", "0.5"]]
    assert table.get("class") == "strips key"


def test_sign_and_strength_are_told():
    cells = read(strips(MATRIX)).findall(".//tbody/tr/td")
    expected = ["positive", "zero", "negative", "positive", "zero", "positive"]
    assert [cell.get("class") for cell in cells] == expected
    assert [cell.get("style") for cell in cells][:4] == ["--s:0.3", "--s:0", "--s:0.15", "--s:1"]
    assert read(strips([5.0], largest=20)).find(".//td").get("style") == "--s:0.25"
    assert read(strips([50.0], largest=20)).find(".//td").get("style") == "--s:1"
    assert read(strips([0.0, 0.0])).find(".//td").get("style") == "--s:0"


def test_a_vector_is_one_row_without_headings():
    table = read(strips([1.0, 2.0])).find("table")
    assert len(table.findall("tbody/tr")) == 1
    assert [child.tag for child in table] == ["tbody"]
    assert not table.findall(".//th")


def test_words_and_features_head_rows_and_columns():
    table = read(strips(MATRIX, name="K < Q", words=["a", "b"], features=["x", "y", "z"])).find("table")
    assert plain(table.find("caption")) == "K < Q"
    assert [plain(th) for th in table.findall("thead/tr/th[@scope='col']")] == ["x", "y", "z"]
    assert [plain(row.find("th[@scope='row']")) for row in table.findall("tbody/tr")] == ["a", "b"]
    assert len(table.find("thead/tr")) == len(table.find("tbody/tr")) == 4


@pytest.mark.parametrize("wrong", [{"words": ["a"]}, {"features": ["x"]}, {"role": "scores"}])
def test_what_does_not_fit_is_refused(wrong):
    with pytest.raises(ValueError, match=r"for a matrix of shape|role must be one of"):
        strips(MATRIX, **wrong)
