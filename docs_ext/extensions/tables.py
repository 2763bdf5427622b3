"""Tables of a page: the empty corner of a table is a cell, not a header that a screen reader would announce."""

from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor


class _EmptyHeaders(Treeprocessor):
    def run(self, root: Element) -> None:
        for header in root.iter("th"):
            if not len(header) and not (header.text or "").strip():
                header.tag = "td"


class TablesExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.treeprocessors.register(_EmptyHeaders(md), "attention-tables", 2)  # after the cells are filled


def makeExtension(**kwargs: Any) -> TablesExtension:  # noqa: N802
    return TablesExtension(**kwargs)
