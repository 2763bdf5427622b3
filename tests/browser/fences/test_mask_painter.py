"""The mask painter under the hand: keys alone."""

import pytest

from attention import causal_mask
from attention.example import SENTENCE

pytestmark = pytest.mark.nightly

PAGE = "learn/masks/"


def box(widget, row, key):
    return widget.locator("tbody tr").nth(SENTENCE.index(row)).locator("[type=checkbox]").nth(SENTENCE.index(key))


def test_arrow_keys_go_from_cell_to_cell_and_space_changes_one(widget):
    page, boxes = widget.page, widget.locator("[type=checkbox]")
    mask = causal_mask(5)
    box(widget, "cats", "cats").focus()
    before = page.evaluate("scrollY")
    for key in ("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight", "ArrowRight", "Space"):
        page.keyboard.press(key)
    mask[1, 2] = True
    assert boxes.evaluate_all("boxes => boxes.map(e => e.checked)") == mask.ravel().tolist()
    hatched = widget.locator("td[data-weight]").evaluate_all("cells => cells.map(e => e.hasAttribute('data-masked'))")
    assert hatched == (~mask).ravel().tolist()
    assert page.evaluate("scrollY") == before
    assert page.evaluate("document.activeElement.labels[0].innerText").startswith("who may look at chased")
    assert widget.locator("tbody [tabindex='0']").count() == 1
