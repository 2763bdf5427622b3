"""Gradient flow as it stands without a script: slopes against differences of exact fractions, and what it refuses."""

import json
import math
from fractions import Fraction

import pytest

from docs_ext.fences import gradient_flow
from tests.site.fences.reading import plain, read, refuses, rows, text

SPEC = {
    "id": "g",
    "caption": "c",
    "tokens": "S5",
    "scores": [3, 2, 0, 1, 0],
    "value": [[8, 0], [4, 4], [0, 0], [0, 8], [0, 0]],
    "push": "cat",
    "d_k": 4,
}
PARTS = [8, 4, 1, 2, 1]
VALUES = [(8, 0), (4, 4), (0, 0), (0, 8), (0, 0)]


def parse(spec):
    return read(gradient_flow.render(spec))


def exact(root, kind):
    return [json.loads(cell.get("data-exact")) for cell in root.findall(f".//td[@class='share {kind}']")]


def row_of_parts(parts):
    """Return the weights of parts, and the blend of the values by them."""
    weights = [Fraction(part) / sum(map(Fraction, parts)) for part in parts]
    return weights, [sum(w * v[c] for w, v in zip(weights, VALUES, strict=True)) for c in (0, 1)]


def pushed(parts, j):
    """Push one score up and down by so little that its parts are multiplied by 1 + h and divided by it."""
    h = Fraction(1, 10**6)
    up, down = (
        row_of_parts([p * factor if i == j else p for i, p in enumerate(parts)]) for factor in (1 + h, 1 / (1 + h))
    )
    nudge = 2 * math.log1p(1e-6)
    return [[float(a - b) / nudge for a, b in zip(*pair, strict=True)] for pair in zip(up, down, strict=True)]


def test_the_numbers_of_the_page_stand_in_the_table():
    assert rows(parse(SPEC)) == [
        ["cat", "3", "1/2", "0.25", "(1.5, -1)"],
        ["that", "2", "1/4", "-1/8", "(-0.25, 0.5)"],
        ["chased", "0", "1/16", "-1/32", "(-5/16, -1/8)"],
        ["dog", "1", "1/8", "-1/16", "(-5/8, 0.75)"],
        ["ran", "0", "1/16", "-1/32", "(-5/16, -1/8)"],
    ]


@pytest.mark.parametrize("word", range(5))
def test_what_a_push_moves_is_what_differences_find(word):
    root = parse(SPEC | {"push": word})
    moves, _ = pushed(PARTS, word)
    assert exact(root, "move") == pytest.approx(moves, abs=1e-9)
    for j, slope in enumerate(exact(root, "slope")):
        assert slope == pytest.approx(pushed(PARTS, j)[1], abs=1e-9)
    assert [row.get("data-pushed") is not None for row in root.findall(".//tbody/tr")] == [i == word for i in range(5)]


def test_the_answer_says_what_is_left_without_the_division():
    before = math.hypot(*pushed(PARTS, 0)[1])
    after = math.hypot(*pushed([2 ** (8 * n) for n in (3, 2, 0, 1, 0)], 0)[1])
    assert plain(parse(SPEC).find(".//summary")).startswith(
        "Before you try it: at 4 features a push of cat moves the output by (1.5, -1)."
    )
    assert plain(parse(SPEC).find(".//details/p")).startswith(
        f"{after / before:.1%} of it. The scores are 8 times as large, cat has 0.996"
    )


def test_the_sentence_tells_the_push():
    assert text(parse(SPEC).find(".//output")) == (
        "At 4 features, divided: pushed a little, cat gains 0.25 times the push in weight, which the others lose. "
        f"The output (5, 2) moves by (1.5, \N{MINUS SIGN}1) times the push, a distance of {math.sqrt(3.25):.6f}."
    )
    assert text(parse(SPEC | {"d_k": 1}).find(".//output")).startswith("At 1 feature, divided:")


REFUSED = {
    "too few scores": ({"scores": [1, 2]}, "scores", "5 numbers"),
    "infinite score": ({"scores": "[3, 2, 0, -np.inf, 0]"}, "scores", "5 numbers"),
    "too few values": ({"value": [[1], [2]]}, "value", ("5 words", "(2, 1)")),
    "a row of values": ({"value": [1, 2, 3, 4, 5]}, "value", "two axes"),
    "values all the same": ({"value": [[1, 2]] * 5}, "value", "two must differ"),
    "twelve features": ({"d_k": 12}, "d_k", "1, 4, 16, 64, 256"),
    "a Boolean": ({"d_k": True}, "d_k", "one of"),
    "nobody's score": ({"push": "cow"}, "push", "'cow'"),
}
test_what_does_not_fit_is_refused = refuses(gradient_flow.render, SPEC, REFUSED)
