"""Numbers that a reader types by a real keyboard, in a question of a page whose answer is put in its place."""

import re

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/line-by-line/"
ANSWER = """(quiz, numbers) => {
  quiz.querySelectorAll(".verdicts > li").forEach((li, i) => {
    li.dataset.value = JSON.stringify(numbers.map(x => x + 9 * i));
  });
  quiz.dataset.tolerance = 1e-9;
}"""


@pytest.fixture
def quiz(page):
    page.get_by_role("button", name="Clear my answers").click()
    return page.locator("quiz-question[data-tolerance]").first


def enter(quiz, text):
    quiz.locator("input").focus()
    quiz.page.keyboard.press("Control+A")
    quiz.page.keyboard.type(text)
    assert quiz.locator("input").input_value() == text, "the field changed what was typed"
    quiz.page.keyboard.press("Enter")
    assert quiz.locator("input").input_value() == text
    return quiz.locator(":scope > output").inner_text()


def test_what_a_keyboard_types_in_vain_is_refused_and_counts_for_nothing(quiz):
    quiz.evaluate(ANSWER, [0.5])
    for typed in ("abc", "1/0", "1//2", "12, 5"):
        said = enter(quiz, typed)
        assert re.search("cannot be read|divides by 0|holds 2 numbers", said)
        assert quiz.locator("input").get_attribute("aria-invalid") == "true"
    quiz.locator("input").fill("")
    quiz.locator("input").press("Enter")
    assert quiz.locator(":scope > output").inner_text() == "Type a number, such as 0.5 or 1/2."
    assert quiz.page.locator(".quiz-score output").inner_text().startswith("0 of ")


def test_no_field_of_the_site_is_of_a_kind_that_drops_what_it_cannot_read(site):
    assert not [page for page in site.rglob("*.html") if re.search(r'type="?number\b', page.read_text("utf-8"))]
    scripts = [*(site / "assets/js/widgets").glob("*.js"), *(site / "assets/js/lib").glob("*.js")]
    assert scripts
    assert not [script for script in scripts if re.search(r'type(: |=)"number"', script.read_text("utf-8"))]
