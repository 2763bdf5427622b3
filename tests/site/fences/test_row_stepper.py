"""The row stepper: each of its four figures against exact arithmetic, its HTML, and what it refuses."""

import numpy as np
import pytest

from attention import attention_scores, attention_weights, project
from attention.example import EARLY5, S5, W_K, W_Q1, W_V, attend, embed
from docs_ext.fences import row_stepper
from tests.site.fences.reading import HEAD, plain, read, refuses, rows, text

FEATURES = {"x": ["cat", "dog", "asks", "early"], "key": ["noun", "early", "asks", "which"], "value": ["cat", "dog"]}
SPEC = HEAD | {"id": "s", "caption": "c", "query": "ran", "features": FEATURES}
X = embed(S5, EARLY5)


@pytest.fixture(scope="module")
def root():
    return read(row_stepper.render(SPEC))


def numbers(root, path, name):
    return np.array([float(cell.get(name)) for cell in root.findall(path)])


def strip(root, caption):
    """Return the numbers in the strips of this name."""
    (table,) = (table for table in root.iter("table") if plain(table[0]) == caption and table[0].tag == "caption")
    return np.array([[float(cell.get("data-number")) for cell in row.findall("td[@data-number]")]
                     for row in table.findall("tbody/tr")])  # fmt: skip


def test_all_numbers_are_the_packages(root):
    q, k, v = (project(X, w) for w in (W_Q1, W_K, W_V))
    weights, output = attend(X, W_Q1)
    drawn = {"x of ran": X[[4]], "WQ": W_Q1 / np.log(2), "query": q[[4]] / np.log(2)}
    drawn |= {"x of every word": X, "keys": k, "values": v}
    for name, matrix in drawn.items():
        np.testing.assert_allclose(strip(root, name), matrix, rtol=0, atol=1e-12, err_msg=name)
    parts = numbers(root, ".//table[@class='row-step products']//td[@data-number]", "data-number")
    np.testing.assert_allclose(parts.reshape(5, 4), q[4] / np.log(2) * k, rtol=0, atol=1e-12)
    scores = numbers(root, ".//td[@data-score]", "data-score")
    np.testing.assert_allclose(scores * np.log(2), attention_scores(q, k)[4], rtol=0, atol=1e-12)
    powers = numbers(root, ".//b[@data-power]", "data-power")
    np.testing.assert_allclose(powers, np.exp(attention_scores(q, k)[4]), rtol=0, atol=1e-12)
    shares = numbers(root, ".//td[@data-weight]", "data-weight")
    np.testing.assert_allclose(shares, attention_weights(q, k)[4], rtol=0, atol=1e-12)
    np.testing.assert_allclose(shares, weights[4], rtol=0, atol=1e-12)
    assert root.find(".//td[@data-output]").get("data-output") == str(output[4].tolist())


def test_a_bar_has_a_block_for_every_part_and_the_budget_has_all_of_them(root):
    bars = root.findall(".//tbody//span[@class='blocks']")
    assert [len(bar.findall("i")) for bar in bars] == [2**score for score in (3, 2, 0, 1, 0)]
    budget = root.find(".//span[@class='budget']")
    assert [plain(part) for part in budget] == S5
    assert [len(part.findall(".//i")) for part in budget] == [len(bar.findall("i")) for bar in bars]
    shares = [row[-1] for row in rows(root, ".//table[@class='row-step shares']/tbody/tr")]
    assert shares == ["8/16 = 1/2", "4/16 = 1/4", "1/16", "2/16 = 1/8", "1/16"]


def test_every_step_says_what_its_figure_shows(root):
    says = [text(caption) for caption in root.iter("figcaption")]
    assert [line.split(".")[1].strip() for line in says] == ["Project", "Score", "Normalise", "Blend"]
    for line, words in zip(
        says,
        (
            "is the row (0, 0, 1, 0). Times WQ it becomes the query (1, 1, 0, 0).",
            "divide by \u221a4 = 2. The scores are cat 3, that 2, chased 0, dog 1, ran 0.",
            "here 16, are one budget, and every word has its share of it: cat 1/2, that 1/4, chased 1/16, dog 1/8, ran",
            "ran receives (5, 2): 5 parts cat and 2 parts dog.",
        ),
        strict=True,
    ):
        assert words in line
    assert text(root.find(".//output")) in says[0]
    assert "2 times as large: 1/2 against 1/4." in text(root.find(".//details"))


REFUSED = {
    "no whole doublings": ({"w_q": "W_Q1 * 0.3"}, "query", "whole doublings"),
    "a score below 0": ({"w_q": "-W_Q1"}, "query", "whole doublings"),
    "more parts than a phone can show": ({"w_q": "2 * W_Q1"}, "query", "at most 32 parts"),
    "who asks nothing": ({"query": "cat"}, "query", "asks nothing"),
    "an unknown word": ({"query": "bird"}, "query", "must be a word or an index"),
    "no plane": ({"w_v": "W_K"}, "w_v", "two features"),
    "a negative value": ({"w_v": "-W_V"}, "w_v", "neither negative"),
    "features of the row": ({"features": FEATURES | {"x": ["cat"]}}, "features", "x needs 4 names"),
    "features": ({"features": ["cat"]}, "features", "features is a mapping"),
}
test_it_refuses_what_it_cannot_draw = refuses(row_stepper.render, SPEC, REFUSED)
