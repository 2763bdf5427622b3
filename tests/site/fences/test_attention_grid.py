"""The attention grid: its numbers, its words, its HTML, and the contrast of its colours."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from docs_ext.reading.words import MAX_WORDS
from tests.site.fences.reading import HEAD, Figure, text
from tests.tables import each_row

CSS = Path(__file__, "../../../../docs/assets/css/fences/attention-grid.css").resolve().read_text("utf-8")
GRID = Figure("attention-grid", **HEAD)


def cells_of(root):
    """Return every row of the body as pairs: printed words, attributes."""
    lines = root.findall(".//tbody/tr")
    return [[(text(cell).split() or [""], cell.attrib) for cell in line.findall("td")] for line in lines]


@each_row("spec, row, doublings, output", "attention_grid.toml")
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
    if output:
        assert " ".join(cells[-1][0]) == output


def test_the_style_sheet_shows_the_statement_of_every_possible_row():
    rules = re.findall(r":has\(tr:nth-child\((\d+)\) :checked\) p:nth-child\((\d+)\)", CSS)
    assert rules == [(str(row), str(row)) for row in range(1, MAX_WORDS + 1)]
