"""The mask painter: what its script draws against exact fractions and the package, and what it refuses."""

import json

import numpy as np

from attention import attention_weights
from attention.example import SENTENCE
from tests.site.fences.reading import Figure

PAINTER = Figure.sound("mask-painter")


@PAINTER.on_500_states
def test_500_masks_give_what_the_package_computes(rng):
    n = int(rng.integers(1, 7))
    q, k, v = rng.standard_normal((3, n, 3))
    mask = rng.random((n, n)) < rng.choice([0, 0.3, 0.7, 1])
    bits = "".join("01"[int(allowed)] for allowed in mask.flat)
    weights = attention_weights(q, k, mask=mask)
    expected = {"mask": mask, "weights": weights, "outputs": weights @ v, "seen": np.diagonal(mask, 1)}
    return {"words": list("abcdef"[:n]), "q": q, "k": k, "v": v}, {"mask": bits, "row": 0}, expected


def test_each_cell_is_a_switch_that_paints_it_and_tells_its_row():
    boxes = PAINTER.live(mask="1" * 25).findall(".//tbody//input[@role='switch']")
    for cell, box in enumerate(boxes):
        assert box.get("aria-label") == f"{SENTENCE[cell // 5]} may look at {SENTENCE[cell % 5]}"
        assert json.loads(box.get("data-set")) == {"mask": "1" * cell + "0" + "1" * (24 - cell), "row": cell // 5}
    assert [n for n, box in enumerate(boxes) if box.get("tabindex") == "0"] == [0]  # one stop of Tab
