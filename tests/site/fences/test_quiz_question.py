"""Quizzes: every answer on every page is settled, and a question that is not right stops build and tests."""

import re
from collections import Counter

import pytest

from docs_ext.errors import SpecError
from docs_ext.extensions import draw_fences as fences
from tests.site.fences.reading import ON_PAGES, read
from tests.site.fences.reading import text as words

QUIZZES = {place: body for place, (name, body) in ON_PAGES.items() if name == "quiz-question"}


@pytest.mark.parametrize("body", QUIZZES.values(), ids=QUIZZES)
def test_every_answer_on_the_site_is_settled_and_no_option_announced_as_tex(body):
    root = parsed(body)
    assert any(right for _, right in verdicts(root))
    labels = [field.get("aria-label", "") for field in root.findall(".//input")]
    assert not [label for label in labels if re.search(r"[\\^_{}$]", label)]


def test_the_place_of_the_right_answer_tells_nothing():
    orders = [[right for _, right in verdicts(parsed(body))] for body in QUIZZES.values() if "\nright:" in body]
    places = Counter((len(order), order.index(True)) for order in orders if sum(order) == 1)
    for n_options in {n for n, _ in places}:
        each = [places[n_options, place] for place in range(n_options)]
        assert max(each) < 0.6 * sum(each) or sum(each) < 10, (n_options, each)
    assert places.total() > 40


CHOICE = """\
question: Which **odds** has $\\k$?
proof: |
  >>> import numpy as np
  >>> odds = np.exp(np.log(4)) ** 2
  >>> print(odds.round(9))
  16.0

right:
  "16 : 1":
    holds: np.isclose(odds, 16)
    because: Squared.
wrong:
  "8 : 1":
    holds: np.isclose(odds, 8)
    because: Not *doubled*.
  "4 : 1":
    holds: np.isclose(odds, 4)
    because: Not the same.
"""
NUMBER = """\
question: How large is the variance?
proof: |
  >>> import numpy as np
  >>> features = np.array([1, 1, -1, -1])

answer: 4 * features.var()
tolerance: 1e-3
unit: $\\dk$
because: Variances add up.
mistakes:
  4 ** 0.5: The root is the standard deviation.
  "0": That is the mean.
"""
VECTOR = """\
question: What does ran receive?
proof: |
  >>> from attention.example import EARLY, SENTENCE, W_Q1, attend, embed
  >>> weights, output = attend(embed(SENTENCE, EARLY), W_Q1)

answer: output[4].round(9)
tolerance: 1e-3
because: Half of it is cat.
mistakes:
  "(2, 5)": These are the parts of dog and cat.
"""


def parsed(body):
    return read(fences.render("quiz-question", body, "q"))


def verdicts(root):
    return [(li.get("data-value"), "data-right" in li.attrib) for li in root.findall(".//li")]


def test_a_choice_is_complete_without_a_script():
    root = parsed(CHOICE)
    assert root.find(".//fieldset/legend/strong").text == "odds"
    assert root.find(".//fieldset/legend//{*}annotation").text == "k"
    fields = [(words(label), label.find("input").attrib) for label in root.findall(".//label")]
    said = list(map(words, root.findall(".//details/ul/li")))
    assert sorted(said) == [
        "Right: 16 : 1 Squared. np.isclose(odds, 16) is True",
        "Wrong: 4 : 1 Not the same. np.isclose(odds, 4) is False",
        "Wrong: 8 : 1 Not doubled. np.isclose(odds, 8) is False",
    ]
    assert [right for _, right in verdicts(root)] == [verdict.startswith("Right") for verdict in said]
    for place, ((name, field), verdict) in enumerate(zip(fields, said, strict=True)):
        assert (field["type"], field["name"], field["value"]) == ("radio", "q-option", str(place))
        assert name in verdict
    assert "16.0" in words(root.find(".//details//pre"))


def test_two_right_options_are_checkboxes():
    root = parsed(CHOICE.replace("wrong:", '  "4² : 1":\n    holds: odds > 15\n    because: The same.\nwrong:'))
    assert {field.get("type") for field in root.findall(".//label/input")} == {"checkbox"}
    assert words(root.find(".//legend")).endswith("More than one is right.")


def test_a_number_carries_its_value_its_tolerance_and_the_mistakes():
    root = parsed(NUMBER)
    assert root.find("./div/quiz-question").get("data-tolerance") == "0.001"
    assert root.find(".//input").get("type") == "text"  # a number input would drop the slash of 1/2
    assert verdicts(root) == [("[4.0]", True), ("[2.0]", False), ("[0.0]", False)]
    assert words(root.find(".//li")).endswith("Variances add up. 4 * features.var() is 4")
    root = parsed(VECTOR)
    assert verdicts(root) == [("[5.0, 2.0]", True), ("[2.0, 5.0]", False)]
    assert words(root.find(".//li")).startswith("Right: (5, 2) ")


