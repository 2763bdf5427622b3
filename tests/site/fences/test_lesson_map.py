"""The map of the lessons: what builds on what, the minutes of a way, and where stations and lines stand."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest
import yaml

from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.html.symbols import said
from docs_ext.reading.lessons import add
from docs_ext.reading.page import load, read
from docs_ext.reading.reading_time import reading
from tests.site.fences.reading import Figure, says, text
from tests.site.pages import ROOT
from tools.page import parts_of_the_menu

MENU = [source for part, sources in parts_of_the_menu().items() if part != "Start" for source in sources]
PAGES = {source[6:-3]: load(source) for source in MENU if source != "learn/engineering.md"}
HEADS = {name: yaml.safe_load(page.blocks[0].text) for name, page in PAGES.items()}
SHORT = {name: short for short, name in re.findall(r"- (.+): learn/(.+)\.md", (ROOT / "mkdocs.yml").read_text("utf-8"))}
NAMES, MAP = list(PAGES), Figure("lesson-map", lit="decoding")


def behind(name):
    return {name}.union(*(behind(need) for need in HEADS[name]["needs"]))


def test_stations_are_the_lessons_of_the_menu_and_the_way_is_all_that_one_builds_on():
    assert [lesson["name"] for lesson in MAP.given["lessons"]] == NAMES
    for i, name in enumerate(NAMES):
        way = behind(name)
        minutes = sum(math.ceil(reading(PAGES[other]).first) for other in way)
        root = MAP.live(MAP.given | {"answered": [int(other == name) for other in NAMES]}, lit=i)
        assert says(root) == f"{SHORT[name]}: {len(way)} lesson{'s' * (i > 0)}, {minutes} minutes."
        assert {text(b) for b in root.findall(".//li[@data-lit]//b")} == {SHORT[other] for other in way}
        assert len(root.findall(".//{*}path[@data-lit]")) == sum(len(HEADS[other]["needs"]) for other in way)
        of, minutes = len(PAGES[name].fences("quiz-question")), math.ceil(reading(PAGES[name]).first)
        about = f"{SHORT[name]}: {said(PAGES[name].title)} {minutes} minutes, 1 of {of} questions answered"
        assert root.find(f".//a[@href='learn/{name}/']").get("aria-label") == about
        assert f"--share:{1 / of:.6g}" in root.findall(".//li")[i].get("style")


@pytest.mark.parametrize(
    ("done", "begun", "lit"),
    [([], [], "decoding"), ([], [0], "the-problem"), ([0], [2], "lookup"), ([0, 1], [], "line-by-line")],
)
def test_the_way_to_the_next_lesson_is_lit_once_a_reader_has_begun(done, begun, lit):
    questions = [lesson["questions"] for lesson in MAP.given["lessons"]]
    answered = [of if i in done else int(i in begun) for i, of in enumerate(questions)]
    assert NAMES[MAP.call("first", MAP.given | {"answered": answered})["lit"]] == lit
    assert MAP.call("first", MAP.given | {"answered": questions}) == {"lit": MAP.given["lit"]}


def test_a_lesson_stands_right_after_the_last_of_those_that_it_needs():
    stations = MAP.given["lessons"]
    for lesson in stations:
        assert lesson["column"] == max((1 + stations[need]["column"] for need in lesson["needs"]), default=0)


@pytest.mark.parametrize(("needs", "words"), [("e", "before it is 'e'"), ("d", "is 'd'"), ("b, a", "needs b needs a")])
def test_a_head_that_leads_forward_or_round_or_says_too_much_is_refused(needs, words):
    known, pages = {}, {name: read(name, f"---\nneeds: [{own}]\n---\n") for name, own in (("b", "a"), ("d", needs))}
    for name, page in {"a": read("a", "---\nneeds: []\n---\n"), "b": pages["b"]}.items():
        add(known, name, "Core", page)
    with pytest.raises(SpecError, match=words):
        add(known, "d", "Core", pages["d"])


def test_lines_lead_to_the_right_and_keep_clear_of_stations():
    rng = np.random.default_rng(0)
    maps = [[sorted({*rng.integers(i or 1, size=rng.integers(3) * (i > 0))}) for i in range(20)] for _ in range(20)]
    for needs in [[lesson["needs"] for lesson in MAP.given["lessons"]], *maps]:
        placed = renderer.call("lib/layers.js", "layout", needs)
        stations = list(zip(placed["columns"], placed["ys"], strict=True))
        places = {(at, y, True) for at, y in stations}
        assert [(line["from"], line["to"]) for line in placed["lines"]] == [
            (j, i) for i, js in enumerate(needs) for j in js
        ]
        for line in placed["lines"]:
            heights = list(enumerate(line["ys"], stations[line["from"]][0]))
            assert (heights[0], heights[-1]) == (stations[line["from"]], stations[line["to"]])
            places |= {(at, y, False) for at, y in heights[1:-1]}
        for (at, y, station), (to, below, other) in pairwise(sorted(places)):
            assert at < to or below - y > [0.13, 0.7][station] + [0.13, 0.3][other] - 1e-9
            assert 0 < y < placed["height"]


def test_a_lesson_says_what_it_builds_on_and_leads_to_and_a_lost_reader_finds_all(site):
    for name in NAMES:
        line = re.search(r'class="way".*', (site / f"learn/{name}/index.html").read_text("utf-8"))[0]
        later = [f'"../{other}/"' for other in NAMES if name in HEADS[other]["needs"]]
        assert re.findall('builds on|leads to|"../.*?"', re.sub(">[^<]*</a>", "", line)) == [
            *(["builds on"] * (name != NAMES[0])),
            *(f'"../{need}/"' for need in HEADS[name]["needs"]),
            *(["leads to"] * bool(later)),
            *later,
        ]
    lost = (site / "404.html").read_text("utf-8")
    assert all(re.search(rf'href="/[^"]*{name}/"', lost) for name in ("map", *(f"learn/{name}" for name in NAMES)))
