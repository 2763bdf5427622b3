"""The blend triangle under the hand: a mouse and a finger drag the point."""

import numpy as np
import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/lookup/"
SHOWN = """triangle => {
  const place = e => { const box = e.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  return {
    shares: [...triangle.querySelectorAll("input")].map(e => Number(e.value)),
    point: place(triangle.querySelector(".blend rect")),
    corners: [...triangle.querySelectorAll("circle.corner")].map(place),
  };
}"""


def shown(widget):
    return widget.evaluate(SHOWN)


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
    assert now["point"] == pytest.approx(np.array([0.5, 0.25, 0.25]) @ now["corners"], abs=0.6)  # pixels
    assert widget.locator("output").text_content() == "1/2 (8, 0) + 1/4 (0, 8) + 1/4 (8, 8) = (6, 4)"
    assert widget.page.url.endswith("#~triangle.w0=8&triangle.w2=4")


def test_a_finger_drags_the_point(open_page):
    page = open_page(PAGE, has_touch=True, viewport={"width": 390, "height": 844})
    page.wait_for_selector("blend-triangle form")
    widget = page.locator("blend-triangle")
    widget.locator("svg").scroll_into_view_if_needed()
    now, scrolled = shown(widget), page.evaluate("scrollY")
    way = np.linspace(now["point"], np.array([0.5, 0.25, 0.25]) @ now["corners"], 12)
    devtools = page.context.new_cdp_session(page)
    for kind, points in (("touchStart", way[:1]), *(("touchMove", [at]) for at in way[1:]), ("touchEnd", [])):
        touches = [{"x": x, "y": y} for x, y in np.asarray(points).tolist()]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    assert shown(widget)["shares"] == [8, 4, 4]
    assert page.evaluate("scrollY") == scrolled  # the browser left the movement to the widget
