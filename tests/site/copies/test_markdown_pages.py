"""The Markdown twin of a page says what the page says: its tables, formulas and examples, and leads where it leads."""

import doctest
import re
from collections import Counter
from functools import cache
from textwrap import dedent

import html5lib
import pytest
from markdown import markdown

from tests.site.built import tree
from tests.site.pages import ROOT, with_proofs

SITE_URL = "https://site.test/attention/"
SOURCES = sorted((ROOT / "docs").rglob("*.md"))
NUMBER = re.compile(r"[-\u2212+]?\d+(?:[.,/]\d+)*")
TEX = re.compile(r"^ *\$\$\n(.*?)\n *\$\$$|(?<![\\$])\$([^$\n]+)\$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"^( *`{3,})\w*$.*?^\1$|(`+)[^`\n].*?\2", re.DOTALL | re.MULTILINE)


def name(source):
    return source.relative_to(ROOT / "docs").as_posix()


def folder(site, source):
    return site / name(source).removesuffix("index.md").removesuffix(".md")


@cache
def twin(site, source):
    return (folder(site, source) / "index.html.md").read_text("utf-8")


def read(site, source):
    return (folder(site, source) / "index.html").read_text("utf-8")


@cache
def content(site, source):
    """Return the element of a page that holds its text, as it is seen; of a formula its TeX, of a picture its name."""
    article = re.search(r"<article\b.*</article>", read(site, source), re.DOTALL)[0]
    root = tree(article)
    for parent in list(root.iter()):
        for child in list(parent):
            if unseen(child):
                remove(parent, child)
            elif child.tag == "math":
                child.tag, child.text, child[:] = "tex", child.find(".//annotation").text, []
            elif child.tag == "svg":
                child.text, child[:] = child.get("aria-label"), []
            elif child.tag == "sup":
                child.text = f"^{child.text}"
    return root


def unseen(element):
    """Whether the twin has none of this: a widget, a number under the pointer, source code."""
    classes = element.get("class", "").split()
    return (
        element.tag == "template"
        or ("-" in element.tag and element.tag != "quiz-question")
        or element.get("aria-hidden") == "true"
        or bool({"decimal", "mkdocstrings-source"} & {*classes})
    )


def remove(parent, child):
    children = list(parent)
    place = children.index(child)
    if place:
        children[place - 1].tail = (children[place - 1].tail or "") + (child.tail or "")
    else:
        parent.text = (parent.text or "") + (child.tail or "")
    parent.remove(child)


def tables(root):
    """Return the numbers of every row of every table."""
    return [[numbers(row) for row in table.iter("tr")] for table in root.iter("table")]


def numbers(row):
    return [NUMBER.findall(" ".join("".join(cell.itertext()).split())) for cell in row if cell.tag in ("td", "th")]


def spread(rows):
    """Drop the empty cells, as a table in Markdown has no cell that spans several."""
    return [[cell for cell in row if cell] for row in rows if any(row)]


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_every_page_has_a_twin_and_says_so(site, source):
    text = twin(site, source)
    assert text.startswith("# ")
    assert '<link rel="alternate " type="text/markdown" href="index.html.md">' in read(site, source)
    assert f"{SITE_URL}{name(source).removesuffix('index.md').removesuffix('.md')}".rstrip("/") in text.split("\n")[2]


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_tables_hold_the_numbers_of_the_page(site, source):
    text = re.sub(r"^( *`{3,})\w*$.*?^\1$", "", twin(site, source), flags=re.DOTALL | re.MULTILINE)
    shown = [dedent(table) for table in re.findall(r"(?:^ *\|.*\|\n)+", text, re.MULTILINE)]
    pages = [markdown(table, extensions=["tables"]) for table in shown]
    written = [html5lib.parse(page, namespaceHTMLElements=False) for page in pages]
    of_twin = [spread(rows) for root in written for rows in tables(root)]
    of_page = [spread(rows) for rows in tables(content(site, source))]
    assert of_twin == of_page


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_every_formula_of_the_page_is_in_the_twin(site, source):
    text = CODE.sub("", twin(site, source))
    written = Counter("".join((one or two).split()).replace(r"\|", "|") for one, two in TEX.findall(text))
    of_page = Counter("".join(tex.text.split()).replace(r"\|", "|") for tex in content(site, source).iter("tex"))
    assert written == of_page
    assert not re.search(r"\\htmlClass|\\softmax|\\dk\b", text)


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_the_examples_of_a_twin_are_those_of_the_page(site, source):
    parse = doctest.DocTestParser().get_examples
    examples = parse(twin(site, source))
    on_page = with_proofs(source)
    if ":::" not in source.read_text("utf-8"):  # else they are those of docstrings
        expected = [example for console in on_page for example in parse(console.code)]
        assert [(e.source, e.want) for e in examples] == [(e.source, e.want) for e in expected]


def test_the_examples_of_a_twin_run(site, capsys):
    text = twin(site, ROOT / "docs/reference/masks.md")  # whose examples are those of docstrings
    result = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, {}, "masks", "masks", 0))
    assert result.failed == 0, capsys.readouterr().out
    assert result.attempted > 15


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_a_twin_is_markdown_alone(site, source):
    prose = TEX.sub("", CODE.sub("", twin(site, source)))
    assert not re.search(r"(?<!\\)<[A-Za-z/!]|\xb6|[\x00-\x09\x0b-\x1f]", prose)
    for link in re.findall(r"(?<!\\)\]\(([^)]*)\)", prose):
        assert link.startswith("https://"), link
        if link.startswith(SITE_URL):
            assert leads_somewhere(site, link.removeprefix(SITE_URL)), link


def leads_somewhere(site, path):
    file = site / path.partition("#")[0]
    return (file / "index.html").is_file() if path.partition("#")[0].endswith("/") or file == site else file.is_file()


def test_llms_txt_lists_every_page_once_in_the_order_of_the_menu(site):
    text = (site / "llms.txt").read_text("utf-8")
    title, summary, about, *sections = re.split(r"\n\n(?=> |Every |## )", text.rstrip("\n"))
    assert title == "# Attention, line by line"
    assert summary.startswith("> ")
    assert "](https://site.test/attention/llms-full.txt)" in about
    heads = [section.split("\n")[0] for section in sections]
    assert heads == ["## Core", "## Further", "## Engineering", "## Reference", "## Optional"]
    lines = [line for section in sections for line in section.split("\n")[2:]]
    links = [
        re.fullmatch(r"- \[.+\]\((https://site\.test/attention/(.*)index\.html\.md)\): .{40,}", line) for line in lines
    ]
    assert all(links), lines
    menu = re.findall(r"- (?:[^:\n]+: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    practice = [page for page in menu if page.startswith("practice/")]
    ordered = [page for page in menu if page not in practice] + practice
    assert [link[2] for link in links] == [page.removesuffix("index.md").replace(".md", "/") for page in ordered]
    assert all((site / link[2] / "index.html.md").is_file() for link in links)
