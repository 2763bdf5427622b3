"""Numbered formulas: each has an anchor, its line of links is checked, and "formula (2)" in the text is a link to it.

`docs_ext.reading.equations` says what is asked of a formula. Where a page says `<!-- equations -->`, those of all pages
are listed.
"""

import posixpath
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from docs_ext.extensions.word_elements import HEADINGS, replace
from docs_ext.reading.converter import PageError
from docs_ext.reading.crosslinks import Page, pages
from docs_ext.reading.equations import TAG, Equation, Part

_MENTION = re.compile(r"\b(?:[Ff]ormula|[Ee]quation) \((\w+)\)")
_LEFT_ALONE = HEADINGS | {"a", "code", "pre", "summary"}
_LINK = re.compile(r"\]\((?!\w+:)([^)#]*)(#[^)]*)?\)")


def listed(reader: str) -> list[str]:
    """List the formulas of all pages."""
    return [line for page in pages() if page.equations for line in ("", *section(page, reader), "")]


def section(page: Page, reader: str) -> list[str]:
    """List the formulas of a page as Markdown; `reader` is the page on which the list stands."""
    stem = posixpath.splitext(posixpath.basename(page.source))[0]
    lines = [f"## {page.heading} {{ #{stem} data-search-exclude=true }}"]  # the search is to find the page itself
    for equation in page.equations:
        links = " · ".join(_links(page, equation))
        lines += ["", "$$", *equation.tex.split("\n"), "$$", "", _from(page, reader, links), "{ .formula-links }"]
    return lines


def _links(page: Page, equation: Equation) -> Iterator[str]:
    """Yield what stands under a formula of the list, with links as on its own page."""
    yield f"[Formula ({equation.number})](#formula-{equation.number})"
    if code := equation.parts.get("Code"):
        yield f"Code: {_code(code)}"
    if source := equation.parts.get("Source"):
        yield f"[Source]{source.target}: {source.words}" if source.target else f"Source: {source.words}"
    if check := equation.parts.get("Checked by"):
        kind = "a property" if "properties.md" in check.target else "an example"
        yield f"Checked by {', '.join(filter(None, (check.target and f'[{kind}]{check.target}', check.words)))}"


def _code(code: Part) -> str:
    if code.function:
        named = f"[`{code.function.split('.')[-1]}`]{code.target}"
        return f"{named}, {code.words}" if code.words else named
    return f"[on the page]{code.target}" if code.target else code.words


def _from(page: Page, reader: str, text: str) -> str:
    """Let links of a page lead to the same places from another one."""

    def moved(link: re.Match[str]) -> str:
        target = posixpath.join(posixpath.dirname(page.source), link[1]) if link[1] else page.source
        return f"]({posixpath.relpath(target, posixpath.dirname(reader))}{link[2] or ''})"

    return _LINK.sub(moved, text)


class Anchors(Treeprocessor):
    def run(self, root: Element) -> None:
        numbers = set()
        for element in root.iter("div"):
            number = TAG.search(element.text or "") if "arithmatex" in element.get("class", "").split() else None
            if number:
                element.set("id", f"formula-{number[1]}")
                numbers.add(number[1])
        if numbers:  # what the text calls formula (2) becomes a link
            replace(root, _MENTION, lambda mention: self._link(mention, numbers), _LEFT_ALONE)

    def _link(self, mention: re.Match[str], numbers: set[str]) -> Element:
        if mention[1] not in numbers:
            raise PageError(self.md, f"there is no {mention[0]} on this page", near=mention[0])
        return Element("a", href=f"#formula-{mention[1]}")
