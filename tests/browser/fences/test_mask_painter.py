"""The mask painter: random masks and presets against the package, and arrow keys in its grid."""

import numpy as np
import pytest

from attention import causal_mask, padding_mask, segment_mask
from attention.example import EARLY5, S5, W_K, W_Q1, W_V, attend, embed
from docs_ext.html import numbers
from docs_ext.html.grid_table import statement
from docs_ext.reading import head
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/masks/"
CONTRACT = [Widget("mask-painter", PAGE, f"mask=2{'0' * 24}&row=9", roving="td input")]
X = embed(S5, EARLY5)
THAT = "that: cat 2/3, that 1/3; masked: chased, dog, ran; sum 1; output (20/3, 4/3)"
SHOWN = """widget => ({
  weights: [...widget.querySelectorAll("tbody tr")].map(
    row => [...row.querySelectorAll("td[data-weight]")].map(cell => Number(cell.dataset.weight))),
  hatched: [...widget.querySelectorAll("td[data-weight]")].map(cell => cell.hasAttribute("data-masked")),
  outputs: [...widget.querySelectorAll("td.output")].map(cell => cell.textContent),
  says: widget.querySelector("output").textContent,
  preset: widget.querySelector("[type=radio]:checked")?.parentElement.textContent ?? null,
  checked: [...widget.querySelectorAll("[type=checkbox]")].map(box => box.checked),
  chosen: widget.querySelector("[data-chosen]").rowIndex - 1,
})"""
PAINT = f"""(widget, cases) => cases.map(([bits, last]) => {{
  const boxes = [...widget.querySelectorAll("[type=checkbox]")];
  boxes.forEach((box, i) => {{ box.checked = bits[i]; }});
  boxes[last].dispatchEvent(new Event("change", {{bubbles: true}}));
  return ({SHOWN})(widget);
}})"""


def box(widget, row, key):
    return widget.locator("tbody tr").nth(S5.index(row)).locator("[type=checkbox]").nth(S5.index(key))


def assert_shows(widget, mask, row):
    assert_agrees(widget.evaluate(SHOWN), mask, row)


def assert_agrees(shown, mask, row):
    weights, output = attend(X, W_Q1, mask=mask)
    np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
    assert shown["outputs"] == [numbers.vector(one) for one in output]
    assert shown["checked"] == mask.ravel().tolist()
    assert shown["hatched"] == (~mask).ravel().tolist()
    one = head.Head(S5, S5, X @ W_Q1, X @ W_K, X @ W_V, {}, weights, mask, output)
    assert shown["says"] == statement(one, row)
    assert shown["chosen"] == row


def test_any_mask_shows_what_the_package_computes(widget):
    rng = np.random.default_rng(5)
    masks = [rng.random((5, 5)) < rng.choice([0, 0.3, 0.7, 1]) for _ in range(100)]
    last = rng.integers(25, size=100).tolist()
    all_shown = widget.evaluate(PAINT, [[mask.ravel().tolist(), cell] for mask, cell in zip(masks, last, strict=True)])
    for shown, mask, cell in zip(all_shown, masks, last, strict=True):
        assert_agrees(shown, mask, cell // 5)


def test_a_click_paints_a_cell_and_the_others_keep_their_ratio(widget):
    mask = causal_mask(5)
    assert_shows(widget, mask, 1)
    assert widget.evaluate(SHOWN)["says"] == THAT
    box(widget, "chased", "cat").locator("xpath=..").click()  # anywhere in the cell
    mask[2, 0] = False
    assert_shows(widget, mask, 2)
    assert "that 4/5, chased 1/5; masked: cat" in widget.evaluate(SHOWN)["says"]
    assert widget.evaluate(SHOWN)["preset"] is None
    box(widget, "chased", "cat").click()
    assert widget.evaluate(SHOWN)["preset"].strip() == "causal"


def test_it_works_by_keys_alone(widget):
    page, mask = widget.page, causal_mask(5)
    for _ in range(2):
        box(widget, "cat", "cat").click()  # the cell that Tab comes back to
    widget.get_by_role("radio").first.focus()
    page.keyboard.press("Tab")  # the first cell: the grid is one tab stop
    if page.evaluate("document.activeElement.className") == "scroll":
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.labels[0].innerText").startswith("cat may look at cat")
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
    assert page.evaluate("document.activeElement.labels[0].innerText").startswith("that may look at chased")
    page.keyboard.press("Space")
    assert_shows(widget, causal_mask(5), 1)


def test_the_presets_are_masks_of_the_package(widget):
    packed, everything = segment_mask([0, 0, 1, 1, 1]), np.ones((5, 5), bool)
    masks = [causal_mask(5), np.broadcast_to(padding_mask(4, 5), (5, 5)), packed, everything]
    widget.get_by_role("radio").first.focus()
    for mask in (*masks[1:], masks[0]):
        widget.page.keyboard.press("ArrowDown")
        assert_shows(widget, mask, 1)
