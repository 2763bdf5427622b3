"""Numbers in words: what counts as one, and that one which nothing computes is refused."""

import numpy as np
import pytest

from docs_ext.spec.errors import SpecError

said = pytest.importorskip("docs_ext.spec.said", reason="reading fences needs the docs extra")

SAID = {
    "It has 1,024 rows of 0.25.": [1024, 0.25],
    "$65{,}504$ is above 3.5": [65504, 3.5],
    "an eighth, two fifths, one half, 3/16": [1 / 8, 2 / 5, 1 / 2, 3 / 16],
    "2.2e-16 in float64, 0/0, 3e2": [2.2e-16, 0, 0, 300],
    "54 thousand and 2 million": [54e3, 2e6],
    "90 percent, 7 % and 12%": [0.9, 0.07, 0.12],
    "Sixty-four points, twenty more; Two of twelve": [64, 20, 2, 12],
    "float32, W_2, d_k, v1.5, one word, a second row, powers of two": [],
    "minus 2 to -3, (8, 4)": [2, 3, 8, 4],
}


@pytest.mark.parametrize(("text", "numbers"), SAID.items())
def test_numbers_are_read_in_digits_and_in_words(text, numbers):
    assert [number.value for number in said.said(text)] == pytest.approx(numbers)


CLOSE = [
    ("0.33", 1 / 3, 0.34),
    ("367", 366.51, 367.6),
    ("4", 4.001, 4.02),
    ("90 percent", 0.9, 0.91),
    ("four", 4, 3.99),
]


@pytest.mark.parametrize(("text", "right", "wrong"), CLOSE)
def test_a_number_may_be_rounded_and_no_more(text, right, wrong):
    assert said.check("title", f"about {text} of them", {right, 1000.0}) == {right}
    with pytest.raises(SpecError, match=f"title says '{text}', which nothing here computes"):
        said.check("title", f"about {text} of them", {wrong, 1000.0})


def test_values_are_found_at_any_depth_without_their_signs():
    item = [{"a": np.array([[1.5, -2]]), "b": "x 7"}, (3, None, float("nan"), np.int64(4))]
    assert said.values(item) == {1.5, 2, 7, 3, 4}


TEXTS = {"title": ("Four rows", {4.0}), "description": ("From 1 to 8 at 64.", set())}
RIGHT = [[1, "2**3", "n"], {"title": "4", "description": "[1, 8, n]"}]
WRONG = {
    "a number that nothing computes": ([1, "n"], "description says '8'"),
    "an expression that nothing names": ([1, 8, "n", 99], "nothing names 99"),
    "the order": ({"title": "4", "description": "[8, 1, n]"}, "description says '1' where numbers has 8"),
    "too few": ({"title": "4", "description": "[1, 8]"}, "description names 3 numbers"),
    "no list": ("8", "numbers is a list"),
}


@pytest.mark.parametrize("numbers", RIGHT, ids=["list", "in order"])
def test_what_is_computed_may_be_said(numbers):
    said.check_all(numbers, TEXTS, {"n": 64})


@pytest.mark.parametrize(("numbers", "message"), WRONG.values(), ids=WRONG)
def test_what_is_not_computed_is_refused(numbers, message):
    with pytest.raises(SpecError, match=message):
        said.check_all(numbers, TEXTS, {"n": 64})
