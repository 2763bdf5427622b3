"""The misconceptions: each claim has a place where it is said, a correction, and a lesson that shows it."""

import re

import numpy as np
import pytest

from attention import softmax
from docs_ext.reading.consoles import examples
from docs_ext.reading.page import read
from tests.site.pages import ROOT

PAGE = ROOT / "docs/reference/errata.md"
TEXT = PAGE.read_text("utf-8")
HEADING = re.compile(r'^### "(?P<claim>.+)" \{ #(?P<anchor>[\w-]+) \}$', re.MULTILINE)
FOLDERS = ("learn", "practice", "how-to")
PAGES = {page: page.read_text("utf-8") for folder in FOLDERS for page in (ROOT / "docs" / folder).glob("*.md")}


def entries():
    """Yield anchor and text of each entry, up to the next heading of any level."""
    for heading in HEADING.finditer(TEXT):
        yield heading["anchor"], re.split(r"^##+ ", TEXT[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]


ENTRIES = dict(entries())
every_entry = pytest.mark.parametrize("anchor", ENTRIES)


def test_every_third_heading_is_a_claim_in_the_words_of_those_who_make_it():
    assert len(ENTRIES) == len(re.findall("^### ", TEXT, re.MULTILINE)) >= 12


def shows_numbers(page):
    """Whether what was read has an output, a chart, an equation between numbers, or a number that is computed."""
    wanted = [example.want.strip() for console in page.fences("pycon") for example in examples(console.text)]
    equation = re.search(r"\$[^$\n]*\d[^$\n]*=[^$\n]*\d[^$\n]*\$", page.text)
    computed = [block for block in page.blocks if block.kind == "check" and "1e9" not in block.text]
    return any(want not in ("", "True", "False") for want in wanted) or bool(
        page.fences("chart") or equation or computed
    )


def section(name, anchor):
    """Return the part of a page, up to its next heading, that has this anchor."""
    parts = re.split(r"^(?=##+ )", (ROOT / "docs" / name).read_text("utf-8"), flags=re.MULTILINE)
    here = [p for p in parts if re.search(rf'#{anchor} ?\}}|id="{anchor}"', p) or slug(p) == anchor]
    return read(name, here[0])


def slug(part):
    return re.sub(r"[^a-z0-9]+", "-", part.partition("\n")[0].lower()).strip("-")


@every_entry
def test_numbers_settle_the_claim_here_or_in_the_section_that_the_entry_leads_to(anchor):
    links = re.findall(r"\]\(\.\./([\w/-]+\.md)#([\w-]+)\)", ENTRIES[anchor].rpartition("More:")[2])
    assert shows_numbers(read(anchor, ENTRIES[anchor])) or any(shows_numbers(section(*link)) for link in links)


@every_entry
def test_a_page_to_learn_from_leads_to_the_entry_and_the_entry_leads_back(anchor):
    back = set(re.findall(r"\]\(\.\./([\w-]+/[\w-]+\.md)", ENTRIES[anchor].rpartition("More:")[2]))
    link = f"](../reference/errata.md#{anchor})"
    leading = {page.relative_to(ROOT / "docs").as_posix() for page, text in PAGES.items() if link in text}
    assert leading, f"no page links to errata.md#{anchor}"
    assert leading & back, f"{leading} lead there, and it leads back to {back}"


def test_a_softmax_never_stretches_a_change_by_more_than_a_half(rng):
    for n in (2, 3, 5, 17):
        p = softmax(rng.standard_normal((50, n)) * rng.choice([0.1, 1, 30], (50, 1)))
        jacobians = p[:, :, None] * (np.eye(n) - p[:, None])
        stretches = np.linalg.norm(jacobians, 2, axis=(1, 2))
        assert 0 < stretches.max() <= 0.5 + 1e-12
