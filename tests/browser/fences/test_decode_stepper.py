"""The decode stepper: its steps by pointer and keys, in the address bar, across instant navigation, without scripts."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.fences import decode_stepper
from docs_ext.html.numbers import share, vector
from docs_ext.spec.head import read_head
from tests.browser.conftest import follow

PAGE = "learn/decoding/"
X = embed(S5, EARLY5)
HEAD = read_head({"tokens": S5, "x": X, "w_q": W_Q1, "w_k": W_K, "w_v": W_V})
SHOWN = """widget => ({
  says: widget.querySelector("output").textContent,
  states: [...widget.querySelectorAll(".steps tbody tr")].map(row => [row.dataset.state, row.cells[1].textContent]),
  cells: [...widget.querySelectorAll(".steps tbody tr")].map(row => [...row.cells].slice(2).map(e => e.textContent)),
  weights: [...widget.querySelectorAll(".steps tbody tr")].map(row => Number(row.cells[4].dataset.weight)),
  sums: [...widget.querySelectorAll("tfoot td")].map(e => e.textContent).filter(Boolean),
  reading: widget.querySelector(".reading").textContent,
  stops: [...widget.querySelectorAll("[aria-disabled]")].map(e => e.ariaDisabled === "true"),
})"""


def ready(page):
    page.locator("decode-stepper form").wait_for()
    return page.locator("decode-stepper")


@pytest.fixture
def widget(page):
    """Open the page once; every test begins with a reset."""
    widget = ready(page)
    widget.get_by_role("button", name="Reset").click()
    return widget


def choose(widget, sees):
    widget.locator(f"input[value={sees}]").check()


def press(widget, name):
    widget.get_by_role("button", name=name).click(force=True)  # also a button that says it is disabled


def assert_shows(widget, t, sees):
    shown, step = widget.evaluate(SHOWN), decode_stepper.run(HEAD, sees, 2)[t - 1]
    states = ["pushed out"] * step.first + ["cached"] * (t - 1 - step.first) + ["new"] + ["to come"] * (5 - t)
    assert shown["states"] == [[state, state] for state in states]
    expected = np.zeros(5)
    expected[step.first : t] = step.weights
    np.testing.assert_allclose(shown["weights"], expected, rtol=0, atol=1e-12)
    for j, cells in enumerate(shown["cells"]):
        if not step.first <= j < t:
            assert cells == [""] * 5
            continue
        allowed = step.allowed[j - step.first]
        weight = share(expected[j]) if allowed else "masked"
        score = decode_stepper.number(step.scores[j - step.first])
        part = vector(expected[j] * HEAD.v[j])
        assert cells == [vector(HEAD.k[j]), score, weight, vector(HEAD.v[j]), part]
    assert shown["sums"] == ["1", vector(step.output)]
    assert shown["says"] == decode_stepper.statement(S5, step, sees)
    assert shown["reading"] == str(t)
    assert shown["stops"] == [t == 1, t == 5]


def test_every_step_shows_what_the_package_computes(widget):
    assert_shows(widget, 3, "all")
    for sees, t in itertools.product(decode_stepper.SEES, range(1, 6)):
        choose(widget, sees)
        widget.get_by_label("step", exact=True).fill(str(t))
        assert_shows(widget, t, sees)


def test_buttons_go_on_and_back_and_stop_at_the_ends(widget):
    for t in (4, 5, 5):
        press(widget, "Next token")
        assert_shows(widget, t, "all")
    for t in (4, 3, 2, 1, 1):
        press(widget, "Back")
        assert_shows(widget, t, "all")


def test_a_top_left_mask_gives_the_first_value_in_every_step(widget):
    choose(widget, "first")
    for _ in range(2):
        press(widget, "Next token")
        assert widget.evaluate(SHOWN)["sums"] == ["1", "(8, 0)"]
    choose(widget, "all")
    assert widget.evaluate(SHOWN)["sums"] == ["1", "(5, 2)"]


def test_it_works_by_keys_alone(widget):
    page = widget.page
    widget.get_by_label("step", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert_shows(widget, 4, "all")
    page.keyboard.press("Home")
    assert_shows(widget, 1, "all")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    assert_shows(widget, 3, "all")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert_shows(widget, 3, "window")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert_shows(widget, 3, "all")
    assert page.evaluate("document.activeElement.textContent") == "Reset"


def test_the_statement_is_live(widget):
    assert widget.locator("output").get_attribute("aria-live") == "polite"


def test_the_address_keeps_the_step_until_reset(widget, open_page, server):
    page = widget.page
    assert "#" not in page.url
    press(widget, "Next token")
    choose(widget, "window")
    assert page.url == f"{server}{PAGE}#~steps.step=4&steps.sees=window"
    assert_shows(ready(open_page(page.url.removeprefix(server))), 4, "window")
    press(widget, "Reset")
    assert page.url == server + PAGE
    assert_shows(widget, 3, "all")


def test_an_address_that_says_nothing_sensible_shows_the_default(open_page):
    assert_shows(ready(open_page(f"{PAGE}#~steps.step=9&steps.sees=none&other.step=1")), 3, "all")


def test_it_survives_instant_navigation(widget):
    page = widget.page
    page.evaluate("window.marker = 'still here'")
    for _ in range(3):
        follow(page, page.locator(".md-sidebar--primary a[href$='heads/']").first)
        follow(page, page.locator(".md-sidebar--primary a[href$='decoding/']").first)
        widget = ready(page)
        assert widget.locator("form").count() == 1
        assert_shows(widget, 3, "all")
        press(widget, "Next token")
        assert_shows(widget, 4, "all")
    assert page.evaluate("window.marker") == "still here"


def test_the_folded_table_stays_as_the_build_wrote_it(widget, open_page):
    rows = """widget => [...widget.querySelectorAll("table.numbers tbody tr")].map(row => row.innerHTML)"""
    written = open_page(PAGE, java_script_enabled=False).locator("decode-stepper table.numbers tbody tr")
    written = [row.inner_html() for row in written.all()]
    press(widget, "Next token")
    choose(widget, "window")
    assert len(written) == 5
    assert widget.evaluate(rows) == written


def test_moved_within_its_page_it_stays_as_it_is(widget):
    press(widget, "Next token")
    widget.evaluate("widget => widget.replaceWith(widget)")  # connected again
    assert widget.locator("form").count() == 1
    assert_shows(widget, 4, "all")


def test_on_a_phone_fingers_find_room_and_nothing_is_cut(open_page):
    widget = ready(open_page(PAGE, viewport={"width": 360, "height": 800}))
    for control in widget.locator("form > .widget-controls :is(label, button)").all():
        assert control.bounding_box()["height"] >= 23.9
    assert widget.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_scripts_the_default_and_all_steps_are_there(open_page):
    widget = open_page(PAGE, java_script_enabled=False).locator("decode-stepper")
    assert widget.locator("input, button").count() == 0
    assert widget.locator("output").inner_text() == decode_stepper.statement(
        S5, decode_stepper.run(HEAD, "all", 2)[2], "all"
    )
    assert widget.locator(".steps tbody tr").nth(2).inner_text().split("\t")[:2] == ["chased", "new"]
    widget.get_by_text("All steps", exact=True).click()
    assert widget.locator("table.numbers tbody tr").count() == 5
    assert "(80/13, 16/13)" in widget.locator("table.numbers tbody tr").nth(2).inner_text()
