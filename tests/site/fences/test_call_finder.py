"""The call finder as it is drawn: a part for each task, a row for each library, from the record."""

import json

from docs_ext.extensions import fences
from docs_ext.fences import call_finder
from docs_ext.html import renderer
from docs_ext.records import translations
from docs_ext.records.translations import TASKS, libraries
from tests.site.fences.reading import read, text

SPEC = {"id": "f", "caption": "c"}
RECORD = json.loads(translations.RECORD.read_text("utf-8"))
DRAWN = read(fences.draw("call-finder", SPEC))


def test_a_row_says_what_the_record_says():
    parts = DRAWN.findall(".//tbody")
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


def test_a_choice_shows_its_part_and_its_row_and_says_the_call():
    given, live = {"id": "f", "title": "c", **call_finder.data(SPEC)}, {"problems": {}, "message": ""}
    some = [one for i, one in enumerate(RECORD["snippets"]) if i % 3 == 0 or not one["call"]]
    for entry in some:  # of every task and every library
        state = {"task": entry["task"], "in": entry["library"]}
        root = read(renderer.call("widgets/call-finder.js", "html", given, state, live)["text"])
        (part,) = root.findall(".//tbody[@data-chosen]")
        assert part.get("data-task") == entry["task"]
        assert {row.get("data-library") for row in root.findall(".//tr[@data-chosen]")} == {entry["library"]}
        title, name = TASKS[entry["task"]], libraries()[entry["library"]].title.replace("This", "this")
        call = f"{entry['call']} ({call_finder.HOW[entry['kind']]})" if entry["call"] else "there is no way"
        assert text(root.find(".//output")) == " ".join(f"{title[0].upper()}{title[1:]} in {name}: {call}.".split())


def test_the_prediction_counts_the_record():
    answer = text(DRAWN.find(".//details/p"))
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
