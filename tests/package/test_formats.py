"""Rounding to formats of 4 to 19 bits, compared with ml_dtypes on every number that they have; blocks with loops.

What torchao makes of blocks is recorded, tests/package/parity/formats.json.
"""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from attention import round_to_format
from attention.formats import _FORMATS

TYPES = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in _FORMATS if name != "tf32"}


def every_number(name):
    """Return all 65,536 or 256 bit patterns of a format, as float64; of those of e2m1 only four bits count."""
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
    if name == "float8_e8m0fnu":  # of what is subnormal in float32, ml_dtypes rounds 1.25 * 2**-127 up
        low, high = low[1:], high[1:]
    for x in (low + (high - low) * quarter for quarter in (0.25, 0.75)):
        same(round_to_format(x, name), as_ml_dtypes(x, name))


@pytest.mark.parametrize("name", TYPES)
def test_beyond_the_largest_number_the_format_says_so(name):
    largest = finite_numbers(name)[-1]
    step = largest - finite_numbers(name)[-2]
    around = largest + step * np.array([0.25, 0.4999, 0.5, 0.5001, 1, 100])
    edge = np.concatenate([around, -around, [np.inf, -np.inf, 0, -0.0, -1], [np.nan] * (name != "float4_e2m1fn")])
    same(round_to_format(edge, name), as_ml_dtypes(edge, name))
    assert np.isnan(round_to_format(np.nan, name))  # e2m1 has no nan: ml_dtypes makes it 0


def test_tf32_has_the_exponent_of_float32_and_the_fraction_of_float16(rng):
    bits = rng.integers(0, 2**32, 100_000, dtype=np.uint32)
    bits[:50_000] = (bits[:50_000] & 0xFFFFE000) | 0x1000  # ties
    x = bits.view(np.float32)
    x = x[np.isfinite(x)]
    bits = x.view(np.uint32).astype(np.uint64)
    rounded = bits + 0xFFF + ((bits >> 13) & 1)  # half of what is cut off, and the last bit that stays
    same(round_to_format(x, "tf32"), (rounded & 0xFFFFE000).astype(np.uint32).view(np.float32))


# --- blocks ------------------------------------------------------------------------------------------------------


def nearest(x, numbers):
    """Pick the number nearest to a fraction; of two, the one whose place in the list is even."""
    return min(range(len(numbers)), key=lambda i: (abs(abs(x) - numbers[i]), i % 2))


def loop_block(row, scale):
    e2m1 = [Fraction(n) for n in (0, 0.5, 1, 1.5, 2, 3, 4, 6)]
    return [float((-1 if x < 0 else 1) * e2m1[nearest(x / scale, e2m1)] * scale) for x in map(Fraction, row)]


@pytest.mark.parametrize("seed", range(20))
def test_blocks_are_rounded_number_by_number_with_their_scale(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(-48, 49, (2, 96)) / 32 * np.repeat(10.0 ** rng.integers(-6, 4, (2, 6)), 16, axis=1)
    x[1, :32] = 0
    powers = [Fraction(2) ** e for e in range(-60, 60)]
    largest = [max(map(abs, map(Fraction, row))) for row in x.reshape(-1, 32)]
    scales = [max((p for p in powers if p <= most), default=4) / 4 for most in largest]
    wanted = [loop_block(*each) for each in zip(x.reshape(-1, 32), scales, strict=True)]
    np.testing.assert_array_equal(round_to_format(x, "mxfp4").reshape(-1, 32), wanted)

    e4m3 = [Fraction(float(n)) for n in finite_numbers("float8_e4m3fn") if n >= 0]
    unit = Fraction(float(np.float32(np.abs(x).max() / 2688)))
    largest = [max(map(abs, map(Fraction, row))) for row in x.reshape(-1, 16)]
    scales = [e4m3[nearest(most / 6 / unit, e4m3)] * unit for most in largest]
    wanted = [loop_block(row, s) if s else [0] * 16 for row, s in zip(x.reshape(-1, 16), scales, strict=True)]
    np.testing.assert_allclose(round_to_format(x, "nvfp4").reshape(-1, 16), wanted, rtol=1e-15)


def test_nan_and_inf_spoil_their_block_and_huge_numbers_end_at_the_largest_scale():
    x = np.ones((4, 32))
    x[0, 3], x[1, 5], x[2, 7] = np.nan, -np.inf, 1e300
    rounded = round_to_format(x, "mxfp4")
    assert np.isnan(rounded).all(axis=1).tolist() == [True, True, False, False]
    assert rounded[2, 7] == 6 * 2.0**127
    assert np.isnan(round_to_format(x, "nvfp4")).all()
    np.testing.assert_array_equal(round_to_format(np.zeros((3, 32)), "nvfp4"), np.zeros((3, 32)))
