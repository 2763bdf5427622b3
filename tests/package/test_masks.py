"""Every mask against its definition, cell by cell, and bad input."""

import numpy as np
import pytest

from attention import (
    causal_mask,
    mask_to_bias,
    padding_mask,
    segment_mask,
    sliding_window_mask,
)

SIZES = [(0, 0), (0, 3), (3, 0), (1, 1), (4, 4), (3, 5), (5, 3), (1, 7), (7, 1)]
OFFSETS = [-6, -2, -1, 0, 1, 2, 6]


def cells(n_queries, n_keys, allowed):
    """Ask the definition for every query i and key j."""
    rows = [[bool(allowed(i, j)) for j in range(n_keys)] for i in range(n_queries)]
    return np.array(rows, dtype=bool).reshape(n_queries, n_keys)


def assert_same_mask(mask, expected):
    assert mask.dtype == np.bool_
    assert mask.shape == expected.shape
    np.testing.assert_array_equal(mask, expected)


# --- causal ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(("n_queries", "n_keys"), SIZES)
def test_a_causal_query_sees_the_keys_up_to_its_own_position(n_queries, n_keys, offset):
    expected = cells(n_queries, n_keys, lambda i, j: j <= i + offset)
    assert_same_mask(causal_mask(n_queries, n_keys, offset=offset), expected)


def test_a_causal_mask_is_square_and_without_offset_unless_said():
    assert_same_mask(causal_mask(4), cells(4, 4, lambda i, j: j <= i))
    assert_same_mask(causal_mask(3, offset=1), cells(3, 3, lambda i, j: j <= i + 1))


# --- window ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [-6, -1, 0, 2, 6])
@pytest.mark.parametrize("right", [0, 1, 3, 9, None])
@pytest.mark.parametrize("left", [0, 1, 3, 9, None])
def test_a_window_reaches_left_and_right_of_the_querys_position(left, right, offset):
    for n_queries, n_keys in SIZES:
        expected = cells(
            n_queries,
            n_keys,
            lambda i, j: (left is None or i + offset - left <= j) and (right is None or j <= i + offset + right),
        )
        assert_same_mask(sliding_window_mask(n_queries, n_keys, left=left, right=right, offset=offset), expected)


# --- an offset for each sequence ---------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [[0, 2, -6], [3], np.zeros(0, int), np.array([1, 0], np.uint8)], ids=str)
@pytest.mark.parametrize(("n_queries", "n_keys"), SIZES)
def test_sequences_of_a_batch_have_their_own_offsets_and_leave_room_for_heads(n_queries, n_keys, offset):
    causal = causal_mask(n_queries, n_keys, offset=offset)
    window = sliding_window_mask(n_queries, n_keys, left=1, right=2, offset=offset)
    assert causal.shape == window.shape == (len(offset), 1, n_queries, n_keys)
    for b, o in enumerate(int(number) for number in offset):
        assert_same_mask(causal[b, 0], cells(n_queries, n_keys, lambda i, j, o=o: j <= i + o))
        assert_same_mask(window[b, 0], cells(n_queries, n_keys, lambda i, j, o=o: i + o - 1 <= j <= i + o + 2))


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
