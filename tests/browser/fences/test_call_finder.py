"""The call finder and the tabs of the translator: what a copy holds, and one panel at a time."""

import json

import pytest

from docs_ext.records import translations
from docs_ext.records.translations import libraries

pytestmark = pytest.mark.nightly

PAGE = "reference/translator/"
RECORD = json.loads(translations.RECORD.read_text("utf-8"))


def snippet(task, library):
    return next(entry for entry in RECORD["snippets"] if (entry["task"], entry["library"]) == (task, library))


def test_the_button_copies_the_snippet(open_page):
    page = open_page(PAGE, permissions=["clipboard-read", "clipboard-write"])
    page.wait_for_selector("call-finder form")
    widget = page.locator("call-finder")
    widget.get_by_label("a sink", exact=True).check()
    widget.get_by_label("Keras", exact=True).check()
    page.locator("call-finder + .found").get_by_role("button", name="Copy to clipboard").click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == snippet("sink", "keras")["code"].strip()


def test_a_tab_shows_its_panel_alone_without_scripts(open_page):
    tabs = open_page(PAGE, java_script_enabled=False).locator("#call-gqa")
    for name, library in libraries().items():
        tabs.get_by_label(library.title, exact=True).check()
        panels = tabs.locator(".panel:visible")
        assert panels.count() == 1
        assert panels.get_attribute("data-library") == name
