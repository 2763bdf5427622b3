"""Code and formulas as a reader copies them, in a real browser, also after Material has swapped the page."""

import os
import re
import subprocess
import sys

import pytest

from tests.browser.conftest import DESKTOP, PHONE, follow, load
from tests.pages import ROOT, consoles

PAGES = ["learn/line-by-line/", "learn/scaling/", "learn/masks/"]


@pytest.fixture
def open_page(tab, server):
    """Return a function that loads a page in the one tab, where the clipboard may be used."""
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield lambda name: load(tab, server + name)
    tab.context.clear_permissions()
    tab.set_viewport_size(DESKTOP)


def copy(page, block):
    """Click a block's copy button and return what a paste would give."""
    page.evaluate("navigator.clipboard.writeText('nothing was copied')")
    block.hover()
    block.locator("button.md-code__button[data-md-type=copy]").click()
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("name", PAGES)
def test_a_copied_example_is_code_that_runs(open_page, name, tmp_path):
    page = open_page(name)
    blocks = page.locator(".md-content .highlight:visible:has(.gp)")
    source = consoles((ROOT / "docs" / name.strip("/")).with_suffix(".md"))
    for number in range(3):
        shown = blocks.nth(number).locator("pre > code").inner_text()
        assert ">>> " in shown
        copied = copy(page, blocks.nth(number))
        code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", source[number].code, re.M))
        assert copied.strip() == code.strip()
        assert ">>>" not in copied
        (tmp_path / "copied.py").write_text(copied, "utf-8")
        run = subprocess.run(
            [sys.executable, "copied.py"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_prompts_and_outputs_can_be_hidden_and_shown(open_page, way):
    page = open_page("learn/line-by-line/")
    block = page.locator(".md-content .highlight:visible:has(.gp)").first
    toggle, code = block.locator(".prompt-toggle"), block.locator("pre > code")
    assert toggle.get_attribute("aria-pressed") == "false"
    before = code.inner_text()
    assert before.startswith(">>> from attention.example import")
    for pressed, text in (("true", "from attention.example import EARLY5, S5, embed"), ("false", before)):
        if way == "mouse":
            toggle.click()
        else:
            toggle.focus()
            page.keyboard.press("Enter" if pressed == "true" else "Space")
        assert toggle.get_attribute("aria-pressed") == pressed
        assert code.inner_text().startswith(text)
        assert ("array(" in code.inner_text()) == (pressed == "false")


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
    assert copied == r"$$Z = \operatorname{softmax}\!\left(\frac{Q\, K^\top}{\sqrt{d_k}}\right) V$$"


def follow_swapped(page, path):
    """Click the first link to a page, and see that the page is swapped, not loaded."""
    page.evaluate("window.marker = 'still here'")
    follow(page, page.locator(f".md-content a[href$='{path}']").first)
    assert page.url.endswith(path)
    assert page.evaluate("window.marker") == "still here", "the page was loaded anew: no instant navigation"


def test_examples_work_after_instant_navigation(open_page):
    page = open_page("learn/line-by-line/")
    follow_swapped(page, "/scaling/")
    blocks = page.locator(".md-content .highlight:visible:has(.gp)")
    blocks.first.locator(".prompt-toggle").click()
    assert ">>>" not in blocks.first.locator("pre > code").inner_text()
    assert page.locator(".md-content .highlight:has(.gp)").count() == page.locator(".prompt-toggle").count()
    assert copy(page, blocks.nth(1)).startswith("from itertools import product\nimport numpy as np\n")


def test_wide_boxes_scroll_by_keyboard_after_instant_navigation(open_page):
    page = open_page("learn/line-by-line/")
    page.set_viewport_size(PHONE)
    follow_swapped(page, "/scaling/")
    box = page.locator(".md-content [role=region][tabindex='0']:visible").first
    box.wait_for()
    assert box.get_attribute("aria-label")
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert box.evaluate("e => e.scrollLeft") > 0


def test_a_page_downloads_as_python(open_page, tmp_path):
    page = open_page("learn/scaling/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download this page as Python").click()
    assert download.value.suggested_filename == "scaling.py"
    download.value.save_as(tmp_path / "scaling.py")
    assert (tmp_path / "scaling.py").read_text("utf-8").startswith('"""Why divide by')
