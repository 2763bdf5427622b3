"""The rotation dial under mouse and keys, in the address bar, across instant navigation, without scripts."""

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables
from docs_ext.fences import rotation_dial
from docs_ext.html import numbers
from tests.browser.conftest import follow

PAGE = "learn/relative-positions/"
ONE = np.array([[1.0, 0.0], [1.0, 0.0]])  # the query and the key of the page, pair by pair
SHOWN = """dial => ({
  says: rotation_dial.querySelector("output").textContent,
  head: [...dial.querySelectorAll("thead .at")].map(e => Number(e.textContent)),
  turns: [...dial.querySelectorAll(".turn .reading")].map(e => e.textContent),
  vectors: [...dial.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll(".vector")].map(e => e.textContent)),
  hands: [...dial.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll(".first, .second")].map(
    e => e.getAttribute("d").match(/-?[\\d.]+/g).slice(2).map(Number))),
  adds: [...dial.querySelectorAll(".adds")].map(e => e.textContent),
  total: rotation_dial.querySelector(".total").textContent,
})"""
SET = """(dial, values) => {
  const form = rotation_dial.querySelector("form");
  for (const [name, value] of Object.entries(values)) form.elements.namedItem(name).value = value;
  form.dispatchEvent(new Event("input"));
  return (SHOWN)(dial);
}""".replace("SHOWN", SHOWN)


def ready(page):
    page.wait_for_selector("rotation-dial form")
    return page.locator("rotation-dial")


@pytest.fixture
def widget(page):
    yield ready(page)
    ready(page).get_by_role("button", name="Reset").click()


def assert_shows(widget, query, key, turns=(90, 15)):
    now = widget.evaluate(SHOWN)
    assert now["head"] == [query, key]
    assert now["turns"] == [f"{turn}°" for turn in turns]
    both = []
    for position in (query, key):
        cos, sin = rotary_tables(position * np.radians(turns), 2)
        both.append(apply_rotary(ONE, cos, sin, layout="interleaved"))
    assert now["vectors"] == [[numbers.vector(vectors[i]) for vectors in both] for i in range(2)]
    np.testing.assert_allclose(
        now["hands"], 17 * np.stack(both, axis=1) * [1, -1], rtol=0, atol=6e-4
    )  # up is minus in a drawing
    adds = (both[0] * both[1]).sum(axis=1)
    assert now["adds"] == list(map(numbers.number, adds))
    assert now["total"] == numbers.number(adds.sum())
    assert now["says"] == rotation_dial.statement(query, key, float(adds.sum()))


def test_numbers_agree_with_the_package(widget):
    rng = np.random.default_rng(0)
    assert_shows(widget, 2, 1)
    for _ in range(30):
        m, n = rng.integers(0, 13, 2).tolist()
        fast, slow = rng.integers(0, 13, 2).tolist()
        widget.evaluate(SET, {"p0": m, "p1": n, "t0": fast, "t1": slow})
        assert_shows(widget, m, n, (15 * fast, 15 * slow))


def test_moving_both_keeps_the_dot_product(widget):
    before = widget.evaluate(SHOWN)["total"]
    for step in (1, 2, 3):
        widget.get_by_role("button", name="Both one on").click()
        assert_shows(widget, 2 + step, 1 + step)
        assert widget.evaluate(SHOWN)["total"] == before
    assert widget.page.url.endswith("#~rotation_dial.p0=5&rotation_dial.p1=4")
    widget.get_by_role("button", name="Both one back").click()
    assert_shows(widget, 4, 3)


def test_moving_one_changes_it(widget):
    slider = widget.get_by_label("position of the query")
    box = slider.bounding_box()
    slider.click(position={"x": box["width"] - 2, "y": box["height"] / 2})  # to the far right
    assert_shows(widget, 12, 1)


def test_both_stay_where_one_cannot_move(widget):
    for values, name in (({"p0": 12, "p1": 3}, "Both one on"), ({"p0": 5, "p1": 0}, "Both one back")):
        widget.evaluate(SET, values)
        widget.get_by_role("button", name=name).click()
        now = widget.evaluate(SHOWN)
        assert "both stay where they are" in now["says"]
        assert now["head"] == list(values.values())


def test_it_works_by_keys_alone(widget):
    page = widget.page
    widget.get_by_label("position of the query").focus()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert_shows(widget, 12, 2)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # both one back
    assert_shows(widget, 11, 1)
    for _ in range(3):  # both one on, reset, and the box of the table if it scrolls
        page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.className") == "scroll":
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert_shows(widget, 11, 1, (75, 15))


def test_the_address_keeps_the_state_until_reset(widget, open_page, server):
    page = widget.page
    assert "#" not in page.url
    widget.locator("input[name=p1]").press("End")
    widget.locator("input[name=t1]").press("ArrowRight")
    assert page.url == f"{server}{PAGE}#~rotation_dial.p1=12&rotation_dial.t1=2"
    assert_shows(ready(open_page(page.url.removeprefix(server))), 2, 12, (90, 30))
    widget.get_by_role("button", name="Reset").click()
    assert_shows(widget, 2, 1)
    assert page.url == server + PAGE
    assert_shows(ready(open_page(f"{PAGE}#~rotation_dial.p0=13&rotation_dial.p1=-1&rotation_dial.t0=x")), 2, 1)


def test_it_survives_instant_navigation(widget):
    page = widget.page
    page.evaluate("window.marker = 'still here'")
    for _ in range(3):
        widget.get_by_role("button", name="Both one on").click()
        follow(page, page.locator(".md-sidebar--primary a[href$='windows-and-sinks/']").first)
        page.wait_for_selector("window-sink form")  # the other page is there
        follow(page, page.locator(".md-sidebar--primary a[href$='relative-positions/']").first)
        widget = ready(page)
        assert_shows(widget, 2, 1)
        assert widget.locator("form").count() == 1
        widget.get_by_role("button", name="Both one back").click()
        assert_shows(widget, 1, 0)
    assert page.evaluate("window.marker") == "still here"


def test_on_a_phone_fingers_find_room_and_nothing_is_cut(open_page):
    widget = ready(open_page(PAGE, viewport={"width": 360, "height": 800}))
    for control in widget.locator(".widget-controls label, button").all():
        assert control.bounding_box()["height"] >= 23.9
    assert widget.locator(".dial").first.bounding_box()["width"] >= 48
    assert widget.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_scripts_the_default_stands_there(open_page):
    widget = open_page(PAGE, java_script_enabled=False).locator("rotation-dial")
    assert widget.locator("input, button").count() == 0
    assert widget.locator(".dial").count() == 2
    for words in ("90°", "(\N{MINUS SIGN}1, 0)", "(0.866, 0.5)", "0.966", "The key stands 1 before the query"):
        assert words in widget.inner_text()
