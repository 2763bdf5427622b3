"""Gradient flow: what its script draws against the package, and what it refuses."""

import math

import numpy as np
import pytest

from attention import softmax, softmax_vjp
from docs_ext.fences import gradient_flow
from tests.site.fences.reading import Figure, answer, plain

VALUE = [[8, 0], [4, 4], [0, 0], [0, 8], [0, 0]]
FLOW = Figure.sound("gradient-flow")


@FLOW.on_500_states
def test_500_rows_are_the_packages(rng):
    n, (words, d_v) = int(rng.integers(0, 5)), rng.integers(1, 7, 2).tolist()
    scores, values, push = rng.normal(0, 3, words), rng.standard_normal((words, d_v)), int(rng.integers(0, words))
    divide = str(rng.choice(["yes", "no"]))
    weights = softmax(np.log(2) * scores * (2**n if divide == "no" else 1))
    expected = {
        "weights": weights,
        "moves": softmax_vjp(weights, np.eye(words)[push]),
        "slopes": softmax_vjp(np.tile(weights, (d_v, 1)), values.T).T,
        "output": weights @ values,
    }
    given = {"words": [*"abcdef"[:words]], "scores": scores, "value": values, "sizes": gradient_flow.SIZES}
    return given, {"push": push, "n": n, "divide": divide}, expected


def test_arcs_are_as_thick_as_the_weights_and_hollow_where_a_word_loses():
    root = FLOW.live(push=0)
    arcs = [[float(p.get("stroke-width")) for p in arc.findall("{*}path")] for arc in root.findall(".//{*}svg/{*}g")]
    before = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16])
    after = before + np.array([1 / 4, -1 / 8, -1 / 16, -1 / 32, -1 / 32])
    more, less = np.maximum(before, after), np.minimum(before, after)  # what is lost, within an edge
    wanted = np.stack([35 * more, 35 * more - [0, 1.5, 1.5, 1.5, 1.5], 35 * less], axis=1)
    np.testing.assert_allclose(sorted(filter(None, arcs), reverse=True), wanted, atol=2e-3)
    assert [arc.get("class") for arc in root.findall(".//{*}svg/{*}g[@class]")].count("gains") == 1
    pills = [plain(pill) for pill in root.findall(".//{*}text[@class='number']")]
    assert sorted(pills) == ["+1/4", "-1/16", "-1/32", "-1/32", "-1/8"]
    bar = root.find(".//p[@class='moves']/span[@class='bar']").get("style")
    assert float(bar.removeprefix("--w:")) == pytest.approx(4 * math.sqrt(3.25) / math.hypot(8, 8))
    assert plain(root.find(".//p[@class='moves']/b[@class='role-output']")) == "(1.5, -1)"


def test_the_answer_says_what_is_left_without_the_division():
    weights = softmax(8 * np.log(2) * np.array([3, 2, 0, 1, 0]))
    left = np.linalg.norm(weights[0] * (VALUE[0] - weights @ VALUE)) / math.sqrt(3.25)
    root = FLOW.still()
    assert "at 4 features a push of cats moves the output by (1.5, -1)." in plain(root.find(".//summary"))
    assert answer(root).startswith(f"{left:.1%} of it. The scores are 8 times as large, cats has 0.996")
