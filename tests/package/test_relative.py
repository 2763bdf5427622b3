"""Slopes, tables and buckets against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import alibi_bias, alibi_slopes, relative_position_bias, relative_position_bucket
from tests.package.oracles import properties

OFFSET = st.integers(-6, 6)
OFFSETS = st.one_of(OFFSET, st.lists(OFFSET, max_size=3)).map(lambda offset: np.array(offset, int))

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


@settings(properties, max_examples=200)
@given(OFFSETS, st.integers(0, 9), st.integers(1, 8))
def test_a_bias_is_that_of_the_distance_from_each_query_whatever_the_offset(offset, most, n_heads):
    table, slopes = np.random.default_rng(most).standard_normal((n_heads, 2 * most + 1)), loop_slopes(n_heads)
    alibi = alibi_bias(n_heads, 3, 7, offset=offset)
    learned = relative_position_bias(table, 3, 7, offset=offset)
    assert alibi.shape == learned.shape == (*np.shape(offset), n_heads, 3, 7)
    for (*b, h, i, j), number in np.ndenumerate(alibi):
        distance = j - i - (offset[b[0]] if b else offset)
        assert number == pytest.approx(-slopes[h] * abs(distance), rel=1e-13)
        assert learned[(*b, h, i, j)] == table[h, most + max(-most, min(most, distance))]
    assert not np.signbit(alibi[alibi == 0]).any()


def test_a_bias_is_square_and_without_offset_unless_said(rng):
    table = rng.standard_normal((2, 5))
    np.testing.assert_array_equal(alibi_bias(3, 4), alibi_bias(3, 4, 4, offset=0))
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
