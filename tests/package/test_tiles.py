"""Sums that grow tile by tile: scores and values of any size, in any order."""

import numpy as np
import pytest

from attention import (
    scaled_dot_product_attention,
    tiled_attention,
)
from tests.package.oracles import close


@pytest.mark.parametrize("size", [1e-40, 1e-30, 1e18, 1e36], ids=str)
@pytest.mark.parametrize("scale", [-20, 20, 60])
def test_values_of_any_size_survive_scores_of_any_size(size, scale):
    query, key = np.full((2, 1), scale, np.float32), np.linspace(0.5, 1, 9, dtype=np.float32)[:, None]
    value = np.float32(size) * np.linspace(1, 2, 9, dtype=np.float32)[:, None]
    expected = scaled_dot_product_attention(query, key, value)
    assert np.isfinite(expected).all()
    actual = tiled_attention(query, key, value, key_block=2)
    np.testing.assert_allclose(actual, expected, rtol=1e-4)


@pytest.mark.parametrize("height", [-2000.0, 2000.0])
def test_a_bias_may_lift_scores_to_any_height(rng, height):
    query, key, value = rng.standard_normal((3, 9, 4))
    bias = height * rng.random((9, 9))
    expected = scaled_dot_product_attention(query, key, value, bias=bias)
    close(tiled_attention(query, key, value, bias=bias, key_block=4), expected, value, 1000)


def test_lengths_whose_squares_underflow_do_not_pass_for_zero():
    query, key = np.array([[1e-30]], np.float32), np.array([[1e15], [-1e15]], np.float32)
    value = np.array([[1.0], [2.0]], np.float32)
    expected = scaled_dot_product_attention(query, key, value, scale=1e18)
    np.testing.assert_allclose(tiled_attention(query, key, value, scale=1e18), expected, rtol=1e-5)
    assert expected == 1


def test_scores_far_below_the_first_ones_and_far_above_are_met_in_any_order():
    key = np.array([[0.0], [-1e30], [1e30], [5.0]])
    value = np.arange(4.0)[:, None]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 1, 3]):
        output = tiled_attention([[1.0]], key[order], value[order], key_block=1)
        np.testing.assert_array_equal(output, [[2.0]])


@pytest.mark.parametrize("at", [0, 1, 8191, 8192, 8199])
@pytest.mark.parametrize("large", ["query", "key"])
def test_one_large_row_is_not_overlooked_wherever_it_stands(rng, large, at):
    arrays = {"query": rng.standard_normal((2, 4)), "key": rng.standard_normal((2, 4))}
    arrays[large] = rng.standard_normal((8200, 4))
    arrays[large][at] *= 1e4  # exp of its scores overflows without a shift
    value = rng.standard_normal((len(arrays["key"]), 3))
    expected = scaled_dot_product_attention(**arrays, value=value)
    close(tiled_attention(**arrays, value=value), expected, value, 1e5)
