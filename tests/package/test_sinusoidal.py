"""Sinusoids against a loop, and the properties that they were chosen for."""

import math

import numpy as np
import pytest

from attention import sinusoidal_encoding


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
