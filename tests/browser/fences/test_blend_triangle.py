"""The blend triangle under the hand: a mouse and a finger drag the point."""

from fractions import Fraction

import numpy as np
import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/lookup/"
CONTRACT = [Widget("blend-triangle", PAGE, "w0=17&w1=x&w2=1.5", apart=".score")]
VALUES = np.array([[8, 0], [0, 8], [8, 8]])
SHOWN = """triangle => {
  const place = e => { const box = e.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  return {
    says: triangle.querySelector("output").textContent,
    desc: triangle.querySelector("desc").textContent,
    shares: [...triangle.querySelectorAll("input")].map(e => Number(e.value)),
    weights: [...triangle.querySelectorAll("tbody .weight")].map(e => e.textContent),
    point: place(triangle.querySelector(".blend rect")),
    corners: [...triangle.querySelectorAll("circle.corner")].map(place),
  };
}"""


def ready(page):
    page.wait_for_selector("blend-triangle form")
    return page.locator("blend-triangle")


def shown(widget):
    return widget.evaluate(SHOWN)


def assert_point_is_the_blend(now):
    weights = [Fraction(share, sum(now["shares"])) for share in now["shares"]]
    assert [Fraction(text) for text in now["weights"]] == weights
    assert now["point"] == pytest.approx(np.array(weights, float) @ now["corners"], abs=0.6)  # pixels
    blend = [sum(w * int(v) for w, v in zip(weights, column, strict=True)) for column in VALUES.T]
    stated = now["says"].rpartition(" = ")[2].strip("()").split(", ")
    assert [Fraction(x) for x in stated] == blend
    assert now["desc"] == now["says"]


def drag(widget, way):
    """Drag the point by its middle through places of the drawing, each given by weights of the corners."""
    widget.locator("svg").scroll_into_view_if_needed()
    now, mouse = shown(widget), widget.page.mouse
    mouse.move(*now["point"])
    mouse.down()
    for weights in way:
        mouse.move(*(np.array(weights) @ now["corners"]))
    mouse.up()
    return shown(widget)


def test_the_point_can_be_dragged_in_sixteenths(widget):
    now = drag(widget, [[0.5, 0.25, 0.25]])
    assert now["shares"] == [8, 4, 4]
    assert now["says"] == "1/2 (8, 0) + 1/4 (0, 8) + 1/4 (8, 8) = (6, 4)"
    assert widget.page.url.endswith("#~triangle.w0=8&triangle.w2=4")
    assert_point_is_the_blend(drag(widget, [[0.31, 0.27, 0.42], [0.2, 0.2, 0.6]]))


def test_a_finger_drags_the_point(open_page):
    page = open_page(PAGE, has_touch=True, viewport={"width": 390, "height": 844})
    widget = ready(page)
    widget.locator("svg").scroll_into_view_if_needed()
    now, scrolled = shown(widget), page.evaluate("scrollY")
    way = np.linspace(now["point"], np.array([0.5, 0.25, 0.25]) @ now["corners"], 12)
    devtools = page.context.new_cdp_session(page)
    for kind, points in (("touchStart", way[:1]), *(("touchMove", [at]) for at in way[1:]), ("touchEnd", [])):
        touches = [{"x": x, "y": y} for x, y in np.asarray(points).tolist()]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    assert shown(widget)["shares"] == [8, 4, 4]
    assert page.evaluate("scrollY") == scrolled  # the browser left the movement to the widget


def test_shares_that_are_all_zero_have_no_point_until_there_is_one_again(widget):
    for i in range(3):
        widget.locator("input").nth(i).press("Home")
    assert widget.locator("output").text_content().startswith("All shares are 0")
    assert widget.locator(".blend").count() == 0
    widget.locator("input").first.press("ArrowRight")
    assert_point_is_the_blend(shown(widget))
