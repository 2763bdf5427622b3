"""Slopes against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import alibi_bias, alibi_slopes
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
@given(OFFSETS, st.integers(1, 8))
def test_a_bias_is_that_of_the_distance_from_each_query_whatever_the_offset(offset, n_heads):
    slopes = loop_slopes(n_heads)
    alibi = alibi_bias(n_heads, 3, 7, offset=offset)
    assert alibi.shape == (*np.shape(offset), n_heads, 3, 7)
    for (*b, h, i, j), number in np.ndenumerate(alibi):
        distance = j - i - (offset[b[0]] if b else offset)
        assert number == pytest.approx(-slopes[h] * abs(distance), rel=1e-13)
    assert not np.signbit(alibi[alibi == 0]).any()
