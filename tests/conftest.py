import numpy as np
import pytest


@pytest.fixture
def rng():
    """Give every test the same random numbers in every run."""
    return np.random.default_rng(0)
