"""What main.js does on every page: it fetches the module of each custom element, and says which one does not come."""

import pytest

from tests.browser.conftest import PHONE, Script

pytestmark = pytest.mark.nightly

JS = Script("main.js")


def reported(page, start):
    return page.expect_console_message(lambda message: message.text.startswith(start))


def test_an_element_without_its_script_is_reported_in_one_line(open_page, server):
    page = open_page("404.html")
    lines = []
    page.on("console", lambda message: message.type == "error" and lines.append(message.text))
    page.route("**/widgets/*.js", lambda route: route.abort())
    with reported(page, "<no-such>"), reported(page, "<quiz-progress>"):
        page.evaluate(JS.bringElements, ["no-such", "no-such", "quiz-progress"])
    page.wait_for_timeout(100)
    reports = sorted(line for line in lines if line.startswith("<"))
    assert [line.partition(": Failed")[0] for line in reports] == [
        "<no-such> stays as it was built: widgets/no-such.js",
        "<quiz-progress> stays as it was built: widgets/quiz-progress.js",
    ]
    assert not any("\n" in line for line in reports)


def test_a_folded_widget_comes_when_it_is_opened_and_not_before(open_page):
    page = open_page("learn/masks/", at_once=False)
    fold = page.locator("details:has(> div > attention-grid) > summary")
    fold.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    assert page.locator("details:not([open]) attention-grid").count() == 1
    assert "attention-grid.js" not in page.evaluate(JS.scripts)
    fold.press("Enter")
    page.locator("attention-grid output").first.wait_for()


def test_a_widget_far_below_comes_when_its_reader_does(open_page):
    page = open_page("learn/line-by-line/", at_once=False)
    page.locator("spend-the-budget:defined").wait_for()
    assert "quiz-question.js" not in page.evaluate(JS.scripts)
    page.locator("quiz-question").first.scroll_into_view_if_needed()
    page.locator("quiz-question:defined").first.wait_for()


def test_a_hand_on_one_lights_its_kin_in_formulas_words_and_code_and_moves_nothing(open_page):
    page = open_page("learn/line-by-line/")
    before = 0
    while (tall := page.evaluate("document.body.scrollHeight")) != before:  # blocks are laid out one after the other
        before = tall
        page.wait_for_timeout(300)
    page.locator(".katex-html .role-key").first.hover()
    page.locator("html[data-kin=key]").wait_for()
    assert {"spanrole-key", "prerole-key", "prole-key"} == set(page.evaluate(JS.lit))
    assert page.evaluate("document.body.scrollHeight") == tall
    page.locator("h1").hover()
    page.locator("html:not([data-kin])").wait_for()


def test_the_drawer_opens_by_key_and_by_hand_and_closed_it_is_no_stop_of_the_tab_key(open_page):
    page = open_page("learn/masks/", viewport=PHONE)
    link, menu = page.locator(".md-sidebar--primary a[href*=heads]").first, page.locator("header label[for=__drawer]")
    stops = "link => (link.focus(), link === document.activeElement)"
    for opening in (lambda: menu.press("Enter"), menu.click):
        page.wait_for_function(f"link => !({stops})(link)", arg=link.element_handle())  # it slides away
        opening()
        page.wait_for_function(stops, arg=link.element_handle())
        menu.press("Enter")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_part_that_is_read_shows_its_frame_where_all_of_them_are(open_page, motion):
    page = open_page("learn/ten-minutes/", reduced_motion=motion)
    page.locator(".frames[data-live]").wait_for()
    page.evaluate(JS.countMoves)
    assert page.locator(".frames figure").locator("a, button, input, [tabindex]").count() == 0
    for n in (3, 1, 6):
        page.evaluate("moved = 0")
        page.evaluate("n => document.querySelectorAll('.frames > div')[n].scrollIntoView({block: 'center'})", n)
        page.locator(f".frames > div:nth-child({n + 1})[data-read]").wait_for()
        assert bool(page.evaluate("moved")) == (motion != "reduce")  # it may be at rest again by now
        page.evaluate("Promise.all(document.getAnimations().map(({finished}) => finished)).then(() => 0)")
        frames = page.evaluate(JS.frames)
        assert [(m, shown) for m, isread, shown, *_ in frames] == [(m, "1" if m == n else "0") for m in range(7)]
        assert len({(left, top) for *_, left, top in frames}) == 1
    heard = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    told = [node["name"]["value"] for node in heard if node["role"].get("value") == "StaticText"]
    assert sum("ran 1/16" in text for text in told) == 3  # of share, all, and heads, whichever is seen
