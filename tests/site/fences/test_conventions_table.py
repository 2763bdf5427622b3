"""Conventions: every cell of the record can be read, reached and unfolded, without a script."""

import pytest

from docs_ext.fences import conventions_table
from docs_ext.records import conventions
from tests.site.fences.reading import SOUND, read, text

RECORD = conventions.record()
LIBRARIES = RECORD["libraries"]
SPEC = {"id": "causal"} | SOUND["conventions-table"]["sound"]


def shown(topic):
    return read(conventions_table.render({"id": topic, "show": topic}))


@pytest.fixture(scope="module")
def overview():
    return read(conventions_table.render({"id": "x", "show": "overview"}))


def test_the_overview_has_a_word_for_each_cell_that_leads_to_its_row(overview):
    targets = {element.get("id") for topic in RECORD["topics"] for element in shown(topic).iter() if element.get("id")}
    rows = overview.findall(".//tbody/tr")
    assert len(rows) == len(RECORD["topics"])
    for topic, row in zip(RECORD["topics"], rows, strict=True):
        was_read = ["runs" not in library["cells"][topic] for library in LIBRARIES.values()]
        assert [cell.get("class") == "read" for cell in row.findall("td")] == was_read
        for link in row.findall(".//a"):
            assert text(link)
            assert link.get("href")[1:] in targets


@pytest.mark.parametrize("topic", RECORD["topics"])
def test_a_row_shows_every_call_every_result_and_the_call_here(topic):
    root = shown(topic)
    assert text(root.find(".//pre")) == " ".join(RECORD["topics"][topic]["given"].split())
    rows = root.findall(".//tbody/tr")
    assert [row.get("id") for row in rows] == [f"{topic}-{stem.replace('_', '-')}" for stem in LIBRARIES]
    for row, library in zip(rows, LIBRARIES.values(), strict=True):
        cell = library["cells"][topic]
        assert text(row.find("th/a")) == library["name"]
        codes = [text(code) for code in row.findall(".//pre")]
        results = [text(result) for result in row.findall(".//p[@class='result']")]
        for attempt, result in zip(conventions.attempts(cell), results, strict=True):
            for key in ("call", "here"):
                assert " ".join(attempt.get(key, "").split()) in [*codes, ""]
            assert attempt.get("differs", "") in text(row)
            said = result.rpartition(": ")[2]
            if "gives" in attempt:
                assert [str(entry) if isinstance(entry, str) else float(entry) for entry in attempt["gives"]] == [
                    float(entry) if isinstance(known, float) else entry
                    for entry, known in zip(said.split(", "), attempt["gives"], strict=True)
                ]
            elif "raises" in attempt:
                assert " ".join(attempt["raises"].split()) in result
        assert ("Read, not executed" in text(row)) == ("runs" not in cell)
