"""Sinusoids against a loop, and the properties that they were chosen for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import (
    sinusoidal_encoding,
)
from tests.package.oracles import properties


def loop_sinusoids(n_positions, d_model, base):
    table = np.empty((n_positions, d_model))
    for p in range(n_positions):
        for i in range(d_model // 2):  # i runs over pairs of columns
            angle = p / base ** (2 * i / d_model)
            table[p, 2 * i] = math.sin(angle)
            table[p, 2 * i + 1] = math.cos(angle)
    return table


@pytest.mark.parametrize("base", [10000.0, 100.0, 2.0])
@pytest.mark.parametrize(("n_positions", "d_model"), [(0, 4), (1, 2), (5, 4), (7, 12), (3, 64)])
def test_sines_stand_on_even_and_cosines_on_odd_columns(n_positions, d_model, base):
    expected = loop_sinusoids(n_positions, d_model, base)
    encoding = sinusoidal_encoding(n_positions, d_model, base=base)
    assert encoding.shape == (n_positions, d_model)
    np.testing.assert_allclose(encoding, expected, rtol=0, atol=1e-14)


def test_far_positions_are_as_precise_as_their_angles():
    encoding, expected = sinusoidal_encoding(5001, 6), loop_sinusoids(5001, 6, 10000.0)
    np.testing.assert_allclose(encoding, expected, rtol=0, atol=5000 * 4 * np.finfo(float).eps)


def test_position_one_by_hand():
    np.testing.assert_allclose(sinusoidal_encoding(2, 4)[1], [0.8415, 0.5403, 0.0100, 0.99995], rtol=0, atol=5e-5)
    np.testing.assert_array_equal(sinusoidal_encoding(1, 6), [[0, 1, 0, 1, 0, 1]])


def test_the_base_is_ten_thousand_unless_said():
    np.testing.assert_array_equal(sinusoidal_encoding(5, 8), sinusoidal_encoding(5, 8, base=10000.0))
    assert not np.allclose(sinusoidal_encoding(5, 8), sinusoidal_encoding(5, 8, base=1000.0))


def test_products_of_two_positions_depend_on_their_distance_only():
    encoding = sinusoidal_encoding(40, 8)
    products = encoding @ encoding.T
    for distance in range(40):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(products[0, 0], 4, rtol=1e-15)  # one per pair of columns
    assert products[0, 1] > products[0, 2] > products[0, 3]


@properties
@given(st.integers(1, 30), st.integers(1, 10), st.floats(1.5, 1e5))
def test_every_pair_of_columns_is_a_point_on_the_circle(n_positions, pairs, base):
    encoding = sinusoidal_encoding(n_positions, 2 * pairs, base=base)
    np.testing.assert_allclose(encoding[:, ::2] ** 2 + encoding[:, 1::2] ** 2, 1, rtol=1e-14)


def test_the_dtype_is_double_unless_said_and_rounding_gives_no_warnings():
    assert sinusoidal_encoding(2, 4).dtype == np.float64
    with np.errstate(all="raise"):
        sinusoidal_encoding(3000, 64, dtype=np.float16)
