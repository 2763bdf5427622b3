"""The bibliography: every source has an entry to read, an entry to copy, and a page that uses it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCES = (ROOT / "docs/reference/sources.md").read_text("utf-8")
ANCHORS = re.findall(r"^\{ #(\w+) \}$", SOURCES, re.M)
PAPERS = [anchor for anchor in ANCHORS if re.search(r"\d{4}$", anchor)]  # the others are documentation


def test_entries_stand_in_order_and_once():
    assert len(PAPERS) > 10
    assert sorted(set(ANCHORS)) == ANCHORS


def test_every_paper_can_be_copied_as_bibtex_with_the_same_year_and_number():
    bibtex = dict(re.findall(r"^@\w+\{(\w+),\n(.*?)^\}", SOURCES.split("## BibTeX")[1].split("## How")[0], re.M | re.S))
    assert list(bibtex) == PAPERS
    for key, text in bibtex.items():
        number = re.search(r"eprint *= \{(.*?)\}", text) or re.search(r"(?:doi|url) *= \{(.*?)\}", text)
        assert number, key
        prose = SOURCES.split(f"{{ #{key} }}")[0].rsplit("\n\n", 1)[-1]
        assert number[1] in prose, key


def test_every_source_is_used():
    paths = (*(ROOT / "docs").rglob("*.md"), *(ROOT / "attention").glob("*.py"))
    texts = [path.read_text("utf-8") for path in paths]
    unused = [anchor for anchor in ANCHORS if not any(f"sources.md#{anchor})" in text for text in texts)]
    assert not unused
