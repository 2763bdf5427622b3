"""The order switch: its four cases against exact fractions, what it says of them, and what it refuses."""

import json
from fractions import Fraction

import pytest

from tests.site.fences.reading import Figure, rows, text

SWITCH = Figure.sound("order-switch")
CASES = {  # swapped, positions: doublings of ran, what it receives, and what is said
    ("false", "true"): ((3, 2, 0, 1, 0), (5, 2), "cats who chased dogs ran, with positions: "),
    ("false", "false"): ((1, 1, 0, 1, 0), (3, 3), "cats who chased dogs ran, without positions: "),
    ("true", "true"): ((3, 2, 0, 1, 0), (2, 5), "dogs who chased cats ran, with positions: "),
    ("true", "false"): ((1, 1, 0, 1, 0), (3, 3), "dogs who chased cats ran, without positions: "),
}


@pytest.mark.parametrize(("case", "expected"), CASES.items(), ids=str)
def test_every_case_shows_and_says_the_weights_of_its_sentence(case, expected):
    doublings, (one, other), sentence = expected
    root = SWITCH.live(swap=case[0], positions=case[1])
    arcs = {int(path.get("data-key")): float(path.get("stroke-width")) / 28 for path in root.findall(".//{*}path")}
    powers = [Fraction(2) ** n for n in doublings]
    assert arcs == pytest.approx({key: power / sum(powers) for key, power in enumerate(powers)}, abs=1e-4)
    says = root.find(".//output")
    assert text(says) == f"{sentence}ran now carries {one} parts cats and {other} parts dogs."


def test_a_switch_keeps_the_word_and_leaves_the_case_before_as_a_ghost():
    start = SWITCH.live(row=0)
    swap = json.loads(start.find(".//input[@type='checkbox']").get("data-set"))
    assert swap == {"swap": "true", "row": 3, "was": 0}
    root = SWITCH.live(**swap)
    ghost = {
        int(path.get("data-key")): float(path.get("stroke-width")) for path in root.find(".//{*}g[@class='ghost']")
    }
    pills = [text(pill) for pill in root.findall(".//{*}text[@class='number']")]
    assert sorted(pills) == ["1/11", "2/11", "2/11", "2/11", "4/11"]
    assert ghost == pytest.approx({0: 28 * 4 / 11, 1: 56 / 11, 2: 56 / 11, 3: 28 / 11, 4: 56 / 11}, abs=1e-3)


def test_a_swap_without_positions_changes_nothing_for_any_word():
    first, second, third, fourth = (row[1:] for row in rows(SWITCH.still(), ".//tbody/tr"))
    assert (second, first == third) == (fourth, False)
