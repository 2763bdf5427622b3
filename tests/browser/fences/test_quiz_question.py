"""Quizzes in a browser: answered, explained, counted, kept and cleared; folded answers without a script."""

import re

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE, OTHER = "learn/scores-and-softmax/", "learn/scaling/"
# Answers are kept in the browser's storage, not in the address; an option says nothing before Check.
CONTRACT = [Widget("quiz-question", PAGE, reset="Clear my answers", native=True, silent="input")]


@pytest.fixture
def page(page, server):
    """Return the one page of most tests here, with no answers given: loading it anew would take most of the time."""
    if page.url != server + PAGE:
        page.goto(server + PAGE)
    page.get_by_role("button", name="Clear my answers").click()
    return page


def started(page):
    page.locator(".quiz-score output:not(:empty)").wait_for()
    return page


def question(page, words):
    return page.locator("quiz-question").filter(has=page.locator("legend", has_text=words))


def answer(quiz, words):
    quiz.get_by_label(words, exact=True).check()
    quiz.get_by_role("button", name="Check").click()


def says(quiz):
    return quiz.locator(":scope > output").inner_text()


def score(page):
    return page.locator(".quiz-score output").inner_text()


def count(page):
    return page.locator("quiz-question").count()


def test_a_wrong_answer_is_explained_and_may_be_tried_again(page):
    quiz = question(page, "All scores double")
    answer(quiz, "8 : 1")
    assert re.match(r"Not yet\. .*twice as large", says(quiz))
    assert quiz.locator(":scope > output").get_attribute("data-state") == "wrong"
    assert score(page) == f"1 of {count(page)} answered, 0 right at first try."
    answer(quiz, "16 : 1")
    assert says(quiz).startswith("Right. They were two doublings apart")
    assert score(page) == f"1 of {count(page)} answered, 0 right at first try."


def test_the_score_counts_what_is_right_at_first_try(page):
    answer(question(page, "All scores double"), "16 : 1")
    answer(question(page, "Add 5"), "They stay the same")
    assert score(page) == f"2 of {count(page)} answered, 2 right at first try."


def test_an_explanation_keeps_its_formulas(page):
    quiz = question(page, "Add 5")
    answer(quiz, "They stay the same")
    assert quiz.locator("output math").count() == 1


def test_the_keyboard_alone_is_enough(page):
    quiz = question(page, "All scores double")
    quiz.locator("input").first.focus()
    for _ in range(3):
        if quiz.get_by_label("16 : 1").is_checked():
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert says(quiz).startswith("Right.")
    assert page.evaluate("document.activeElement.textContent") == "Check"


def test_checking_nothing_asks_for_an_answer(page):
    quiz = question(page, "Add 5")
    quiz.get_by_role("button", name="Check").click()
    assert says(quiz) == "Choose an answer first."
    assert score(page).startswith("0 of ")


def test_a_number_is_right_within_its_tolerance(page):
    quiz = question(page, "reach a weight of 8/9")
    field = quiz.locator("input")
    field.press("Enter")
    assert says(quiz) == "Type a number, such as 0.5 or 1/2."
    assert field.get_attribute("aria-invalid") == "true"
    assert field.get_attribute("aria-describedby") == quiz.locator("output").first.get_attribute("id")
    for text, words in (("8", "Not yet. Eight doublings"), ("7", "Not yet. Try again"), ("3.005", "Right. ")):
        field.fill(text)
        field.press("Enter")
        assert says(quiz).startswith(words)
        assert field.get_attribute("aria-invalid") == "false"


def test_every_answer_of_the_page_is_judged_as_the_build_settled_it(page):
    for quiz in page.locator("quiz-question:not([data-tolerance])").all():
        verdicts = quiz.locator(".verdicts > li").all()
        for position, verdict in enumerate(verdicts):
            right = verdict.get_attribute("data-right") is not None
            quiz.locator("input").nth(position).check()
            quiz.get_by_role("button", name="Check").click()
            assert says(quiz).startswith("Right. " if right else "Not yet. ")


def test_what_was_said_goes_when_another_option_is_picked(page):
    quiz = question(page, "All scores double")
    answer(quiz, "16 : 1")
    row = quiz.locator(".options label", has_text="16 : 1")
    assert row.get_attribute("data-state") == "right"
    assert row.evaluate("row => getComputedStyle(row, '::after').content").startswith('"\u2713')  # not colour alone
    quiz.get_by_label("8 : 1", exact=True).check()
    assert says(quiz) == ""
    assert quiz.locator(".options label:not([data-state=''])").count() == 0
    quiz.get_by_role("button", name="Check").click()
    assert quiz.locator("[data-state=wrong] input").is_checked()
    assert row.get_attribute("data-state") == ""


def test_an_option_is_a_row_that_answers_from_edge_to_edge(page):
    quiz = question(page, "All scores double")
    rows = [row.bounding_box() for row in quiz.locator(".options label").all()]
    assert {(row["x"], row["width"]) for row in rows} == {
        (rows[0]["x"], quiz.locator("fieldset").bounding_box()["width"])
    }
    quiz.locator(".options label").nth(1).click(position={"x": rows[1]["width"] - 4, "y": 4})
    assert quiz.locator("input").nth(1).is_checked()


