"""Quizzes: every answer on every page is settled, and a question that is not right stops build and tests."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from docs_ext.errors import SpecError
from docs_ext.extensions import draw_fences as fences
from tests.site.fences.reading import ON_PAGES, read
from tests.site.fences.reading import text as words

OURS = yaml.safe_load(Path(__file__).with_name("quizzes.yaml").read_text("utf-8"))
CHOICE, NUMBER, VECTOR = (quiz["sound"] for quiz in OURS.values())
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


@pytest.mark.parametrize(
    ("body", "sound", "faulty", "line", "message"),
    [
        pytest.param(quiz["sound"], *fault, id=f"{kind}: {label}")
        for kind, quiz in OURS.items()
        for label, fault in quiz["faults"].items()
    ],
)
def test_a_quiz_that_is_not_right_is_refused(body, sound, faulty, line, message):
    fences.render("quiz-question", body, "q")
    assert sound in body
    with pytest.raises(SpecError) as error:
        fences.render("quiz-question", body.replace(sound, faulty), "q")
    assert re.search(message, str(error.value), re.S)
    assert error.value.line == line
