"""Figures of attention.show in a browser: from a disk, offline, by the keyboard, on a phone, in a notebook."""

import numpy as np
import pytest
from axe_playwright_python.base import AXE_SCRIPT

from attention.show import arcs, grid, heads
from tests.browser.conftest import DESKTOP, PHONE

RNG = np.random.default_rng(2)
WORDS = ["a", "</script>", "a", "<b>", *(f"word{i}" for i in range(17))]
TOKENS = ["[CLS]", *WORDS, "[SEP]"]
WEIGHTS = RNG.dirichlet(np.ones(len(TOKENS)), (2, 3, len(TOKENS)))
FIGURES = {
    "heads": heads(WEIGHTS, TOKENS, title="a </script> a <b>"),
    "grid": grid(np.tril(np.ones((5, 5))) / np.arange(1, 6)[:, None], "a b c d e", controls=(np.eye(3), "f g h")),
    "arcs": arcs(WEIGHTS[0, 0], TOKENS),
}


@pytest.fixture
def opened(browser, tmp_path):
    """Open a figure from a disk with the network off; whatever it asks for or complains of is a fault."""
    contexts, faults = [], []

    def open_(html, **options):
        file = tmp_path / "figure.html"
        file.write_text(html, "utf-8")
        contexts.append(browser.new_context(offline=True, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: request.url == file.as_uri() or faults.append(request.url))
        page.goto(file.as_uri())
        return page

    yield open_
    assert faults == []
    for context in contexts:
        context.close()


def test_any_head_and_row_can_be_chosen_by_the_keyboard(opened):
    page = opened(FIGURES["heads"].html)
    page.locator("form").wait_for()
    for name, value in (("layer", 1), ("head", 2)):
        slider = page.get_by_label(name, exact=True)
        slider.press("Home")
        for _ in range(value):
            slider.press("ArrowRight")
    page.locator("[name=row0]:checked").press("ArrowLeft")
    assert page.locator(".words label").all_text_contents() == TOKENS
    shown = [float(text) for text in page.locator("tr[data-chosen] td").all_text_contents()]
    np.testing.assert_allclose(shown, WEIGHTS[1, 2, 21], atol=0.00051)
    under = [float(text or 0) for text in page.locator(".shares span").all_text_contents()]
    assert under == [weight if weight >= 0.01 else 0 for weight in shown]  # as the arcs that are drawn
    said = page.locator("head-browser [role=status]", has_text="Layer 1, head 2: word16 gives")
    said.wait_for()
    assert said.bounding_box()["width"] == 1  # heard, not seen


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_with_a_script_or_without(opened, name, scheme):
    html = FIGURES[name].html
    page = opened(html, viewport=DESKTOP, color_scheme=scheme, bypass_csp=True)
    page.locator("form").wait_for()
    for _ in range(2):
        page.evaluate(AXE_SCRIPT)
        found = page.evaluate("axe.run()")["violations"]
        assert [(one["id"], [node["html"][:90] for node in one["nodes"]]) for one in found] == []
        page = opened(html.partition("<script>")[0], viewport=PHONE, color_scheme=scheme, bypass_csp=True)


@pytest.mark.parametrize("name", FIGURES)
def test_on_a_phone_the_page_does_not_scroll_sideways_and_is_whole_without_its_script(opened, name):
    for options in ({}, {"java_script_enabled": False}):
        page = opened(FIGURES[name].html, viewport=PHONE, **options)
        box = page.locator("main").bounding_box()
        assert box["x"] + box["width"] <= PHONE["width"]
        page.mouse.wheel(400, 0)
        assert page.locator("main").bounding_box()["x"] == box["x"]
        assert page.locator("output").is_visible()
        assert page.locator("table.weights tbody tr").count() >= 5


def test_in_a_notebook_no_style_leaks_out_and_links_can_be_followed(opened):
    page = opened(f"<!doctype html><title>notebook</title><p>text</p>{FIGURES['grid']._repr_html_()}")
    frame = page.frame_locator("iframe")
    frame.locator("form").wait_for()
    frame.locator("[name=row0]").first.check()
    assert frame.locator("output").text_content().startswith("a gives a 1.000")
    assert page.locator("p").evaluate("p => getComputedStyle(p).fontSize") == "16px"
