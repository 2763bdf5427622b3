"""`make page`: each kind of mistake is told with its cause, page and line, and nothing else is."""

import re

import pytest

from tests.tables import beside
from tools.page import faults, found, main

NAME = "learn/engineering.md"  # of which no citation is recorded
PAGE = beside(__file__, "sound.markdown")
FAULTS = beside(__file__, "faults.toml")
FAULTS["too long"] = (
    "It is read",
    "It is read " + 3000 * "again ",
    "minutes",
    r": \d\d\.\d minutes, of 20: 3\d\d\d words",
)


def test_a_sound_page_has_no_faults():
    assert list(faults(NAME, PAGE)) == []


@pytest.mark.parametrize(("sound", "faulty", "cause", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_its_cause_and_its_place(sound, faulty, cause, message):
    assert PAGE.count(sound) == 1
    told = list(faults(NAME, PAGE.replace(sound, faulty)))
    assert told, "nothing was noticed"
    assert told[0][0] == cause
    assert re.search(message, told[0][1]), told
    assert told[0][1].startswith(NAME) or "no lesson" in told[0][1]


def test_a_page_goes_by_its_name_and_a_lesson_comes_first(capsys):
    assert found("masks") == found("docs/learn/masks.md") == "learn/masks.md"
    assert found("reference/masks") == "reference/masks.md"
    assert main(["loookup"]) == 1
    assert "did you mean 'lookup'?" in capsys.readouterr().out
