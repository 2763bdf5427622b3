"""What every widget owes its reader: keys, reset, address, navigation, no scripts, paper, motion.

What V8 can tell, above all that its numbers are the package's, is tried in tests/site/fences; what a hand does to one
widget alone, in fences/test_<widget>.py.
"""

import re
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import DESKTOP, PHONE, ROOT, UNFOLD, ZOOMED, Script, follow, load, reported
from tests.browser.widget import WIDGETS

EVERY_KIND_OF_CONTROL = {"head-browser", "mask-painter", "tile-stepper"}  # the others have no kind that these lack
NO_WIDGETS = {
    "quiz-progress": "a list that begins with the first answer: see fences/test_quiz_question.py",
    "lesson-map": "a map of links, without a state to keep: see fences/test_lesson_map.py",
}

JS = Script("contract.js")
NO_TITLE = {"quiz-question": "its title is the question"}

KEYS = {"range": ["ArrowRight", "ArrowLeft"], "radio": ["Space", "ArrowDown"], "checkbox": ["Space"]}
KEYS |= {"button": ["Enter"], "select-one": ["ArrowDown", "ArrowUp"], "text": ["9"]}


FIGURE = ":is(table, svg, legend, .four-places):not(.widget-controls *)"


def test_every_widget_has_a_row():
    scripts = {path.stem for path in (ROOT / "docs/assets/js/widgets").glob("*.js")}
    assert {widget.tag for widget in WIDGETS} | set(NO_WIDGETS) == scripts, "each has its fences/<stem>.toml"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            widget,
            id=f"{widget.tag} on {widget.page or 'the first page'}",
            marks=() if widget.tag in EVERY_KIND_OF_CONTROL else pytest.mark.nightly,
        )
        for widget in WIDGETS
    ],
)
def shared(request, tab, server):
    """Open the page of a widget once for the whole contract."""
    return request.param, load(tab, server + request.param.page)


@pytest.fixture(scope="module")
def errors(tab):
    return reported(tab)


class Subject:
    """A widget in a page, and what a reader can do with it."""

    def __init__(self, row, page):
        self.row, self.page, self.root = row, page, page.locator(row.tag).first
        self.wait()

    def wait(self):
        """Wait until the scripts of the widget, and of a widget within it, have come."""
        self.root.wait_for(state="attached")
        self.root.evaluate(UNFOLD)  # a script comes when its widget is seen
        self.page.locator(f":is({self.row.tag}, {self.row.tag} *):not(:defined)").first.wait_for(state="detached")

    def begin(self, fragment=""):
        self.page.evaluate(JS.afresh, [self.row.tag, fragment])

    def begin_at(self, state):
        ident = self.root.evaluate("e => e.id || e.dataset.state")
        self.begin("#~another.row=1&" + "&".join(f"{ident}.{part}" for part in state.split("&")))

    def settle(self):
        """Wait for what the widget fetches."""
        if self.row.fetches:
            self.page.locator(f"{self.row.tag}[aria-busy]").wait_for(state="detached")

    def state(self):
        self.settle()
        return self.root.evaluate(JS.state)

    def controls(self):
        return self.root.evaluate(JS.controls, self.row.roving)

    def address(self):
        return urlsplit(self.page.url).fragment

    def assert_stands(self, state):
        self.wait()
        assert self.state() == state

    def resets(self):
        return self.page.locator(self.row.tag).get_by_role("button", name=self.row.reset).first

    def use(self, control):
        """Press the keys of the control that has the focus until it moves; tell whether the widget shows it."""
        for key in KEYS[control["kind"]]:
            self.page.keyboard.press(key)
            state = self.state()
            if state != control["state"]:
                return state["shows"] != control["state"]["shows"]
        return False

    def change(self):
        """Use the first control that shows something; the next one stops a film."""
        default = self.state()
        for _ in self.walk():
            if self.state()["shows"] != default["shows"] and self.root.get_attribute("data-playing") is None:
                return

    def walk(self):
        """Go through the widget by Tab and use every control but Reset; yield each, and whether it was alive."""
        met, keys = set(), self.page.keyboard
        self.root.evaluate(JS.focus)
        while True:
            keys.press("Tab")
            control = self.root.evaluate(JS.focused)
            if control is None:
                return
            name = control["name"]
            assert name not in met, f"Tab comes twice to {name}"
            met.add(name)
            if control["kind"] in KEYS:
                yield name, name == self.row.reset or self.use(control)

    def walk_through(self):
        return dict(self.walk())


