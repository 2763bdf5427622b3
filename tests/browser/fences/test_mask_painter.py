"""The mask painter under the hand: keys alone."""

import pytest

from attention import causal_mask
from attention.example import SENTENCE

pytestmark = pytest.mark.nightly

PAGE = "learn/masks/"


def box(widget, row, key):
    return widget.locator("tbody tr").nth(SENTENCE.index(row)).locator("[type=checkbox]").nth(SENTENCE.index(key))


def assert_shows(widget, mask, row):
    hatched = widget.locator("td[data-weight]").evaluate_all("cells => cells.map(e => e.hasAttribute('data-masked'))")
    assert hatched == (~mask).ravel().tolist()
    checked = widget.locator("[type=checkbox]").evaluate_all("boxes => boxes.map(e => e.checked)")
    assert checked == mask.ravel().tolist()
    assert widget.locator("[data-chosen] th").text_content().startswith(SENTENCE[row])


def test_it_works_by_keys_alone(widget):
    page, mask = widget.page, causal_mask(5)
    for _ in range(2):
        box(widget, "cats", "cats").click()  # the cell that Tab comes back to
    widget.get_by_role("radio").first.focus()
    page.keyboard.press("Tab")  # the first cell: the grid is one tab stop
    if page.evaluate("document.activeElement.className") == "scroll":
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.labels[0].innerText").startswith("cats may look at cats")
    before = page.evaluate("scrollY")
    for key in ("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Space")
    mask[1, 2] = True
    assert_shows(widget, mask, 1)
    assert page.evaluate("scrollY") == before
    assert widget.locator("tbody [tabindex='0']").count() == 1
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.labels[0].innerText").startswith("who may look at chased")
    page.keyboard.press("Space")
    assert_shows(widget, causal_mask(5), 1)
