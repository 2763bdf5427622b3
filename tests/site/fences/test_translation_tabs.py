"""The tabs of the translator as they stand without a script: every snippet to the letter, and what it printed."""

import json

import pytest

from docs_ext.fences import translation_tabs
from docs_ext.records import translations
from tests.site.fences.reading import read, text

RECORD = json.loads(translations.RECORD.read_text("utf-8"))


@pytest.mark.parametrize("task", translations.TASKS)
def test_each_tab_holds_its_snippet_and_what_it_printed(task):
    root = read(translation_tabs.render({"id": "x", "task": task}))
    panels = {panel.get("data-library"): panel for panel in root.findall(".//section")}
    entries = [entry for entry in RECORD["snippets"] if entry["task"] == task]
    assert list(panels) == [radio.get("value") for radio in root.findall(".//input")]
    assert list(panels) == [entry["library"] for entry in entries]
    for entry in entries:
        panel = panels[entry["library"]]
        code = panel.find(".//pre/code")
        assert ("" if code is None else "".join(code.itertext())) == entry["code"]
        told = text(panel.find("p[@class='printed']"))
        if "prints" in entry:
            assert f"Prints {' '.join(entry['prints'].split())}" in told
        else:
            assert told.startswith(entry["note"] or "Not run here")
