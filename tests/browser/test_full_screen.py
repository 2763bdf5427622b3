"""A figure with controls fills the screen by F or by its button, and the keys that move it in the page go on there."""

from contextlib import closing
from typing import Any

import pytest

from tests.browser import operate
from tests.browser.conftest import Script
from tests.browser.engines import Chromium, Firefox, WebKit, wait_for
from tests.browser.test_engines import ENGINES

JS = Script("full_screen.js")
AS_WRITTEN = {"Escape": "\ue00c", "ArrowRight": "\ue014"}  # by WebDriver


def press(engine, key):
    strokes = [{"type": kind, "value": AS_WRITTEN.get(key, key)} for kind in ("keyDown", "keyUp")]
    actions = [{"type": "key", "id": "keyboard", "actions": strokes}]
    if isinstance(engine, WebKit):
        engine.ask("actions", actions=actions)
    elif isinstance(engine, Firefox):
        engine.ask("input.performActions", context=engine.context, actions=actions)
    else:
        engine.page.keyboard.press(key)


@pytest.mark.parametrize(
    "name", ["chromium", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("firefox", "webkit"))]
)
def test_f_fills_the_screen_and_the_keys_of_the_figure_go_on(name, browser, server, tmp_path):
    kinds: dict[str, Any] = dict(ENGINES)
    with closing(kinds[name](browser if name == "chromium" else tmp_path)) as engine:
        if name == "firefox":  # its first window never has the focus, and then it refuses
            engine.context = engine.ask("browsingContext.create", type="window")["context"]
        engine.open(f"{server}learn/relative-positions/")
        engine.evaluate(operate.JS.spread)
        engine.evaluate(JS.begin)
        wait_for(lambda: engine.evaluate(JS.offers))
        nothing, said, small = engine.evaluate(JS.shows)
        for leaves in ("f", "f" if isinstance(engine, Chromium) else "Escape"):  # headless it leaves Escape to the page
            press(engine, "f")
            wait_for(lambda: (now := engine.evaluate(JS.shows))[0] == "rotation-dial" and now[2] > 1.05 * small)
            press(engine, "ArrowRight")
            wait_for(lambda said=said: engine.evaluate(JS.shows)[1] != said)
            _, said, _ = engine.evaluate(JS.shows)
            press(engine, leaves)
            wait_for(lambda said=said: engine.evaluate(JS.shows) == [nothing, said, small])


def test_its_button_hands_the_keys_to_the_figure_and_a_letter_that_is_typed_is_one(open_page):
    page = open_page("learn/from-text-to-next-word/")
    page.locator("next-word").scroll_into_view_if_needed()
    page.locator("next-word:defined form").wait_for()
    page.keyboard.press("Tab")
    page.locator("div:has(> next-word) > .save button").last.press("Enter")
    page.locator(":fullscreen next-word input:focus").wait_for(state="attached")
    page.locator(":fullscreen next-word textarea").press("f")
    assert page.locator(":fullscreen next-word textarea").input_value() == "f"


def test_where_the_screen_cannot_be_filled_nothing_offers_it(open_page):
    page = open_page()
    page.evaluate(JS.cannot)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="SVG").first.wait_for()
    assert page.get_by_role("button", name="Full screen").count() == 0
