"""The head switch: all cases by pointer and keys, in the address bar, across instant navigation, without scripts."""

import itertools

import numpy as np
import pytest

from attention.example import EARLY5, S5, T5, W_K, W_O, W_Q1, W_Q2, W_V, attend, embed
from docs_ext.fences import head_switch
from docs_ext.html.numbers import vector
from tests.browser.conftest import follow

PAGE = "learn/heads/"
SPEC = {"sentences": [S5, T5], "positions": EARLY5, "w_q": [W_Q1, W_Q2], "w_k": W_K, "w_v": W_V, "w_o": W_O}
CASES = head_switch._cases(SPEC)
SHOWN = """widget => ({
  says: widget.querySelector("output").textContent,
  words: [...widget.querySelectorAll("thead th.key")].map(e => e.textContent),
  askers: [...widget.querySelectorAll("fieldset:last-of-type label")].map(e => e.textContent),
  weights: [...widget.querySelectorAll(".weights tbody tr")].map(
    row => [...row.querySelectorAll("td[data-weight]")].map(cell => Number(cell.dataset.weight))),
  bars: [...widget.querySelectorAll("td[data-weight]")].map(cell => Number(cell.style.getPropertyValue("--w"))),
  blends: [...widget.querySelectorAll(".weights tbody .output")].map(cell => cell.textContent),
  seen: [...widget.querySelectorAll(".weights tbody tr")].filter(row => row.checkVisibility()).length,
  handed: [...widget.querySelectorAll("tfoot td")].map(cell => cell.textContent),
})"""


def ready(page):
    page.locator("head-switch form").wait_for()
    return page.locator("head-switch")


@pytest.fixture
def widget(page):
    """Open the page once; every test begins with a reset."""
    widget = ready(page)
    widget.get_by_role("button", name="Reset").click()
    return widget


def choose(widget, name, position):
    widget.locator(f"input[name={name}]").nth(position).check()


def assert_shows(widget, order, averaged, row):
    shown, words = widget.evaluate(SHOWN), (S5, T5)[order]
    assert shown["words"] == shown["askers"] == words
    x = embed(words, EARLY5)
    heads = [attend(x, w_q) for w_q in (W_Q1, W_Q2)]
    weights = [heads[0][0][row], heads[1][0][row], (heads[0][0][row] + heads[1][0][row]) / 2]
    np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(shown["bars"], np.ravel(weights), rtol=0, atol=1e-12)
    blends = np.array(weights) @ (x @ W_V)
    assert shown["blends"] == [vector(blend) for blend in blends]
    assert shown["seen"] == 2 + averaged
    joined = np.concatenate(blends[:2]) @ W_O
    assert shown["handed"][1] == vector(blends[2] if averaged else joined)
    one = head_switch.receive(CASES[order], row)
    assert shown["handed"][0] == ("the average alone" if averaged else f"{head_switch.long_row(one)} times WO")
    assert shown["says"] == head_switch.statement(CASES, order, int(averaged), row)


def test_every_case_shows_what_the_package_computes(widget):
    assert_shows(widget, 0, False, 2)
    for order, averaged, row in itertools.product((1, 0), (True, False), range(5)):
        choose(widget, "order", order)
        choose(widget, "heads", int(averaged))
        choose(widget, "asks", row)
        assert_shows(widget, order, averaged, row)


def test_averaged_heads_cannot_tell_the_sentences_apart(widget):
    widget.get_by_label("averaged").check()
    for sentence in (T5, S5):
        widget.get_by_label(" ".join(sentence)).check()
        assert widget.evaluate(SHOWN)["handed"] == ["the average alone", "(3.5, 3.5)"]
    widget.get_by_label("side by side").check()
    assert widget.evaluate(SHOWN)["handed"] == ["[5, 2 | 2, 5] times WO", "(3, \N{MINUS SIGN}3)"]


