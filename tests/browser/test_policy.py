"""The content security policy in Chromium: what the site does is allowed, and what somebody plants does not run."""

import tomllib
from pathlib import Path

import pytest

from tests.browser.conftest import WATCH_POLICY, follow, reported

PLANTED = tomllib.loads(Path(__file__).with_name("policy.toml").read_text("utf-8"))
BLOCKED = """async () => {
  for (let i = 0; i < 250 && !blocked.length; i++) await new Promise(again => setTimeout(again, 20));
  return blocked;
}"""


@pytest.fixture
def opened(open_page):
    """Return a function that opens a page and notes what its policy blocks and what it reports."""

    def opened(name):
        page = open_page("404.html")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.context.add_init_script(WATCH_POLICY)
        errors = reported(page)
        page.goto(page.url.replace("404.html", name))
        return page, errors

    return opened


def test_search_navigation_colours_and_copying_are_allowed(opened):
    page, errors = opened("")
    field = page.locator("input.md-search__input")
    page.keyboard.press("/")
    field.press("Enter")  # nothing is asked yet: no form may be sent
    field.fill("softmax")
    page.locator(".md-search-result__item").first.wait_for()
    follow(page, lambda: field.press("Enter"))
    follow(page, page.locator(".md-footer__link--next"))
    follow(page, page.go_back)
    copy = page.locator(".md-content .md-code__button[data-md-type=copy], .md-content .md-clipboard").first
    page.evaluate("navigator.clipboard.writeText('')")
    copy.press("Enter")  # at the button itself: a click goes to a point, from which a page that still loads may move it
    page.wait_for_function("navigator.clipboard.readText().then(text => text.trim())")  # the dialog goes by itself
    for _ in range(3):
        page.locator("form[data-md-component=palette] label:visible").click()
    assert errors == page.evaluate("blocked") == []


@pytest.mark.nightly
@pytest.mark.parametrize(("directive", "code"), PLANTED.items(), ids=PLANTED)
def test_what_is_planted_is_blocked(opened, directive, code):
    page, _ = opened("")
    assert page.evaluate("blocked") == []
    page.evaluate(f"() => {{ {code}; }}")
    assert {line.split()[0] for line in page.evaluate(BLOCKED)} == {directive.split()[0]}
    assert page.evaluate("typeof ran") == "undefined"
