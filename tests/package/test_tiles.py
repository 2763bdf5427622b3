"""The parts of the scores: together the tiles are the grid, and none is looked at that no query reaches."""

import numpy as np
import pytest

from attention.arguments import _checked
from attention.tiles import _head_at, _heads, _keys_in_reach, _may_attend, _rows_of_a_tile, _slices
from tests.package.oracles import loop_attended


@pytest.mark.parametrize("has_mask", [False, True])
@pytest.mark.parametrize(("left", "right"), [(None, 0), (2, 1), (0, None), (0, 0), (40, 40), (None, None)])
@pytest.mark.parametrize("offset", [-5, 0, 3, 30])
def test_the_tiles_together_are_the_grid(left, right, offset, has_mask, rng):
    n_q, n_k = 7, 11
    mask = rng.random((n_q, n_k)) < 0.6 if has_mask else None
    query, key = np.zeros((n_q, 3)), np.zeros((n_k, 3))
    head = _head_at(_checked(query, key, mask=mask, window=(left, right), offset=offset), ())
    found = np.zeros((n_q, n_k), bool)
    for rows in _slices(0, n_q, 3):
        for columns in _slices(*_keys_in_reach(head, rows), 4):
            allowed = _may_attend(head, rows, columns)
            found[rows, columns] = True if allowed is None else allowed
    expected = loop_attended((n_q, n_k), mask=mask, window=(left, right), offset=offset)
    np.testing.assert_array_equal(found, expected)


def test_each_head_of_the_keys_comes_once_with_the_group_that_shares_it():
    query, key = np.zeros((2, 6, 5, 4)), np.zeros((2, 3, 7, 4))
    given = _checked(query, key, enable_gqa=True)
    assert list(_heads(given)) == list(np.ndindex(2, 3))
    assert _rows_of_a_tile(given, 256) == 128  # of each of the two heads in a group
