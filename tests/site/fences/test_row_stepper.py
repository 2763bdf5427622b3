"""The row stepper: its numbers against the package, what its four figures draw, and what it refuses."""

import re
from itertools import pairwise

import numpy as np
import pytest

from attention import attention_scores, attention_weights
from attention.example import EARLY, SENTENCE, W_K, W_Q1, embed
from tests.site.fences.reading import Figure, plain, read, rows

FEATURES = {
    "x": ["cats", "dogs", "asks", "early"],
    "key": ["noun", "early", "asks", "which"],
    "value": ["cats", "dogs"],
}
STEPPER = Figure.sound("row-stepper")
X = embed(SENTENCE, EARLY)


@pytest.fixture(scope="module")
def root():
    return STEPPER.still()


@STEPPER.on_500_states
def test_500_rows_are_the_packages(rng):
    n, d = rng.integers(1, 9, 2)
    q, k, v = rng.standard_normal(d), rng.standard_normal((n, d)), rng.random((n, 2))
    asked = q[None] * np.log(2)  # a query is counted in doublings
    scores, weights = attention_scores(asked, k)[0], attention_weights(asked, k)[0]
    expected = {"parts": q * k, "products": k @ q, "scores": scores / np.log(2), "powers": np.exp(scores)}
    expected |= {"weights": weights, "given": weights[:, None] * v, "output": weights @ v}
    return {"q": q, "k": k, "v": v}, {}, expected


def test_the_matrices_are_the_packages(root):
    drawn = {"x of ran": X[[4]], "WQ": W_Q1 / np.log(2), "query of ran": X[[4]] @ W_Q1 / np.log(2)}
    drawn |= {"blend": [[5, 2, 0, 0]], "ran from now on": [[5, 2, 1, 0]]}
    strips = {plain(table[0]): table for table in root.iter("table") if table[0].tag == "caption"}
    for name, matrix in drawn.items():
        shown = [row.findall("td[@data-number]") for row in strips[name].findall("tbody/tr")]
        numbers = [[float(cell.get("data-number")) for cell in row] for row in shown]
        np.testing.assert_allclose(numbers, matrix, rtol=0, atol=1e-12, err_msg=name)


def test_every_column_of_a_product_is_added_up_and_one_is_marked(root):
    path = ".//table[@class='row-step sums']"
    for i, (name, own, *cells) in enumerate(rows(root, f"{path}/tbody/tr")):
        assert (name, float(own)) == (FEATURES["x"][i], X[0, i])
        assert cells == [f"{X[0, i]:g}·{y:g} {X[0, i] * y:g}".replace("-0", "0") for y in W_K[i]]
    [[_, *key]] = rows(root, f"{path}/tfoot/tr")
    assert [float(y) for y in key] == (X[0] @ W_K).tolist()
    marked = [[cell.get("data-marked") is not None for cell in row] for row in root.findall(f"{path}/tbody/tr")]
    assert marked == [[False, False, False, True, False, False]] * 4  # early
    assert "early gets 2·0 + 0·0 + 0·0 + 2·2 = 4" in plain(root.find(".//span[@class='says']"))


# The plane of the last step

VALUES = np.array([[8.0, 0], [0, 0], [0, 0], [4, 4], [0, 8]])
WEIGHTS = np.array([1 / 2, 1 / 16, 1 / 16, 1 / 4, 1 / 8])


@pytest.fixture(scope="module")
def plane():
    row = {"id": "p", "word": "ran", "words": ["cats", "who", "chased", "it", "dogs"], "features": FEATURES}
    numbers = {"v": VALUES, "weights": WEIGHTS, "given": WEIGHTS[:, None] * VALUES, "output": WEIGHTS @ VALUES}
    return read(STEPPER.call("plane", row | numbers)["text"])


def in_features(x, y):
    return [float(x) * 8 / 240, -float(y) * 8 / 240]


def test_the_arrows_lead_one_after_the_other_to_what_the_word_receives(plane):
    drawn = [re.findall(r"-?[\d.]+", path.get("d")) for path in plane.findall(".//{*}path[@class='arrow']")]
    arrows = [(in_features(*numbers[:2]), in_features(*numbers[2:])) for numbers in drawn]
    parts = [w * v for w, v in zip(WEIGHTS, VALUES, strict=True) if v.any()]  # a value of zeros has no arrow
    np.testing.assert_allclose([np.subtract(end, begin) for begin, end in arrows], parts, atol=1e-4)
    assert arrows[0][0] == [0, 0]
    assert all(end == begin for (_, end), (begin, _) in pairwise(arrows))
    end = plane.find(".//{*}g[@class='end']")
    assert in_features(*re.findall(r"-?[\d.]+", end.get("transform"))) == arrows[-1][1] == [5, 2]
    assert end.find("{*}text").text == "ran (5, 2)"