@pytest.fixture
def widget(shared, errors):
    row, page = shared
    errors.clear()
    widget = Subject(row, page)
    widget.begin()
    yield widget
    assert not errors


def test_every_control_is_reached_by_tab_and_works_by_keys(widget):
    expected = set(widget.controls())
    assert expected, "a widget without controls"
    alive = widget.walk_through()
    assert set(alive) == expected, "Tab does not reach all controls"
    assert all(alive.values()), f"keys change nothing: {[name for name in alive if not alive[name]]}"


def test_its_statement_is_live(widget):
    live = widget.root.get_by_role("status")
    assert live.count() >= 1
    assert live.last.get_attribute("aria-live") in (None, "polite")
    seen = widget.root.locator(":scope output").all_text_contents()
    heard = " ".join(live.all_text_contents())
    assert all(" ".join(text.split()) in " ".join(heard.split()) for text in seen), "what is seen is not heard"


def test_what_a_slider_changes_is_said_once_when_it_rests(widget):
    sliders, said = widget.root.locator("input[type=range]:visible").all(), []
    for slider in sliders:
        widget.begin()
        widget.wait()
        widget.root.evaluate(JS.listen)
        assert slider.evaluate(JS.move) == [], "it speaks while the slider moves"
        widget.settle()
        seen = widget.root.locator("output").first.text_content()
        widget.page.wait_for_function(JS.hears, arg=[widget.row.tag, seen])
        said.append(len(widget.page.evaluate("window.said")))
    assert set(said) <= {0, 1}  # 0 where a slider changes only what is not told
    assert not sliders or 1 in said


def test_it_has_a_title_and_reset_stands_beside_it(widget):
    if widget.row.tag in NO_TITLE:
        assert widget.root.locator("fieldset > legend").first.is_visible()
        return
    title, reset = widget.root.locator(".widget-title"), widget.resets()
    assert title.is_visible()
    root = widget.root
    assert root.get_attribute("aria-labelledby") == title.get_attribute("id")
    assert root.get_attribute("role") == "group"
    frame, words, button = root.bounding_box(), title.bounding_box(), reset.bounding_box()
    assert abs(words["y"] - button["y"]) < 12
    assert words["x"] + words["width"] <= button["x"]
    assert frame["x"] + frame["width"] - (button["x"] + button["width"]) < 40
    assert words["y"] < root.locator(FIGURE).first.bounding_box()["y"]


def test_forced_colours_take_nothing_away(widget):
    widget.page.emulate_media(forced_colors="active", reduced_motion="reduce")
    lost = widget.root.evaluate(JS.lost)
    widget.page.emulate_media(forced_colors="none", reduced_motion="reduce")
    assert lost == []


def test_reset_gives_the_default_back_and_cleans_the_address(widget):
    if not widget.row.reset:
        assert widget.root.get_by_role("button", name="Reset").count() == 0, "it has a Reset now: its row must say so"
        return
    default = widget.state()
    widget.walk_through()
    assert widget.state()["shows"] != default["shows"]
    widget.page.evaluate("history.replaceState(history.state, '', (location.hash || '#~') + '&another.key=1')")
    widget.page.locator(widget.row.tag).get_by_role("button", name=widget.row.reset).first.press("Enter")
    assert widget.page.evaluate("document.activeElement.textContent") == widget.row.reset
    assert widget.state() == default
    assert widget.address().strip("~&") == "another.key=1"


def test_the_address_keeps_the_state(widget):
    default = widget.state()
    assert widget.address() == ""
    widget.walk_through()
    if not widget.row.wrong:
        assert widget.address() == "", "it keeps a state now: its row must name a wrong one"
        return
    state = widget.state()
    load(widget.page, widget.page.url)
    widget.wait()
    assert widget.state() == state != default


def test_an_address_that_means_nothing_shows_the_default(widget):
    default, wrong = widget.state(), widget.row.wrong.split() or [""]
    for state in (*wrong, *(re.sub("=[^&]*", f"={value}", wrong[0]) for value in ("x", "", "%22]", "%"))):
        widget.begin_at(state)
        assert widget.state() == default, state


