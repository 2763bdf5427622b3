"""A page of which every question is answered is marked in the menu, in this browser only."""

import pytest

from tests.browser.conftest import follow

pytestmark = pytest.mark.nightly

PAGE, NEXT = "learn/masks/", "../order/"
MENU = ".md-nav--primary"
BOXES = """() => [...document.querySelectorAll(".md-nav--primary .md-nav__link")].map(link => {
  if (!link.checkVisibility()) return null;
  const range = document.createRange();
  range.selectNode(link.querySelector(".md-ellipsis") ?? link);
  const {x, y, width, height} = range.getBoundingClientRect();
  const menu = document.querySelector(".md-nav--primary").getBoundingClientRect();
  return [x - menu.x, y - menu.y, width, height];
})"""


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


def test_the_mark_comes_with_the_last_answer_and_moves_nothing(page, server):
    before = page.evaluate(BOXES)
    first, *others = page.locator("quiz-question").all()
    for quiz in others:
        answer(quiz)
    assert done(page) == []
    answer(first)
    page.locator(f"{MENU} a .done").wait_for()
    assert len(done(page)) == 1
    assert page.evaluate(BOXES) == before
    name = page.locator(f"{MENU} a:has(> .done)").aria_snapshot()
    assert 'link "masks done"' in name
    mark = page.locator(f"{MENU} a > .done").bounding_box()
    assert mark["x"] >= page.locator(".md-sidebar--primary").bounding_box()["x"], "it is cut off"


def test_the_mark_stays_on_other_pages_until_the_answers_are_cleared(page):
    for quiz in page.locator("quiz-question").all():
        answer(quiz)
    page.locator(f"{MENU} a .done").first.wait_for()
    follow(page, page.locator(f"{MENU} a[href$='{NEXT}']").first)
    page.locator(f"{MENU} a[href='../masks/'] > .done").wait_for()
    assert len(done(page)) == 1
    follow(page, page.locator(f"{MENU} a[href='../masks/']").first)
    page.locator(f"{MENU} a .done").wait_for()
    page.get_by_role("button", name="Clear my answers").click()
    assert done(page) == []
