"""Hover text: the first sentence of a glossary entry, on the first such word of a page.

The glossary is the only place where it is written. An entry takes part if it is marked with `.hover`:

    RoPE { #rope .hover }
    :   Rotary position embedding: queries and keys are turned. More about it. [A page](page.md)

Headings, links, code, formulas and docstrings stay as they are, and so does the page that the entry points to: it
explains the word itself.

Where the glossary says `<!-- index -->`, the letters of the alphabet lead to their first terms.
"""

import posixpath
import re
from itertools import groupby
from typing import NamedTuple
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from docs_ext.extensions.word_elements import HEADINGS, replace
from docs_ext.reading.converter import current_page, is_docstring
from docs_ext.reading.page import load

GLOSSARY = "reference/glossary.md"
_FOLDER = "reference"
_ENTRY = re.compile(
    r"^`?(?P<name>[^`\n]+?)`? \{ #(?P<anchor>[\w-]+)(?P<hover> \.hover)? \}\n"
    r":   (?P<text>[^[]+?)\s+\[(?P<title>[^]]+)\]\((?P<page>[^)]+)\)$",
    re.M,
)
_LEFT_ALONE = HEADINGS | {"a", "abbr", "code", "dl", "pre", "script", "style", "summary", "th"}


class Term(NamedTuple):
    """One entry of the glossary."""

    name: str
    anchor: str
    text: str
    title: str  # of the page that introduces the term
    page: str  # as in MkDocs: learn/order.md
    hover: bool

    @property
    def first_sentence(self) -> str:
        return re.split(r"(?<=\.) ", self.text, maxsplit=1)[0]


def terms(glossary: str) -> list[Term]:
    r"""Read the entries of a glossary.

    >>> entry = "RoPE { #rope .hover }\n:   Turns. Then\n    more. [Order](../learn/order.md)"
    >>> [term] = terms(entry)
    >>> term.name, term.first_sentence, term.page
    ('RoPE', 'Turns.', 'learn/order.md')
    """
    return [
        Term(
            entry["name"],
            entry["anchor"],
            " ".join(entry["text"].split()),
            entry["title"],
            posixpath.normpath(posixpath.join(_FOLDER, entry["page"])),
            bool(entry["hover"]),
        )
        for entry in _ENTRY.finditer(glossary)
    ]


def entries() -> list[Term]:
    """Read the entries of the site."""
    return terms(load(GLOSSARY).text)


def mark(root: Element, texts: dict[str, str]) -> None:
    """Wrap the first occurrence of each word in an `abbr` whose title is its text."""
    left = dict(texts)

    def abbr(found: re.Match[str]) -> Element | None:
        text = left.pop(found[0], None)
        return None if text is None else Element("abbr", {"title": text})

    longest_first = "|".join(re.escape(word) for word in sorted(texts, key=len, reverse=True))
    replace(root, re.compile(rf"(?<![\w-])(?:{longest_first})(?![\w-])"), abbr, _LEFT_ALONE)


class MarkTerms(Treeprocessor):
    def run(self, root: Element) -> None:
        if is_docstring(self.md):
            return  # it is not told which words its neighbours have marked
        page = current_page(self.md)
        known = [term for term in entries() if term.hover and term.page != page]
        mark(root, {term.name: term.first_sentence for term in known})


def index(terms: list[Term]) -> list[str]:
    """List the letters of a glossary, each with a link to its first term, as Markdown."""
    groups = groupby(terms, lambda term: term.name[0].upper() if term.name.isascii() else term.name[0])
    return [" ".join(f"[{letter}](#{next(group).anchor})" for letter, group in groups), "{ .glossary-index }"]