def test_it_works_by_keys_alone(widget):
    page = widget.page
    widget.locator("input[name=order]").first.focus()
    page.keyboard.press("ArrowDown")
    assert_shows(widget, 1, False, 2)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert_shows(widget, 1, True, 2)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert_shows(widget, 1, True, 4)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert_shows(widget, 0, False, 2)
    assert page.evaluate("document.activeElement.textContent") == "Reset"


def test_the_statement_is_live(widget):
    assert widget.locator("output").get_attribute("aria-live") == "polite"


def test_the_address_keeps_the_case_until_reset(widget, open_page, server):
    page = widget.page
    assert "#" not in page.url
    choose(widget, "order", 1)
    choose(widget, "heads", 1)
    choose(widget, "asks", 1)
    assert page.url == f"{server}{PAGE}#~heads.order=1&heads.heads=1&heads.asks=1"
    assert_shows(ready(open_page(page.url.removeprefix(server))), 1, True, 1)
    widget.get_by_role("button", name="Reset").click()
    assert page.url == server + PAGE
    assert_shows(widget, 0, False, 2)


def test_an_address_that_says_nothing_sensible_shows_the_default(open_page):
    assert_shows(ready(open_page(f"{PAGE}#~heads.order=2&heads.heads=&heads.asks=9&other.heads=1")), 0, False, 2)


def test_it_survives_instant_navigation(widget):
    page = widget.page
    page.evaluate("window.marker = 'still here'")
    for _ in range(3):
        follow(page, page.locator(".md-sidebar--primary a[href$='scaling/']").first)
        follow(page, page.locator(".md-sidebar--primary a[href$='heads/']").first)
        widget = ready(page)
        assert widget.locator("form").count() == 1
        assert_shows(widget, 0, False, 2)
        widget.get_by_label("averaged").check()
        assert_shows(widget, 0, True, 2)
    assert page.evaluate("window.marker") == "still here"


def test_the_folded_table_stays_as_the_build_wrote_it(widget, open_page):
    rows = """widget => [...widget.querySelectorAll("table.numbers tbody tr")].map(row => row.innerHTML)"""
    written = open_page(PAGE, java_script_enabled=False).locator("head-switch table.numbers tbody tr")
    written = [row.inner_html() for row in written.all()]
    choose(widget, "order", 1)
    choose(widget, "heads", 1)
    assert len(written) == 2
    assert widget.evaluate(rows) == written


def test_moved_within_its_page_it_stays_as_it_is(widget):
    choose(widget, "order", 1)
    widget.evaluate("widget => widget.replaceWith(widget)")  # connected again
    assert widget.locator("form").count() == 1
    assert_shows(widget, 1, False, 2)


def test_on_a_phone_fingers_find_room_and_nothing_is_cut(open_page):
    widget = ready(open_page(PAGE, viewport={"width": 360, "height": 800}))
    for control in widget.locator("form > .widget-controls :is(label, button)").all():
        assert control.bounding_box()["height"] >= 23.9
    assert widget.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_scripts_the_default_and_all_cases_are_there(open_page):
    widget = open_page(PAGE, java_script_enabled=False).locator("head-switch")
    assert widget.locator("input, button").count() == 0
    assert widget.locator(".weights tbody tr:visible").count() == 2
    assert widget.locator("tfoot .output").inner_text() == "(3, \N{MINUS SIGN}3)"
    assert widget.locator("output").inner_text() == head_switch.statement(CASES, 0, 0, 2)
    widget.get_by_text("All four cases").click()
    assert widget.locator("table.numbers tbody tr").all_inner_texts() == [
        "cat that chased dog ran\t[5, 2 | 2, 5]\t(3, \N{MINUS SIGN}3)\t(3.5, 3.5)",
        "dog that chased cat ran\t[2, 5 | 5, 2]\t(\N{MINUS SIGN}3, 3)\t(3.5, 3.5)",
    ]
