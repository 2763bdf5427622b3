"""The errata: each claim has a place where it is said, a correction, an example that settles it, and what follows."""

import re

import numpy as np
import pytest

from attention import softmax
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


def test_every_third_heading_is_a_claim_and_the_list_at_the_top_has_all_of_them_in_order():
    assert len(ENTRIES) == len(re.findall("^### ", TEXT, re.MULTILINE)) >= 12
    table = TEXT.partition("| --- |")[2].partition("\n## ")[0]
    assert re.findall(r"\]\(#([\w-]+)\) \|", table) == list(ENTRIES)
    rows = [row for row in table.splitlines() if "](#" in row]
    assert all(len(row.split(" | ")[1].strip(" |")) > 5 for row in rows), "what is so, in a few words"
    groups = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert re.findall(r"^\| \*\*(.+)\*\* \| \|$", table, re.MULTILINE) == groups


@every_entry
def test_a_page_to_learn_from_leads_to_the_entry_and_the_entry_leads_back(anchor):
    back = set(re.findall(r"\]\(\.\./([\w-]+/[\w-]+\.md)", ENTRIES[anchor].split("**If you believe it")[1]))
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
