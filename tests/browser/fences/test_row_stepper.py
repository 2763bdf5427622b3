"""The row stepper: one figure at a time, by buttons, track, keys and address; all four without scripts and on paper."""

import pytest

from tests.browser.conftest import DESKTOP
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/line-by-line/"
CONTRACT = [Widget("row-stepper", PAGE, "step=9 step=0", apart="fieldset")]  # the track becomes a control
NAMES = ["Project", "Score", "Normalise", "Blend"]
SEEN = """widget => [...widget.querySelectorAll(".step")]
  .filter(e => e.checkVisibility({visibilityProperty: true, opacityProperty: true})).map(e => Number(e.dataset.step))"""
SAYS = "widget => widget.querySelector('output').textContent.trim()"
CAPTIONS = "widget => [...widget.querySelectorAll('.says')].map(e => e.textContent.trim())"
STOPS = "widget => [...widget.querySelectorAll('button[aria-disabled]')].map(e => e.ariaDisabled === 'true')"
OVERFLOWS = """widget => [...widget.querySelectorAll(".step, .step > *")]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className)"""


@pytest.fixture
def widget(page):
    """Open the page once; every test begins with a reset."""
    page.wait_for_selector("row-stepper form")
    widget = page.locator("row-stepper")
    widget.get_by_role("button", name="Reset").click()
    page.mouse.move(0, 0)
    return widget


def settle(widget):
    """Wait until the figures that fade have gone."""
    widget.evaluate("widget => Promise.all(widget.getAnimations({subtree: true}).map(e => e.finished))")


def assert_shows(widget, step):
    settle(widget)
    assert widget.evaluate(SEEN) == [step]
    assert widget.evaluate(SAYS) == widget.evaluate(CAPTIONS)[step - 1]
    assert widget.evaluate(STOPS) == [step == 1, step == 4]
    assert widget.get_by_role("radio", checked=True).evaluate("e => e.value") == str(step)


def press(widget, name):
    widget.get_by_role("button", name=name).click(force=True)  # also a button that says it is disabled


def test_buttons_go_on_and_back_and_stop_at_the_ends(widget):
    assert_shows(widget, 1)
    for step in (2, 3, 4, 4):
        press(widget, "Next")
        assert_shows(widget, step)
    for step in (3, 2, 1, 1):
        press(widget, "Back")
        assert_shows(widget, step)


def test_the_track_goes_to_any_step_by_mouse_and_keys(widget):
    for step in (3, 1, 4, 2):
        widget.locator("fieldset label").nth(step - 1).click()
        assert_shows(widget, step)
    for key, step in (("ArrowRight", 3), ("ArrowRight", 4), ("ArrowLeft", 3)):
        widget.page.keyboard.press(key)
        assert_shows(widget, step)
    for n, name in enumerate(NAMES, 1):
        assert widget.get_by_role("radio", name=f"{n} {name}", exact=True).get_attribute("value") == str(n)


@pytest.mark.parametrize("width", [320, 390, 1280, 1920])
def test_no_figure_is_cut_off(widget, width):
    widget.page.set_viewport_size({"width": width, "height": 900})
    cut = widget.evaluate(OVERFLOWS)
    widget.page.set_viewport_size(DESKTOP)
    assert cut == []


def test_on_paper_all_four_stand_below_one_another(widget):
    press(widget, "Next")
    widget.page.emulate_media(media="print")
    seen, tops = widget.evaluate(SEEN), [figure.bounding_box()["y"] for figure in widget.locator(".step").all()]
    widget.page.emulate_media(media="screen")
    assert seen == [1, 2, 3, 4]
    assert len(set(tops)) == 4


def test_if_its_script_never_comes_the_track_works_by_itself(browser, server):
    page = browser.new_page()
    page.route("**/row-stepper.js", lambda route: route.abort())
    page.goto(server + PAGE)
    widget = page.locator("row-stepper")
    widget.locator("fieldset label").nth(2).click()
    settle(widget)
    assert widget.evaluate(SEEN) == [3]
    page.close()
