import numpy as np
import pytest

from attention import snake_name


def snake_name_in_loops(x):
    """Return what the formula says, one number after the other; nothing of the code under test."""
    pytest.fail("fill in: snake_name_in_loops, the formula of snake_name in loops over floats", pytrace=False)


def test_snake_name_is_its_formula(rng):
    x = rng.standard_normal((3, 5))  # every axis of another size
    expected = snake_name_in_loops(x)
    np.testing.assert_allclose(snake_name(x), expected, rtol=0, atol=1e-12)
