"""What a lesson of the Core owes its reader: goals that it keeps, and questions that do not give themselves away."""

import re
from collections.abc import Iterator
from typing import Any

from docs_ext.reading.keys import parse
from docs_ext.reading.page import Page

GOALS = 3
_GOALS = re.compile(r'^<div class="goals" markdown>\n(.*?)^</div>', re.DOTALL | re.MULTILINE)
_UNSEEN = re.compile(r"\]\([^)]*\)|[][*`$\\{}]")


def faults(page: Page) -> Iterator[tuple[int, str]]:
    """Yield what a lesson of the Core lacks, with its line; that a goal's link leads somewhere, the build says."""
    found = _GOALS.search(page.text)
    goals = re.findall(r"^- (?:.+\n(?!-))*.*", found[1], re.MULTILINE) if found else []
    line = page.text.count("\n", 0, found.start()) + 1 if found else 1
    if len(goals) != GOALS:
        yield line, f'{GOALS} goals are wanted, each a line of <div class="goals" markdown>, not {len(goals)}'
    for goal in goals:
        if "](#" not in goal:
            yield line, f"a goal leads to nothing on this page that tries it: {goal}"
    asked = questions(page)
    for line, question in asked:
        if "level" not in question:
            yield line, "a question of the Core has a level: warm-up, core or stretch"
    if all("answer" not in question for _, question in asked):
        yield 1, "no question has a number to type"
    given_away = [is_longest(question) for _, question in asked if "right" in question]
    if len(given_away) > 2 and all(given_away):
        yield 1, "in each question the right option is the longest"


def questions(page: Page) -> list[tuple[int, dict[str, Any]]]:
    """Return what the quiz questions of a page say, each with its line."""
    return [(fence.line, parse(fence.text)[0]) for fence in page.fences("quiz-question")]


def is_longest(question: dict[str, Any]) -> bool:
    """Tell whether a right option has more to read than each wrong one."""
    right, wrong = (max(len(_UNSEEN.sub("", str(option))) for option in question[kind]) for kind in ("right", "wrong"))
    return right > wrong
