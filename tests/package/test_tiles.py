"""The heads that tiles belong to; test_tiling and test_arguments compare what the tiles add up to."""

import numpy as np

from attention.arguments import _checked
from attention.tiles import _heads, _rows_of_a_tile


def test_each_head_of_the_keys_comes_once_with_the_group_that_shares_it():
    query, key = np.zeros((2, 6, 5, 4)), np.zeros((2, 3, 7, 4))
    given = _checked(query, key, enable_gqa=True)
    assert list(_heads(given)) == list(np.ndindex(2, 3))
    assert _rows_of_a_tile(given, 256) == 128  # of each of the two heads in a group
