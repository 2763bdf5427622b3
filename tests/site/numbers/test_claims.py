"""Numbers in the text of a page: results are borne out, names need nothing, and a changed result is noticed."""

import re

import pytest

from docs_ext.errors import SpecError
from docs_ext.records import facts
from tests.tables import beside, each_row
from tools.numbers.claims import check

PAGE = beside(__file__, "trial.markdown")
FACTS = "vaswani2017:\n  vocabulary: {value: 37400, place: §5.1}\n"


@pytest.fixture(autouse=True)
def _facts(tmp_path, monkeypatch):
    (tmp_path / "facts.yml").write_text(FACTS, "utf-8")
    monkeypatch.setattr(facts, "FILE", tmp_path / "facts.yml")


def wrong(old="", new=""):
    assert not old or PAGE.count(old) == 1
    return check("trial.md", PAGE.replace(old, new) if old else PAGE).wrong


def test_every_result_of_the_page_is_borne_out_in_its_way():
    assert not wrong()
    by = {number.by for number in check("trial.md", PAGE).found if number.is_result}
    assert by == {"mark", "given", "example", "running example", "equation", "fact"}


@each_row("old, new", "trial.toml", "noticed")
def test_a_result_that_is_changed_is_noticed(old, new):
    assert wrong(old, new)


@each_row("old, new", "trial.toml", "need_nothing")
def test_names_need_nothing(old, new):
    assert not wrong(old, new)


def test_a_page_by_a_stranger_needs_no_mark():
    page = (
        "# T\n\nIts weights are 0.62 and 0.38, so the blend is 5.\n\n```pycon\n>>> print([0.6177, 0.3823], 5)\n\n```\n"
    )
    assert not check("new.md", page).wrong
    (line,) = check("new.md", page.replace("0.62 and", "0.63 and")).wrong
    assert line == (
        "new.md:3: nothing bears out 0.63: let an example of this section print it, or say behind the paragraph where "
        "it comes from: <!-- check: 0.63 = weights[0] -->, in a fence # check: 0.63 = weights[0]"
    )


@each_row("old, new, words", "trial.toml", "told")
def test_what_is_wrong_is_named_with_page_and_line(old, new, words):
    assert any(re.match(words, line) for line in wrong(old, new)), wrong(old, new)


def test_a_mark_that_no_longer_fits_is_all_that_is_said_of_its_paragraph():
    (line,) = wrong("is 1/2,", "is 1/3,")
    assert line == "trial.md:21: the text has no 1/2"


def test_a_number_that_no_float_can_hold_is_told_in_one_line():
    for number in ("10^{434}", "1.5e999"):
        (line,) = check("new.md", f"# T\n\nThere are ${number}$ times as many.\n").wrong
        assert line.startswith(f"new.md:3: {number} is larger than any float")


def test_a_check_in_a_fence_may_go_on_and_names_its_line():
    assert any("trial.md:36: the text has no 99" in line for line in wrong("10 * 3", "10 * 3; 99 = max(w)"))


def test_a_mark_without_a_paragraph_or_without_an_end_stops():
    with pytest.raises(SpecError, match=r"trial\.md:3: a check stands behind the paragraph"):
        check("trial.md", "\n\n<!-- check: 4 = x -->\n")
    with pytest.raises(SpecError, match=r"trial\.md:2: '<!-- check:' has no '-->'"):
        check("trial.md", "Text.\n<!-- check: 4 = x\n")
