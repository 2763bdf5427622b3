"""What examples/record_conventions.py recorded: topics, libraries, and a cell for each pair of them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

RECORD = Path(__file__).parents[2] / "docs/assets/records/conventions.json"


@cache
def record() -> dict[str, Any]:
    """Return the record as it was written."""
    data: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return data


def attempts(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a cell; one that only documentation states is its own attempt, without a call."""
    calls: list[dict[str, Any]] = cell.get("runs", [cell])
    return calls


def word(readings: list[Any], cell: dict[str, Any]) -> str:
    """Say a cell in a word: its own, or what the readings of its topic make of its first result.

    >>> word([[[2.5], "attend"], [[2.0], "forbidden"]], {"runs": [{"gives": [2.0]}]})
    'forbidden'
    """
    if "word" in cell:
        return str(cell["word"])
    first = attempts(cell)[0].get("gives")
    found = [said for gives, said in readings if gives == first]
    if not found:
        raise ValueError(f"no reading fits {first}")
    return str(found[0])


def executed() -> tuple[int, int]:
    """Return how many cells were executed in their library, and how many there are."""
    cells = [cell for library in record()["libraries"].values() for cell in library["cells"].values()]
    return sum("runs" in cell for cell in cells), len(cells)
