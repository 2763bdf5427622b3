"""The calculator: every step against exact fractions and the package, and what it refuses."""

from fractions import Fraction
from typing import Any

import numpy as np

from attention import attention_scores, attention_weights
from docs_ext.extensions import fences
from docs_ext.fences import qkv_calculator
from docs_ext.html import renderer
from tests.site.fences.reading import read, refuses, text

SCRIPT = "widgets/qkv-calculator.js"

SPEC = {
    "id": "c",
    "caption": "c",
    "tokens": ["cat", "that", "dog"],
    "x": "embed(['cat', 'that', 'dog'], [2, 1, 0])",
    "w_q": "W_Q1",
    "w_k": "W_K",
    "w_v": "W_V",
    "query": "that",
    "features": {"key": ["noun", "early", "asks", "which"], "value": ["cat", "dog"]},
}
K = [(2, 4, 0, 2), (2, 2, 1, 0), (2, 0, 0, -2)]
V = [(8, 0), (4, 4), (0, 8)]


def parse(spec):
    return read(fences.draw("qkv-calculator", spec))


def texts(cells):
    return list(map(text, cells))


def test_the_matrices_show_queries_in_doublings():
    tables = parse(SPEC).findall(".//table[@class='matrix']")
    shown = [[texts(row) for row in table.findall("tbody/tr")] for table in tables]
    minus = str.maketrans("-", "\N{MINUS SIGN}")
    matrices: tuple[Any, ...] = ([(0,) * 4, (1, 1, 0, 0), (0,) * 4], K, V)
    for found, expected in zip(shown, matrices, strict=True):
        assert [row[0] for row in found] == ["cat", "that", "dog"]
        assert [row[1:] for row in found] == [[str(x).translate(minus) for x in row] for row in expected]
    assert texts(tables[1].findall("thead/tr/th")) == ["noun", "early", "asks", "which"]
    assert texts(tables[2].findall("thead/tr/th")) == ["cat", "dog"]


def test_every_step_is_the_exact_one():
    document, query = parse(SPEC), (1, 1, 0, 0)
    scores = [Fraction(sum(a * b for a, b in zip(query, key, strict=True)), 2) for key in K]
    powers = [2 ** int(score) for score in scores]
    output = [0, 0]
    for row, score, power, value in zip(document.findall(".//tbody/tr")[-3:], scores, powers, V, strict=True):
        _, dot, scaled, doubled, weight, part = texts(row)
        share = Fraction(power, sum(powers))
        product = [share * x for x in value]
        output = [a + b for a, b in zip(output, product, strict=True)]
        assert dot.endswith(f" = {2 * score}")
        assert scaled == f"{2 * score}/√4 = {score}"
        assert doubled == f"2{score} = {power}"
        assert weight == f"{power}/{sum(powers)} = {share}"
        assert part == f"({product[0]}, {product[1]})"
    assert texts(document.find(".//tfoot/tr")) == ["sum", "", "", "14", "1", f"({output[0]}, {output[1]})"]
    assert output == [Fraction(40, 7), Fraction(16, 7)]


def test_500_states_are_the_packages():
    rng = np.random.default_rng(6)
    for _ in range(500):
        n, d = int(rng.integers(3, 6)), int(rng.integers(1, 5))
        matrices = {
            "q": rng.standard_normal((n, d)),
            "k": rng.standard_normal((n, d)),
            "v": rng.standard_normal((n, 2)),
        }
        given = matrices | {"words": list("abcde"[:n]), "query": int(rng.integers(n))}
        more = rng.choice([0, 0, *range(-4, 5)], n)
        changed = {name: matrix + rng.integers(-2, 3, matrix.shape) / 2 for name, matrix in matrices.items()}
        state = {"asks": int(rng.integers(n))} | {f"more{i}": int(x) for i, x in enumerate(more)}
        for name, matrix in changed.items():
            state |= {f"{name}{i}{j}": repr(float(x)) for (i, j), x in np.ndenumerate(matrix)}
        shown = renderer.call(SCRIPT, "compute", given, state)
        query = changed["q"][state["asks"], None] * np.log(2)
        weights = attention_weights(query, changed["k"], bias=more * np.log(2))[0]
        expected = {
            "products": changed["k"] @ changed["q"][state["asks"]],
            "plain": attention_scores(query, changed["k"])[0] / np.log(2),
            "scores": attention_scores(query, changed["k"])[0] / np.log(2) + more,
            "weights": weights,
            "given": weights[:, None] * changed["v"],
            "output": weights @ changed["v"],
        }
        for name, numbers in expected.items():
            np.testing.assert_allclose(shown[name], numbers, rtol=0, atol=1e-12, err_msg=name)


def test_the_prediction_is_answered_by_the_package():
    answer = text(parse(SPEC).find(".//details/p"))
    assert "cat falls from 4/7 to 1/2, that from 2/7 to 1/4. Both keep 7/8" in answer
    assert "ratio stays 2 : 1" in answer


REFUSED = {
    "no values": ({"w_v": None}, None, "needs values"),
    "unknown word": ({"query": "bird"}, "query", "query must be a word or an index"),
    "features of what": ({"features": ["noun"]}, "features", "features is a mapping"),
    "too few features": ({"features": {"key": ["noun"], "value": ["a", "b"]}}, "features", "key needs 4 names"),
    "two words": ({"tokens": ["a", "b"], "x": "embed(['cat', 'dog'])", "query": "a"}, "tokens", "three words"),
}
test_what_does_not_fit_is_refused = refuses(qkv_calculator.data, SPEC, REFUSED)
