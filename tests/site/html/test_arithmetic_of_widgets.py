"""The widgets round and write numbers as the pages do; what else they compute, their own 500 states try."""

import json

import numpy as np
import pytest

import attention
from docs_ext.html import renderer, rounding


@pytest.fixture(scope="module")
def run():
    """Return a function that calls a function of a module on many numbers, which go over as words: JSON has no nan."""
    renderer.load()
    renderer.engine().eval("""globalThis.run = (name, part, words, ...more) => JSON.stringify(words.map((word) => {
      const found = call(`lib/${name}.js`, part, [Number(word), ...more]);
      return Object.is(found, -0) ? "-0" : found === null ? null : `${found}`;
    }));""")

    def run(name, part, xs, *more):
        words = [repr(x).replace("inf", "Infinity") for x in xs]
        return json.loads(renderer.engine().call("run", name, part, words, *more))

    return run


def test_rounding_agrees_to_the_bit(run):
    """Over the whole range of float64: subnormal numbers, ties, what is just beside them and beyond the largest."""
    rng = np.random.default_rng(0)
    powers = 2.0 ** rng.integers(-160, 140, 3000)
    few_bits = rng.integers(1, 4096, 3000) * powers  # ties among them
    xs = np.concatenate(
        [few_bits, np.nextafter(few_bits, 0), np.nextafter(few_bits, np.inf), rng.random(3000) * powers]
    )
    xs = np.concatenate([xs, -xs, [0.0, -0.0, np.inf, -np.inf, np.nan, 65519, 65520, 464, 465, 5e-324]])
    for name in ("float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"):  # of formats.js
        actual = np.array(run("formats", "roundToFormat", xs.tolist(), name), float)
        desired = attention.round_to_format(xs, name)
        np.testing.assert_array_equal(actual, desired)
        numbers = ~np.isnan(desired)
        np.testing.assert_array_equal(np.signbit(actual)[numbers], np.signbit(desired)[numbers])


def three_decimals(weight):
    """Never pretend that a weight is 0 or 1."""
    return "<0.001" if 0 < weight < 0.0005 else ">0.999" if 0.9995 <= weight < 1 - 1e-12 else f"{weight:.3f}"


NUMBERS = [0, -1, 20 / 3, 2.4, -0.25, 1e-13, 0.1234, 12345.678, 199 / 200, 1 / 201]
WEIGHTS = [0.0, 1.0, 1e-9, 0.0004999, 0.0005, 0.9994, 0.9995, 1 - 1e-9, 1 - 1e-15, *(n / 16 for n in range(17))]


@pytest.mark.parametrize(
    ("name", "ours", "special"),
    [
        ("fraction", rounding.fraction, [*NUMBERS, *WEIGHTS, np.inf, np.nan]),
        ("decimal", three_decimals, WEIGHTS),
        ("number", rounding.number, NUMBERS),
    ],
)
def test_numbers_are_written_as_in_the_pages(run, name, ours, special):
    rng = np.random.default_rng(0)
    quotients = rng.integers(0, 300, 200) / rng.integers(300, 400, 200)
    items = [*map(float, special), *rng.random(300).tolist(), *quotients.tolist()]
    shown = run("numbers", name, items)
    assert dict(zip(map(repr, items), shown, strict=True)) == {repr(item): ours(item) for item in items}
