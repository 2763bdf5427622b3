"""The call finder and the tabs of the translator: what is chosen is what stands there, and what a copy holds."""

import json

import pytest

from docs_ext.records import translations
from docs_ext.records.translations import TASKS, libraries
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "reference/translator/"
CONTRACT = [Widget("call-finder", PAGE, "task=9&in=jaxx")]
RECORD = json.loads(translations.RECORD.read_text("utf-8"))
SHOWN = """widget => ({
  parts: [...widget.querySelectorAll("tbody")].filter(part => part.checkVisibility()).map(part => part.dataset.task),
  rows: [...widget.querySelectorAll("tr[data-library][data-chosen]")].map(row => row.dataset.library),
  says: widget.querySelector("output").textContent,
  code: widget.nextElementSibling?.querySelector("code")?.textContent,
})"""
CHOOSE = """(widget, [task, library]) => {
  const form = widget.querySelector("form");
  form.elements.namedItem("task").value = task;
  form.elements.namedItem("in").value = library;
  form.dispatchEvent(new Event("input"));
  return (SHOWN)(widget);
}""".replace("SHOWN", SHOWN)


def test_every_choice_shows_its_part_its_row_and_its_snippet(widget):
    for entry in RECORD["snippets"]:
        task, library = entry["task"], entry["library"]
        shown = widget.evaluate(CHOOSE, [task, library])
        assert shown["parts"] == [task]
        assert set(shown["rows"]) == {library}
        title = TASKS[task]
        name = libraries()[library].title.replace("This", "this")
        opening = f"{title[0].upper()}{title[1:]} in {name}: {entry['call']}"
        assert shown["says"].startswith(opening if entry["call"] else opening + "there is no way.")
        if entry["code"]:
            assert shown["code"] == entry["code"]


def test_the_button_copies_the_snippet(open_page):
    page = open_page(PAGE, permissions=["clipboard-read", "clipboard-write"])
    page.wait_for_selector("call-finder form")
    widget = page.locator("call-finder")
    widget.get_by_label("a sink", exact=True).check()
    widget.get_by_label("Keras", exact=True).check()
    page.locator("call-finder + .found").get_by_role("button", name="Copy to clipboard").click()
    entry = next(e for e in RECORD["snippets"] if (e["task"], e["library"]) == ("sink", "keras"))
    assert page.evaluate("navigator.clipboard.readText()").strip() == entry["code"].strip()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_tab_shows_its_panel_alone_with_and_without_scripts(open_page, scripts):
    page = open_page(PAGE, java_script_enabled=scripts)
    tabs = page.locator("#call-gqa")
    for name, library in libraries().items():
        tabs.get_by_label(library.title, exact=True).check()
        panels = tabs.locator(".panel:visible")
        assert panels.count() == 1
        assert panels.get_attribute("data-library") == name