def test_back_shows_it_as_it_was_left_and_a_link_shows_it_anew(widget):
    page, default, controls = widget.page, widget.state(), widget.controls()
    widget.change()
    left, address = widget.state(), widget.address()
    assert left["shows"] != default["shows"]
    next_page, back = page.locator(".md-footer__link--next"), page.locator(".md-footer__link--prev")
    follow(page, next_page)
    follow(page, page.go_back)
    assert widget.address() == address
    widget.assert_stands(left)
    follow(page, next_page)
    follow(page, back)
    assert widget.address() == ""
    widget.assert_stands(default if widget.row.wrong else left)  # what is in the storage stays
    assert widget.controls() == controls
    widget.begin()
    widget.change()
    assert widget.state() == left


def test_on_a_phone_fingers_find_room_and_nothing_is_cut(widget):
    found, result = {}, widget.row.result
    for size in (PHONE, ZOOMED):
        widget.page.set_viewport_size(size)
        wide = widget.page.evaluate("document.documentElement.scrollWidth") > size["width"]
        found[size["width"]] = (widget.root.evaluate(JS.tooSmall), wide)
        seen = not result or size == ZOOMED or widget.root.locator(result).evaluate(JS.inSight, widget.row.tag)
        assert seen, "the result has no words, or stands beside the frame"
    widget.page.set_viewport_size(DESKTOP)
    assert found == {PHONE["width"]: ([], False), ZOOMED["width"]: ([], False)}


def test_on_paper_the_figure_stands_without_its_controls(widget):
    widget.page.emulate_media(media="print")
    figure, buttons = widget.root.locator(FIGURE).first, widget.root.locator("button:visible").count()
    seen, statement = figure.bounding_box(), widget.root.locator("output").last.is_visible()
    widget.page.emulate_media(media="screen")
    assert buttons == 0
    assert statement or widget.row.tag == "quiz-question"
    assert seen
    assert seen["width"] > 100
    assert seen["height"] > 20


def test_nothing_moves_where_motion_is_reduced(widget):
    assert widget.root.evaluate(JS.moving) == []
    widget.change()
    widget.page.wait_for_timeout(20)
    assert widget.root.evaluate("e => e.getAnimations({subtree: true}).length") == 0


def test_without_scripts_no_control_is_dead_and_all_folds_open(widget, plain, server):
    plain.goto(server + widget.row.page)
    static = plain.locator(widget.row.tag).first
    static.evaluate(UNFOLD)
    assert static.locator(FIGURE).filter(visible=True).count()  # a film shows its frames instead
    assert static.locator("button:visible, .widget-controls:visible").count() == 0
    assert bool(static.locator("input:visible").count()) == widget.row.native
    for summary in static.locator("summary").all():
        summary.press("Enter")
    assert all(box.is_visible() for box in static.locator("details > :not(summary)").all())
    if widget.row.native and widget.row.reset == "Reset":  # what is chosen shows by CSS alone
        shown = static.evaluate(JS.outlined)
        static.locator("input[type=radio]:not(:checked):visible").first.check()
        assert static.evaluate(JS.outlined) != shown


def test_what_it_fetches_comes_with_the_hand_and_its_absence_is_said(widget, open_page, handler):
    if not (record := widget.row.fetches):
        return
    handler.served.clear()
    page = open_page(widget.row.page)
    page.locator(f"{widget.row.tag}:defined form").wait_for()
    page.wait_for_load_state("networkidle")
    assert not [path for path, _ in handler.served if path.endswith(record)]
    asks = page.locator(widget.row.tag).locator(widget.row.asks).first
    says = page.locator(f"{widget.row.tag} output").filter(has_text="could not be fetched")
    page.route(f"**/{record}", lambda route: route.abort())
    key = KEYS[asks.evaluate("control => control.type")][0]
    asks.press(key)
    says.wait_for()
    page.unroute(f"**/{record}")
    with page.expect_response(f"**/{record}") as answer:
        asks.press(key)
    answer.value.finished()
    says.wait_for(state="detached")
    assert [size < 300_000 for path, size in handler.served if path.endswith(record)] == [True]
