"""The strips of X times three matrices: every number against exact products, and what is refused."""

import json
import re
from fractions import Fraction

import numpy as np

from attention import project
from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, embed
from tests.site.fences.reading import Figure

STRIPS = Figure.sound("matrix-strips")
MATRICES = {"query": W_Q1 / np.log(2), "key": W_K, "value": W_V}


def numbers(table):
    rows = table.findall("tbody/tr")
    return np.array([[float(cell.get("data-number")) for cell in row.findall("td")] for row in rows])


def multiplied(x, w):
    """Multiply row by column in fractions: a float is one exactly."""
    columns = [[Fraction(float(entry)) for entry in column] for column in w.T]
    return [[float(sum(Fraction(float(a)) * b for a, b in zip(row, c, strict=True))) for c in columns] for row in x]


def test_the_strips_are_x_the_matrices_and_their_products():
    x, root = embed(SENTENCE, EARLY), STRIPS.still()
    np.testing.assert_array_equal(numbers(root.find(".//div[@class='given']/table")), x)
    for role, matrix in MATRICES.items():
        panel = root.find(f".//div[@class='panel {role}']")
        np.testing.assert_allclose(numbers(panel.find("table")), matrix, rtol=0, atol=1e-12)
        made = numbers(panel.find("div[@class='made']/table"))
        np.testing.assert_allclose(made, multiplied(x, matrix), rtol=0, atol=1e-12)


def test_a_click_on_a_number_chooses_its_row_and_its_column():
    made = [table.findall("tbody/tr") for table in STRIPS.live().findall(".//div[@class='made']/table")]
    for row in range(5):
        sets = [json.loads(cell.get("data-set")) for lines in made for cell in lines[row].findall("td")]
        assert sets == [{"row": row, "column": column} for column in range(10)]


def test_what_is_said_of_500_numbers_is_true():
    rng, start = np.random.default_rng(1), STRIPS.given
    for _ in range(500):
        x, matrices = rng.integers(-9, 10, (5, 4)), rng.integers(-9, 10, (3, 4, 4))
        products = [
            {"role": role, "columns": list("abcd"), "matrix": w, "made": project(x, w)}
            for role, w in zip(MATRICES, matrices, strict=True)
        ]
        row, column, twice = int(rng.integers(5)), int(rng.integers(12)), int(rng.integers(-1, 5))
        given = start | {"x": x, "products": products}
        state = {"row": row, "column": column, "twice": twice}
        x = np.where(np.arange(5)[:, None] == twice, 2 * x, x)
        said = STRIPS.call("statement", given, state).replace("\N{MINUS SIGN}", "-")
        terms, made = re.fullmatch(r"The .* of .*: (.*) = (-?\d+)\. The whole .*", said).groups()
        pairs = [[int(number.strip("()")) for number in term.split(" · ")] for term in terms.split(" + ")]
        assert pairs == np.transpose([x[row], matrices[column // 4][:, column % 4]]).tolist()
        assert sum(a * b for a, b in pairs) == int(made) == (x @ matrices[column // 4])[row, column % 4]
