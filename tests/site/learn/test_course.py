"""The twelve lessons of the Core as one course: three goals each, and questions that do not give themselves away."""

import pytest

from docs_ext.reading.page import load, read
from tools.course import faults, is_longest, questions
from tools.page import parts_of_the_menu

CORE = parts_of_the_menu()["Core"]


def test_what_a_lesson_lacks_is_told_with_its_line():
    questions = 3 * "```quiz-question\nright: {longer: x}\nwrong: {short: x}\n```\n\n"
    goal = '<div class="goals" markdown>\n- Soon [soon](masks.md)\n</div>\n\n'
    told = [(line, " ".join(what.split()[:5])) for line, what in faults(read("a.md", f"# A\n\n{goal}{questions}"))]
    assert told == [
        (3, "3 goals are wanted, each"),
        (3, "a goal leads to nothing"),
        *((line, "a question of the Core") for line in (7, 12, 17)),
        (1, "no question has a number"),
        (1, "in each question the right"),
    ]


@pytest.mark.parametrize("source", CORE)
def test_a_lesson_of_the_core_keeps_what_it_owes(source):
    found = [f"docs/{source}:{line}: {what}" for line, what in faults(load(source))]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_the_right_option_is_the_longest_in_at_most_two_of_five_questions():
    asked = [question for source in CORE for _, question in questions(load(source)) if "right" in question]
    given_away = [question["question"] for question in asked if is_longest(question)]
    assert len(given_away) <= 0.4 * len(asked), f"{len(given_away)} of {len(asked)}:\n" + "\n".join(given_away)
