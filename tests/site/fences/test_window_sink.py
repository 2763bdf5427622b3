"""The window and its sink as they stand without a script: numbers against exact fractions, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from docs_ext.fences import window_sink
from tests.site.fences.reading import HEAD, read, refuses, text

SPEC = HEAD | {"id": "w", "caption": "c", "left": 2}
DOUBLINGS = [[0] * 5, [3, 2, 0, 1, 0], [3, 2, 0, 1, 0], [0] * 5, [3, 2, 0, 1, 0]]


def parse(spec):
    return read(window_sink.render(spec))


def by_hand(left, right=0, keep=0, sink=None):
    """Return the weights as fractions, from doublings and the three rules that open a key."""
    weights = []
    for i, scores in enumerate(DOUBLINGS):
        seen = [i - left <= j <= i + right or (j < keep and j <= i) for j in range(5)]
        powers = [Fraction(2) ** score if allowed else Fraction(0) for score, allowed in zip(scores, seen, strict=True)]
        total = sum(powers) + (0 if sink is None else Fraction(2) ** sink)
        weights.append([power / total for power in powers])
    return weights


@pytest.mark.parametrize(
    "setting", [{}, {"right": 1}, {"keep": 1}, {"keep": 2, "right": 2}, {"sink": 4}, {"keep": 1, "sink": 0}], ids=str
)
def test_a_head_sees_through_the_window_what_the_rules_say(setting):
    one = window_sink.windowed(SPEC, 1, **setting)
    expected = np.array(by_hand(1, **setting), float)
    np.testing.assert_allclose(one.weights, expected, rtol=0, atol=1e-15)
    assert (one.allowed == (expected > 0)).all()


def test_the_sentence_and_the_outline_belong_to_the_chosen_row():
    document = parse(SPEC)
    sentence = "ran: dog 1/2, chased 1/4, ran 1/4; masked: cat, that; sum 1; output (0, 4)"
    assert text(document.find(".//output")) == sentence
    assert ["data-chosen" in row.attrib for row in document.findall(".//tbody/tr")] == [False] * 4 + [True]


def test_the_prediction_is_answered_by_the_package():
    question, answer = (text(parse(SPEC).find(f".//details/{part}")) for part in ("summary", "p"))
    assert "cat is hidden from ran" in question
    assert answer.startswith("ran: cat 2/3, dog 1/6, chased 1/12, ran 1/12; masked: that; sum 1; output (16/3, 4/3)")


REFUSED = {
    "wider than the sentence": ({"left": 5}, "left", "0 to 4"),
    "a switch": ({"left": True}, "left", "whole number"),
    "negative": ({"left": -1}, "left", "whole number"),
    "nothing to predict": ({"selected": "chased"}, "selected", "sees the first word already"),
    "no values": ({"w_v": None}, None, "give v"),
}
test_what_does_not_fit_is_refused = refuses(window_sink.render, SPEC, REFUSED)
