"""The mask painter: what its script draws against exact fractions and the package, and what it refuses."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np

from attention import attention_weights
from attention.example import SENTENCE
from tests.site.fences.reading import HEAD, Figure, says, text

PAINTER = Figure(
    "mask-painter",
    **HEAD,
    predict={"row": "chased", "forbid": "cats"},
)


def test_the_grid_begins_with_the_causal_mask():
    rows = PAINTER.still().findall(".//tbody/tr")
    early = [3, 2, 0, 1, 0]
    doublings = [[-1, 0, 0, 1, 0], early, early, [1, 0, 0, -1, 0], early]
    for i, (row, scores) in enumerate(zip(rows, doublings, strict=True)):
        found = [Fraction(cell.get("data-weight")).limit_denominator(99) for cell in row.findall("td")[:-1]]
        powers = [Fraction(2) ** score if j <= i else 0 for j, score in enumerate(scores)]
        assert found == [Fraction(power, sum(powers)) for power in powers]
    assert [n for n, cell in enumerate(rows[1].findall("td")) if "data-masked" in cell.attrib] == [2, 3, 4]
    outputs = [text(row.find("td[@class='output']")) for row in rows]
    assert outputs == ["(8, 0)", "(20/3, 4/3)", "(80/13, 16/13)", "(40/9, 16/9)", "(5, 2)"]


@PAINTER.on_500_states
def test_500_masks_give_what_the_package_computes(rng):
    n = int(rng.integers(1, 7))
    q, k, v = rng.standard_normal((3, n, 3))
    mask = rng.random((n, n)) < rng.choice([0, 0.3, 0.7, 1])
    bits = "".join("01"[int(allowed)] for allowed in mask.flat)
    weights = attention_weights(q, k, mask=mask)
    expected = {"mask": mask, "weights": weights, "outputs": weights @ v, "seen": np.diagonal(mask, 1)}
    return {"words": list("abcdef"[:n]), "q": q, "k": k, "v": v}, {"mask": bits, "row": 0}, expected


def test_each_box_paints_its_own_cell_and_tells_its_row():
    labels = PAINTER.live(mask="1" * 25).findall(".//tbody//label")
    boxes = [label.find("input") for label in labels]
    for cell, (label, box) in enumerate(zip(labels, boxes, strict=True)):
        row, key = SENTENCE[cell // 5], SENTENCE[cell % 5]
        assert text(label).startswith(f"{row} may look at {key}: ")
        assert json.loads(box.get("data-set")) == {"mask": "1" * cell + "0" + "1" * (24 - cell), "row": cell // 5}
    assert [n for n, box in enumerate(boxes) if box.get("tabindex") == "0"] == [0]  # one stop of Tab


def test_a_row_has_the_next_word_to_guess_unless_it_sees_it():
    root = PAINTER.still(selected="who")
    guesses = [f"{word} \N{RIGHTWARDS ARROW} {answer} ?" for word, answer in pairwise(SENTENCE)]
    assert [text(row.find("th")) for row in root.findall(".//tbody/tr")] == [*guesses, "ran"]
    assert [n for n, row in enumerate(root.findall(".//tbody/tr")) if "data-chosen" in row.attrib] == [1]
    shares = "who: cats 2/3, who 1/3; masked: chased, dogs, ran; sum 1; output (20/3, 4/3). "
    assert says(root) == shares + "It has to guess chased; 0 of the 4 answers can be read off."
    root = PAINTER.live(row=1, mask="1" * 25)  # the other preset
    chosen = [text(label) for label in root.iter("label") if label.find("input[@name='mask'][@checked]") is not None]
    assert chosen == ["every word may look ahead"]
    assert says(root).endswith("so it has nothing to guess; 4 of the 4 answers can be read off.")
    assert text(root).count("\N{CHECK MARK}") == 5  # and in the legend


test_what_does_not_fit_is_refused = PAINTER.refuses(
    {
        "no values": ({"w_v": None}, None, "give v"),
        "predict what": ({"predict": "chased"}, "predict", "predict is a mapping"),
        "forbidden already": ({"predict": {"row": "cats", "forbid": "dogs"}}, "predict", "already"),
    }
)
