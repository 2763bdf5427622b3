"""The tile stepper: every order and size against the package, pointer, keys, address, navigation, without scripts."""

import pytest

from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.fences import tile_stepper
from docs_ext.html import numbers
from tests.browser.conftest import follow

PAGE = "learn/memory/"
X = embed(S5, EARLY5)
SCORES = [3, 2, 0, 1, 0]
ELL = "\N{SCRIPT SMALL L}"
RESULT = f"Tiles of 2, first to last. After step 3 of 3: m = 3, {ELL} = 2, o = (10, 4); o / {ELL} = (5, 2), the result."
SHOWN = """widget => ({
  rows: [...widget.querySelectorAll("tbody tr")].map(row => [...row.cells].map(cell => cell.textContent)),
  says: widget.querySelector("output").textContent,
})"""


def ready(page):
    page.locator("tile-stepper form").wait_for()
    return page.locator("tile-stepper")


@pytest.fixture
def widget(page):
    """Open the page once; every test begins with a reset."""
    widget = ready(page)
    button(widget, "Reset").click()
    return widget


def button(widget, name):
    return widget.get_by_role("button", name=name, exact=True)


def size(widget):
    return widget.get_by_role("slider", name="words in a tile")


def address(widget):
    return widget.evaluate("() => location.hash")


def assert_shows(widget, order="first to last", tile=2, shown=None):
    """Compare the table and the sentence with what the build would write."""
    tiles = tile_stepper.tiles_of(5, tile, order)
    steps = list(tile_stepper.trace(X[4:] @ W_Q1, X @ W_K, X @ W_V, tiles))
    shown = len(steps) if shown is None else shown
    seen = widget.evaluate(SHOWN)
    expected = []
    for n, step in enumerate(steps, 1):
        registers = [
            "none" if n == 1 else f"\N{MULTIPLICATION SIGN} {tile_stepper.number(step.rescale)}",
            *map(tile_stepper.number, (step.m, step.l)),
            *map(numbers.vector, (step.o, step.so_far)),
        ]
        words, scores = ([str(row[key]) for key in step.tile] for row in (S5, SCORES))
        cells = registers if n <= shown else [""] * len(registers)
        expected.append([str(n), ", ".join(words), ", ".join(scores), *cells])
    assert seen["rows"] == expected
    assert seen["says"] == tile_stepper.says(steps, shown, order, tile)


def test_every_order_and_size_shows_what_the_package_computes(widget):
    for order in tile_stepper.ORDERS:
        widget.get_by_role("radio", name=order).check()
        for tile in range(1, 6):
            size(widget).fill(str(tile))
            assert_shows(widget, order, tile)
            assert widget.evaluate(SHOWN)["rows"][-1][-1] == "(5, 2)"


def test_step_and_back_go_round(widget):
    assert_shows(widget)
    for shown in (1, 2, 3, 1):
        button(widget, "Step").click()
        assert_shows(widget, shown=shown)
    for shown in (3, 2, 1, 3):
        button(widget, "Back").click()
        assert_shows(widget, shown=shown)


def test_it_works_by_keys_alone(widget):
    page = widget.page
    size(widget).focus()
    page.keyboard.press("ArrowLeft")
    assert_shows(widget, tile=1)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert_shows(widget, "last to first", 1)
    page.keyboard.press("Tab")
    for shown, key in ((1, "Space"), (2, "Enter")):
        page.keyboard.press(key)
        assert_shows(widget, "last to first", 1, shown)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert_shows(widget, "last to first", 1, 1)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert_shows(widget)


def test_the_address_keeps_the_state_and_reset_clears_it(widget, open_page):
    page = widget.page
    assert address(widget) == ""
    widget.get_by_role("radio", name="last to first").check()
    button(widget, "Step").click()
    button(widget, "Step").click()
    assert address(widget) == "#~tiles.order=last+to+first&tiles.step=2"
    assert_shows(ready(open_page(PAGE + address(widget))), "last to first", 2, 2)
    button(widget, "Step").click()
    assert address(widget) == "#~tiles.order=last+to+first"
    page.evaluate("history.replaceState(history.state, '', location.hash + '&other.key=1')")
    button(widget, "Reset").click()
    assert address(widget) == "#~other.key=1"
    assert_shows(widget)
    page.evaluate("history.replaceState(history.state, '', location.pathname)")


def test_an_address_that_says_nothing_sensible_shows_the_default(open_page):
    assert_shows(ready(open_page(f"{PAGE}#~tiles.order=sideways&tiles.size=9&tiles.step=0")))


def test_it_survives_instant_navigation(widget):
    page = widget.page
    page.evaluate("window.marker = true")
    for _ in range(3):
        follow(page, page.locator(".md-sidebar--primary a[href$='decoding/']").first)
        follow(page, page.locator(".md-sidebar--primary a[href$='memory/']").first)
        widget = ready(page)
        assert widget.locator("form").count() == 1
        assert_shows(widget)
        button(widget, "Step").click()
        assert_shows(widget, shown=1)
    assert page.evaluate("window.marker")


def test_without_scripts_the_trace_is_complete(open_page):
    widget = open_page(PAGE, java_script_enabled=False).locator("tile-stepper")
    assert widget.locator("input, button").count() == 0
    assert widget.locator("tbody tr").count() == 3
    assert widget.locator("tbody tr").last.locator("td").last.inner_text() == "(5, 2)"
    assert widget.locator("output").inner_text() == RESULT
