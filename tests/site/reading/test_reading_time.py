"""How long the pages take, by a rule that this file states again, and the budget that they keep."""

import math
import re

import pytest

from docs_ext.reading.page import load, read
from docs_ext.reading.reading_time import reading
from tests.tables import each_row
from tools.page import most_minutes, parts_of_the_menu

CORE_MINUTES = 180
PARTS = parts_of_the_menu()
PAGES = [source for sources in PARTS.values() for source in sources]


@each_row("text, words, seconds", "reading_time.toml")
def test_what_is_counted(text, words, seconds):
    minutes = words / 150 + seconds / 60
    assert reading(read("a.md", text))[1:] == pytest.approx((minutes, minutes))
    below = reading(read("a.md", f"{'x ' * 148}\n\n## Going deeper\n\n{text}"))
    assert below[1:] == pytest.approx((1, 1 + minutes))


@pytest.fixture(scope="module")
def shown(site):
    """Return what stands above each title, and the minutes of the page."""
    shown = {}
    for source in PAGES:
        page = (site / source.replace(".md", "").replace("index", "") / "index.html").read_text("utf-8")
        line = re.search(r'<p class="place">(.*?)</p>', page, re.DOTALL)
        shown[source] = " ".join(line[1].split() if line else ()), *reading(load(source))[1:]
    return shown


def test_each_lesson_tells_its_place_in_its_part_and_its_minutes(shown):
    assert not any(shown[source][0] for source in PARTS["Start"])
    for part, sources in [*PARTS.items()][1:]:
        lessons = [source for source in sources if source != "learn/engineering.md"]
        for number, source in enumerate(lessons, 1):
            first, whole = map(math.ceil, shown[source][1:])
            line = f"{part}, {number} of {len(lessons)} · {first} minute{'s' * (first > 1)}"
            assert shown[source][0] == line + (f", {whole} with Going deeper" if whole > first else ""), source
        if sources[0] == "learn/engineering.md":
            minutes = sum(math.ceil(shown[source][1]) for source in lessons)
            line = f"{part}: {len(lessons)} lessons, {minutes} minutes"
            assert line in shown[sources[0]][0]


def test_a_reader_may_rest_after_the_third_and_the_eighth_lesson_of_the_core(site):
    pages = {page.parent.name: page.read_text("utf-8") for page in site.rglob("index.html")}
    rests = {name: page.partition('class="rest"')[2] for name, page in pages.items()}
    led = {name: re.search(r'href="\.\./(.*?)/"', rest)[1] for name, rest in rests.items() if rest}
    core = [source[6:-3] for source in PARTS["Core"]]
    assert led == {core[2]: core[3], core[7]: core[8]}


@pytest.mark.parametrize("source", PAGES)
def test_a_page_keeps_its_time(source):
    parts, minutes, _ = reading(load(source))
    assert minutes <= most_minutes(source), dict(parts)


def test_the_core_track_keeps_its_time():
    minutes = {source: round(reading(load(source)).first, 1) for source in PARTS["Core"]}
    total = sum(minutes.values())
    assert total <= CORE_MINUTES, f"the Core takes {total:.1f} minutes, and may take {CORE_MINUTES}: {minutes}"
