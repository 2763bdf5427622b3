"""Every page as a browser shows it: accessible, quiet, as wide as a phone, and small. test_engines.py uses it."""

from collections import Counter
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import DESKTOP, PHONE, ROOT, ZOOMED, Script, reported

# Colours take axe longest. It examines them in full on two pages, and of all pages the first text of each look: of each
# combination of colour, size, weight, backgrounds, classes, and of what surrounds it.
COLOURS = ["color-contrast", "link-in-text-block"]
IN_FULL = {"", "reference/notation/"}
JS = Script("pages.js")
SOURCES = (path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md"))
NAMES = sorted(source.removesuffix("index") + "/" * (not source.endswith("index")) for source in SOURCES)
SMOKE = {"", "learn/scores-and-softmax/", "reference/dot_product/", "reference/notation/"}  # one page of each make
EACH = [
    pytest.param(name, id=name or "the first page", marks=() if name in SMOKE else pytest.mark.nightly)
    for name in NAMES
]
MATERIAL = {"light": "default", "dark": "slate"}


class Visit:
    """One page, looked at in steps, and what was seen."""

    def __init__(self, tab, address, known, errors, requests):
        self.page, self.known, self.errors, self.requests = tab, known, errors, requests
        self.full = address in IN_FULL
        self.faults = {}

    def go(self, address):
        self.page.set_viewport_size(DESKTOP)
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.goto(address, wait_until="commit")

    def load(self, axe):
        self.page.wait_for_load_state("load")
        self.page.evaluate("document.fonts.ready.then(() => true)")
        self.page.evaluate(JS.near)
        self.first_view = list(self.requests)
        self.shift = self.page.evaluate("[layoutShift, shifted]")
        self.page.evaluate("document.documentElement.classList.add('whole')")
        self.page.evaluate(JS.allWidgets)
        self.page.evaluate(JS.near)
        self.page.evaluate(axe)

    def examine(self, scheme):
        """Let axe examine the page: in light by all rules, in dark by those about colours."""
        self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        runs = [["page" if self.full else "looks", {"runOnly": COLOURS}]]
        if scheme == "light":
            runs.append(["page", {"rules": {rule: {"enabled": False} for rule in COLOURS}}])
        faults, looks = self.page.evaluate(JS.examine, [MATERIAL[scheme], runs, self.known[scheme]])
        self.faults[scheme] = {tuple(fault) for fault in faults}
        self.known[scheme] += looks

    def wide(self):
        """Open all that is folded, and see whether anything is cut off beside free space."""
        self.page.evaluate("document.querySelectorAll('.md-content details').forEach(fold => fold.open = true)")
        self.cut_off = {}
        for width in (1280, 1440, 1920):
            self.page.set_viewport_size({"width": width, "height": 900})
            self.cut_off[width] = self.page.evaluate(JS.cutOff)

    def phone(self):
        self.overflow = {}
        for name, size in (("400% zoom", ZOOMED), ("phone", PHONE)):
            self.page.set_viewport_size(size)
            self.overflow[name] = self.page.evaluate(JS.overflow)
        self.small_text = self.page.evaluate(JS.smallText)


@pytest.fixture(scope="module")
def look(browser, handler):
    """Return a function that visits a page and notes all that the tests ask about."""
    from axe_playwright_python.base import AXE_SCRIPT

    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce", color_scheme="light")
    context.add_init_script(f"({JS.watchShifts})()")
    tab = context.new_page()  # one for all: a new one for every page takes twice as long, and so do two side by side
    known, errors, requests = {scheme: [] for scheme in MATERIAL}, reported(tab), []
    tab.on("request", lambda request: requests.append(request.url))

    def look(name):
        for heard in (errors, requests):
            heard.clear()
        visit = Visit(tab, name, known, errors, requests)
        visit.go(handler.origin + name)
        visit.load(AXE_SCRIPT)
        for scheme in MATERIAL:
            visit.examine(scheme)
        visit.wide()
        visit.phone()
        return visit

    yield look
    context.close()


@pytest.fixture(scope="module", params=EACH)
def visit(request, look):
    """Visit a page once, on a desk and then on a phone."""
    return look(request.param)


@pytest.mark.parametrize("scheme", MATERIAL)
def test_axe_finds_no_fault(visit, scheme):
    faults = {}
    for rule, selector in sorted(visit.faults[scheme]):
        faults.setdefault(rule, []).append(selector)
    assert not faults, "\n".join(
        f"{rule}: {len(found)} times, such as {'   '.join(found[:3])}" for rule, found in faults.items()
    )


def test_a_page_is_no_wider_than_a_phone_or_a_window_at_four_times_its_size(visit):
    assert visit.overflow == {"400% zoom": [], "phone": []}


def test_nothing_is_cut_off_beside_free_space(visit):
    assert visit.cut_off == {1280: [], 1440: [], 1920: []}


def test_the_text_of_diagrams_can_be_read_on_a_phone(visit):
    assert visit.small_text == []


def test_a_page_stands_still_while_it_loads(visit):
    size, shifted = visit.shift
    assert size <= 0.01, f"{size:.3f}: {shifted[:3]}"


def test_the_first_view_of_a_page_is_small(visit, handler):
    size = Counter(dict(handler.served))
    paths = {urlsplit(url).path for url in visit.first_view if url.startswith("http")}
    listing = "\n".join(f"{size[path]:8} {path}" for path in sorted(paths, key=size.__getitem__))
    assert 8 < len(paths) <= 20, listing
    assert sum(size[path] for path in paths) <= 185_000, listing  # with the serif, which comes once for all pages
    assert sum(size[path] for path in paths if "/assets/js/" in path) <= 20_000, listing


@pytest.mark.parametrize("name", EACH)
def test_formulas_need_no_script(plain, server, site, name):
    plain.goto(server + name)
    assert plain.evaluate("document.documentElement.className") == "no-js"
    assert all(min(size) > 2 for size in plain.evaluate(JS.formulas))
    written = (site / name / "index.html").read_text("utf-8").count('class="katex-html"')
    assert plain.locator(".katex-html").count() == written
