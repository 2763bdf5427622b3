"""Window and sink under the hand: a mouse moves sliders and chooses rows."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/windows-and-sinks/"
CONTRACT = [Widget("window-sink", PAGE, "left=9&sink=-1&row=7")]


def test_a_mouse_moves_sliders_and_chooses_rows(widget):
    slider, hidden = widget.get_by_label("words back"), widget.locator("td[data-masked]")
    box = slider.bounding_box()
    slider.click(position={"x": 2, "y": box["height"] / 2})
    assert hidden.count() == 20  # each word sees itself alone
    slider.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    assert hidden.count() == 10
    widget.get_by_label("that", exact=True).check()
    assert widget.locator("[data-chosen] th").text_content() == "that"
    widget.locator("tbody tr").nth(3).locator("td").first.click()
    assert widget.locator("[data-chosen] th").text_content() == "dog"
    assert widget.page.url.endswith("left=4&" + widget.get_attribute("id") + ".row=3")