def test_an_edited_question_is_another_question():
    def key(body):
        return parsed(body).find("./div/quiz-question").get("data-key")

    assert key(CHOICE) == key(CHOICE.replace("odds.round(9)", "round(odds, 9)"))
    assert key(CHOICE) != key(CHOICE.replace("Which", "What"))
    assert key(CHOICE) != key(CHOICE.replace("8 : 1", "9 : 1"))


BAD = {  # label: (what stands there, what to put there, the line from 0 if it is known, words of the message)
    "a proof turned wrong": ("16.0", "17.0", 4, r"proof fails: .* gives 16\.0, not 17\.0"),
    "a proof that runs nothing": (">>> ", "", 1, "begin with >>>"),
    "a right option that is false": ("odds, 16)", "odds, 17)", 8, "'16 : 1' is listed as right, but it does not hold"),
    "a distractor that is true": ("odds, 8)", "odds, 4 * 4)", 12, "'8 : 1' is listed as wrong, but it holds"),
    "no such level": ("proof:", "level: hard\nproof:", 1, "one of warm-up, core, stretch, not 'hard'"),
    "no right option": (re.search("right:.*(?=wrong)", CHOICE, re.S)[0], "", None, "'right' is missing"),
    "no wrong option": (re.search("wrong:.*", CHOICE, re.S)[0], "", None, "'wrong' is missing"),
    "an option twice": ('"4 : 1"', '"8 : 1"', 15, "'8 : 1' is there twice"),
    "an expression copied and not changed": ("odds, 4)", "odds, 8)", 15, "compare with what that option says"),
    "no reason": ("    because: Squared.\n", "", 8, "'16 : 1' needs two keys, holds and because"),
    "an expression that is none": ("odds, 8)", "odds, 8", 12, "'8 : 1': cannot evaluate.*SyntaxError"),
    "an unknown name": ("(odds, 8)", "(ods, 8)", 12, "'8 : 1': .*NameError.*did you mean 'odds'"),
    "an expression that is no statement": ("np.isclose(odds, 8)", "odds * 0", 12, "True or False, not"),
    "a constant": ("np.isclose(odds, 8)", "1 > 2", 12, "proves nothing"),
    "an option that YAML takes for a truth value": ('"8 : 1"', "No", 11, "False: write it in quotes"),
    "a list of options": (re.search("wrong:.*", CHOICE, re.S)[0], "wrong: [8, 4]\n", 11, "wrong is a mapping"),
    "a link": ("because: Squared.", 'because: "[Squared.](masks.md)"', None, "link or a picture cannot stand here"),
    "a choice with a tolerance": ("right:", "tolerance: 1\nright:", 7, "not 'tolerance' here"),
}
BAD_NUMBERS = {
    "a number without a tolerance": ("tolerance: 1e-3\n", "", None, "'tolerance' is missing"),
    "a tolerance of nothing": ("1e-3", "0.0", 6, "one positive number"),
    "a mistake with a number too many": ('"0"', '"(0, 1)"', 11, r"must hold 1 number, as in 4"),
    "an answer that is typed": ("4 * features.var()", "4.0", 5, "proves nothing"),
    "an answer that is no number": ("4 * features.var()", "np.exp", 5, "not a number"),
    "an infinite answer": ("4 * features.var()", "np.inf * features[0]", 5, "not finite"),
    "a mistake that is right": ("4 ** 0.5", "4 ** 1", 10, r"4 \*\* 1 is right: the answer is 4"),
    "a mistake within the tolerance": ('"0"', '"4.001"', 11, "is right"),
    "a number with options": ("unit:", "wrong: {}\nunit:", 7, "not 'wrong' here"),
}
BAD_VECTORS = {
    "a mistake with a number too few": ('"(2, 5)"', '"2"', 9, r"must hold 2 numbers, as in \(5, 2\)"),
    "a mistake that is right": ('"(2, 5)"', '"(5.001, 2)"', 9, r"is right: the answer is \(5, 2\)"),
}


@pytest.mark.parametrize(
    ("body", "sound", "faulty", "line", "message"),
    [pytest.param(CHOICE, *case, id=label) for label, case in BAD.items()]
    + [pytest.param(NUMBER, *case, id=label) for label, case in BAD_NUMBERS.items()]
    + [pytest.param(VECTOR, *case, id=f"vector: {label}") for label, case in BAD_VECTORS.items()],
)
def test_a_quiz_that_is_not_right_is_refused(body, sound, faulty, line, message):
    fences.render("quiz-question", body, "q")
    assert sound in body
    with pytest.raises(SpecError) as error:
        fences.render("quiz-question", body.replace(sound, faulty), "q")
    assert re.search(message, str(error.value), re.S)
    assert error.value.line == line
