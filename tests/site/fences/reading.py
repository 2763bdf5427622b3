"""Reading the HTML of a fence, and the fences of the pages."""

import html5lib
import pytest

from docs_ext.errors import SpecError
from docs_ext.extensions import fences
from docs_ext.reading.fence import parse
from docs_ext.reading.page import read as page_of
from tests.site.pages import PAGES, ROOT

HEAD = {  # head 1 of the running example
    "tokens": "S5",
    "x": "embed(S5, EARLY5)",
    "w_q": "W_Q1",
    "w_k": "W_K",
    "w_v": "W_V",
}


def read(html):
    """Parse as a browser does, but take nothing that is not valid HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(html)


def text(element):
    return " ".join("".join(element.itertext()).split())


def plain(element):
    """Return the text with the minus that a keyboard has."""
    return text(element).replace("\N{MINUS SIGN}", "-")


def rows(root, path=".//tbody/tr"):
    return [[plain(cell) for cell in row] for row in root.findall(path)]


def fences_in(page):
    """Yield line, name and YAML of every fence in a text."""
    return [(fence.line, fence.name, fence.text) for fence in page_of("", page).fences(*fences.names())]


ON_PAGES = {
    f"{page.relative_to(ROOT)}:{line}": (name, yaml)
    for page in PAGES
    for line, name, yaml in fences_in(page.read_text("utf-8"))
}


def _kinds():
    """Yield the first fence of every name and set of keys, as the extension hands it to its module."""
    found = set()
    for place, (name, yaml) in ON_PAGES.items():
        spec = {"id": f"{name}-1"} | parse(yaml)[0]
        keys = () if fences.fence(name).OPTIONAL is None else tuple(spec)  # the other keys of charts are Vega-Lite's
        if (name, keys) not in found:
            found.add((name, keys))
            yield f"{name} {place}", (name, spec)


KINDS = dict(_kinds())


def refuses(render, spec, table):
    """Return a test: every change of a sound spec is refused, at its key, by a message with these words."""

    @pytest.mark.parametrize(("change", "key", "words"), table.values(), ids=table)
    def test(change, key, words):
        render(spec)
        with pytest.raises((SpecError, ValueError, TypeError)) as error:
            render(spec | change)
        assert getattr(error.value, "key", None) == key
        for part in [words] if isinstance(words, str) else words:
            assert part in str(error.value)
        assert "\n" not in str(error.value)

    return test
