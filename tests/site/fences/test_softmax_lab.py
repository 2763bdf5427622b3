"""The softmax lab: what its script draws against exact fractions, the package and NumPy, and what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention import softmax
from docs_ext.fences import softmax_lab
from tests.site.fences.reading import Figure, answer, rows, says, text

SCORES = Figure("softmax-lab", mode="scores", tokens="SENTENCE", scores=[3, 2, 0, 1, 0])
SCALING = Figure("softmax-lab", mode="scaling", d_k=64)


def test_a_score_of_n_doublings_stands_at_two_to_the_n():
    root = SCORES.still()
    assert rows(root) == [
        ["cats", "3", "8", "8/16"],
        ["who", "2", "4", "4/16"],
        ["chased", "0", "1", "1/16"],
        ["dogs", "1", "2", "2/16"],
        ["ran", "0", "1", "1/16"],
    ]
    assert rows(root, ".//tfoot/tr") == [["sum", "", "16", "1"]]
    assert says(root) == "cats 8/16, who 4/16, chased 1/16, dogs 2/16, ran 1/16; sum 1."


def test_500_states_are_the_packages_and_the_plain_ones_numpys():
    rng, fail = np.random.default_rng(0), 0
    for _ in range(500):
        n, t = int(rng.integers(1, 8)), int(rng.integers(-9, 4))
        doublings, dtype = rng.integers(0, 9, n), str(rng.choice(["float16", "float32", "float64"]))
        state = {f"s{i}": int(d) for i, d in enumerate(doublings)} | {"t": t, "format": dtype}
        shown = SCORES.call("compute", {"words": ["w"] * n}, state)
        scores = np.log(2) * doublings / 2.0**t
        np.testing.assert_allclose(shown["weights"], softmax(scores), rtol=0, atol=1e-12)
        with np.errstate(all="ignore"):
            e = np.exp(scores.astype(dtype))
            expected = np.array([*e, e.sum(), *(e / e.sum())], float)
            powers = np.exp2(doublings / 2.0**t)
        for one in (expected, powers):
            one[np.isinf(one)] = np.nan  # JSON has null for both
        plain = shown["plain"]
        found = np.array([*plain["exponentials"], plain["total"], *plain["weights"]], float)
        np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps)
        np.testing.assert_allclose(np.array(shown["powers"], float), powers, rtol=1e-12)
        fail += np.isnan(expected).any()
    assert 50 < fail < 450


@pytest.mark.parametrize(("dtype", "first", "t"), [("float16", 12, -3), ("float32", 89, -6), ("float64", 710, -9)])
def test_every_format_overflows_at_its_own_temperature(dtype, first, t):
    assert "the plain softmax works" in says(SCORES.live(format=dtype, t=t + 1))
    root = SCORES.live(format=dtype, t=t)
    assert f"{dtype} ends at {np.finfo(dtype).max:.4e}; ".replace("6.5504e+04", "65504") in says(root)
    assert f"whose power of e is beyond it is {first}." in says(root)
    assert f" {3 * math.log(2) / 2**t:.2f}: the plain softmax gives nan, " in says(root)
    assert text(root.find(".//td[@class='power']")) == "inf"
    assert float(rows(root)[0][-1].lstrip(">")) > 0.99


@pytest.mark.parametrize("d_k", softmax_lab.SIZES)
def test_raw_weights_saturate_and_scaled_ones_stay(d_k):
    root = SCALING.still(d_k=d_k)
    raw, scaled = rows(root)
    better = 2 ** math.sqrt(d_k) / (2 ** math.sqrt(d_k) + 1)
    assert raw[0] == "raw"
    assert float(Fraction(raw[2])) == pytest.approx(better, abs=1e-12 if math.isqrt(d_k) ** 2 == d_k else 5e-6)
    assert raw[1] == f"({math.isqrt(d_k)}, 0)" or math.isqrt(d_k) ** 2 != d_k
    assert scaled == ["scaled", "(1, 0)", "2/3"]
    assert says(root) == f"{d_k} features: raw, the better key gets {raw[2]}; scaled, 2/3."


def test_the_predictions_are_answered():
    assert answer(SCORES.still()).split()[3] == "16/24."  # 16, 4, 1, 2, 1
    assert answer(SCALING.still()).startswith("Raw it rises from 4/5 to 256/257,")
    assert answer(SCALING.still()).endswith("Scaled it stays at 2/3.")


test_scores_that_do_not_fit_are_refused = SCORES.refuses(
    {
        "mode": ({"mode": "dance"}, "mode", "'scores' or 'scaling'"),
        "no scores": ({"scores": None}, "mode", "needs the key 'scores'"),
        "key of the other mode": ({"d_k": 4}, "d_k", "has no key 'd_k'"),
        "too few": ({"scores": [1, 2]}, "scores", "5 numbers"),
        "half a doubling": ({"scores": [3, 2, 0, 1, 0.5]}, "scores", "whole doublings"),
        "negative": ({"scores": [3, 2, 0, 1, -1]}, "scores", "from 0 to 7"),
        "no room for one more": ({"scores": [8, 2, 0, 1, 0]}, "scores", "from 0 to 7"),
    }
)
test_sizes_that_do_not_fit_are_refused = SCALING.refuses({"twelve": ({"d_k": 12}, "d_k", "power of two")})
