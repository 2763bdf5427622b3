"""The order switch: its four cases against exact fractions, what it says of them, and what it refuses."""

from fractions import Fraction

import pytest

from tests.site.fences.reading import Figure, text

MATRICES = {"positions": "EARLY", "w_q": "W_Q1", "w_k": "W_K", "w_v": "W_V"}
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
    cells = root.findall(".//tbody/tr")[4].findall("td")
    weights = [float(cell.get("data-weight")) for cell in cells[:-1]]
    powers = [Fraction(2) ** n for n in doublings]
    assert weights == pytest.approx([float(power / sum(powers)) for power in powers], rel=1e-12)
    assert text(cells[-1]) == f"({one}, {other})"
    assert text(root.findall(".//output")[1]) == f"{sentence}ran now carries {one} parts cats and {other} parts dogs."
