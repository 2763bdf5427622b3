"""The call finder as it stands without a script: a part for each task, a row for each library, from the record."""

import json

from docs_ext.fences import call_finder
from docs_ext.records import translations
from docs_ext.records.translations import TASKS, libraries
from tests.site.fences.reading import read, text

SPEC = {"id": "f", "caption": "c"}
RECORD = json.loads(translations.RECORD.read_text("utf-8"))


def test_a_row_says_what_the_record_says():
    parts = read(call_finder.render(SPEC)).findall(".//tbody")
    assert [part.get("data-task") for part in parts] == list(TASKS)
    assert ["data-chosen" in part.attrib for part in parts] == [True] + [False] * (len(TASKS) - 1)
    for part in parts:
        assert text(part.find("tr[1]/th")) == TASKS[part.get("data-task")]
        rows = {row.get("data-library"): row for row in part.findall("tr")[1:]}
        assert list(rows) == list(libraries())
        for name, row in rows.items():
            entry = next(e for e in RECORD["snippets"] if (e["task"], e["library"]) == (part.get("data-task"), name))
            title, call, how, same = map(text, row)
            assert title == libraries()[name].title
            assert call == (entry["call"] or "\N{EN DASH}")
            assert how == call_finder.HOW[entry["kind"]]
            assert same == ("yes" if "out" in entry else "not run" if entry["code"] else "none")


def test_the_prediction_counts_the_record():
    answer = text(read(call_finder.render(SPEC)).find(".//details/p"))
    calls = [
        e for e in RECORD["snippets"] if e["task"] == "sink" and e["kind"] == "call" and e["library"] != "attention"
    ]
    assert answer.startswith(f"In {len(calls)}: ")
    assert all(libraries()[entry["library"]].title in answer for entry in calls)


def test_the_table_of_libraries_counts_what_ran_and_what_agrees():
    rows = translations.translations()
    assert [row["library"] for row in rows] == [one.title for one in libraries().values()][1:]
    for row, name in zip(rows, list(libraries())[1:], strict=True):
        ran = [entry for entry in RECORD["snippets"] if entry["library"] == name and "out" in entry]
        assert row["ran"] == f"{len(ran)} of {len(TASKS)}"
        assert row["equal to 1e-6"] == (str(len(ran)) if ran else "not run here")
