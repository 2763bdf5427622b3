"""Numbered formulas on built pages: their anchors, and the list of all of them."""

import re
from html import unescape

import pytest

from docs_ext.extensions.equation_links import section
from docs_ext.html.formula import standard_tex
from docs_ext.reading.converter import PageError
from docs_ext.reading.crosslinks import Page, pages
from docs_ext.reading.equations import equations
from docs_ext.reading.page import read
from tests.site.pages import ROOT, converted
from tests.tables import beside, each_row

TEXT = beside(__file__, "numbered.markdown")


def test_a_numbered_formula_has_an_anchor_and_another_one_has_none():
    formulas = re.findall(r"<div [^>]*arithmatex[^>]*>", converted(TEXT))
    assert [re.findall(r' id="(.*?)"', formula) for formula in formulas] == [["formula-1"], []]


def test_a_fault_stops_the_build_in_one_line_with_page_and_line():
    with pytest.raises(PageError) as error:
        converted(TEXT.replace("{1}", "{2}"))
    assert str(error.value) == "learn/page.md:3: formula (2) stands where (1) is due"


@each_row("text, html", "numbered.toml", "mentions")
def test_a_formula_that_the_text_mentions_is_a_link(text, html):
    assert html.replace("LINK", '<a href="#formula-1">') in converted(f"{TEXT}\n{text}\n")
    assert "<a" not in converted("Formula (1) of another page.")


def test_a_mention_of_a_formula_that_is_not_there_stops_the_build():
    with pytest.raises(PageError) as error:
        converted(f"{TEXT}\nBy formula (2) it is.\n")
    assert str(error.value) == "learn/page.md:15: there is no formula (2) on this page"


def test_a_formula_of_the_list_has_links_that_lead_to_the_same_places():
    page = Page("learn/page.md", "A page", equations(read("learn/page.md", TEXT)), frozenset())
    assert section(page, "reference/equations.md") == beside(__file__, "numbered.toml")["listed"].split("\n")


@pytest.fixture(scope="module")
def listed(site):
    """Return the page and number of each formula of the built list, with what a reader would copy of it."""
    html = (site / "reference/equations/index.html").read_text("utf-8")
    drawn = re.split(r'<div class="arithmatex"', html)[1:]
    tex = [unescape(re.search(r"<annotation[^>]*>(.*?)</annotation>", part, re.S)[1]) for part in drawn]
    own = [re.search(r'<p class="formula-links"><a href="(.*?)"', part)[1] for part in drawn]
    assert len(own) > 70
    return list(zip(own, tex, strict=True))


def test_the_list_holds_every_numbered_formula_in_the_order_of_the_menu(listed):
    menu = re.findall(r"(learn/.+)\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    expected = []
    for page in menu:
        text = (ROOT / f"docs/{page}.md").read_text("utf-8")
        for tex, number in re.findall(r"(?:^|\n)\$\$\n((?:(?!\$\$).)*?)\\tag\{(.+?)\}\n\$\$", text, re.DOTALL):
            expected.append((f"../../{page}/#formula-{number}", standard_tex(tex.strip())))
    assert listed == expected
    assert sum(len(page.equations) for page in pages()) == len(expected)
