"""The softmax lab: what its script draws against exact fractions, the package and NumPy, and what it refuses."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention import softmax
from docs_ext.extensions import fences
from docs_ext.fences import softmax_lab
from docs_ext.html import renderer
from tests.site.fences.reading import read, refuses, rows, text

SCRIPT = "widgets/softmax-lab.js"
SCORES = {"id": "l", "mode": "scores", "caption": "c", "tokens": "S5", "scores": [3, 2, 0, 1, 0]}
SCALING = {"id": "l", "mode": "scaling", "caption": "c", "d_k": 64}


def parse(spec):
    return read(fences.draw("softmax-lab", spec))


def live(state):
    """Draw the scores in a state, as in a browser."""
    given = {"id": "l", "title": "c", **softmax_lab.data(SCORES)}
    state = renderer.call(SCRIPT, "first", given) | state
    return read(renderer.call(SCRIPT, "html", given, state, {"problems": {}, "message": ""})["text"])


def test_a_score_of_n_doublings_stands_at_two_to_the_n():
    root = parse(SCORES)
    assert rows(root) == [
        ["cat", "3", "8", "8/16"],
        ["that", "2", "4", "4/16"],
        ["chased", "0", "1", "1/16"],
        ["dog", "1", "2", "2/16"],
        ["ran", "0", "1", "1/16"],
    ]
    assert rows(root, ".//tfoot/tr") == [["sum", "", "16", "1"]]
    assert text(root.find(".//output")) == "cat 8/16, that 4/16, chased 1/16, dog 2/16, ran 1/16; sum 1."


def test_500_states_are_the_packages_and_the_plain_ones_numpys():
    rng, fail = np.random.default_rng(0), 0
    for _ in range(500):
        n, t = int(rng.integers(1, 8)), int(rng.integers(-9, 4))
        doublings, dtype = rng.integers(0, 9, n), str(rng.choice(["float16", "float32", "float64"]))
        state = {f"s{i}": int(d) for i, d in enumerate(doublings)} | {"t": t, "format": dtype}
        shown = renderer.call(SCRIPT, "compute", {"words": ["w"] * n}, state)
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
    assert "the plain softmax works" in text(live({"format": dtype, "t": t + 1}).find(".//output"))
    root = live({"format": dtype, "t": t})
    says = text(root.find(".//output"))
    assert f"{dtype} ends at {np.finfo(dtype).max:.4e}; ".replace("6.5504e+04", "65504") in says
    assert f"whose power of e is beyond it is {first}." in says
    assert f" {3 * math.log(2) / 2**t:.2f}: the plain softmax gives nan, " in says
    assert text(root.find(".//td[@class='power']")) == "inf"
    assert float(rows(root)[0][-1].lstrip(">")) > 0.99


@pytest.mark.parametrize("d_k", softmax_lab.SIZES)
def test_raw_weights_saturate_and_scaled_ones_stay(d_k):
    root = parse(SCALING | {"d_k": d_k})
    raw, scaled = rows(root)
    (weight, _), slope = softmax([math.sqrt(d_k), 0]), 2 * np.prod(softmax([math.sqrt(d_k), 0]))
    assert [raw[0], *raw[2:]] == ["raw", f"{weight:.5f}", f"{slope:.5f}"]
    assert raw[1] == f"({math.isqrt(d_k)}, 0)" or math.isqrt(d_k) ** 2 != d_k
    assert scaled == ["scaled", "(1, 0)", "0.73106", f"{2 * math.e / (1 + math.e) ** 2:.5f}"]
    assert text(root.find(".//output")).startswith(
        f"{d_k} features: raw, the better key gets {weight:.5f} and the sens"
    )


def test_the_predictions_are_answered():
    stated = text(parse(SCORES).find(".//details/p")).split()[3].rstrip(".")
    raised = [Fraction(2) ** n for n in (4, 2, 0, 1, 0)]
    assert stated == "16/24"
    assert Fraction(stated) == raised[0] / sum(raised)
    answer = text(parse(SCALING).find(".//details/p"))
    assert answer.startswith("Raw it rises from 0.881 to 0.99966,")
    assert answer.endswith("Scaled it stays at 0.731.")


SCORES_REFUSED = {
    "mode": ({"mode": "dance"}, "mode", "'scores' or 'scaling'"),
    "no scores": ({"scores": None}, "mode", "needs the key 'scores'"),
    "key of the other mode": ({"d_k": 4}, "d_k", "has no key 'd_k'"),
    "too few": ({"scores": [1, 2]}, "scores", "5 numbers"),
    "half a doubling": ({"scores": [3, 2, 0, 1, 0.5]}, "scores", "whole doublings"),
    "negative": ({"scores": [3, 2, 0, 1, -1]}, "scores", "from 0 to 7"),
    "no room for one more": ({"scores": [8, 2, 0, 1, 0]}, "scores", "from 0 to 7"),
}
SCALING_REFUSED = {
    "twelve": ({"d_k": 12}, "d_k", "power of two"),
    "Boolean": ({"d_k": True}, "d_k", "power of two"),
}
test_scores_that_do_not_fit_are_refused = refuses(softmax_lab.data, SCORES, SCORES_REFUSED)
test_sizes_that_do_not_fit_are_refused = refuses(softmax_lab.data, SCALING, SCALING_REFUSED)
