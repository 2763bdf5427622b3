"""The explorer of encodings under mouse and keys, in the address bar, across instant navigation, without scripts."""

import numpy as np
import pytest

from attention import sinusoidal_encoding
from tests.browser.conftest import follow

PAGE = "learn/order/"
SHOWN = """explorer => ({
  says: explorer.querySelector("output").textContent,
  head: [...explorer.querySelectorAll("thead .at")].map(e => Number(e.textContent)),
  hands: [...explorer.querySelectorAll("tbody tr")].map(row => Number(row.cells[0].textContent)),
  bars: [...explorer.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll(".signed")].map(e => Number(e.style.getPropertyValue("--v")))),
  numbers: [...explorer.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll(".signed, .adds")].map(e => Number(e.textContent.replace("\\u2212", "-")))),
  total: Number(explorer.querySelector(".total").textContent.replace("\\u2212", "-")),
  angles: [...explorer.querySelectorAll(".dial")].map(dial => [...dial.querySelectorAll("path")].map(hand => {
    const {a, b} = new DOMMatrix(getComputedStyle(hand).transform);
    return Math.atan2(b, a);
  })),
})"""
SET = """(explorer, values) => {
  const form = explorer.querySelector("form");
  for (const [name, value] of Object.entries(values)) form.elements.namedItem(name).value = value;
  form.dispatchEvent(new Event("input"));
  return (SHOWN)(explorer);
}""".replace("SHOWN", SHOWN)


def ready(page):
    page.wait_for_selector("pe-explorer form")
    return page.locator("pe-explorer")


@pytest.fixture
def explorer(page):
    yield ready(page)
    ready(page).get_by_role("button", name="Reset").click()


def shown(explorer):
    return explorer.evaluate(SHOWN)


def assert_shows(explorer, first, second, d_model):
    now, pe = shown(explorer), sinusoidal_encoding(32, d_model)
    assert now["head"] == [first, second]
    assert now["hands"] == list(range(d_model // 2))
    both = np.hstack([pe[first].reshape(-1, 2), pe[second].reshape(-1, 2)])  # sin, cos, sin, cos of every hand
    np.testing.assert_allclose(now["bars"], both, rtol=0, atol=1e-12)
    adds = both[:, 0] * both[:, 2] + both[:, 1] * both[:, 3]
    np.testing.assert_allclose(now["numbers"], np.c_[both, adds], rtol=0, atol=5.1e-6)
    assert now["total"] == pytest.approx(pe[first] @ pe[second], abs=5.1e-6)
    assert now["says"].startswith(
        f"Positions {first} and {second} are {abs(first - second)} apart: their dot product is "
    )


def test_numbers_agree_with_the_package(explorer):
    rng = np.random.default_rng(0)
    assert_shows(explorer, 1, 4, 4)
    for _ in range(30):
        (p, q), d = rng.integers(0, 32, 2).tolist(), int(rng.choice([4, 8, 16]))
        explorer.evaluate(SET, {"p0": p, "p1": q, "d": d})
        assert_shows(explorer, p, q, d)


def test_hands_point_to_the_right_by_their_sine_and_up_by_their_cosine(explorer):
    explorer.evaluate(SET, {"p0": 2, "p1": 5, "d": 8})
    explorer.page.wait_for_timeout(50)  # motion is reduced to 1 ms
    for i, (second, first) in enumerate(shown(explorer)["angles"]):  # from the top, clockwise
        pe = sinusoidal_encoding(6, 8)[:, 2 * i : 2 * i + 2]
        assert [np.sin(first), np.cos(first)] == pytest.approx(pe[2], abs=1e-4)
        assert [np.sin(second), np.cos(second)] == pytest.approx(pe[5], abs=1e-4)


def test_moving_both_keeps_the_dot_product(explorer):
    before = shown(explorer)["total"]
    for step in range(1, 4):
        explorer.get_by_role("button", name="Both one on").click()
        assert_shows(explorer, 1 + step, 4 + step, 4)
        assert shown(explorer)["total"] == before
    assert explorer.page.url.endswith("#~clock.p0=4&clock.p1=7")
    explorer.get_by_role("button", name="Both one back").click()
    assert_shows(explorer, 3, 6, 4)


def test_both_stay_where_one_cannot_move(explorer):
    for values, name in (({"p0": 5, "p1": 31}, "Both one on"), ({"p0": 0, "p1": 3}, "Both one back")):
        explorer.evaluate(SET, values)
        explorer.get_by_role("button", name=name).click()
        assert "both stay where they are" in shown(explorer)["says"]
        assert shown(explorer)["head"] == list(values.values())


def test_it_works_by_keys_alone(explorer):
    page = explorer.page
    explorer.get_by_label("first position").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert_shows(explorer, 2, 31, 4)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert_shows(explorer, 2, 31, 8)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert_shows(explorer, 1, 30, 8)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert_shows(explorer, 1, 4, 4)


def test_the_address_keeps_the_state_until_reset(explorer, open_page, server):
    page = explorer.page
    assert "#" not in page.url
    explorer.locator("input[name=p1]").press("End")
    explorer.get_by_label("16").check()
    assert page.url == f"{server}{PAGE}#~clock.p1=31&clock.d=16"
    assert_shows(ready(open_page(page.url.removeprefix(server))), 1, 31, 16)
    explorer.get_by_role("button", name="Reset").click()
    assert_shows(explorer, 1, 4, 4)
    assert page.url == server + PAGE
    assert_shows(ready(open_page(f"{PAGE}#~clock.p0=32&clock.p1=-1&clock.d=5")), 1, 4, 4)


def test_it_survives_instant_navigation(explorer):
    page = explorer.page
    page.evaluate("window.marker = 'still here'")
    for _ in range(3):
        explorer.get_by_label("8", exact=True).check()
        follow(page, page.locator(".md-sidebar--primary a[href$='scaling/']").first)
        page.wait_for_selector("softmax-lab")  # the other page is there
        follow(page, page.locator(".md-sidebar--primary a[href$='order/']").first)
        explorer = ready(page)
        assert_shows(explorer, 1, 4, 4)
        explorer.get_by_role("button", name="Both one on").click()
        assert_shows(explorer, 2, 5, 4)
    assert page.evaluate("window.marker") == "still here"


def test_on_a_phone_fingers_find_room_and_nothing_is_cut(open_page):
    explorer = ready(open_page(PAGE, viewport={"width": 360, "height": 800}))
    for control in explorer.locator("label, button").all():
        assert control.bounding_box()["height"] >= 23.9
    assert explorer.locator(".dial").first.bounding_box()["width"] >= 24
    assert explorer.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_without_scripts_the_default_stands_there(open_page):
    explorer = open_page(PAGE, java_script_enabled=False).locator("pe-explorer")
    assert explorer.locator("input").count() == 0
    assert explorer.locator(".dial").count() == 2
    for words in ("0.84147", "0.54030", "0.01000", "0.99995", "0.00956", "Positions 1 and 4 are 3 apart"):
        assert words in explorer.inner_text()
