"""Chromium, Firefox and WebKit: the same pages, and every widget says the same after each step, without an error."""

import gzip
from functools import cache
from typing import Any

import pytest

from tests.browser import operate, test_pages
from tests.browser.conftest import PHONE, WATCH_POLICY, Handler, Script, serving
from tests.browser.engines import Chromium, Firefox, WebKit
from tests.browser.test_pages import NAMES

JS = Script("engines.js")
HEAR = f"<script>{WATCH_POLICY}({JS.hear})();</script>"  # the first of every page
SMOKE = {"", "learn/masks/", "learn/scores-and-softmax/", "learn/shared-caches/"}
EACH = [
    pytest.param(name, id=name or "the first page", marks=() if name in SMOKE else pytest.mark.nightly)
    for name in [*NAMES, "404.html"]
]


class Visit:
    """What one engine shows of one page, and says while all its controls are used."""

    def __init__(self, engine, handler, name):
        address = handler.origin + name
        handler.missing.clear()
        engine.open(address)
        self.undefined = engine.evaluate(operate.JS.spread)
        self.look = engine.evaluate(JS.look)
        self.wide = engine.evaluate(test_pages.JS.overflow)
        self.steps = engine.evaluate(operate.JS.operate)
        self.wide += engine.evaluate(test_pages.JS.overflow)
        asked = engine.evaluate(JS.asked)
        self.foreign = [url for url in asked if not url.startswith((handler.origin, "data:", "blob:"))]
        self.errors = [*engine.messages, *engine.evaluate("() => [...heard, ...blocked]")]
        self.missing = set(handler.missing)
        engine.open(address, PHONE)
        engine.evaluate(operate.JS.spread)
        self.narrow = engine.evaluate(test_pages.JS.overflow)


class Listening(Handler):
    @staticmethod
    @cache
    def body(file):
        body = gzip.decompress(Handler.body(file)) if file.suffix == ".html" else b""
        head, found, rest = body.partition(b"<head>")
        return gzip.compress(head + found + HEAR.encode() + rest) if found else Handler.body(file)


ENGINES = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}


@pytest.fixture(scope="module")
def visits(browser, site, tmp_path_factory):
    """Return a function that visits a page in an engine, once; if the engine breaks, once more in a new one."""
    running: dict[str, Any] = {}

    def visit(engine, name):
        if engine not in running:
            running[engine] = ENGINES[engine](browser if engine == "chromium" else tmp_path_factory.mktemp(engine))
        return Visit(running[engine], handler, name)

    @cache
    def visited(engine, name):
        try:
            return visit(engine, name)
        except Exception as broken:
            print(f"{engine} broke on {name}, and is started anew: {broken}")
            running.pop(engine).close()
            return visit(engine, name)

    with serving(site, Listening) as handler:
        yield visited
    for engine in running.values():
        engine.close()


@pytest.fixture(scope="module", params=EACH)
def name(request):
    return request.param


@pytest.fixture(scope="module", params=ENGINES)
def visit(request, visits, name):
    return visits(request.param, name)


@pytest.fixture(scope="module")
def chromium(visits, name):
    return visits("chromium", name)


def test_nothing_goes_wrong_while_all_controls_are_used(visit):
    assert visit.errors == visit.foreign == []
    assert visit.missing == set()
    assert visit.undefined == ""


def test_widgets_say_what_they_say_in_chromium(visit, chromium):
    assert [widget for widget, _ in visit.steps] == [widget for widget, _ in chromium.steps]
    assert [step for step in zip(visit.steps, chromium.steps, strict=True) if step[0] != step[1]] == []


def test_a_page_is_no_wider_than_a_window_or_a_phone(visit):
    assert visit.wide == visit.narrow == []


def test_links_in_running_text_are_underlined(visit):
    assert visit.look["plain"] == []


def test_groups_of_controls_have_the_room_they_have_in_chromium(visit, chromium):
    widths = zip(visit.look["groups"], chromium.look["groups"], strict=True)
    assert [both for both in widths if abs(both[0][1] - both[1][1]) > 20 or both[0][0] != both[1][0]] == []
