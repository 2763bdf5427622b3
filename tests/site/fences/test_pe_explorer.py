"""The explorer of encodings as it stands without a script: its numbers from sines and cosines, and what it refuses."""

import math

import pytest

from docs_ext.fences import pe_explorer
from tests.site.fences.reading import read, refuses, rows, text

SPEC = {"id": "p", "caption": "c", "positions": [1, 4], "d_model": 4}


def parse(spec):
    return read(pe_explorer.render(spec))


@pytest.mark.parametrize("d_model", [4, 8, 16])
@pytest.mark.parametrize("positions", [(1, 4), (31, 0), (7, 7)], ids=str)
def test_every_hand_is_a_sine_and_a_cosine(positions, d_model):
    first, second = positions
    shown = rows(parse(SPEC | {"positions": list(positions), "d_model": d_model}))
    assert len(shown) == d_model // 2
    for i, (hand, turn, _, *numbers) in enumerate(shown):
        omega = 10000 ** (-2 * i / d_model)
        assert int(hand) == i
        assert float(turn) == pytest.approx(omega, rel=2e-3)
        angles = [first * omega, first * omega, second * omega, second * omega]
        expected = [f(angle) for f, angle in zip([math.sin, math.cos] * 2, angles, strict=True)]
        assert list(map(float, numbers)) == pytest.approx([*expected, math.cos((first - second) * omega)], abs=6e-6)


def test_the_sum_of_the_hands_is_the_dot_product():
    expected = f"{math.cos(3) + math.cos(0.03):.5f}"
    assert text(parse(SPEC).find(".//tfoot//td")) == expected == "0.00956"
    assert text(parse(SPEC).find(".//output")).startswith(
        "Positions 1 and 4 are 3 apart: their dot product is 0.00956,"
    )
    assert "positions 2 and 5 give 0.00956" in text(parse(SPEC).find(".//details/p"))


REFUSED = {
    "too far": ({"positions": [1, 32]}, "positions", "0 to 31"),
    "between two words": ({"positions": [1, 2.5]}, "positions", "whole"),
    "one": ({"positions": 4}, "positions", "two"),
    "no such size": ({"d_model": 6}, "d_model", "4, 8, 16"),
}
test_what_does_not_fit_is_refused = refuses(pe_explorer.render, SPEC, REFUSED)
