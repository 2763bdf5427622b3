"""The Markdown twin of a page says what the page says: its tables, formulas and examples, and leads where it leads."""

import doctest
import re
from collections import Counter
from functools import cache
from textwrap import dedent

import pytest
from markdown import markdown
from selectolax.lexbor import LexborHTMLParser

from docs_ext.extensions import draw_fences as fences
from tests.site.pages import ROOT, with_proofs

SITE_URL = "https://site.test/attention/"
SOURCES = sorted((ROOT / "docs").rglob("*.md"))
TEX = re.compile(r"^ *\$\$\n(.*?)\n *\$\$$|(?<![\\$])\$([^$\n]+)\$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^( *`{3,})\w*$.*?^\1$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)[^`\n].*?\1", re.DOTALL)
UNSEEN = ", ".join({"template", "[aria-hidden=true]", ".decimal", ".mkdocstrings-source", *fences.names()})


def name(source):
    return source.relative_to(ROOT / "docs").as_posix()


def folder(source):
    return name(source).removesuffix("index.md").replace(".md", "/")


def twin(site, source):
    return (site / folder(source) / "index.html.md").read_text("utf-8")


@cache
def page(site, source):
    """Return the text of a page as a tree, as far as its twin has it, and its formulas, which stand there as TeX."""
    html = (site / folder(source) / "index.html").read_text("utf-8")
    root = LexborHTMLParser(re.search(r"<article\b.*</article>", html, re.DOTALL)[0])
    for node in root.css(UNSEEN.replace("quiz-question", "#none")):
        node.decompose()
    formulas = []
    for node in root.css("math"):
        formulas.append(node.css_first("annotation").text())
        node.replace_with(formulas[-1])
    for node in root.css("svg"):
        node.replace_with(node.attributes.get("aria-label") or "")
    for node in root.css("sup"):
        node.insert_before("^")
    return root, formulas


def tables(root):
    """Yield the numbers of every row of a table; what spans several columns has no cells in Markdown."""
    for table in root.css("table"):
        rows = [[re.findall(r"[-\u2212+]?\d+(?:[.,/]\d+)*", cell.text()) for cell in row.css("td, th")]
                for row in table.css("tr")]  # fmt: skip
        yield [[cell for cell in row if cell] for row in rows if any(row)]


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_a_twin_holds_the_tables_and_formulas_of_its_page(site, source):
    text = FENCE.sub("", twin(site, source))
    assert text.startswith("# ")
    assert f"{SITE_URL}{folder(source)}".rstrip("/") in text.split("\n")[2]
    root, formulas = page(site, source)
    written = [markdown(dedent(one), extensions=["tables"]) for one in re.findall(r"(?:^ *\|.*\|\n)+", text, re.M)]
    assert [*tables(LexborHTMLParser("".join(written)))] == [*tables(root)]
    found = Counter("".join("".join(one).split()).replace(r"\|", "|") for one in TEX.findall(CODE.sub("", text)))
    assert found == Counter("".join(tex.split()).replace(r"\|", "|") for tex in formulas)
    assert not re.search(r"\\htmlClass|\\softmax|\\dk\b", text)


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_the_examples_of_a_twin_are_those_of_the_page(site, source):
    parse = doctest.DocTestParser().get_examples
    if ":::" not in source.read_text("utf-8"):  # else they are those of docstrings
        expected = [example for console in with_proofs(source) for example in parse(console.code)]
        assert [(e.source, e.want) for e in parse(twin(site, source))] == [(e.source, e.want) for e in expected]


def test_the_examples_of_a_twin_run(site, capsys):
    text = twin(site, ROOT / "docs/reference/masks.md")  # whose examples are those of docstrings
    result = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, {}, "masks", "masks", 0))
    assert result.failed == 0, capsys.readouterr().out
    assert result.attempted > 10


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_a_twin_is_markdown_alone_and_its_links_lead_somewhere(site, source):
    prose = TEX.sub("", CODE.sub("", FENCE.sub("", twin(site, source))))
    assert not re.search(r"(?<!\\)<[A-Za-z/!]|\xb6|[\x00-\x09\x0b-\x1f]", prose)
    for link in re.findall(r"(?<!\\)\]\(([^)]*)\)", prose):
        assert link.startswith("https://"), link
        file = site / link.removeprefix(SITE_URL).partition("#")[0]
        assert not link.startswith(SITE_URL) or (file / "index.html" if file.is_dir() else file).is_file(), link


def test_llms_txt_lists_every_page_once_in_the_order_of_the_menu(site):
    listed = re.findall(
        r"^- \[.+\]\(\S+/attention/(.*)index\.html\.md\): .{40,}$", (site / "llms.txt").read_text(), re.M
    )
    menu = re.findall(r"- (?:[^:\n]+: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    ordered = sorted(menu, key=lambda page: page.startswith("practice/"))  # under Optional, and last
    assert listed == [page.removesuffix("index.md").replace(".md", "/") for page in ordered]
