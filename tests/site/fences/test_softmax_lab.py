"""The softmax lab as it stands without a script: its numbers against exact fractions, and what it refuses."""

import json
import math
from fractions import Fraction

import pytest

from docs_ext.fences import softmax_lab
from tests.site.fences.reading import read, refuses, rows, text

SCORES = {"id": "l", "mode": "scores", "caption": "c", "tokens": "S5", "scores": [3, 2, 0, 1, 0]}
SCALING = {"id": "l", "mode": "scaling", "caption": "c", "d_k": 64}


def parse(spec):
    return read(softmax_lab.render(spec))


def cells(spec, part="tbody"):
    return rows(parse(spec), f".//{part}/tr")


def says(spec):
    root = parse(spec)
    return text(root.find(".//output")), text(root.find(".//details/p"))


def test_a_score_of_n_doublings_stands_at_two_to_the_n():
    assert cells(SCORES) == [
        ["cat", "3", "8", "8/16"],
        ["that", "2", "4", "4/16"],
        ["chased", "0", "1", "1/16"],
        ["dog", "1", "2", "2/16"],
        ["ran", "0", "1", "1/16"],
    ]
    assert cells(SCORES, "tfoot") == [["sum", "", "16", "1"]]
    assert says(SCORES)[0] == "cat 8/16, that 4/16, chased 1/16, dog 2/16, ran 1/16; sum 1."


def test_the_answer_to_the_prediction_is_computed():
    raised = [Fraction(2) ** n for n in (4, 2, 0, 1, 0)]
    stated = says(SCORES)[1].split()[3].rstrip(".")
    assert stated == "16/24"
    assert Fraction(stated) == raised[0] / sum(raised)


def test_the_formats_end_where_the_logarithm_of_their_largest_number_says():
    formats = json.loads(parse(SCORES).find(".//softmax-lab").get("data-formats"))
    assert {name: ends["first"] for name, ends in formats.items()} == {"float16": 12, "float32": 89, "float64": 710}
    for ends in formats.values():
        assert math.log(ends["largest"]) < ends["first"] < math.log(ends["largest"]) + 1


@pytest.mark.parametrize(("d_k", "weight"), [(1, ".73106"), (4, ".88080"), (16, ".98201"), (64, ".99966")])
def test_raw_weights_saturate_and_scaled_ones_stay(d_k, weight):
    raw, scaled = cells(SCALING | {"d_k": d_k})
    odds = math.exp(math.sqrt(d_k))
    assert raw == ["raw", f"({math.isqrt(d_k)}, 0)", f"0{weight}", f"{2 * odds / (1 + odds) ** 2:.5f}"]
    assert scaled == ["scaled", "(1, 0)", "0.73106", f"{2 * math.e / (1 + math.e) ** 2:.5f}"]


def test_the_answer_about_scaling_names_both_ends():
    assert says(SCALING)[1].startswith("Raw it rises from 0.881 to 0.99966,")
    assert says(SCALING)[1].endswith("Scaled it stays at 0.731.")
    assert "64 features: raw, the better key gets 0.99966 and the sensitivity is 0.00067" in says(SCALING)[0]


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
test_scores_that_do_not_fit_are_refused = refuses(softmax_lab.render, SCORES, SCORES_REFUSED)
test_sizes_that_do_not_fit_are_refused = refuses(softmax_lab.render, SCALING, SCALING_REFUSED)
