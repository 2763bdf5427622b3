"""The order switch: its four cases against exact fractions, its HTML, and what it refuses."""

import json
from fractions import Fraction

import pytest

from docs_ext.extensions import fences
from docs_ext.fences import order_switch
from docs_ext.html import renderer
from tests.site.fences.reading import read, refuses, rows, text

LIVE = {"problems": {}, "message": ""}
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


def drawn(swap, positions, row=4):
    given = renderer.plain({"id": "o", "title": "c", **order_switch.data(SPEC)})
    state = {"swap": swap, "positions": positions, "row": row}
    return read(renderer.call("widgets/order-switch.js", "html", given, state, LIVE)["text"])


@pytest.mark.parametrize(("case", "expected"), CASES.items(), ids=str)
def test_every_case_shows_the_weights_of_its_sentence(case, expected):
    doublings, received = expected
    total = sum(Fraction(2) ** n for n in doublings)
    cells = drawn(*case).findall(".//tbody/tr")[4].findall("td")
    weights = [float(cell.get("data-weight")) for cell in cells[:-1]]
    assert weights == pytest.approx([float(Fraction(2) ** n / total) for n in doublings], rel=1e-12)
    assert text(cells[-1]) == f"({received[0]}, {received[1]})"


def test_every_case_is_told_in_a_sentence():
    assert [text(drawn(*case).findall(".//output")[1]) for case in CASES] == [
        "cat that chased dog ran, with positions: ran now carries 5 parts cat and 2 parts dog.",
        "cat that chased dog ran, without positions: ran now carries 3 parts cat and 3 parts dog.",
        "dog that chased cat ran, with positions: ran now carries 2 parts cat and 5 parts dog.",
        "dog that chased cat ran, without positions: ran now carries 3 parts cat and 3 parts dog.",
    ]


def test_the_grid_says_the_row_that_is_chosen_and_each_box_turns_its_switch():
    document = drawn("true", "true", 1)
    assert text(document.find(".//output")).startswith("Query that: dog 1/2, that 1/4, cat 1/8")
    boxes = document.findall(".//input[@type='checkbox']")
    assert [json.loads(box.get("data-set")) for box in boxes] == [{"swap": "false"}, {"positions": "false"}]


def test_all_four_cases_stand_below():
    document = read(fences.draw("order-switch", SPEC))
    assert [row[1:] for row in rows(document, ".//table[@class='numbers']/tbody/tr")] == [
        ["on", "5", "2"],
        ["off", "3", "3"],
        ["on", "2", "5"],
        ["off", "3", "3"],
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
test_what_does_not_fit_is_refused = refuses(order_switch.data, SPEC, REFUSED)
