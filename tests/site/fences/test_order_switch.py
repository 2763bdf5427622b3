"""The order switch: its four cases against exact fractions, its HTML, and what it refuses."""

import json
from fractions import Fraction

import pytest

from docs_ext.fences import order_switch
from tests.site.fences.reading import read, refuses, rows, text

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


def test_another_word_may_be_told():
    assert "<em>that</em> now carries <strong>5 parts cat and 2 parts dog</strong>" in order_switch.render(
        SPEC | {"selected": "that"}
    )


def test_what_is_seen_first_is_the_first_case():
    widget = parse(SPEC).find(".//order-switch")
    shown = next(child for child in widget if child.get("class") == "attention-grid")
    first = widget.find("template").find("div")
    assert last_row(shown) == last_row(first)
    assert text(shown) == text(first)
    assert text(widget.find("output")) == text(widget.find("template").findall("span")[-1])
    boxes = {box.get("name"): "checked" in box.attrib for box in widget.findall("div[@class='widget-controls']//input")}
    assert boxes == {"swap": False, "positions": True}
    assert [text(label) for label in widget.findall("div[@class='widget-controls']/label")] == [
        "Swap cat and dog",
        "Words know their positions",
    ]


def test_a_table_shows_all_cases():
    table = parse(SPEC).find(".//details//table")
    assert text(table.find("caption")) == "What ran receives, in parts cat and parts dog"
    assert [text(cell) for cell in table.findall("thead/tr/th")] == ["sentence", "positions", "cat", "dog"]
    cells = [["on", "5", "2"], ["off", "3", "3"], ["on", "2", "5"], ["off", "3", "3"]]
    assert [row[1:] for row in rows(table, "tbody/tr")] == cells


def test_no_id_is_there_twice_and_all_grids_share_one_place_in_the_address():
    root = parse(SPEC)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) > 40
    assert {element.get("data-state") for element in root.iter("attention-grid")} == {"o"}


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
