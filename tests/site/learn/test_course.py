"""The twelve lessons of the Core as one course: three goals each, and questions that do not give themselves away."""

import re

import pytest

from docs_ext.reading.page import load, read
from tools.course import faults, is_longest, questions
from tools.page import parts_of_the_menu

CORE = [source for source in parts_of_the_menu()["Core"] if source != "index.md"]
LESSON = """\
# A lesson

<div class="goals" markdown>
After this page you can

- compute a share ([the exercise](#an-exercise)),
- say why the shares
  sum to one ([the figure](#budget)),
- spot a wrong axis ([the question](#q)).

</div>

```quiz-question
question: What is it?
level: core
right:
  "*yes*": {holds: x, because: x}
wrong:
  "nope": {holds: x, because: x}
```

```quiz-question
question: How much is it?
level: warm-up
answer: x
```
"""
THREE = "```quiz-question\nlevel: core\nright: {longer: x}\nwrong: {short: x}\n```\n\n" * 3
WRONG = {
    "no goals": ('"goals" markdown', '"goals"', 1, "3 goals are wanted, .* not 0"),
    "two goals": ("- spot a wrong axis ([the question](#q)).", "", 3, "3 goals are wanted, .* not 2"),
    "a goal that nothing tries": ("([the figure](#budget))", "[soon](masks.md)", 3, "leads to nothing .*say why"),
    "no level": ("level: core\n", "", 13, "has a level"),
    "no number": ("answer: x", "right: {a: x}\nwrong: {b: x}", 1, "no question has a number"),
    "longest in all": ('right:\n  "*yes*": {holds', f'answer: x\n```\n\n{THREE}```a\n  "*yes*": {{holds', 1, "longest"),
}


def test_a_sound_lesson_has_no_faults():
    assert list(faults(read("a.md", LESSON))) == []


@pytest.mark.parametrize(("sound", "faulty", "line", "message"), WRONG.values(), ids=WRONG)
def test_what_a_lesson_lacks_is_told(sound, faulty, line, message):
    assert LESSON.count(sound) == 1
    ((at, told),) = faults(read("a.md", LESSON.replace(sound, faulty)))
    assert at == line
    assert re.search(message, told)


@pytest.mark.parametrize("source", CORE)
def test_a_lesson_of_the_core_keeps_what_it_owes(source):
    found = [f"docs/{source}:{line}: {what}" for line, what in faults(load(source))]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_the_right_option_is_the_longest_in_at_most_two_of_five_questions():
    asked = [question for source in CORE for _, question in questions(load(source)) if "right" in question]
    given_away = [question["question"] for question in asked if is_longest(question)]
    assert len(given_away) <= 0.4 * len(asked), f"{len(given_away)} of {len(asked)}:\n" + "\n".join(given_away)
