"""The decode stepper: its steps against exact fractions and against all rows at once, its HTML, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest

from attention import sliding_window_mask
from attention.example import EARLY5, S5, W_Q1, attend, embed
from docs_ext.fences import decode_stepper
from docs_ext.reading.head import read_head
from tests.site.fences.reading import HEAD, read, refuses, rows, text

SPEC = HEAD | {"id": "d", "caption": "c", "window": 2, "step": 3}
X = embed(S5, EARLY5)


def parse(spec):
    return read(decode_stepper.render(spec))


@pytest.mark.parametrize("step", range(1, 6))
def test_the_weights_of_every_step_are_exact_fractions(step):
    doublings = [[0] * 5, [3, 2, 0, 1, 0], [3, 2, 0, 1, 0], [0] * 5, [3, 2, 0, 1, 0]][step - 1][:step]
    powers = [2**n for n in doublings]
    cells = parse(SPEC | {"step": step}).findall(".//td[@class='weight']")
    found = [Fraction(float(cell.get("data-weight"))).limit_denominator(99) for cell in cells]
    assert found == [Fraction(power, sum(powers)) for power in powers]


@pytest.mark.parametrize("window", [1, 2, 3, 5])
def test_the_steps_give_the_rows_of_the_whole(window):
    one = read_head(HEAD)
    masks = {"all": np.tri(5, dtype=bool), "window": sliding_window_mask(5, left=window - 1)}
    for sees, mask in masks.items():
        steps = decode_stepper.run(one, sees, window)
        np.testing.assert_allclose([step.output for step in steps], attend(X, W_Q1, mask=mask)[1], rtol=0, atol=1e-14)
        assert [step.kept for step in steps] == [min(t, window if sees == "window" else 5) for t in range(1, 6)]
    for step in decode_stepper.run(one, "first", window):
        np.testing.assert_array_equal(step.output, [8, 0])  # the mistake: the first value, always


def test_a_table_shows_all_steps():
    assert rows(parse(SPEC), ".//details/div/table/tbody/tr") == [
        ["1", "cat", "(8, 0)", "1", "1", "1", "1"],
        ["2", "that", "(20/3, 4/3)", "1", "2", "2", "4"],
        ["3", "chased", "(80/13, 16/13)", "1", "3", "3", "9"],
        ["4", "dog", "(3, 3)", "1", "4", "4", "16"],
        ["5", "ran", "(5, 2)", "1", "5", "5", "25"],
    ]


def test_the_prediction_is_answered_in_numbers():
    assert text(parse(SPEC).find(".//details[@class='question']/p")) == (
        "One in each step, 5 in all: the others are in the cache. "
        "Without a cache step 3 computes 3 keys, and all steps together 15."
    )


REFUSED = {
    "beyond the text": ({"step": 6}, "step", "from 1 to 5"),
    "before it": ({"step": 0}, "step", "from 1 to 5"),
    "a flag": ({"step": True}, "step", "whole number"),
    "half a token": ({"window": 2.5}, "window", "whole number"),
    "a window that keeps all": ({"window": 6}, "window", "from 1 to 5"),
    "no values": ({"w_v": None}, None, "give v"),
    "other words": ({"tokens": "S7"}, "x", "7 words"),
}
test_what_does_not_fit_is_refused = refuses(decode_stepper.render, SPEC, REFUSED)
