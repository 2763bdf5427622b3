"""The glossary: complete entries, and the only source of hover text."""

import re
from xml.etree.ElementTree import fromstring, tostring

import pytest

from docs_ext.extensions.glossary import GLOSSARY, mark, terms
from docs_ext.reading.page import load
from tests.site import built
from tests.site.pages import ROOT
from tests.tables import each_row

TEXT = load(GLOSSARY).text
TERMS = terms(TEXT)


def test_entries_stand_in_order_and_once():
    names = [term.name.casefold().replace("_", " ") for term in TERMS]
    assert names == sorted(set(names))
    assert len({term.anchor for term in TERMS}) == len(TERMS)


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_an_entry_leads_to_a_page_that_has_the_word(term):
    page = (ROOT / "docs" / term.page).read_text("utf-8")
    assert f"# {term.title}" in page.splitlines(), f"{term.page} has another title than {term.title!r}"
    for module in re.findall(r"^::: (attention\.\w+)$", page, re.M):
        page += (ROOT / module.replace(".", "/")).with_suffix(".py").read_text("utf-8")
    assert term.name.casefold() in page.replace(r"\d", "d_").casefold(), f"{term.page} does not say {term.name!r}"


def marked(html):
    root = fromstring(f"<div>{html}</div>")
    mark(root, {"RoPE": "Turns.", "sink": "Takes."})
    return tostring(root, encoding="unicode").removeprefix("<div>").removesuffix("</div>")


def test_the_first_occurrence_of_each_word_is_marked():
    rope, sink = '<abbr title="Turns.">RoPE</abbr>', '<abbr title="Takes.">sink</abbr>'
    assert marked("<p>A sink, RoPE, a sink.</p><p>RoPE</p>") == f"<p>A {sink}, {rope}, a sink.</p><p>RoPE</p>"
    assert marked("<p><em>x</em> RoPE <em>a sink</em></p>") == f"<p><em>x</em> {rope} <em>a {sink}</em></p>"
    assert marked("<p><em>RoPE</em>, a sink</p>") == f"<p><em>{rope}</em>, a {sink}</p>"


@each_row("html", "glossary.toml", "alone")
def test_other_text_is_left_alone(html):
    assert marked(html) == html


@pytest.fixture(scope="module")
def pages(site):
    return {path.relative_to(site).as_posix(): built.page(path) for path in site.rglob("*.html")}


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def test_hover_text_is_what_the_glossary_shows(pages):
    glossary = pages["reference/glossary/index.html"]
    items = [element for element in glossary.iter() if element.tag in ("dt", "dd")]
    shown = {text_of(dt).rstrip("¶"): text_of(dd) for dt, dd in zip(items[::2], items[1::2], strict=True)}
    assert list(shown) == [term.name for term in TERMS]
    abbrs = [(name, abbr) for name, page in pages.items() for abbr in page.iter("abbr")]
    assert abbrs, "no page has hover text: is docs_ext.extensions.page_steps in mkdocs.yml?"
    for name, abbr in abbrs:
        assert shown[text_of(abbr)].startswith(abbr.get("title")), name
