"""The call finder as it is drawn: a part for each task, a row for each library, from the record."""

import json

from docs_ext.fences import call_finder
from docs_ext.records import translations
from docs_ext.records.translations import TASKS, libraries
from tests.site.fences.reading import Figure, answer, says, text

FINDER = Figure("call-finder")
RECORD = json.loads(translations.RECORD.read_text("utf-8"))["snippets"]


def test_a_row_says_what_the_record_says():
    parts = FINDER.still().findall(".//tbody")
    assert [part.get("data-task") for part in parts] == list(TASKS)
    assert ["data-chosen" in part.attrib for part in parts] == [True] + [False] * (len(TASKS) - 1)
    known = {(entry["task"], entry["library"]): entry for entry in RECORD}
    for part in parts:
        task = part.get("data-task")
        assert text(part.find("tr[1]/th")) == TASKS[task]
        rows = {row.get("data-library"): list(map(text, row)) for row in part.findall("tr")[1:]}
        assert list(rows) == list(libraries())
        for name, row in rows.items():
            entry = known[task, name]
            same = "yes" if "out" in entry else "not run" if entry["code"] else "none"
            how = call_finder.HOW[entry["kind"]]
            assert row == [libraries()[name].title, entry["call"] or "\N{EN DASH}", how, same]


def test_the_table_of_libraries_counts_what_ran_what_agrees_and_what_takes_one_call():
    rows = translations.translations()
    assert [row["library"] for row in rows] == [one.title for one in libraries().values()][1:]
    for row, name in zip(rows, list(libraries())[1:], strict=True):
        ran = [entry for entry in RECORD if entry["library"] == name and "out" in entry]
        assert row["ran"] == f"{len(ran)} of {len(TASKS)}"
        assert row["equal to 1e-6"] == (str(len(ran)) if ran else "not run here")
        calls = [entry for entry in RECORD if (entry["library"], entry["kind"]) == (name, "call")]
        assert row["in one call"] == str(len(calls))


def test_a_choice_shows_its_part_and_its_row_and_says_the_call():
    given = FINDER.given
    for entry in [one for i, one in enumerate(RECORD) if i % 3 == 0 or not one["call"]]:  # of every task and library
        root = FINDER.live(given, **{"task": entry["task"], "in": entry["library"]})
        (part,) = root.findall(".//tbody[@data-chosen]")
        assert part.get("data-task") == entry["task"]
        assert {row.get("data-library") for row in root.findall(".//tr[@data-chosen]")} == {entry["library"]}
        title, name = TASKS[entry["task"]], libraries()[entry["library"]].title.replace("This", "this")
        call = f"{entry['call']} ({call_finder.HOW[entry['kind']]})" if entry["call"] else "there is no way"
        assert says(root) == " ".join(f"{title[0].upper()}{title[1:]} in {name}: {call}.".split())


def test_the_prediction_counts_the_record():
    calls = [e for e in RECORD if (e["task"], e["kind"]) == ("sink", "call") and e["library"] != "attention"]
    found = answer(FINDER.still())
    assert found.startswith(f"In {len(calls)}: ")
    assert all(libraries()[entry["library"]].title in found for entry in calls)
