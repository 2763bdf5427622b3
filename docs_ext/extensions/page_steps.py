"""What the site adds to Markdown, in the order in which it happens."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from docs_ext.errors import SpecError
from docs_ext.extensions import (
    equation_links,
    folded_sections,
    function_links,
    glossary,
    module_table,
    mutants,
    solutions,
    writing,
)
from docs_ext.extensions.api_links import LinkNames
from docs_ext.extensions.diagrams import InlineDiagrams
from docs_ext.extensions.draw_fences import DrawFences
from docs_ext.html.console import colour_roles, mark_outputs, prepare_copies
from docs_ext.html.formula import RenderFormulas
from docs_ext.reading import equations
from docs_ext.reading.consoles import examples
from docs_ext.reading.converter import PageError, current_page, is_docstring, source
from docs_ext.reading.keys import parse
from docs_ext.reading.page import Page, read
from docs_ext.sources import bibliography

# What is written where a page says <!-- sources --> or, with a word more, <!-- mutant scale-missing -->.
WRITERS: dict[str, Callable[[str, str], list[str]]] = {
    "sources": lambda _word, _page: bibliography.listed(),
    "bibtex": lambda _word, _page: bibliography.copied(),
    "links": function_links.links,
    "equations": lambda _word, page: equation_links.listed(page),
    "modules": lambda _word, _page: module_table.table(),
    "mutants": lambda _word, _page: mutants.table(),
    "solutions": lambda _word, _page: solutions.listed(),
    "writing": lambda _word, _page: writing.ruled(),
    "mutant": lambda name, _page: mutants.change(name),
    "index": lambda _word, _page: glossary.index(glossary.entries()),
}
_MARK = re.compile(r"(?P<indent> *)<!-- (?P<name>[a-z]+)(?: (?P<word>\S+))? -->")


def faults(page: Page) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with a page as it is written, with its line."""
    anchors = set[str]()
    for block in page.blocks:
        if block.anchor in anchors:
            yield block.line, f"another heading has the id {block.anchor} too"
        anchors |= {block.anchor} - {""}
        try:
            if block.kind == "head":
                parse(block.text)
            elif block.name == "pycon":
                examples(block.text)
        except SpecError as error:
            yield block.line + 1 + (error.line or 0), str(error)
    yield from equations.faults(page)
    yield from folded_sections.faults(page)


class _Read(Preprocessor):
    """Refuse a page with a fault, and note its name before anything in it is converted."""

    def run(self, lines: list[str]) -> list[str]:
        if not is_docstring(self.md):
            for line, fault in faults(source(self.md)):
                raise PageError(self.md, fault, line=line)
        return lines


class _Write(Preprocessor):
    """Write what marks ask for, and leave the checks of numbers out: they are for tests, not for a reader."""

    def run(self, lines: list[str]) -> list[str]:
        if not any("<!--" in line for line in lines):
            return lines
        page, written = read("", "\n".join(lines)), list[str]()
        left_out = {n for block in page.blocks if block.kind == "check" for n in range(block.line, block.end + 1)}
        code = {n for block in page.fences() for n in range(block.line, block.end + 1)}
        for number, line in enumerate(lines, 1):
            mark = None if number in code else _MARK.fullmatch(line)
            if mark and mark["name"] in WRITERS:
                written += self._written(line, mark)
            elif number not in left_out:
                written.append(line)
        return written

    def _written(self, line: str, mark: re.Match[str]) -> list[str]:
        try:
            return [mark["indent"] + row for row in WRITERS[mark["name"]](mark["word"], current_page(self.md))]
        except SpecError as error:
            raise PageError(self.md, str(error), near=line) from error


class _EmptyHeaders(Treeprocessor):
    """Make the empty corner of a table a cell: a screen reader would announce a header."""

    def run(self, root: Element) -> None:
        for header in root.iter("th"):
            if not len(header) and not (header.text or "").strip():
                header.tag = "td"


class _Consoles(Postprocessor):
    """Mark what a copied console must not hold, fold what stood on the page before, and colour roles."""

    def run(self, text: str) -> str:
        text = colour_roles(mark_outputs(text))
        if is_docstring(self.md):
            return prepare_copies(text, folds=False)
        head = next((parse(block.text)[0] for block in source(self.md).blocks if block.kind == "head"), {})
        return prepare_copies(text, as_doctests=head.get("copies") == "doctests")


class PageExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(_Read(md), "attention-read", 100)
        md.preprocessors.register(_Write(md), "attention-write", 95)  # while fences and HTML are still text
        md.preprocessors.register(DrawFences(md), "attention-fences", 28)  # before superfences takes them for code
        for processor, priority in (
            (glossary.MarkTerms, 7),  # where abbr stands: before the contents
            (equation_links.Anchors, 6),  # before MkDocs collects anchors
            (folded_sections.FoldSections, 4.5),  # after toc has listed the headings
            (RenderFormulas, 4),  # after attr_list and toc
            (InlineDiagrams, 3),  # before MkDocs rewrites addresses
            (_EmptyHeaders, 2),  # after the cells are filled
            (LinkNames, 1),  # when all code stands in the tree
        ):
            md.treeprocessors.register(processor(md), f"attention-{processor.__name__}", priority)
        md.postprocessors.register(_Consoles(md), "attention-consoles", 0)  # after raw HTML


def makeExtension(**kwargs: Any) -> PageExtension:  # noqa: N802
    return PageExtension(**kwargs)
