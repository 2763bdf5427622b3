"""The order switch: its four cases against exact fractions, its HTML, and what it refuses."""

import json
from fractions import Fraction

import pytest

from docs_ext.fences import order_switch
from tests.site.fences.reading import read, refuses, text

SPEC = {
    "id": "o",
    "caption": "c",
    "sentences": ["S5", "T5"],
    "positions": "EARLY5",
    "w_q": "W_Q1",
    "w_k": "W_K",
    "w_v": "W_V",
    "parts": ["cat", "dog"],
}
CASES = {  # swapped, positions: doublings of ran, and what it receives
    ("false", "true"): ((3, 2, 0, 1, 0), (5, 2)),
    ("false", "false"): ((1, 1, 0, 1, 0), (3, 3)),
    ("true", "true"): ((3, 2, 0, 1, 0), (2, 5)),
    ("true", "false"): ((1, 1, 0, 1, 0), (3, 3)),
}


def parse(spec):
    return read(order_switch.render(spec))


def last_row(grid):
    cells = grid.findall(".//tbody/tr")[-1].findall("td")
    return [float(cell.get("data-weight")) for cell in cells[:-1]], json.loads(cells[-1].get("data-output"))


def test_every_case_holds_the_weights_of_its_sentence():
    templates = parse(SPEC).findall(".//template")
    assert [(t.get("data-swap"), t.get("data-positions")) for t in templates] == list(CASES)
    for template, (doublings, received) in zip(templates, CASES.values(), strict=True):
        total = sum(Fraction(2) ** n for n in doublings)
        weights, output = last_row(template)
        assert weights == pytest.approx([float(Fraction(2) ** n / total) for n in doublings], rel=1e-12)
        assert output == pytest.approx(received, rel=1e-12)


def test_every_case_is_told_in_a_sentence():
    spans = [template.findall("span")[-1] for template in parse(SPEC).findall(".//template")]
    assert list(map(text, spans)) == [
        "cat that chased dog ran, with positions: ran now carries 5 parts cat and 2 parts dog.",
        "cat that chased dog ran, without positions: ran now carries 3 parts cat and 3 parts dog.",
        "dog that chased cat ran, with positions: ran now carries 2 parts cat and 5 parts dog.",
        "dog that chased cat ran, without positions: ran now carries 3 parts cat and 3 parts dog.",
    ]


REFUSED = {
    "one sentence": ({"sentences": "S5"}, "sentences", "two"),
    "the same sentence": ({"sentences": ["S5", "S5"]}, "sentences", "two words swapped"),
    "another sentence": ({"sentences": ["S5", "S7"]}, "sentences", "two words swapped"),
    "more than a swap": (
        {"sentences": ["S5", ["cat", "that", "dog", "chased", "cat"]]},
        "sentences",
        "two words swapped",
    ),
    "a number": ({"sentences": [["a", 1], ["a", 1]]}, "sentences", "list of words"),
    "too few parts": ({"parts": ["cat"]}, "parts", "every column"),
    "unknown word": ({"selected": "cow"}, "selected", "'cow'"),
    "unknown positions": ({"positions": "EARLY9"}, "positions", "EARLY9"),
    "another width": ({"w_q": "np.eye(3)"}, None, "(3, 3)"),
}
test_what_does_not_fit_is_refused = refuses(order_switch.render, SPEC, REFUSED)
