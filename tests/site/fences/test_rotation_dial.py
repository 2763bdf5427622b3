"""The rotation dial: what its script draws against the package, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables
from tests.site.fences.reading import Figure, plain

DIAL = Figure.sound("rotation-dial")


@DIAL.on_500_states
def test_500_states_are_the_packages(rng):
    query, key = rng.standard_normal((2, 3, 2))
    steps, (m, n) = rng.integers(0, 13, 3), rng.integers(0, 13, 2).tolist()
    both = []
    for pairs, position in ((query, m), (key, n)):
        cos, sin = rotary_tables(position * np.radians(15 * steps), 2)
        both.append(apply_rotary(pairs, cos, sin, layout="interleaved"))
    adds = (both[0] * both[1]).sum(axis=1)
    state = {"p0": m, "p1": n} | {f"t{i}": step for i, step in enumerate(steps)}
    data = {"query": query, "key": key, "step": 15}
    return data, state, {"query": both[0], "key": both[1], "adds": adds, "product": adds.sum()}


def test_hands_turn_with_their_positions_and_the_shadow_is_what_the_pair_adds():
    dial = DIAL.still(query=[3, 0, 0, 1], key=[0, 1, 1, 1], turns=[15, 30])
    turns = [[one.get("style") for one in dial.findall(f".//{{*}}g[@class='{who}']")] for who in ("first", "second")]
    assert turns == [["--turn:-30deg", "--turn:-150deg"], ["--turn:-105deg", "--turn:-75deg"]]
    hands = [one.get("d") for one in dial.findall(".//{*}g[@class='first']/{*}path")]
    assert hands == ["M0 0H17", "M0 0H5.66667"]  # the longest reaches the rim
    shadows = [one.get("style").partition("--along:")[2] for one in dial.findall(".//{*}g[@class='frame']")]
    adds = [float(Fraction(plain(one))) for one in dial.findall(".//figcaption/b")]
    assert [3 / 17 * float(shadow) for shadow in shadows] == pytest.approx([adds[0] / 3, adds[1]], abs=1e-3)
