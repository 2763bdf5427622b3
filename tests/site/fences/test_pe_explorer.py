"""The explorer of encodings: what its script draws against sines, cosines and the package, and what it refuses."""

import math

import numpy as np
import pytest

from attention import sinusoidal_encoding
from docs_ext.fences import pe_explorer
from tests.site.fences.reading import Figure, plain, says, text

EXPLORER = Figure("pe-explorer", positions=[1, 4], d_model=4)


def test_every_hand_of_a_clock_points_where_its_numbers_say():
    for side, position in (("first", 31), ("second", 4)):
        hands = EXPLORER.still(positions=[31, 4], d_model=8).findall(f".//figure[@class='{side}']//{{*}}path")
        angles = [float(hand.get("style").removeprefix("--turn:").removesuffix("rad")) for hand in hands]
        expected = sinusoidal_encoding(32, 8)[position].reshape(-1, 2)
        np.testing.assert_allclose(np.stack([np.sin(angles), np.cos(angles)], axis=1), expected, atol=1e-12)


@EXPLORER.on_500_states
def test_500_states_are_the_packages(rng):
    (first, second), d_model = rng.integers(0, 32, 2).tolist(), int(rng.choice(pe_explorer.SIZES))
    a, b = (sinusoidal_encoding(32, d_model)[at].reshape(-1, 2) for at in (first, second))
    expected = {"readings": np.hstack([a, b]), "adds": (a * b).sum(axis=1), "product": (a * b).sum()}
    return {"last": 31}, {"p0": first, "p1": second, "d": d_model}, expected


def test_the_shadow_of_a_hand_is_what_its_pair_adds():
    for pair, (first, second) in ((0, (1, 4)), (1, (31, 3)), (1, (3, 31))):
        root, adds = EXPLORER.live(pair=pair, p0=first, p1=second), math.cos((second - first) * 100**-pair)
        cast = next(line for line in root.findall(".//{*}line") if line.get("class").startswith("cast"))
        assert float(cast.get("y2")) == pytest.approx(-46 * adds, abs=1e-3)
        turn = float(root.find(".//{*}g[@class='shadow']").get("style").removeprefix("--turn:").removesuffix("rad"))
        assert turn == pytest.approx(second * 100**-pair)
        assert plain(root.find(".//span[@class='full']")).strip("()") == f"{adds:.3f}"


def test_the_sum_of_the_hands_is_the_dot_product():
    root, expected = EXPLORER.still(), f"{math.cos(3) + math.cos(0.03):.5f}"
    assert text(root.find(".//tfoot//td")) == expected == "0.00956"
    assert says(root).startswith("Positions 1 and 4 are 3 apart: their dot product is 0.00956,")


test_what_does_not_fit_is_refused = EXPLORER.refuses(
    {
        "too far": ({"positions": [1, 32]}, "positions", "0 to 31"),
        "between two words": ({"positions": [1, 2.5]}, "positions", "whole"),
        "no such size": ({"d_model": 6}, "d_model", "4, 8, 16"),
    }
)
