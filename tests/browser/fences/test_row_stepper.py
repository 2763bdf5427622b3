"""The row stepper: one figure at a time, by buttons, track, keys and address; all four without scripts and on paper."""

import pytest

from tests.browser.conftest import DESKTOP, UNFOLD

pytestmark = pytest.mark.nightly

PAGE = "learn/line-by-line/"
SEEN = """widget => [...widget.querySelectorAll(".step")]
  .filter(e => e.checkVisibility({visibilityProperty: true, opacityProperty: true})).map(e => Number(e.dataset.step))"""
OVERFLOWS = """widget => [...widget.querySelectorAll(".step, .step > *")]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className)"""


def assert_shows(widget, step):
    assert widget.evaluate(SEEN) == [step]
    stops = [name for name in ("Back", "Next") if widget.get_by_role("button", name=name, disabled=True).count()]
    assert stops == {1: ["Back"], 4: ["Next"]}.get(step, [])
    says = widget.locator(".says").nth(step - 1).text_content()
    assert widget.locator("output").text_content() == says


def test_buttons_stop_at_the_ends_and_the_track_goes_to_any_step_by_mouse_and_keys(widget):
    assert_shows(widget, 1)
    for name, steps in (("Next", (2, 3, 4, 4)), ("Back", (3, 2, 1, 1))):
        for step in steps:
            widget.get_by_role("button", name=name).click(force=True)  # also one that says it is disabled
            assert_shows(widget, step)
    for step in (3, 2):
        widget.locator("fieldset label").nth(step - 1).click()
        assert_shows(widget, step)
    widget.page.keyboard.press("ArrowRight")
    assert_shows(widget, 3)


@pytest.mark.parametrize("width", [320, 390, 1280, 1920])
def test_no_figure_is_cut_off(widget, width):
    widget.page.set_viewport_size({"width": width, "height": 900})
    cut = widget.evaluate(OVERFLOWS)
    widget.page.set_viewport_size(DESKTOP)
    assert cut == []


def test_on_paper_all_four_stand_below_one_another(widget):
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
    widget.evaluate(UNFOLD)
    widget.locator("fieldset label").nth(2).click()
    assert widget.evaluate(SEEN) == [3]
    page.close()
