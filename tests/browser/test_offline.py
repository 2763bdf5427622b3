"""The zip to take along: its pages open from a disk, with the network off, and do there what they do on a server."""

import re
from collections import Counter
from zipfile import ZipFile

import pytest

from docs_ext.copies.offline import FOLDER, ZIP
from tests.browser.conftest import DESKTOP, PATIENCE, ROOT
from tests.browser.operate import operate

# What went wrong, and what was asked for: gathered by the page itself and by the browser.
LISTEN = """addEventListener("securitypolicyviolation", ({violatedDirective, blockedURI}) =>
  console.error(`forbidden by ${violatedDirective}: ${blockedURI}`))"""


@pytest.fixture(scope="module")
def copy(site, tmp_path_factory):
    """Unpack the zip; the value is the address of its folder."""
    folder = tmp_path_factory.mktemp("with a space")
    with ZipFile(site / ZIP) as archive:
        archive.extractall(folder)
    return f"{(folder / FOLDER).as_uri()}/"


@pytest.fixture
def faults():
    return []


@pytest.fixture
def disk(browser, faults):
    """Return a tab without a network, which notes every fault and every request that leaves the disk."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.set_offline(True)
    context.add_init_script(LISTEN)
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE)

    def note(fault):
        faults.append(f"{tab.url}: {fault}")

    tab.on("console", lambda message: message.type in ("error", "warning") and note(message.text))
    tab.on("pageerror", note)
    tab.on("request", lambda request: re.match("file:|data:|blob:", request.url) or note(request.url))
    yield tab
    context.close()
    assert not faults


@pytest.mark.nightly
def test_every_page_opens_and_all_its_controls_work(disk, copy, page_names, faults):
    used = Counter[str]()
    for name in page_names:
        disk.goto(f"{copy}{name}index.html")
        used += operate(disk)
        assert not faults
    widgets = {path.stem for path in (ROOT / "docs/assets/js/widgets").glob("*.js")}
    assert widgets - set(used) == {"quiz-progress", "lesson-map"}  # nothing before the first answer, and links


def test_the_search_answers_and_leads_to_the_section(disk, copy):
    disk.goto(f"{copy}learn/masks/index.html")
    assert "__index" not in disk.evaluate("Object.keys(window)")  # a megabyte that few readers of a page need
    disk.keyboard.press("/")
    disk.locator("input.md-search__input").fill("head dimension sqrt variance")  # one search, one list
    found = disk.locator(".md-search-result__item:has([href$='learn/scaling/index.html'])")
    found.locator("summary").press("Enter")
    section = found.locator("a[href*='#']").first
    anchor = section.get_attribute("href").partition("#")[2]
    section.press("Enter")
    disk.wait_for_url(f"{copy}learn/scaling/index.html#{anchor}")
    assert disk.locator(f"[id='{anchor}']").count() == 1
