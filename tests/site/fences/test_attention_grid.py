"""The attention grid: its numbers, its words, its HTML, and the contrast of its colours."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from docs_ext.html.rounding import vector
from docs_ext.reading.words import MAX_WORDS
from tests.site.fences.reading import HEAD, Figure, text

CSS = Path(__file__, "../../../../docs/assets/css/fences/attention-grid.css").resolve().read_text("utf-8")
GRID = Figure("attention-grid", **HEAD)
CAUSAL = {"options": {"is_causal": True}}


def cells_of(root):
    """Return every row of the body as pairs: printed words, attributes."""
    lines = root.findall(".//tbody/tr")
    return [[(text(cell).split() or [""], cell.attrib) for cell in line.findall("td")] for line in lines]


@pytest.mark.parametrize(
    ("spec", "row", "doublings", "output"),
    [
        ({}, 4, (3, 2, 0, 1, 0), (5, 2)),
        ({}, 0, (-1, 0, 0, 1, 0), (16 / 11, 40 / 11)),
        (CAUSAL, 2, (3, 2, 0), (80 / 13, 16 / 13)),
        ({"options": {"scale": "1.0"}}, 4, (6, 4, 0, 2, 0), None),
    ],
    ids=["ran", "cats", "causal chased", "scale forgotten"],
)
def test_cells_hold_exact_fractions(spec, row, doublings, output):
    cells, powers = cells_of(GRID.still(**spec))[row], [Fraction(2) ** n for n in doublings]
    for (printed, attributes), power in zip(cells, powers, strict=False):
        weight = power / sum(powers)
        if weight.denominator <= 200:
            assert Fraction(printed[0]) == weight
        assert float(attributes["data-weight"]) == pytest.approx(float(weight), rel=1e-12)
        assert attributes["style"] == f"--w:{attributes['data-weight']}"
    masked = cells[len(powers) : -1]
    assert all("data-masked" in attributes and printed[-1].endswith("masked") for printed, attributes in masked)
    if output is not None:
        assert " ".join(cells[-1][0]) == vector(output)


def test_the_style_sheet_shows_the_statement_of_every_possible_row():
    rules = re.findall(r":has\(tr:nth-child\((\d+)\) :checked\) p:nth-child\((\d+)\)", CSS)
    assert rules == [(str(row), str(row)) for row in range(1, MAX_WORDS + 1)]
