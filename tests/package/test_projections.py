"""Projections against a triple loop, their conventions, and bad input."""

import numpy as np
import pytest

from attention import project
from tests.package.oracles import loop_project


@pytest.mark.parametrize("lead", [(5,), (2, 5), (2, 3, 5), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize("with_bias", [False, True])
def test_every_token_is_multiplied_from_the_left(rng, lead, with_bias):
    x, weight = rng.standard_normal((*lead, 4)), rng.standard_normal((4, 7))
    bias = rng.standard_normal(7) if with_bias else None
    result = project(x, weight, bias)
    assert result.shape == (*lead, 7)
    np.testing.assert_allclose(result, loop_project(x, weight, bias), rtol=0, atol=1e-13)
