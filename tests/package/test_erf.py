"""The error function against that of the standard library, to the last digits, at every kind of number."""

import math

import numpy as np
import pytest

from attention import _erf
from attention._erf import erf

GRID = np.arange(6 * 1024 + 4) / 1024  # points of the table and the middles between them, where the nearest changes
EDGES = np.concatenate([GRID, [_erf._NEAR, 6.0, 5.921587195794507]])  # the last is where erf rounds to 1


def points():
    rng = np.random.default_rng(0)
    size = np.concatenate(
        [
            rng.uniform(0, 6.5, 40_000),
            rng.uniform(0, 0.2, 20_000),
            10.0 ** rng.uniform(-320, 300, 10_000),
            np.arange(300) * 5e-324,
            np.nextafter(EDGES, -1),
            EDGES,
            np.nextafter(EDGES, 9),
            [np.inf, np.finfo(float).tiny, np.finfo(float).max],
        ]
    )
    return np.concatenate([size, -size])


def units_in_the_last_place(result, x):
    expected = np.array([math.erf(number) for number in x.astype(float)])
    return np.abs(result.astype(float) - expected) / np.spacing(np.abs(expected).astype(x.dtype)).astype(float)


@pytest.mark.parametrize(("dtype", "most"), [(np.float64, 2), (np.float32, 1.1)])
def test_it_follows_the_standard_library_to_the_last_digits_without_a_warning(dtype, most):
    with np.errstate(all="ignore"):
        x = points().astype(dtype)
    with np.errstate(all="raise"):
        result = erf(x)
    assert result.dtype == dtype
    error = units_in_the_last_place(result, x)
    assert error.max() <= most, x[error.argmax()]
    assert (np.abs(result) <= 1).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_signs_infinities_and_nan(dtype):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    result = erf(x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, np.array([0.0, -0.0, 1, -1, np.nan], dtype))
    assert np.signbit(result[:2]).tolist() == [False, True]
    assert erf(np.zeros((2, 0, 3), dtype)).shape == (2, 0, 3)


@pytest.mark.parametrize("wrong", ["_NEAR", "_STEP", "_SERIES"])
def test_the_limits_of_the_two_pieces_matter(monkeypatch, wrong):
    """A series used too far out, a grid twice as coarse and a term too few are each seen."""
    broken = {
        "_NEAR": 1 / 4,
        "_STEP": 1 / 64,
        "_SERIES": _erf._SERIES[:-1],
    }[wrong]
    monkeypatch.setattr(_erf, wrong, broken)
    if wrong == "_STEP":
        monkeypatch.setattr(_erf, "_TABLE", np.array([math.erf(i / 64) for i in range(6 * 64 + 1)]))
    x = points()
    assert units_in_the_last_place(erf(x), x).max() > 2
