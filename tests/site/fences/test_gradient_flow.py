"""Gradient flow: what its script draws against the package, and what it refuses."""

import math

import numpy as np
import pytest

from attention import softmax, softmax_vjp
from docs_ext.extensions import fences
from docs_ext.fences import gradient_flow
from docs_ext.html import renderer
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


def parse(spec):
    return read(fences.draw("gradient-flow", spec))


def test_the_numbers_of_the_page_stand_in_the_table():
    assert rows(parse(SPEC)) == [
        ["cat", "3", "1/2", "0.25", "(1.5, -1)"],
        ["that", "2", "1/4", "-1/8", "(-0.25, 0.5)"],
        ["chased", "0", "1/16", "-1/32", "(-5/16, -1/8)"],
        ["dog", "1", "1/8", "-1/16", "(-5/8, 0.75)"],
        ["ran", "0", "1/16", "-1/32", "(-5/16, -1/8)"],
    ]


def test_the_word_that_is_pushed_is_marked():
    pushed = parse(SPEC | {"push": 3}).findall(".//tbody/tr[@data-pushed]/th")
    assert [text(word) for word in pushed] == ["dog"]


def test_500_rows_are_the_packages():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n, (words, d_v) = int(rng.integers(0, 5)), rng.integers(1, 7, 2).tolist()
        scores, values, push = rng.normal(0, 3, words), rng.standard_normal((words, d_v)), int(rng.integers(0, words))
        divide = str(rng.choice(["yes", "no"]))
        given = {"words": [*"abcdef"[:words]], "scores": scores, "value": values, "sizes": gradient_flow.SIZES}
        state = {"push": push, "n": n, "divide": divide}
        shown = renderer.call("widgets/gradient-flow.js", "compute", given, state)
        weights = softmax(np.log(2) * scores * (2**n if divide == "no" else 1))
        expected = {
            "weights": weights,
            "moves": softmax_vjp(weights, np.eye(words)[push]),
            "slopes": softmax_vjp(np.tile(weights, (d_v, 1)), values.T).T,
            "output": weights @ values,
        }
        for what, numbers in expected.items():
            np.testing.assert_allclose(shown[what], numbers, rtol=0, atol=1e-12)


def test_bars_are_shares_of_the_largest_there_can_be():
    """Of a weight 1, of a move 1/4, and of a slope a quarter of the way from cat to dog, the longest."""
    styles = [cell.get("style") for cell in parse(SPEC).findall(".//tbody/tr[1]/td[@style]")]
    shares = [float(style.removeprefix("--w:")) for style in styles]
    assert shares == pytest.approx([1 / 2, 1, 4 * math.sqrt(3.25) / math.hypot(8, 8)])


def test_the_answer_says_what_is_left_without_the_division():
    values = np.array(SPEC["value"])
    weights = softmax(8 * np.log(2) * np.array(SPEC["scores"]))
    left = np.linalg.norm(weights[0] * (values[0] - weights @ values)) / math.sqrt(3.25)
    assert plain(parse(SPEC).find(".//summary")).startswith(
        "Before you try it: at 4 features a push of cat moves the output by (1.5, -1)."
    )
    assert plain(parse(SPEC).find(".//details/p")).startswith(
        f"{left:.1%} of it. The scores are 8 times as large, cat has 0.996"
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
test_what_does_not_fit_is_refused = refuses(gradient_flow.data, SPEC, REFUSED)
