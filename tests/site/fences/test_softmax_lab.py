"""The softmax lab: what its script draws against exact fractions, the package and NumPy, and what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention import softmax
from docs_ext.fences import softmax_lab
from tests.site.fences.reading import Figure, text

SCORES = Figure.sound("softmax-lab")
SCALING = Figure.sound("softmax-lab of sizes")


def test_500_states_are_the_packages():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n, t = int(rng.integers(1, 8)), int(rng.integers(-3, 4))
        doublings = rng.integers(0, 9, n) / 2.0**t
        state = {f"s{i}": int(d * 2**t) for i, d in enumerate(doublings)} | {"t": t}
        shown = SCORES.call("compute", {"words": ["w"] * n}, state)
        np.testing.assert_allclose(shown["weights"], softmax(np.log(2) * doublings), rtol=0, atol=1e-12)
        np.testing.assert_allclose(np.array(shown["powers"], float), np.exp2(doublings), rtol=1e-12)


def test_500_bells_are_numpys_and_two_keys_in_them_the_packages():
    rng = np.random.default_rng(0)
    for _ in range(500):
        d_k, divide = int(rng.integers(1, 200)), int(rng.integers(2))
        shown = SCALING.call("spread", d_k, divide)
        root = np.sqrt(d_k) if divide else 1
        np.testing.assert_allclose(shown["totals"], np.arange(-d_k, d_k + 1, 2) / root, rtol=1e-12)
        cases = [float(Fraction(math.comb(d_k, m), 2**d_k)) for m in range(d_k + 1)]
        np.testing.assert_allclose(shown["shares"], cases, rtol=1e-12)
        expected = softmax(np.log(2) * np.array([np.sqrt(d_k) / root, 0]))
        np.testing.assert_allclose(shown["weights"], expected, rtol=1e-12)


@pytest.mark.parametrize("d_k", softmax_lab.SIZES)
def test_raw_weights_saturate_and_divided_ones_stay(d_k):
    both = [2**score / (2**score + 1) for score in (math.sqrt(d_k), 1)]  # raw and divided stand below each other
    for divide, score in ((0, math.sqrt(d_k)), (1, 1.0)):
        root = SCALING.live(n=softmax_lab.SIZES.index(d_k), divide=divide)
        shown = [float(Fraction(text(one))) for one in root.findall(".//p[@class='both']//b")]
        expected = [part for better in both for part in (1 - better, better)]
        assert shown == pytest.approx(expected, abs=1e-12 if math.sqrt(d_k).is_integer() else 5e-6)
        bell, keys = (float(group.get("style")[5:]) for group in root.findall(".//{*}g[@style]"))
        assert (bell, keys) == pytest.approx((score / math.sqrt(d_k), score))
