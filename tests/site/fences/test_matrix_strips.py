"""The strips of X times three matrices: every number against exact products, and what is refused."""

import re
from fractions import Fraction

import numpy as np

from attention import project
from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.extensions import fences
from docs_ext.fences import matrix_strips
from docs_ext.html import renderer
from tests.site.fences.reading import plain, read, refuses

SCRIPT = "widgets/matrix-strips.js"

SPEC = {
    "id": "m",
    "caption": "c",
    "tokens": "S5",
    "x": "embed(S5, EARLY5)",
    "features": ["cat", "dog", "asks", "early"],
    "w_q": "W_Q1",
    "w_k": "W_K",
    "w_v": "W_V",
    "meet": ["noun", "early", "asks", "which"],
    "give": ["cat", "dog"],
    "unit": {"name": "ln 2", "size": "np.log(2)"},
    "selected": "cat",
    "column": "key early",
}
MATRICES = (W_Q1 / np.log(2), W_K, W_V)


def parse(spec=SPEC):
    return read(fences.draw("matrix-strips", spec))


def numbers(table):
    rows = table.findall("tbody/tr")
    return np.array([[float(cell.get("data-number")) for cell in row.findall("td")] for row in rows])


def multiplied(x, w):
    """Multiply row by column in fractions: a float is one exactly."""
    columns = [[Fraction(float(entry)) for entry in column] for column in w.T]
    return [[float(sum(Fraction(float(a)) * b for a, b in zip(row, c, strict=True))) for c in columns] for row in x]


def test_the_strips_are_x_the_matrices_and_their_products():
    x, root = embed(S5, EARLY5), parse()
    np.testing.assert_array_equal(numbers(root.find(".//div[@class='given']/table")), x)
    for role, matrix in zip(("query", "key", "value"), MATRICES, strict=True):
        panel = root.find(f".//div[@class='panel {role}']")
        np.testing.assert_allclose(numbers(panel.find("table")), matrix, rtol=0, atol=1e-12)
        made = numbers(panel.find("div[@class='made']/table"))
        np.testing.assert_allclose(made, multiplied(x, matrix), rtol=0, atol=1e-12)


def test_the_products_of_a_number_are_said():
    says = {
        "cat key early": "The key of cat, early: 2 · 0 + 0 · 0 + 0 · 0 + 2 · 2 = 4. The whole key is (2, 4, 0, 2).",
        "dog key which": "The key of dog, which: 0 · 1 + 2 · (-1) + 0 · 0 + 0 · 0 = -2. "
        "The whole key is (2, 0, 0, -2).",
        "that value cat": "The value of that, cat: 1 · 4 + 1 · 0 + 1 · 0 + 1 · 0 = 4. The whole value is (4, 4).",
        "ran query noun": "The query of ran, noun: 0 · 0 + 0 · 0 + 1 · 1 + 0 · 0 = 1. "
        "The whole query is (1, 1, 0, 0), in units of ln 2.",
    }
    for choice, expected in says.items():
        word, _, column = choice.partition(" ")
        assert plain(parse(SPEC | {"selected": word, "column": column}).find(".//output")) == expected


def test_what_is_said_of_500_numbers_is_true():
    rng = np.random.default_rng(1)
    start = renderer.plain(matrix_strips.data(SPEC))
    for _ in range(500):
        x, matrices = rng.integers(-9, 10, (5, 4)), rng.integers(-9, 10, (3, 4, 4))
        products = [
            {"role": role, "columns": list("abcd"), "matrix": w, "made": project(x, w), "unit": ""}
            for role, w in zip(("query", "key", "value"), matrices, strict=True)
        ]
        row, column = int(rng.integers(5)), int(rng.integers(12))
        given, state = start | {"x": x, "products": products}, {"row": row, "column": column}
        says = renderer.call(SCRIPT, "statement", given, state).replace("\N{MINUS SIGN}", "-")
        terms, made = re.fullmatch(r"The .* of .*: (.*) = (-?\d+)\. The whole .*", says).groups()
        said = [[int(number.strip("()")) for number in term.split(" · ")] for term in terms.split(" + ")]
        assert said == np.transpose([x[row], matrices[column // 4][:, column % 4]]).tolist()
        assert sum(a * b for a, b in said) == int(made) == products[column // 4]["made"][row, column % 4]


def test_the_prediction_is_answered_by_the_package():
    assert plain(parse().find(".//details/p")).endswith(
        "the key is then (4, 8, 0, 4), the value (16, 0) and the query (0, 0, 0, 0), in units of ln 2."
    )


REFUSED = {
    "unknown column": ({"column": "key cat"}, "column", ("value cat", "'key cat'")),
    "no role": ({"column": "early"}, "column", "query noun"),
    "a word too many": ({"tokens": ["cat", "dog"]}, "x", "(5, 4)"),
    "features": ({"features": ["cat", "dog"]}, "x", "(5, 4)"),
    "names of columns": ({"meet": ["noun"]}, "w_q", ("'meet'", "(4, 4)")),
    "names of values": ({"give": ["cat"]}, "w_v", ("'give'", "(4, 2)")),
    "another matrix": ({"w_k": "W_V"}, "w_k", "(4, 2)"),
    "nine words": ({"tokens": ["cat"] * 9, "x": "embed(['cat'] * 9)"}, "tokens", "at most 8: 9"),
    "unit": ({"unit": "ln 2"}, "unit", "mapping"),
    "unknown word": ({"selected": "cow"}, "selected", "'cow'"),
}
test_what_does_not_fit_is_refused = refuses(matrix_strips.data, SPEC, REFUSED)
