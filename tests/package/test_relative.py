"""Slopes, tables and buckets against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import (
    alibi_bias,
    alibi_slopes,
    relative_position_bias,
    relative_position_bucket,
)
from tests.package.oracles import properties

# --- ALiBi -------------------------------------------------------------------------------------------------------


def loop_slopes(n_heads):
    """Start a geometric sequence at its ratio; fill up with every other slope of the next power of two."""
    power = 1
    while 2 * power <= n_heads:
        power *= 2
    start = 2.0 ** (-8.0 / power)
    slopes = [start]
    while len(slopes) < power:
        slopes.append(slopes[-1] * start)
    if power < n_heads:
        slopes += loop_slopes(2 * power)[::2][: n_heads - power]
    return slopes


@pytest.mark.parametrize("n_heads", [*range(1, 41), 64, 71, 128])
def test_slopes_are_those_of_the_paper(n_heads):
    slopes = alibi_slopes(n_heads)
    assert slopes.shape == (n_heads,)
    np.testing.assert_allclose(slopes, loop_slopes(n_heads), rtol=1e-13)
    assert len(set(slopes)) == n_heads
    assert 0 < slopes.min() == 2.0**-8  # the gentlest slope is the same for any number of heads


@pytest.mark.parametrize("offset", [0, 3, -2])
@pytest.mark.parametrize("n_heads", [1, 5, 8])
def test_alibi_takes_off_the_slope_for_every_step(n_heads, offset):
    bias = alibi_bias(n_heads, 3, 7, offset=offset)
    assert bias.shape == (n_heads, 3, 7)
    for (h, i, j), number in np.ndenumerate(bias):
        assert number == -(alibi_slopes(n_heads)[h] * abs(j - i - offset))
    assert not np.signbit(bias[bias == 0]).any()
    np.testing.assert_array_equal(alibi_bias(n_heads, 4), alibi_bias(n_heads, 4, 4, offset=0))


def loop_distance(i, j, offset):
    return j - (i + offset)


@pytest.mark.parametrize("offset", [[0, 2, -6], [3], np.zeros(0, int)], ids=str)
def test_sequences_of_a_batch_have_their_own_offsets(rng, offset):
    table, slopes = rng.standard_normal((2, 7)), loop_slopes(2)
    alibi, learned = alibi_bias(2, 3, 5, offset=offset), relative_position_bias(table, 3, 5, offset=offset)
    assert alibi.shape == learned.shape == (len(offset), 2, 3, 5)
    for (b, h, i, j), number in np.ndenumerate(alibi):
        distance = loop_distance(i, j, int(offset[b]))
        assert number == -slopes[h] * abs(distance)
        assert learned[b, h, i, j] == table[h, 3 + max(-3, min(3, distance))]


# --- learned numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, 4, -3])
@pytest.mark.parametrize("max_distance", [0, 1, 2, 9])
def test_the_table_is_read_at_the_clipped_distance(rng, max_distance, offset):
    table = rng.standard_normal((2, 2 * max_distance + 1))
    bias = relative_position_bias(table, 3, 5, offset=offset)
    assert bias.shape == (2, 3, 5)
    for (h, i, j), number in np.ndenumerate(bias):
        distance = j - (i + offset)
        assert number == table[h, max_distance + max(-max_distance, min(max_distance, distance))]
    np.testing.assert_array_equal(relative_position_bias(table, 4), relative_position_bias(table, 4, 4, offset=0))


def exact_bucket(distance, bidirectional, n_buckets, max_distance):
    """Count in whole numbers the far buckets that begin at or before the distance: no logarithm, no rounding."""
    side = n_buckets // 2 if bidirectional else n_buckets
    first = side if bidirectional and distance > 0 else 0
    delta = abs(distance) if bidirectional else max(-distance, 0)
    near = side // 2
    if delta < near:
        return first + delta
    far = side - near
    begun = [k for k in range(1, far) if near ** (far - k) * max_distance**k <= delta**far]
    return first + near + len(begun)


@properties
@given(
    both=st.booleans(), half=st.integers(2, 80), beyond=st.integers(1, 5000), steps=st.lists(st.integers(-9999, 9999))
)
def test_buckets_of_any_number_and_reach_begin_there_too(both, half, beyond, steps):
    options = {"bidirectional": both, "n_buckets": 2 * half, "max_distance": half + beyond}
    steps = [*steps, -half - beyond, -(10**9)]
    bucket = relative_position_bucket(steps, **options)
    np.testing.assert_array_equal(bucket, [exact_bucket(step, **options) for step in steps])


def test_two_buckets_are_enough_for_one_side_and_too_few_for_two():
    assert relative_position_bucket([0, -1, -9], bidirectional=False, n_buckets=2, max_distance=2).tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="n_buckets must be at least 4"):
        relative_position_bucket([0], n_buckets=2)
