"""What main.js does on every page: it fetches the module of each custom element, and says which one does not come."""


def test_an_element_without_its_script_is_reported_in_one_line(open_page, server):
    page = open_page("404.html")
    lines = []
    page.on("console", lambda message: message.type == "error" and lines.append(message.text))
    page.route("**/widgets/*.js", lambda route: route.abort())
    page.evaluate("""address => {
      document.body.append(...["no-such", "no-such", "quiz-progress"].map(tag => document.createElement(tag)));
      document$.next(document);    // as after an instant navigation
    }""")
    page.wait_for_function(
        "performance.getEntriesByType('resource').some(({name}) => name.endsWith('quiz-progress.js'))"
    )
    page.wait_for_timeout(100)
    reports = sorted(line for line in lines if line.startswith("<"))
    assert [line.partition(": Failed")[0] for line in reports] == [
        "<no-such> stays as it was built: widgets/no-such.js",
        "<quiz-progress> stays as it was built: widgets/quiz-progress.js",
    ]
    assert not any("\n" in line for line in reports)
