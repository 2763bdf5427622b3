"""The built site, as a browser will find it."""

import re
import zlib
from collections import Counter
from functools import cached_property
from urllib.parse import unquote, urldefrag, urljoin

import html5lib
import pytest

import attention
from tests.site import built

SITE = "https://site.test/attention/"  # as tests/conftest.py builds it
CHILDREN = dict.fromkeys(["msub", "msup", "munder", "mover", "mfrac", "mroot"], 2) | {"msubsup": 3, "munderover": 3}
CODE = {"code", "pre", "script", "style", "annotation", "textarea"}
CSS_ADDRESS = re.compile(r"""(?:url\(|@import )\s*(?:["'](.*?)["']|([^"')\s]+))""")


class Page:
    def __init__(self, site, path):
        self.path = path
        self.name = path.relative_to(site).as_posix()
        self.url = urljoin(SITE, self.name.removesuffix("index.html"))
        self.root = built.page(path)

    @cached_property
    def ids(self):
        return Counter(element.get("id") for element in self.root.iter() if element.get("id"))

    def links(self):
        """Yield each address in the page: the element's name, the attribute's name, the absolute URL."""
        for element in self.root.iter():
            for name in ("href", "src", "poster", "data"):
                if (value := element.get(name)) is not None:
                    yield element.tag, name, urljoin(self.url, value)
            for candidate in filter(None, re.split(r",\s+", element.get("srcset", ""))):
                yield element.tag, "srcset", urljoin(self.url, candidate.split()[0])

    def text(self, element=None):
        """Join the text outside code."""
        element = self.root if element is None else element
        if not isinstance(element.tag, str) or element.tag in CODE:
            return ""
        return (element.text or "") + "".join(self.text(child) + (child.tail or "") for child in element)

    def all(self, tag, **attributes):
        return [e for e in self.root.iter(tag) if all(e.get(k) == v for k, v in attributes.items())]


@pytest.fixture(scope="module")
def pages(site):
    pages = [Page(site, path) for path in sorted(site.rglob("*.html"))]
    assert len(pages) > 3
    return {page.url: page for page in pages}


def css_links(site):
    for path in site.rglob("*.css"):
        url = urljoin(SITE, path.relative_to(site).as_posix())
        for quoted, bare in CSS_ADDRESS.findall(path.read_text("utf-8")):
            yield path.relative_to(site).as_posix(), urljoin(url, quoted or bare)


def test_every_link_and_anchor_leads_somewhere(site, pages):
    broken = []
    links = [(page.name, url) for page in pages.values() for *_, url in page.links()]
    for name, url in links + list(css_links(site)):
        address, anchor = urldefrag(url)
        if not address.startswith(SITE):
            continue
        file = site / unquote(address.removeprefix(SITE))
        if not (file / "index.html" if file.is_dir() else file).is_file():
            broken.append(f"{name}: no file for {url}")
        elif anchor and address in pages and built.target(unquote(anchor)) not in pages[address].ids:
            broken.append(f"{name}: no element has the id of {url}")
    assert not broken, "\n".join(broken)


def test_every_formula_is_drawn(pages):
    for page in pages.values():
        for raw in (r"\(", r"\[", "$$", "ParseError"):
            assert raw not in page.text(), f"{page.name}: {raw} in the text"
        for element in page.root.iter():
            classes = (element.get("class") or "").split()
            assert "katex-error" not in classes, page.name
            assert len(element) == CHILDREN.get(element.tag, len(element)), f"{page.name}: {page.text(element)}"
            if "arithmatex" in classes:
                drawn = [e for e in element.iter() if e.get("class") == "katex"]
                assert drawn, f"{page.name}: {page.text(element)}"


def test_every_page_has_one_title_one_heading_one_language(pages):
    for page in pages.values():
        assert page.all("html", lang="en"), page.name
        assert [bool(title.text.strip()) for title in page.root.find(".//head").iter("title")] == [True], page.name
        assert len(page.all("h1")) == 1, f"{page.name}: {len(page.all('h1'))} first headings"


def test_no_example_is_a_quotation(pages):
    for page in pages.values():
        assert page.root.find(".//blockquote//blockquote") is None, page.name  # >>> without its section, in a docstring


def test_ids_are_unique(pages):
    for page in pages.values():
        twice = [name for name, count in page.ids.items() if count > 1]
        assert not twice, f"{page.name}: {twice}"


@pytest.mark.nightly
def test_the_markup_is_valid(pages):
    faults = []
    for page in pages.values():
        parser = html5lib.HTMLParser()
        parser.parse(page.path.read_text("utf-8"))
        faults += [f"{page.name}:{line}: {code} {details}" for (line, _), code, details in parser.errors]
    assert not faults, "\n".join(faults)


def test_the_reference_shows_the_public_names_and_the_steps_that_they_take_where_its_inventory_says(site, pages):
    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    rows = [line.split(" ", 4) for line in inventory.splitlines()]
    entries = [row[:2] for row in rows]
    for name, _, _, address, _ in rows:
        page, _, anchor = address.replace("$", name).partition("#")
        target = pages[urljoin(SITE, page)]
        assert not anchor or anchor in target.ids, f"{name} is not at {address}"
    modules = {getattr(attention, name).__module__ for name in attention.__all__}
    shown = {
        name.rpartition(".")[2]
        for name, kind in entries
        if kind in ("py:function", "py:class") and name.rpartition(".")[0] in modules
    }
    expected = {*attention.__all__, "_scores", "_weights", "_online_softmax"}  # and the steps they take
    assert not expected - shown, f"on no page of docs/reference: {sorted(expected - shown)}"


def test_the_search_knows_ideas_and_not_the_reference_of_fences(site):
    index = (site / "search/search_index.json").read_text("utf-8")
    assert "how-this-site-is-made/#checked" in index
    assert "#fence-" not in index
