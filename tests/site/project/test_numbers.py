"""The numbers in the text of every page: all checks hold, and no more are unbound than when they were last recorded."""

import json
from functools import cache

import pytest

from tools import numbers

RECORD = json.loads(numbers.RECORD.read_text("utf-8"))
MOST_GIVEN = 0.05  # of all numbers may stand on a reason instead of a computation
report = cache(numbers.report)


@pytest.mark.parametrize("page", numbers.pages(), ids=numbers.name_of)
def test_the_numbers_of_a_page_are_true(page):
    found, recorded = report(page), RECORD.get(numbers.name_of(page), 0)
    assert not found.wrong, "\n".join(found.wrong)
    unbound = [f"{number.line}: {number.numeral.text.strip()}" for number in found.unbound]
    hint = "`python -m tools.numbers PAGE` shows them; if they became fewer, `python -m tools.numbers --record`"
    assert len(unbound) == recorded, f"{len(unbound)} numbers are unbound, {recorded} are recorded; {hint}"


def test_nearly_every_change_of_a_number_would_be_noticed(capsys):
    found = [number for page in numbers.pages() for number in report(page).found]
    given = sum(number.by == "given" for number in found)
    noticed = sum(number.noticed for number in found) / len(found)
    with capsys.disabled():
        print(f"\n{len(found)} numbers in prose: {noticed:.1%} of changes would be noticed, {given} are given")
    assert len(found) > 4000
    assert given <= MOST_GIVEN * len(found)
