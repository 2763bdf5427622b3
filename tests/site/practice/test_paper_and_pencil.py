"""The page Paper and pencil: ten exercises, each with an answer that is proved."""

import re
from fractions import Fraction

import numpy as np

from attention.example import EARLY, SENTENCE, W_K, W_V, embed
from tests.site.pages import ROOT, consoles

PAGE = ROOT / "docs/practice/paper-and-pencil.md"
TEXT = PAGE.read_text("utf-8")


def row(noun, early, *, words=range(5), price=0, sink=0, scale=2):
    """Work out in fractions what *ran* counts and receives; the sink is what it counts."""
    x = embed(SENTENCE, EARLY).astype(int)
    scores = [Fraction(int((x @ W_K)[j, :2] @ [noun, early]), scale) - price * (4 - j) for j in words]
    counts = [Fraction(2) ** score for score in scores]
    values = [(x @ W_V).astype(int)[j] for j in words]
    total = sum(counts) + sink
    return [c / total for c in counts], [
        sum(c * int(v[i]) for c, v in zip(counts, values, strict=True)) / total for i in (0, 1)
    ]


def answer(number):
    return re.search(rf"\*\*{number}\. .*?\n\?\?\? question .*?\n(.*?)```pycon", TEXT, re.DOTALL)[1]


def test_there_are_ten_exercises_each_with_an_answer_and_its_proof():
    assert re.findall(r"^\*\*(\d+)\. ", TEXT, re.MULTILINE) == [str(number) for number in range(1, 11)]
    assert len(re.findall(r'^\?\?\? question "', TEXT, re.MULTILINE)) == len(consoles(PAGE)) == 10


def test_the_answers_are_those_of_exact_fractions():
    ninths, parts = row(0, 1)[0], {
        2: row(2, 0)[1],
        4: row(0, 1, words=[0, 1, 2])[1],
        5: row(1, 1, words=[0, 2, 3, 4])[1],
        6: row(1, 1, sink=8)[1],
        7: row(1, 1, price=1)[1],
    }  # fmt: skip
    for number, (cat, dog) in parts.items():
        assert f"({cat}, {dog})" in answer(number), number
    assert f"({', '.join(str(w * 9) for w in ninths)})/9" in answer(3)
    assert f"({', '.join(str(w * 23) for w in row(0, 1, scale=1)[0])})/23" in answer(3)
    weights, (cat, _) = row(2, 0)
    for weight, value in zip(weights, np.array([8, 4, 0, 0, 0]), strict=True):
        assert f"{weight * (int(value) - cat)}$" in answer(10)
