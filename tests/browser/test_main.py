"""What main.js does on every page: it fetches the module of each custom element, and says which one does not come."""

import pytest

WIDGETS = """() => performance.getEntriesByType("resource").map(({name}) => name)
  .filter(name => name.includes("/assets/js/widgets/")).map(name => name.split("/").pop())"""


def reported(page, start):
    return page.expect_console_message(lambda message: message.text.startswith(start))


def test_an_element_without_its_script_is_reported_in_one_line(open_page, server):
    page = open_page("404.html")
    lines = []
    page.on("console", lambda message: message.type == "error" and lines.append(message.text))
    page.route("**/widgets/*.js", lambda route: route.abort())
    with reported(page, "<no-such>"), reported(page, "<quiz-progress>"):
        page.evaluate("""() => {
          document.body.append(...["no-such", "no-such", "quiz-progress"].map(tag => document.createElement(tag)));
          document$.next(document);    // as after an instant navigation
        }""")
    page.wait_for_timeout(100)
    reports = sorted(line for line in lines if line.startswith("<"))
    assert [line.partition(": Failed")[0] for line in reports] == [
        "<no-such> stays as it was built: widgets/no-such.js",
        "<quiz-progress> stays as it was built: widgets/quiz-progress.js",
    ]
    assert not any("\n" in line for line in reports)


@pytest.mark.parametrize("key", [None, "Enter", "Space"])
def test_a_folded_widget_comes_when_it_is_opened_and_not_before(open_page, key):
    page = open_page("reference/how-this-site-is-made/")
    page.locator(".prompt-toggle").first.wait_for(state="attached")  # main.js has been here
    assert page.locator("details:not([open]) rotation-dial").count() == 1
    assert page.evaluate(WIDGETS) == []
    fold = page.locator("details:has(> div > rotation-dial) > summary")
    if key is None:
        fold.click()
    else:
        fold.focus()
        page.keyboard.press(key)
    page.locator("rotation-dial input[type=range]").first.wait_for()
    assert page.evaluate(WIDGETS) == ["rotation-dial.js"]
