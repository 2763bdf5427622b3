"""A page of which every question is answered is marked in the menu, in this browser only."""

import pytest

from tests.browser.conftest import follow

pytestmark = pytest.mark.nightly

PAGE, NEXT = "learn/masks/", "../order/"
MENU = ".md-nav--primary"


@pytest.fixture
def page(open_page):
    page = open_page(PAGE)
    page.locator(".quiz-score").wait_for()
    return page


def answer(quiz):
    """Give any answer, right or wrong."""
    field = quiz.locator("fieldset input").first
    if field.get_attribute("type") == "radio":
        field.check()
    else:
        field.fill("1")
        field.press("Enter")


def done(page):
    return [link.get_attribute("href") for link in page.locator(f"{MENU} a:has(> .done)").all()]


def test_the_mark_comes_with_the_last_answer_and_stays_on_other_pages_until_the_answers_are_cleared(page):
    first, *others = page.locator("quiz-question").all()
    for quiz in others:
        answer(quiz)
    assert done(page) == []
    answer(first)
    page.locator(f"{MENU} a .done").wait_for()
    assert 'link "masks done"' in page.locator(f"{MENU} a:has(> .done)").aria_snapshot()
    mark = page.locator(f"{MENU} a > .done").bounding_box()
    assert mark["x"] >= page.locator(".md-sidebar--primary").bounding_box()["x"], "it is cut off"
    follow(page, page.locator(f"{MENU} a[href$='{NEXT}']").first)
    page.locator(f"{MENU} a[href='../masks/'] > .done").wait_for()
    assert len(done(page)) == 1
    follow(page, page.locator(f"{MENU} a[href='../masks/']").first)
    page.locator(f"{MENU} a .done").wait_for()
    page.get_by_role("button", name="Clear my answers").press("Enter")
    assert done(page) == []
