"""A hand that is faster than the scripts: what it chooses, types and opens before they come stays, and counts."""

import pytest

from tests.browser.conftest import UNFOLD
from tests.browser.widget import WIDGETS

QUIZZES = {  # a page with this kind of question, how it is found and answered, and whether that says all
    "one right answer": ("learn/order/", ":has([type=radio])", "Space", True),
    "several right answers": ("learn/scores-and-softmax/", ":has([type=checkbox])", "Space", False),
    "a number": ("learn/decoding/", "[data-tolerance]", "7", False),
}
NATIVE = [widget for widget in WIDGETS if widget.native and widget.tag != "quiz-question"]
NATIVE += [widget for widget in WIDGETS if widget.tag == "row-stepper"]  # hidden where no script may run
ENTERED = "field => field.type === 'text' ? field.value : field.checked"
AT = "() => [document.activeElement.type, document.activeElement.value]"


class Late:
    """A page whose scripts for one kind of widget are under way until they are let go."""

    def __init__(self, page, tag, address):
        self.page, self.tag, self.held = page, tag, []
        page.route(f"**/widgets/{tag}.js", lambda route: self.held.append(route))
        with page.expect_request(f"**/widgets/{tag}.js"):
            page.goto(address)

    def arrive(self):
        for route in self.held:
            route.continue_()
        self.page.locator(f"{self.tag}:not(:defined)").first.wait_for(state="detached")


@pytest.fixture
def late(open_page, server):
    return lambda tag, name: Late(open_page("404.html"), tag, server + name)


@pytest.mark.parametrize(("name", "kind", "key", "is_all"), QUIZZES.values(), ids=QUIZZES)
def test_an_early_answer_is_kept_and_judged_when_it_is_meant(late, name, kind, key, is_all):
    it = late("quiz-question", name)
    quiz = it.page.locator(f"quiz-question{kind}").first
    field, says = quiz.locator("fieldset input").first, quiz.locator(":scope > output")
    field.evaluate("field => field.click()") if key == "Space" else field.press(key)  # wherever the page moves it
    entered = field.evaluate(ENTERED)
    assert entered
    it.arrive()
    assert field.evaluate(ENTERED) == entered
    assert bool(says.inner_text()) == is_all
    if not is_all:
        quiz.get_by_role("button", name="Check").press("Enter")
    assert says.get_attribute("data-state") in ("right", "wrong")
    assert it.page.locator(".quiz-score output").inner_text().startswith("1 of ")


@pytest.mark.nightly
@pytest.mark.parametrize("row", NATIVE, ids=[f"{row.tag} on {row.page}" for row in NATIVE])
def test_an_early_choice_its_focus_and_an_open_fold_stay(late, row):
    it = late(row.tag, row.page)
    widget = it.page.locator(row.tag).first
    widget.evaluate(UNFOLD)
    folds = widget.locator("summary").all()
    for fold in folds:
        fold.press("Enter")
    widget.locator("input:not(:checked)").first.focus()
    it.page.keyboard.press("Space")
    chosen = it.page.evaluate(AT)
    it.arrive()
    assert it.page.evaluate(AT) == chosen
    assert chosen[1] in widget.locator("input:checked").evaluate_all("fields => fields.map(({value}) => value)")
    assert f"={chosen[1]}" in it.page.url
    assert widget.locator("details[open]").count() == len(folds)
