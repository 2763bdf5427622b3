"""Rounding to formats of 16 and 8 bits, compared with ml_dtypes on every number that the formats have."""

import ml_dtypes
import numpy as np
import pytest

from attention import round_to_format
from attention.formats import _FORMATS

TYPES = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in _FORMATS}


def every_number(name):
    """Return all 65,536 or 256 bit patterns of a format, as float64."""
    bits = 8 * TYPES[name].itemsize
    patterns = np.arange(2**bits, dtype=f"uint{bits}")
    with np.errstate(invalid="ignore"):  # signalling nan
        numbers = patterns.view(TYPES[name]).astype(np.float64)
    return np.where(np.isnan(numbers), np.nan, numbers)  # one nan for all


def finite_numbers(name):
    return np.unique(every_number(name)[np.isfinite(every_number(name))])


def as_ml_dtypes(x, name):
    """Convert as the library does; float32 lies between, and holds all numbers that are tried here."""
    with np.errstate(over="ignore", invalid="ignore"):
        return x.astype(np.float32).astype(TYPES[name]).astype(np.float64)


def same(actual, desired):
    """Equal to the bit: signs of zeros, inf and nan too (the sign of a nan means nothing)."""
    np.testing.assert_array_equal(actual, desired)
    numbers = ~np.isnan(desired)
    np.testing.assert_array_equal(np.signbit(actual[numbers]), np.signbit(desired[numbers]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("name", TYPES)
def test_every_number_of_a_format_is_its_own_rounding(name, dtype):
    numbers = every_number(name)
    assert len(numbers) in (65_536, 256)
    rounded = round_to_format(numbers.astype(dtype), name)
    assert rounded.dtype == dtype
    same(
        rounded.astype(np.float64), numbers if name != "float8_e4m3fn" else np.where(np.isnan(numbers), np.nan, numbers)
    )


@pytest.mark.parametrize("name", TYPES)
def test_between_two_neighbours_the_nearer_wins_and_ties_go_to_the_even_one(name):
    numbers = finite_numbers(name)
    low, high = numbers[:-1], numbers[1:]
    middle = (low + high) / 2  # one bit more: exact in float32 unless subnormal there
    for x in (middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)):
        nearest = np.where(x - low < high - x, low, high)
        tie = x - low == high - x
        even_last_bit = as_ml_dtypes(middle, name)
        same(np.abs(round_to_format(x, name)), np.abs(np.where(tie, even_last_bit, nearest)))
    for x in (low + (high - low) * quarter for quarter in (0.25, 0.75)):
        same(round_to_format(x, name), as_ml_dtypes(x, name))


@pytest.mark.parametrize("name", TYPES)
def test_beyond_the_largest_number_the_format_says_so(name):
    largest = finite_numbers(name)[-1]
    step = largest - finite_numbers(name)[-2]
    around = largest + step * np.array([0.25, 0.4999, 0.5, 0.5001, 1, 100])
    edge = np.concatenate([around, -around, [np.inf, -np.inf, np.nan]])
    same(round_to_format(edge, name), as_ml_dtypes(edge, name))
