"""How long the pages take, by a rule that this file states again, and the budget that they keep."""

import math
import re

import pytest
import yaml

from docs_ext.reading.page import load, read
from docs_ext.site.reading_time import reading
from tests.site.pages import ROOT

CORE_MINUTES = 75
PAGE_MINUTES = 9
LONGER = {"learn/line-by-line.md": 20}  # the heart of the track
LONGEST = 12  # of the pages after the core

CONSOLE = "```pycon\n>>> for i in (1, 2):\n...     i\n1\n2\n\n```"
COUNTED = {  # Markdown: words, lines, questions
    "prose, a list, a table": ("a *b* [c](d.md) <e@f> `g`\n\n1. h\n- i\n\n| j | k |\n| - | - |\n{ .l }", 8, 0, 0),
    "punctuation is no word": ("a, b - c. (d)", 4, 0, 0),
    "a formula is one": ("so $a + b$\n\n$$\na = b\n$$", 3, 0, 0),
    "a folded prediction": ('??? question "a b"\n\n    c', 3, 0, 0),
    "what is typed, without outputs": (CONSOLE, 0, 2, 0),
    "no folded setup": (f"{CONSOLE}\n\n{CONSOLE}\n\n```pycon\n>>> import re\n>>> re.I\n8\n\n```", 0, 5, 0),
    "a question": ("```quiz-question\nquestion: a b\n```\n\nc", 1, 0, 1),
    "of a figure the caption": ("```chart\ntitle: a b\ndata: '[3]'\n```", 2, 0, 0),
    "no picture, no mark": ("![a b](c.svg)\n<!-- check: 3 = x -->", 0, 0, 0),
    "no sources": ("a b\n\n## Sources\n\nc", 2, 0, 0),
}


@pytest.mark.parametrize(("text", "words", "lines", "questions"), COUNTED.values(), ids=COUNTED)
def test_what_is_counted(text, words, lines, questions):
    minutes = words / 200 + lines / 15 + questions / 2
    assert reading(read("a.md", text)) == pytest.approx((minutes, minutes))
    below = reading(read("a.md", f"{'x ' * 198}\n\n## Going deeper\n\n{text}"))
    assert below == pytest.approx((1, 1 + minutes))


@pytest.fixture(scope="module")
def parts():
    """Return the parts of the menu, each with the sources of its pages."""
    menu = re.search(r"^nav:\n(?:  .*\n)+", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    return {name: pages for part in yaml.safe_load(menu[0])["nav"] for name, pages in part.items()}


@pytest.fixture(scope="module")
def shown(site, parts):
    """Return what stands above each title, and the minutes of the page."""
    shown = {}
    for source in [page for name in ("Core", "Models", "Engineering") for page in parts[name]]:
        page = (site / source.replace(".md", "").replace("index", "") / "index.html").read_text("utf-8")
        line = re.search(r'<p class="place">(.*?)</p>', page, re.DOTALL)
        shown[source] = " ".join(line[1].split()), reading(load(source))
    return shown


def test_each_learn_page_tells_its_number_and_its_minutes(shown):
    learn = [source for source in shown if source.startswith("learn/")]
    for number, source in enumerate(learn, 1):
        first, whole = map(math.ceil, shown[source][1])
        line = f"{number} of {len(learn)} · {first} minute{'s' * (first > 1)}"
        assert shown[source][0] == line + (f", {whole} with Going deeper" if whole > first else ""), source


def test_the_first_page_tells_the_minutes_of_the_core_track(shown, parts):
    minutes = sum(shown[source][1].first for source in parts["Core"])
    line = f"The core track: {len(parts['Core'])} pages, {math.ceil(minutes)} minutes"
    assert shown["index.md"][0] == line


def test_the_pages_keep_their_time(shown, parts):
    first = {source: minutes.first for source, (_, minutes) in shown.items()}
    limits = {source: LONGER.get(source, PAGE_MINUTES if source in parts["Core"] else LONGEST) for source in shown}
    core = sum(first[source] for source in parts["Core"])
    over = [source for source in shown if first[source] > limits[source]]
    if over or core > CORE_MINUTES:
        table = [
            f"{first[source]:5.1f} of {limits[source]:2} minutes  {source}{'  too long' if source in over else ''}"
            for source in shown
        ]
        pytest.fail("\n".join([*table, f"{core:5.1f} of {CORE_MINUTES} minutes  the core track"]), pytrace=False)
