"""Code and formulas as a reader copies them, in a real browser, also after Material has swapped the page."""

import re

import pytest

from tests.browser.conftest import DESKTOP, load

pytestmark = pytest.mark.nightly


@pytest.fixture
def open_page(tab, server):
    """Return a function that loads a page in the one tab, where the clipboard may be used."""
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield lambda name: load(tab, server + name)
    tab.context.clear_permissions()
    tab.set_viewport_size(DESKTOP)


def copy(page, block):
    """Press a block's copy button and return what a paste would give."""
    page.evaluate("navigator.clipboard.writeText('')")
    block.locator("button.md-code__button[data-md-type=copy]").press("Enter")
    return page.wait_for_function("navigator.clipboard.readText()").json_value()


@pytest.mark.parametrize("name", ["learn/scores-and-softmax/", "reference/dot_product/"])
def test_a_folded_example_is_copied_whole_open_or_closed(open_page, name):
    page = open_page(name)
    block = page.locator(".md-content .highlight:visible:has(> .setup)").first
    setup, below = block.locator(".setup > pre"), block.locator("pre > code")
    assert not setup.is_visible()
    copied = copy(page, block)
    assert "import" in copied
    assert ">>>" not in copied
    block.locator(".setup > summary").focus()
    page.keyboard.press("Enter")
    assert setup.is_visible()
    selected = below.evaluate("code => (getSelection().selectAllChildren(code), `${getSelection()}`)")
    assert ">>>" not in selected
    shown = f"{setup.inner_text()}\n{below.inner_text()}"
    assert re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", shown, re.M) == copied.split("\n")
    assert copy(page, block) == copied
    assert block.locator("button.md-code__button").count() == 1


def test_a_copied_formula_is_standard_tex(open_page):
    page = open_page("")
    page.evaluate("""() => {
        const range = document.createRange();
        range.selectNode(document.querySelector(".md-content .katex-display"));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
    }""")
    page.keyboard.press("Control+C")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == r"$$Z = \operatorname{softmax}(Q\, K^\top / \sqrt{d_k})\, V$$"
