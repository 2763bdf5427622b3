"""The package against what libraries answered, as examples/record_conventions.py recorded it."""

import json
import re
from functools import cache

import numpy as np
import pytest

import attention
from examples import record_conventions
from tests.site.pages import ROOT

RECORD = json.loads(record_conventions.RECORD.read_text(encoding="utf-8"))
TABLES = {stem: record_conventions.table(stem) for stem in record_conventions.LIBRARIES}
CELLS = {
    (stem, topic): cell for stem in RECORD["libraries"] for topic, cell in RECORD["libraries"][stem]["cells"].items()
}
CLOSE = 1.5 * 10.0**-record_conventions.DIGITS  # two roundings, of single precision


def attempts(record):
    """Yield label, topic, what was recorded and what the table states, for each call and each cell without one."""
    for stem, library in record["libraries"].items():
        for topic, cell in library["cells"].items():
            stated = TABLES[stem][topic]
            for number, attempt in enumerate(cell.get("runs", [cell])):
                yield f"{stem}, {topic}, {number}", topic, attempt, stated.get("runs", [stated])[number]


@cache
def here(topic, code):
    """Execute the call of this package on what the topic gives."""
    names = {"np": np} | {name: getattr(attention, name) for name in attention.__all__}
    exec(RECORD["topics"][topic]["given"], names)
    return record_conventions.plain(record_conventions.execute(code, names))


def agree(one, other):
    words = [[entry for entry in row if isinstance(entry, str)] for row in (one, other)]
    numbers = [[entry for entry in row if not isinstance(entry, str)] for row in (one, other)]
    return (
        words[0] == words[1]
        and [isinstance(entry, str) for entry in one] == [isinstance(entry, str) for entry in other]
        and np.allclose(*numbers, rtol=0, atol=CLOSE)
    )


def complaint(topic, attempt, stated):
    """Say what is wrong with a recorded result: it is what this package gives, or else what its table states."""
    if "raises" in attempt or "raises" in stated:
        return "" if attempt.get("raises") == stated.get("raises") else "another error than its table states"
    if "gives" in stated and not agree(attempt["gives"], stated["gives"]):
        return "another result than its table states"
    if "gives" in attempt and not attempt.keys() & {"here", "differs"}:
        return "neither a call here nor a reason why there is none"
    if "here" in attempt and not agree(attempt["gives"], here(topic, attempt["here"])):
        return "the call here gives something else"
    return ""


ATTEMPTS = {label: case for label, *case in attempts(RECORD)}


@pytest.mark.parametrize(("topic", "attempt", "stated"), ATTEMPTS.values(), ids=ATTEMPTS)
def test_the_call_here_gives_what_the_library_gave(topic, attempt, stated):
    assert complaint(topic, attempt, stated) == ""


def test_the_record_holds_what_the_tables_say_and_no_call_that_was_not_executed():
    assert RECORD["topics"] == record_conventions.table("topics")
    assert list(RECORD["libraries"]) == record_conventions.LIBRARIES
    assert set(CELLS) == {(stem, topic) for stem in TABLES for topic in RECORD["topics"]}
    for stem, library in RECORD["libraries"].items():
        results = {
            f"{topic} {number}": {key: run[key] for key in ("gives", "raises") if key in run}
            for topic, cell in library["cells"].items()
            for number, run in enumerate(cell.get("runs", ()))
        }
        assert library == record_conventions.library(stem, results, library["versions"])
        assert set(library["versions"]) == set(TABLES[stem]["packages"])


def test_the_page_shows_every_topic_in_the_order_of_the_record():
    page = (ROOT / "docs/reference/conventions.md").read_text("utf-8")
    shown = re.findall(r"^show: (\S+)$", page, re.MULTILINE)
    assert shown == ["overview", *RECORD["topics"], "libraries"]
    assert re.findall(r"^id: (\S+)$", page, re.MULTILINE)[1:-1] == list(RECORD["topics"])
