"""Every mask against its definition, cell by cell, and bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import causal_mask, mask_to_bias, padding_mask, segment_mask, sliding_window_mask
from tests.package.oracles import loop_reach, properties

SIZE, REACH, OFFSET = st.integers(0, 7), st.one_of(st.none(), st.integers(0, 9)), st.integers(-6, 6)
OFFSETS = st.lists(OFFSET, max_size=3).map(lambda each: np.array(each, int))  # of the sequences of a batch


def cells(n_queries, n_keys, allowed):
    """Ask the definition for every query i and key j."""
    rows = [[bool(allowed(i, j)) for j in range(n_keys)] for i in range(n_queries)]
    return np.array(rows, dtype=bool).reshape(n_queries, n_keys)


def assert_same_mask(mask, expected):
    assert mask.dtype == np.bool_
    assert mask.shape == expected.shape
    np.testing.assert_array_equal(mask, expected)


# --- causal, windows, an offset for each sequence -----------------------------------------------------------------


@settings(properties, max_examples=500)
@given(st.tuples(SIZE, SIZE), st.tuples(REACH, REACH), st.one_of(OFFSET, OFFSETS))
def test_a_query_reaches_the_keys_around_its_position(sizes, reach, offset):
    left, right = reach
    room = (slice(None), None) if np.ndim(offset) else ()  # for heads
    causal = loop_reach(*sizes, is_causal=True, offset=offset)
    assert_same_mask(causal_mask(*sizes, offset=offset), causal[room])
    window = loop_reach(*sizes, window=reach, offset=offset)
    assert_same_mask(sliding_window_mask(*sizes, left=left, right=right, offset=offset), window[room])


# --- padding -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [[3, 5, 0], [5], [], [0, 0], [1, 2, 3, 4]], ids=str)
def test_padding_hides_the_keys_from_each_length_on_or_those_before_as_many(lengths):
    sizes = np.array(lengths, int)
    right, left = padding_mask(sizes, 5), padding_mask(sizes, 5, side="left")
    assert right.shape == left.shape == (len(lengths), 1, 1, 5)
    assert_same_mask(right[:, 0, 0], cells(len(lengths), 5, lambda b, j: j < lengths[b]))
    assert_same_mask(left[:, 0, 0], cells(len(lengths), 5, lambda b, j: j >= 5 - lengths[b]))


@pytest.mark.parametrize("length", [0, 2, 5])
def test_padding_of_a_scalar_length_has_no_batch_axis(length):
    assert_same_mask(padding_mask(length, 5), cells(1, 5, lambda _, j: j < length))
    assert_same_mask(padding_mask(np.int64(length), 5), cells(1, 5, lambda _, j: j < length))
    assert_same_mask(padding_mask(length, 5, side="left"), cells(1, 5, lambda _, j: j >= 5 - length))


# --- segments ----------------------------------------------------------------------------------------------------


def test_segments_see_their_own_kind():
    queries, keys = [0, 0, 1, 7], [1, 0, 0, 7, 7, 2]
    assert_same_mask(segment_mask(queries, keys), cells(4, 6, lambda i, j: queries[i] == keys[j]))
    assert_same_mask(segment_mask(queries), segment_mask(queries, queries))


def test_segments_of_a_batch_leave_room_for_heads(rng):
    queries, keys = rng.integers(0, 3, (2, 4)), rng.integers(0, 3, (2, 6))
    mask = segment_mask(queries, keys)
    assert mask.shape == (2, 1, 4, 6)
    for b in range(2):
        assert_same_mask(mask[b, 0], cells(4, 6, lambda i, j, b=b: queries[b, i] == keys[b, j]))
    assert_same_mask(segment_mask(queries), segment_mask(queries, queries))


# --- bias --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, float])
def test_a_mask_becomes_zero_and_minus_infinity_and_never_nan(dtype):
    mask = np.array([[True, False, True], [False, False, True]])
    with np.errstate(all="raise"):
        bias = mask_to_bias(mask, dtype=dtype)
    assert bias.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(bias, [[0, -np.inf, 0], [-np.inf, -np.inf, 0]])
    assert not np.signbit(bias[mask]).any()
