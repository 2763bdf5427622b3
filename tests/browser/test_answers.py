"""What the browser has stored is no more trusted than what a reader types: other sites of the host can write it too."""

import json
from pathlib import Path

import pytest

from tests.browser.conftest import PREFIX, WATCH_POLICY, reported

pytestmark = pytest.mark.nightly

KEY = "attention-line-by-line.answers"
STORED = json.loads(Path(__file__).with_name("answers.json").read_text("utf-8"))
GOOD = STORED["good"]
BAD = {address.replace("SITE/", PREFIX): GOOD for address in STORED["addresses"]}
BAD |= {
    f"{PREFIX}shape/{n}/": shape
    for n, shape in enumerate([*STORED["shapes"], *(GOOD | part for part in STORED["parts"])])
}
VALUES = [*STORED["values"], json.dumps(BAD)]


@pytest.fixture
def opened(open_page):
    """Return a function that opens a page whose browser has stored something, and what goes wrong there."""

    def opened(name, stored, key=KEY):
        page = open_page("404.html")
        page.context.add_init_script(WATCH_POLICY)
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, stored])
        errors = reported(page)
        page.goto(page.url.replace("404.html", name))
        return page, errors

    return opened


@pytest.mark.parametrize("stored", VALUES, ids=range(len(VALUES)))
def test_what_this_site_did_not_write_is_passed_over(opened, stored):
    page, errors = opened("", stored)
    page.locator("quiz-progress:defined").wait_for(state="attached")
    assert page.locator("quiz-progress").inner_text() == ""
    page.goto(page.url + "learn/masks/")
    line = page.locator(".quiz-score output")
    line.wait_for()
    assert line.inner_text().startswith("0 of ")
    page.locator("quiz-question [type=radio]").first.check()
    assert line.inner_text().startswith("1 of ")
    assert errors == page.evaluate("blocked") == []


def test_a_good_entry_is_linked_beside_bad_ones_and_its_title_is_text(opened):
    page, errors = opened("", json.dumps(BAD | {f"{PREFIX}learn/masks/": GOOD}))
    item = page.locator("quiz-progress li")
    item.wait_for()
    assert item.inner_text() == "<b>A title</b> (2 of 2 answered, 1 right at first try)"
    links = page.locator("quiz-progress a").evaluate_all("links => links.map(link => link.href)")
    assert links == [page.evaluate("origin") + f"{PREFIX}learn/masks/"]
    assert errors == []


@pytest.mark.parametrize("scripts", [True, False])
def test_on_paper_questions_have_no_answers(open_page, scripts):
    page = open_page("learn/scaling/", java_script_enabled=scripts)
    page.emulate_media(media="print")
    if scripts:  # the theme opens every fold
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.locator("details.question[open]").first.wait_for()
    for question, answer in ("details.question", " > :not(summary)"), ("quiz-question", " > details"):
        assert page.locator(f"{question}:visible").count()
        assert not page.locator(f"{question}{answer}:visible").count()
