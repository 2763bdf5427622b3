"""The order switch: its four cases against exact fractions, what it says of them, and what it refuses."""

import json
from fractions import Fraction

import pytest

from tests.site.fences.reading import Figure, rows, text
from tests.tables import each_row

SWITCH = Figure.sound("order-switch")


@each_row("swap, positions, doublings, receives, sentence", "order_switch.toml")
def test_every_case_shows_and_says_the_weights_of_its_sentence(swap, positions, doublings, receives, sentence):
    root = SWITCH.live(swap=swap, positions=positions)
    arcs = {int(path.get("data-key")): float(path.get("stroke-width")) / 28 for path in root.findall(".//{*}path")}
    powers = [Fraction(2) ** n for n in doublings]
    assert arcs == pytest.approx({key: power / sum(powers) for key, power in enumerate(powers)}, abs=1e-4)
    says = root.find(".//output")
    assert text(says) == f"{sentence}ran now carries {receives[0]} parts cats and {receives[1]} parts dogs."


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
