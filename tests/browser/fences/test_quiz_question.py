"""Quizzes in a browser: answered, explained, counted, kept and cleared; folded answers without a script."""

import re

import pytest

from tests.browser.conftest import Script

pytestmark = pytest.mark.nightly

JS = Script("fences/quiz_question.js")
PAGE = "learn/decoding/"


@pytest.fixture
def page(page, server):
    """Return the one page of most tests here, with no answers given: loading it anew would take most of the time."""
    if page.url != server + PAGE:
        page.goto(server + PAGE)
    page.get_by_role("button", name="Clear my answers").press("Enter")
    return page


def started(page):
    page.locator(".quiz-score output:not(:empty)").wait_for()
    return page


def question(page, words):
    return page.locator("quiz-question").filter(has=page.locator("legend", has_text=words))


def answer(quiz, words):
    quiz.get_by_label(words, exact=True).check()


def says(quiz):
    return quiz.locator(":scope > output").inner_text()


def score(page):
    return page.locator(".quiz-score output").inner_text()


def count(page):
    return page.locator("quiz-question").count()


def test_a_wrong_answer_is_explained_and_may_be_tried_again(page):
    quiz = question(page, "Why are queries not cached")
    answer(quiz, "They take more space than the keys")
    assert re.match(r"Not yet\. .*could be kept", says(quiz))
    assert quiz.locator(":scope > output").get_attribute("data-state") == "wrong"
    assert score(page) == f"1 of {count(page)} answered, 0 right at first try."
    answer(quiz, "No later row uses them")
    assert says(quiz).startswith("Right. A query serves its own row")
    assert score(page) == f"1 of {count(page)} answered, 0 right at first try."


def test_arrow_keys_pass_over_options_until_enter_or_space_says_which_one_is_meant(page):
    quiz = question(page, "Why are queries not cached")
    quiz.locator("input").first.focus()
    for key in ("Enter", "Space"):
        page.keyboard.press("ArrowDown")
        assert says(quiz) == "Press Enter to answer."
        page.keyboard.press(key)
        assert re.match(r"Not yet\. |Right\. ", says(quiz))
    assert score(page).startswith("1 of ")


def test_what_is_typed_is_read_and_judged_within_its_tolerance(page):
    quiz = question(page, "How many KiB")
    field = quiz.locator("input")

    def judged(text, words):
        field.fill(text)
        field.press("Enter")
        assert words in says(quiz)
        return field.get_attribute("aria-invalid")

    for text, words in (("", "Type a number, such as 0.5 or 1/2."), ("1/0", "divides by 0"), ("12, 5", "holds 2 numb")):
        assert judged(text, words) == "true"
    assert field.get_attribute("aria-describedby") == quiz.locator("output").first.get_attribute("id")
    assert score(page).startswith("0 of ")
    for text, words in (("64", "Not yet. Count both the keys"), ("7", "Not yet. Try again"), ("128.3", "Right. ")):
        assert judged(text, words) == "false"
    quiz.evaluate(JS.askForTwoNumbers)
    for text, words in (
        ("(5, 2)", "Right. "),
        ("5 2.001", "Right. "),
        ("[2, 5]", "Not yet. C"),
        ("(5, 5)", "Not yet. T"),
    ):
        assert judged(text, words) == "false"
    page.reload()


def test_several_right_options_must_all_be_ticked(page):
    quiz = page.locator("quiz-question").first
    quiz.evaluate(JS.makeTwoRight)
    for ticked, words in (([0], "So far right"), ([0, 1], "Right."), ([0, 1, 2], "Not yet."), ([2], "Not yet.")):
        for position in range(3):
            quiz.locator("input").nth(position).set_checked(position in ticked)
        assert says(quiz).startswith(words)
    page.reload()


def test_answers_are_kept_until_they_are_cleared(page):
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    answer(question(page, "Why are queries not cached"), "No later row uses them")
    question(page, "A model has 32 layers").locator("input").fill("64")
    page.keyboard.press("Enter")
    assert requests == page.context.cookies() == []
    page.reload()
    started(page)
    quiz = question(page, "Why are queries not cached")
    assert quiz.get_by_label("No later row uses them").is_checked()
    assert says(quiz).startswith("Right.")
    assert score(page) == f"2 of {count(page)} answered, 1 right at first try."
    page.get_by_role("button", name="Clear my answers").click()
    assert score(page) == f"0 of {count(page)} answered, 0 right at first try."
    page.reload()
    started(page)
    assert page.locator("quiz-question input:checked").count() == 0
    assert says(question(page, "Why are queries not cached")) == ""


def test_a_question_that_was_edited_is_open_again(page):
    answer(question(page, "Why are queries not cached"), "No later row uses them")
    page.evaluate(JS.editTheQuestion)
    page.reload()
    assert score(started(page)) == f"0 of {count(page)} answered, 0 right at first try."
