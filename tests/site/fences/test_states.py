"""What a figure shows in a state, as words and attributes: states.yaml. Whatever is computed, test_<fence>.py has."""

from pathlib import Path

import pytest
import yaml

from tests.site.fences.reading import SOUND, Figure, plain, rows

STATES = [
    pytest.param(entry, case, id=f"{entry}: {label}")
    for entry, cases in yaml.safe_load(Path(__file__).with_name("states.yaml").read_text("utf-8")).items()
    for label, case in cases.items()
]


def found(root, where, of_rows):
    """Read the elements at a path: their words, an attribute of each, or the words of each cell of a row."""
    path, _, attribute = where.partition(" @")
    if of_rows:
        return rows(root, path)
    return [element.get(attribute) if attribute else plain(element) for element in root.findall(path)]


@pytest.mark.parametrize(("entry", "case"), STATES)
def test_what_a_state_shows(entry, case):
    figure = Figure(entry, **SOUND[entry]["sound"] | case.get("spec", {}))
    root = figure.live(**case["live"]) if "live" in case else figure.still()
    for where, expected in case.get("shows", {}).items():
        of_rows = bool(expected) and isinstance(expected[0], list)
        assert found(root, where, of_rows=of_rows) == expected, where
    for where, pieces in case.get("holds", {}).items():
        (words,) = found(root, where, of_rows=False)
        assert not [piece for piece in pieces if piece not in words], words
