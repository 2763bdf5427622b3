"""The mask painter: what its script draws against exact fractions and the package, and what it refuses."""

import json

import numpy as np

from attention import attention_weights
from attention.example import SENTENCE
from tests.site.fences.reading import Figure, text

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


def test_the_mask_is_causal_at_first_and_one_press_lets_all_words_look_ahead():
    causal = "".join("01"[j <= i] for i in range(5) for j in range(5))
    assert PAINTER.call("first", PAINTER.given)["mask"] == causal
    radios = PAINTER.live().findall(".//input[@name='mask'][@type='radio']")
    assert [radio.get("value") for radio in radios] == [causal, "1" * 25]


def test_each_cell_is_a_switch_that_paints_it_and_tells_its_row():
    boxes = PAINTER.live(mask="1" * 25).findall(".//tbody//input[@role='switch']")
    for cell, box in enumerate(boxes):
        assert box.get("aria-label") == f"{SENTENCE[cell // 5]} may look at {SENTENCE[cell % 5]}"
        assert json.loads(box.get("data-set")) == {"mask": "1" * cell + "0" + "1" * (24 - cell), "row": cell // 5}
    assert [n for n, box in enumerate(boxes) if box.get("tabindex") == "0"] == [0]  # one stop of Tab


def test_a_cell_has_one_number_and_the_budget_of_the_row_is_packed_into_one_bar():
    root = PAINTER.live(row=1, mask="1" * 25)
    assert all(len(text(cell).split()) == 1 for cell in root.findall(".//tbody//td[@data-weight]"))
    parts = [(text(part), part.get("style")) for part in root.findall(".//*[@class='packed']/i")]
    flows = [(path.get("style"), path.get("d")) for path in root.findall(".//{*}svg/{*}path")]
    assert flows[1] == ("--w:0.25", "M1 0h1L3.75 1H2.5Z")  # from the second column to what is 5 times 8/16 to 12/16
    assert len(PAINTER.live(row=0).findall(".//{*}svg/{*}path")) == 1  # nothing flows from where nobody looks
    assert parts == [(word, f"--w:{n / 16:g}") for word, n in zip(SENTENCE, (8, 4, 1, 2, 1), strict=True)]
