"""A figure with controls fills the screen by F or by its button, and the keys that move it in the page go on there."""

from typing import Any

import pytest

from tests.browser import operate
from tests.browser.engines import Chromium, Firefox, WebKit, wait_for

PAGE = "learn/relative-positions/"
BEGIN = "() => document.querySelector('rotation-dial input').focus()"
LINE = "() => document.querySelector('rotation-dial ~ .save')?.textContent ?? ''"
FILLS = "() => document.fullscreenElement?.firstElementChild.localName ?? ''"
TYPE = "() => document.querySelector('rotation-dial .widget-title').getBoundingClientRect().height"
SAYS = "() => document.querySelector('rotation-dial output').textContent"


@pytest.fixture(params=["chromium", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("firefox", "webkit"))])
def engine(request, browser, tmp_path):
    kinds: dict[str, Any] = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}
    engine = kinds[request.param](browser if request.param == "chromium" else tmp_path)
    yield engine
    engine.close()


def test_f_fills_the_screen_and_the_keys_of_the_figure_go_on(engine, server):
    if isinstance(engine, Firefox):  # whose first window never has the focus, and then it refuses
        engine.context = engine.ask("browsingContext.create", type="window")["context"]
    engine.open(server + PAGE)
    assert engine.evaluate(operate.JS.spread) == ""
    engine.evaluate(BEGIN)
    wait_for(lambda: "Full screen (F)" in engine.evaluate(LINE))
    small, said = engine.evaluate(TYPE), engine.evaluate(SAYS)
    for leaves in ("f", "f" if isinstance(engine, Chromium) else "Escape"):  # headless, it leaves Escape to the page
        engine.press("f")
        wait_for(lambda: engine.evaluate(FILLS) == "rotation-dial" and engine.evaluate(TYPE) > 1.05 * small)
        engine.press("ArrowRight")
        wait_for(lambda said=said: engine.evaluate(SAYS) != said)
        said = engine.evaluate(SAYS)
        engine.press(leaves)
        wait_for(lambda: engine.evaluate(FILLS) == "" and engine.evaluate(TYPE) == small)


def test_its_button_hands_the_keys_to_the_figure_and_a_letter_that_is_typed_is_one(open_page):
    page = open_page("learn/from-text-to-next-word/")
    page.keyboard.press("Tab")
    page.locator("div:has(> next-word) > .save button").last.press("Enter")
    page.wait_for_function("document.fullscreenElement?.querySelector('next-word input:focus')")
    page.locator("next-word textarea").press("f")
    assert page.evaluate(FILLS) == "next-word"
    assert page.locator("next-word textarea").input_value() == "f"
    page.locator("next-word input").first.press("f")
    page.wait_for_function("!document.fullscreenElement")


def test_where_the_screen_cannot_be_filled_nothing_offers_it(open_page):
    page = open_page()
    page.evaluate("Object.defineProperty(document, 'fullscreenEnabled', {value: false})")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="SVG").first.wait_for()
    assert page.get_by_role("button", name="Full screen").count() == 0