def test_a_vector_is_right_if_every_number_of_it_is(page):
    quiz = question(page, "reach a weight of 8/9")
    quiz.evaluate("""quiz => quiz.querySelectorAll(".verdicts > li").forEach((li, i) => {
      li.dataset.value = JSON.stringify(i ? [2, 5] : [5, 2]);
    })""")
    for text, words in (
        ("(5, 2)", "Right. "),
        ("5 2.001", "Right. "),
        ("[2, 5]", "Not yet. E"),
        ("(5, 5)", "Not yet. T"),
    ):
        quiz.locator("input").fill(text)
        quiz.locator("input").press("Enter")
        assert says(quiz).startswith(words)
    page.reload()


def test_several_right_options_must_all_be_ticked(open_page):
    quiz = started(open_page(PAGE)).locator("quiz-question").first
    quiz.evaluate(
        """quiz => {
          quiz.querySelectorAll("input").forEach((input) => { input.type = "checkbox"; input.checked = false; });
          quiz.querySelectorAll(".verdicts > li").forEach((li, i) => li.toggleAttribute("data-right", i < 2));
        }"""
    )
    boxes = quiz.locator("input")
    for ticked, words in (([0], "So far right"), ([0, 1], "Right."), ([0, 1, 2], "Not yet."), ([2], "Not yet.")):
        for position in range(3):
            boxes.nth(position).set_checked(position in ticked)
        quiz.get_by_role("button", name="Check").click()
        assert says(quiz).startswith(words)


def test_answers_are_kept_until_they_are_cleared(page):
    answer(question(page, "All scores double"), "16 : 1")
    answer(question(page, "Add 5"), "They become sharper")
    page.reload()
    started(page)
    quiz = question(page, "All scores double")
    assert quiz.get_by_label("16 : 1").is_checked()
    assert says(quiz).startswith("Right.")
    assert score(page) == f"2 of {count(page)} answered, 1 right at first try."
    page.get_by_role("button", name="Clear my answers").click()
    assert score(page) == f"0 of {count(page)} answered, 0 right at first try."
    page.reload()
    started(page)
    assert page.locator("quiz-question input:checked").count() == 0
    assert says(question(page, "All scores double")) == ""


def test_clearing_a_page_keeps_the_others(page, server):
    answer(question(page, "All scores double"), "16 : 1")
    page.goto(server + OTHER)
    started(page)
    assert score(page).startswith("0 of ")
    answer(question(page, "Does the division change"), "Yes, another key can win")
    page.get_by_role("button", name="Clear my answers").click()
    page.goto(server + PAGE)
    assert score(started(page)).startswith("1 of ")


def test_a_question_that_was_edited_is_open_again(page):
    answer(question(page, "All scores double"), "16 : 1")
    page.evaluate(
        """() => {
          const key = Object.keys(localStorage).find(name => name.endsWith('.answers'));
          localStorage.setItem(key, localStorage.getItem(key).replace(/[0-9a-f]{12}/g, "another"));
        }"""
    )
    page.reload()
    assert score(started(page)) == f"0 of {count(page)} answered, 0 right at first try."


@pytest.mark.parametrize("broken", ["throw new Error()", "return '{'"], ids=["no storage", "foreign content"])
def test_without_storage_everything_but_keeping_works(open_page, server, broken):
    page = open_page()
    page.add_init_script(f"Storage.prototype.getItem = Storage.prototype.setItem = () => {{ {broken} }}")
    page.goto(server + PAGE)
    answer(question(started(page), "All scores double"), "16 : 1")
    assert score(page) == f"1 of {count(page)} answered, 1 right at first try."


def test_an_answer_counts_once_also_on_the_way_back(page):
    answer(question(page, "All scores double"), "16 : 1")
    for title, words in (("Why divide by", "Does the division change"), ("How do scores become", "All scores double")):
        page.locator(".md-nav--primary").get_by_role("link", name=title).first.click()
        question(page, words).get_by_role("button", name="Check").wait_for()
    quiz = question(page, "All scores double")
    answer(quiz, "4 : 1")
    assert says(quiz).startswith("Not yet.")
    assert score(page) == f"1 of {count(page)} answered, 1 right at first try."


def test_the_overview_tells_how_far_the_reader_is(page):
    overview = """async () => {
      const main = document.querySelector("script[src$='main.js']").src;
      await import(main.replace("main.js", "widgets/quiz-progress.js"));
      document.querySelector(".md-content h1").after(document.createElement("quiz-progress"));
    }"""
    page.evaluate(overview)
    progress = page.locator("h1 + quiz-progress")
    assert progress.inner_text() == ""
    answer(question(page, "All scores double"), "8 : 1")
    page.reload()
    page.evaluate(overview)
    line = progress.get_by_role("listitem")
    assert line.inner_text() == (
        f"How do scores become a budget? (softmax) (1 of {count(page)} answered, 0 right at first try)"
    )
    assert progress.get_by_role("link").evaluate("link => link.href") == page.url
    progress.get_by_role("button").click()
    assert line.count() == 0
    page.reload()
    assert score(started(page)).startswith("0 of ")


def test_nothing_leaves_the_browser(page):
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    answer(question(page, "All scores double"), "16 : 1")
    assert requests == []
    assert page.context.cookies() == []


def test_without_a_script_the_answers_are_folded(open_page):
    page = open_page(PAGE, java_script_enabled=False)
    quiz = question(page, "All scores double")
    assert page.get_by_role("button", name="Check").count() == 0
    assert page.locator(".quiz-score").count() == 0
    assert quiz.get_by_label("16 : 1").is_enabled()
    assert not quiz.get_by_text("They were two doublings apart").is_visible()
    quiz.locator(":scope > details > summary").click()
    assert quiz.get_by_text("They were two doublings apart").is_visible()
    assert quiz.get_by_text(">>> before, after = softmax(s), softmax(2 * s)").is_visible()
