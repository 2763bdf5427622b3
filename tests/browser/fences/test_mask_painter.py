"""The mask painter under the hand: keys alone, and a held pointer."""

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
    assert page.evaluate("document.activeElement.ariaLabel") == "who may look at chased"
    assert widget.locator("tbody [tabindex='0']").count() == 1


def test_a_held_pointer_paints_what_it_passes_like_the_first_cell_and_its_click_undoes_nothing(widget):
    page, mask = widget.page, causal_mask(5)
    widget.locator("tfoot").scroll_into_view_if_needed()
    widget.locator("tbody td").nth(1).hover(position={"x": 9, "y": 9})  # once nothing moves any more
    boxes = [[cell.bounding_box() for cell in row.locator("td").all()] for row in widget.locator("tbody tr").all()]
    across, down = [box["x"] + 9 for box in boxes[0]], [row[0]["y"] + 9 for row in boxes]
    page.mouse.down()
    page.mouse.move(across[4], down[0])  # at once: the cells between are painted too
    assert "mask=" not in page.url  # the address waits for the hand
    page.mouse.move(across[4], down[4])
    page.mouse.up()
    page.wait_for_url("**mask=11111110011110111111**")
    page.mouse.click(across[1], down[4])
    mask[0] = mask[:, 4] = True
    mask[4, 1] = False
    checked = widget.locator("[type=checkbox]").evaluate_all("boxes => boxes.map(e => e.checked)")
    assert checked == mask.ravel().tolist()
