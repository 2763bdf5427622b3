"""Under each public function of the API pages: the pages that explain it and the file that tests it.

The template of a function says `<!-- links attention.masks.causal_mask -->`. Both are found, not typed: a page explains
what it links to, first of all where it stands under a formula.
"""

import posixpath
import re
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

import attention
from docs_ext.reading.crosslinks import Page, checked_in, explained_in, path_of
from docs_ext.reading.page import current_page

_MARK = re.compile(r"^<!-- links ([\w.]+) -->$")


def links(path: str, reader: str) -> str:
    """Write the line for a function, as Markdown for the page `reader`; nothing if the name is not public."""
    name = path.split(".")[-1]
    if name not in attention.__all__ or path != path_of(name):
        return ""
    explained = [_page(page, numbers, posixpath.dirname(reader)) for page, numbers in explained_in(path)]
    told = [f"Explained in {', '.join(explained)}"] if explained else []
    return " · ".join([*told, f"Tested in `{checked_in(path)}`"])


def _page(page: Page, numbers: list[str], folder: str) -> str:
    address = posixpath.relpath(page.source, folder)
    return " ".join([f"[{page.heading}]({address})", *(f"[({n})]({address}#formula-{n})" for n in numbers)])


class _WriteLinks(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return [written for line in lines for written in self._written(line)]

    def _written(self, line: str) -> list[str]:
        mark = _MARK.match(line)
        if not mark:
            return [line]
        text = links(mark[1], current_page(self.md))
        return [text, "{ .small-print }"] if text else []


class CrosslinksExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(_WriteLinks(md), "attention-crosslinks", 95)  # before HTML is looked for


def makeExtension(**kwargs: Any) -> CrosslinksExtension:  # noqa: N802
    return CrosslinksExtension(**kwargs)
