"""The softmax lab: what its script draws against exact fractions, the package and NumPy, and what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention import softmax
from docs_ext.fences import softmax_lab
from tests.site.fences.reading import Figure, rows

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


@pytest.mark.parametrize("d_k", softmax_lab.SIZES)
def test_raw_weights_saturate_and_scaled_ones_stay(d_k):
    root = SCALING.still(d_k=d_k)
    raw, scaled = rows(root)
    better = 2 ** math.sqrt(d_k) / (2 ** math.sqrt(d_k) + 1)
    assert raw[0] == "raw"
    assert float(Fraction(raw[2])) == pytest.approx(better, abs=1e-12 if math.isqrt(d_k) ** 2 == d_k else 5e-6)
    assert raw[1] == f"({math.isqrt(d_k)}, 0)" or math.isqrt(d_k) ** 2 != d_k
    assert scaled == ["scaled", "(1, 0)", "2/3"]
