"""The results in the text of every page are borne out, and the marks behind them stay few."""

import re

import pytest

from docs_ext.records import facts
from tools.numbers.__main__ import pages
from tools.numbers.claims import check

MOST = 25_000  # bytes of marks on all pages
MARK = re.compile(r"<!-- check:(?:.|\n)*?-->|^# check:.*$", re.MULTILINE)


@pytest.mark.parametrize("name", pages())
def test_the_results_of_a_page_are_borne_out(name):
    wrong = check(name, pages()[name].read_text("utf-8")).wrong
    assert not wrong, "\n".join(wrong)


def test_marks_are_few_and_reach_into_no_module():
    marks = [mark for page in pages().values() for mark in MARK.findall(page.read_text("utf-8"))]
    assert sum(map(len, marks)) <= MOST
    assert not [mark for mark in marks if re.search(r"\bmodule\(|__|tests|import", mark)]


def test_every_fact_has_its_place():
    for source, found in facts.facts_in(facts.FILE).items():
        assert all(fact["place"] for fact in found.values()), source
