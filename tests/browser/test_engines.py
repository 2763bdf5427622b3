"""Chromium, Firefox and WebKit: the same pages, and every widget says the same after each step, without an error."""

import gzip
from functools import cache
from typing import Any

import pytest

from tests.browser.conftest import PHONE, WATCH_POLICY, Handler, serving
from tests.browser.engines import Chromium, Firefox, WebKit
from tests.browser.operate import OPERATE, SPREAD
from tests.browser.test_pages import NAMES, OVERFLOW

SMOKE = {"", "learn/masks/", "learn/scores-and-softmax/", "learn/shared-caches/"}
EACH = [
    pytest.param(name, id=name or "the first page", marks=() if name in SMOKE else pytest.mark.nightly)
    for name in [*NAMES, "404.html"]
]

# The first script of every page, in all engines. Time is not waited for: what is put off comes at once, and the page is
# at rest when nothing is put off and nothing fetched any more.
HEAR = (
    WATCH_POLICY
    + """
window.heard = [];
addEventListener("error", ({message, target}) => heard.push(message ?? `not loaded: ${target.outerHTML}`), true);
addEventListener("unhandledrejection", ({reason}) => heard.push(`${reason}`));
for (const kind of ["error", "warn"]) {
  const say = console[kind];
  console[kind] = (...words) => heard.push(words.join(" ")) && say.apply(console, words);
}
const later = window.later = setTimeout, never = clearTimeout, ask = fetch, put = new Set();
window.setTimeout = (act, ms, ...given) => {
  if (ms > 9999) return later(act, ms, ...given); // how long WebKit's driver is patient
  const id = later(() => put.delete(id) && act(...given));
  put.add(id);
  return id;
};
window.clearTimeout = id => {
  put.delete(id);
  never(id);
};
window.fetch = (...given) => {
  const answer = ask(...given);
  put.add(answer);
  answer.catch(() => 0).then(() => later(() => put.delete(answer), 250)); // it has to be read, too
  return answer;
};
HTMLAnchorElement.prototype.click = () => 0; // no file is kept: for each, WebKit's window gives up some of its height
let written = 0; // WebKit lets a page write a hundred addresses in ten seconds
const write = history.replaceState.bind(history);
history.replaceState = (...given) => {
  written += 1;
  later(() => written -= 1, 10000);
  write(...given);
};
window.atRest = async () => {
  for (let i = 0; i < 2000 && (!i || put.size || written > 90); i++) await new Promise(done => later(done, 10));
};
"""
)
LOOK = """() => {
  const links = [...document.querySelectorAll(".md-content :is(p, li, dd, td, th) a[href]:not(code a)")]
    .filter(a => a.checkVisibility() && a.textContent.trim() && getComputedStyle(a).display === "inline");
  const lined = a => getComputedStyle(a).textDecorationLine === "underline"
    || a.matches(".formula-words a") && getComputedStyle(a).borderBottomStyle === "solid"; // formulas are deep
  const width = ({localName, offsetWidth}) => localName === "legend" ? 0 : offsetWidth;
  const groups = [...document.querySelectorAll(".md-content fieldset")].filter(group => group.checkVisibility());
  return {
    links: links.length,
    plain: links.filter(a => !lined(a)).map(a => a.outerHTML),
    groups: groups.map(({children}) => [children[0].textContent, Math.max(...[...children].map(width))]),
  };
}"""
ASKED = """() => performance.getEntriesByType("resource").map(({name}) => name)"""


class Visit:
    """What one engine shows of one page, and says while all its controls are used."""

    def __init__(self, engine, handler, name):
        address = handler.origin + name
        handler.missing.clear()
        engine.open(address)
        self.undefined = engine.evaluate(SPREAD)
        self.look = engine.evaluate(LOOK)
        self.wide = engine.evaluate(OVERFLOW)
        self.steps = engine.evaluate(OPERATE)
        self.wide += engine.evaluate(OVERFLOW)
        asked = engine.evaluate(ASKED)
        self.foreign = [url for url in asked if not url.startswith((handler.origin, "data:", "blob:"))]
        self.errors = [*engine.messages, *engine.evaluate("() => [...heard, ...blocked]")]
        self.missing = set(handler.missing)
        engine.open(address, PHONE)
        engine.evaluate(SPREAD)
        self.narrow = engine.evaluate(OVERFLOW)


class Listening(Handler):
    @staticmethod
    @cache
    def body(file):
        body = gzip.decompress(Handler.body(file)) if file.suffix == ".html" else b""
        head, found, rest = body.partition(b"<head>")
        return gzip.compress(head + found + f"<script>{HEAR}</script>".encode() + rest) if found else Handler.body(file)


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
