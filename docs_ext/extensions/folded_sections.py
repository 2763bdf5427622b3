"""Going deeper: every `###` section below `## Going deeper` is folded, its heading in the row that opens it.

    ## Going deeper

    ### Shapes { #shapes }

    Whatever the next page does not need.

A browser opens a row by click and by key, and the theme for whoever follows a link to something in it. The heading
keeps its anchor, its permalink and its place in the contents. Nothing else may stand under "Going deeper", since it
would belong to no row.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from docs_ext.reading.fence import find_fences
from docs_ext.reading.page import PageError, source_lines

TITLE = "Going deeper"
_HEADING = re.compile(r"(?P<marks>#{1,6}) +(?P<title>.+?)(?: *\{[^{}]*\})? *#* *$")


def fault(lines: Iterable[str]) -> tuple[int, str] | None:
    """Return the first line that breaks the order of sections, and what is wrong with it.

    >>> fault(["## Going deeper", "", "Shapes."])
    (3, "only ### sections stand under '## Going deeper'")
    """
    depth = 0  # of the last heading below Going deeper; 0 outside it
    start = 0  # where it stands, until its first section has come
    seen = False
    for number, line in _outside_code(list(lines)):
        heading = _HEADING.match(line)
        level = len(heading["marks"]) if heading else 0
        if heading and level <= 2:
            if start:
                break
            depth = 2 if heading["title"] == TITLE else 0
            if depth and (seen or level == 1):
                return number, f"a second '## {TITLE}'" if seen else f"'{TITLE}' is a heading with two marks, ##"
            seen, start = seen or bool(depth), number if depth else 0
        elif depth == 2 and level != 3 and line.strip():
            return number, f"only ### sections stand under '## {TITLE}'"
        elif depth and level > depth + 1:
            return number, f"{'#' * level} under {'#' * depth}: a level is left out"
        elif depth and level:
            depth, start = level, 0
    return (start, f"'## {TITLE}' has no ### section") if start else None


def _outside_code(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are no code, with their numbers; of a fence its first."""
    code = {start + 1 + n for start, _, body in find_fences(lines) for n in range(body.count("\n") + 2)}
    return ((number, line) for number, line in enumerate(lines, 1) if number not in code)


class _RefuseOthers(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        if found := fault(source_lines(self.md)):
            raise PageError(self.md, found[1], line=found[0])
        return lines


class _FoldSections(Treeprocessor):
    def run(self, root: Element) -> None:
        within, fold = False, None
        for element in list(root):
            level = int(element.tag[1]) if re.fullmatch(r"h[1-6]", str(element.tag)) else 9
            if level <= 2:
                within, fold = level == 2 and "".join(_words(element)).strip() == TITLE, None
            elif element.get("class") == "footnote":
                within = False  # the notes of the whole page, at its end
            elif within and level == 3:
                fold = Element("details", {"class": "deeper"})
                fold.tail = "\n"
                root.insert(list(root).index(element), fold)
                root.remove(element)
                summary = SubElement(fold, "summary")
                summary.append(element)
                for permalink in element.findall("a[@class='headerlink']"):  # no link in what is itself pressed
                    element.remove(permalink)
                    permalink.set("data-search-exclude", "true")
                    fold.append(permalink)
            elif within and fold is not None:
                root.remove(element)
                fold.append(element)


def _words(heading: Element) -> Iterator[str]:
    """Yield the text of a heading without its permalink."""
    yield heading.text or ""
    for child in heading:
        if child.get("class") != "headerlink":
            yield from child.itertext()
        yield child.tail or ""


class DeeperExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(_RefuseOthers(md), "attention-deeper", 91)  # while fences are still text
        md.treeprocessors.register(_FoldSections(md), "attention-deeper", 4.5)  # after toc has listed the headings


def makeExtension(**kwargs: Any) -> DeeperExtension:  # noqa: N802
    return DeeperExtension(**kwargs)
