"""Rotary tables and turns against loops: distances, layouts, precision."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import apply_rotary, rotary_frequencies, rotary_tables
from tests.package.oracles import loop_rotary, properties

EPS = np.finfo(float).eps
LAYOUTS = ("interleaved", "half")


# --- rotary tables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given_",
    [{"base": base} for base in (10000.0, 500000.0, 2.0)]
    + [{"inv_freq": [1, 0.25, 0]}, {"inv_freq": np.array([0.5, 1e-3, 2], np.float32), "base": 10000.0}],  # no base
    ids=str,
)
@pytest.mark.parametrize(
    "positions", [3, 2.5, [0, 1, 2000], [[0, 1, 2], [-5, 0.25, 17]]], ids=["scalar", "real", "row", "two sequences"]
)
def test_the_tables_hold_the_cosine_and_sine_of_each_angle(positions, given_):
    cos, sin = rotary_tables(positions, 6, **given_)
    assert cos.shape == sin.shape == (*np.shape(positions), 3)
    for at, position in np.ndenumerate(positions):
        for i in range(3):
            frequency = float(given_["inv_freq"][i]) if "inv_freq" in given_ else given_["base"] ** (-2 * i / 6)
            angle = position * frequency
            assert cos[(*at, i)] == pytest.approx(math.cos(angle), abs=1e-11)
            assert sin[(*at, i)] == pytest.approx(math.sin(angle), abs=1e-11)


def loop_frequency(i, r, base, rule, s, n, slow, fast, truncate):
    """Slow one pair down, by the formulas of the page; the code of YaRN counts pairs, from 0 to r - 1."""
    theta = base ** (-2 * i / r)
    if rule == "ntk":
        return (base * s ** (r / (r - 2))) ** (-2 * i / r) if r > 2 else theta
    keep = (n * theta / (2 * math.pi) - slow) / (fast - slow)
    if rule == "yarn":
        first, last = (r / 2 * math.log(n / (2 * math.pi * turns), base) for turns in (fast, slow))
        first, last = (math.floor(first), math.ceil(last)) if truncate else (first, last)
        first, last = max(first, 0), min(last, r - 1)
        keep = 1 - (i - first) / (last - first or 0.001)
    keep = 0 if rule == "linear" else min(max(keep, 0), 1)
    return theta if rule is None else keep * theta + (1 - keep) * theta / s


@properties
@given(
    st.integers(1, 64), st.floats(2, 1e7), st.sampled_from([None, "linear", "ntk", "llama3", "yarn"]),
    st.floats(1, 64), st.integers(64, 10**6), st.booleans(),
)  # fmt: skip
def test_each_rule_slows_pair_after_pair(half, base, rule, s, n, truncate):
    options = {"rule": rule, "factor": s, "n_trained": n, "slow": 1.5, "fast": 9.0, "truncate": truncate}
    found = rotary_frequencies(2 * half, base=base, **options)
    wanted = [loop_frequency(i, 2 * half, base, rule, s, n, 1.5, 9.0, truncate) for i in range(half)]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


# --- turning -----------------------------------------------------------------------------------------------------


def draw_turn(rng):
    """Draw vectors and tables: axes of the tables are of size 1 or absent at random, the turned width too."""
    lead = (2, 3, 5)[rng.integers(4) :]
    pairs = int(rng.integers(1, 4))
    x = rng.standard_normal((*lead, 7, 2 * pairs + int(rng.integers(0, 4))))
    sizes = tuple(size if rng.random() < 0.6 else 1 for size in x.shape[:-1])
    angles = rng.uniform(-9, 9, (*sizes[rng.integers(len(sizes)) :], pairs))
    return x, np.cos(angles), np.sin(angles)


@pytest.mark.parametrize("layout", LAYOUTS)
@properties
@given(seed=st.integers(0, 2**32))
def test_every_pair_is_turned_by_its_angle(layout, seed):
    x, cos, sin = draw_turn(np.random.default_rng(seed))
    before = x.copy()
    rotated = apply_rotary(x, cos, sin, layout=layout)
    assert rotated.shape == x.shape
    np.testing.assert_allclose(rotated, loop_rotary(x, cos, sin, layout), rtol=0, atol=4 * EPS * np.abs(x).max())
    np.testing.assert_array_equal(x, before)
    assert not np.shares_memory(rotated, x)


def test_a_table_without_an_axis_of_positions_turns_one_token(rng):
    one, (cos, sin) = rng.standard_normal((2, 1, 4)), rotary_tables(3, 4)
    for token in (one, one[0], one[0, 0]):
        expected = loop_rotary(np.atleast_2d(token), cos[None], sin[None], "half").reshape(token.shape)
        np.testing.assert_allclose(apply_rotary(token, cos, sin, layout="half"), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_empty_axes_stay_empty(layout):
    assert apply_rotary(np.zeros((2, 0, 4)), *rotary_tables([], 4), layout=layout).shape == (2, 0, 4)
    np.testing.assert_array_equal(
        apply_rotary(np.ones((3, 5)), np.ones((3, 0)), np.ones((3, 0)), layout=layout), np.ones((3, 5))
    )
