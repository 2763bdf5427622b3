"""What a reader types leads to the page that answers it."""

import tomllib
from pathlib import Path

import pytest

from tests.browser.conftest import PATIENCE

pytestmark = pytest.mark.nightly

SEARCHES = tomllib.loads((Path(__file__).parent / "searches.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def first_three(browser, server):
    """Type a question into the search box; return the pages of the first three results (Material groups by page)."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(server)
    page.locator(".md-search__input").click()

    def first_three(question):
        box, results = page.locator(".md-search__input"), page.locator(".md-search-result__link")
        box.fill("")
        page.locator(".md-search-result__item").first.wait_for(state="detached")
        box.press_sequentially(question)
        results.first.wait_for()
        seen = []  # the last keystroke's results replace those before; once they rest, they are read
        while len(seen) < 4 or seen[-4:].count(seen[-1]) < 4:
            page.wait_for_timeout(150)
            seen.append(
                page.locator(".md-search-result__item").evaluate_all(
                    "all => all.slice(0, 3).map(item => item.querySelector('.md-search-result__link').href)"
                )
            )
        found = seen[-1]
        return [address.removeprefix(server).partition("?")[0].partition("#")[0] for address in found]

    first_three.marked = page.locator(".md-search-result__item mark").all_text_contents  # type: ignore[attr-defined]
    yield first_three
    context.close()


@pytest.mark.parametrize("question", SEARCHES["among"])
def test_a_question_finds_its_page(first_three, question):
    assert set(SEARCHES["among"][question]) & set(first_three(question))


@pytest.mark.parametrize("question", SEARCHES["first"])
def test_a_term_finds_its_page_first(first_three, question):
    assert first_three(question)[0] == SEARCHES["first"][question]


def test_a_word_on_every_page_weighs_nothing_and_a_wrong_letter_is_forgiven(first_three):
    assert first_three("attention softmx")[0] == "learn/scores-and-softmax/"


def test_small_words_are_no_beginnings_of_others_unless_nothing_else_is_typed(first_three):
    assert first_three("why do we divide")[0] == "learn/scaling/"
    assert {word.lower()[:4] for word in first_three.marked()} == {"divi"}
    assert first_three("of the")
