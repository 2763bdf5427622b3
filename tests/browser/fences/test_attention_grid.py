"""The attention grid without scripts: the spotlight and what is said about a row; and on a phone."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/self-and-cross/"
GRID = "attention-grid"
SPOTLIGHT = """grid => [...grid.querySelectorAll("tbody tr")]
  .map((row, index) => getComputedStyle(row).outlineStyle === "solid" ? index : -1).filter(index => index >= 0)"""
SEEN = """grid => [...grid.querySelectorAll(".statements > :not(.visually-hidden)")]
  .filter(e => getComputedStyle(e).visibility === "visible").map(e => e.textContent)"""


def static_statements(grid):
    return grid.locator(".statements > p").all_text_contents()


def test_without_scripts_css_shows_the_row_that_is_chosen(open_page):
    page = open_page(PAGE, java_script_enabled=False)
    grid = page.locator(GRID).first
    assert grid.locator("output").count() == 0
    says = static_statements(grid)
    for row, act in enumerate((grid.locator("tbody label").first.click, lambda: page.keyboard.press("ArrowDown"))):
        act()
        assert grid.evaluate(SPOTLIGHT) == [row]
        assert grid.evaluate(SEEN) == [says[row]]
    assert grid.locator("input:checked").get_attribute("aria-describedby") == f"{grid.get_attribute('id')}-says-1"


LOST = """() => [...document.querySelectorAll(".attention-grid .scroll, attention-grid .scroll")].flatMap(scroll => {
  const hidden = [...scroll.querySelectorAll(".output")].some(e => !e.closest("[hidden]") && !e.checkVisibility());
  return hidden || scroll.scrollWidth > scroll.clientWidth ? [`${scroll.ariaLabel}: ${scroll.scrollWidth}`] : [];
})"""
SHOWN = dict.fromkeys(("masks", "order", "read-the-grid", "self-and-cross", "training"), "")
SHOWN |= {"heads": "#~heads.heads=1", "windows-and-sinks": "#~window.left=4&window.sink=4"}


@pytest.mark.parametrize(("name", "state"), SHOWN.items())
def test_on_a_phone_no_grid_is_cut_off(open_page, name, state):
    page = open_page(f"learn/{name}/{state}", viewport={"width": 360, "height": 844})
    page.locator(":not(:defined)").first.wait_for(state="detached")
    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    for width in (360, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(LOST) == []
