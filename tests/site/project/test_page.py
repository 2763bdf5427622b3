"""`make page`: each kind of mistake is told with its cause, page and line, and nothing else is."""

import re
from pathlib import Path

import pytest

from tools.page import faults, found, main

NAME = "learn/engineering.md"  # of which no citation is recorded
PAGE = Path(__file__).with_name("sound.markdown").read_text("utf-8")
FAULTS = {  # what is wrong: what stands there, what to put there, the cause, what must be said
    "no YAML": ("caption: A question", "caption: A: question", "the build", r":20: soft-lookup: YAML: .*quote"),
    "an unknown key": ("asks: cats", "asked: cats", "the build", r":2\d: soft-lookup: .*'asked'.*'asks'"),
    "an open fence": ("asks: cats\n```", "asks: cats", "the build", r":19: .* has no end"),
    "no such page": ("(queries-keys-values.md#", "(nowhere.md#", "the build", r":11: .*'nowhere\.md"),
    "no such anchor": ("#a-dot-product", "#what", "the build", r":11: .*no.*anchor '#what"),
    "no such function": ("numerics.softmax]", "numerics.softmin]", "the build", r":10: nothing is .*\.softmin$"),
    "no such lesson": ("needs: []", "needs: [nothing]", "the build", r"no lesson before it is 'nothing'"),
    "a wrong output": ("0.6177\n\n", "0.6178\n\n", "examples", r":14: 0\.6177 \+ 0 gives 0\.6177, not 0\.6178"),
    "no blank line": ("0.6177\n\n", "0.6177\n", "examples", r":14: .* gives 0\.6177, not .*blank line"),
    "a wrong number": ("gives 62%", "gives 61%", "numbers", ":11: nothing bears out 61%"),
    "a stale mark": ("gives 62%.", "gives 62%.\n<!-- check: 63% = x -->", "numbers", ":12: the text has no 63%"),
    "no such source": ("#su2021)", "#su2012)", "the build", r":10: .*no.*anchor '#su2012'"),
    "another section": ("md#su2021)", "md#su2021), §3", "citations", "engineering.md: cites §3 of su2021: compare"),
    "a term too early": ("It is read", "It has a roofline", "terms", r":10: roofline comes with learn/speed\.md"),
    "too long": ("It is read", "It is read " + 3000 * "again ", "minutes", r": \d\d\.\d minutes, of 20: 3\d\d\d words"),
}


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
