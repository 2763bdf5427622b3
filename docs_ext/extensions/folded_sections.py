"""Going deeper: every `###` section below `## Going deeper` is folded, its heading in the row that opens it.

    ## Going deeper

    ### Shapes { #shapes }

    Whatever the next page does not need.

A browser opens a row by click and by key, and the theme for whoever follows a link to something in it. The heading
keeps its anchor and its permalink; the contents list "Going deeper" alone, so that they show the way through the page.
Nothing else may stand under "Going deeper", since it would belong to no row.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from markdown.treeprocessors import Treeprocessor

from docs_ext.reading.page import Page

TITLE = "Going deeper"


def faults(page: Page) -> Iterator[tuple[int, str]]:
    """Yield the lines that break the order of sections, and what is wrong with each."""
    depth = 0  # of the last heading below Going deeper; 0 outside it
    opened = list[int]()  # where it stands
    rows = 0  # in it
    for block in page.blocks:
        level = len(block.name) if block.kind == "heading" else 0
        if level in (1, 2):
            if block.text == TITLE and (opened or level == 1):
                yield block.line, f"a second '## {TITLE}'" if opened else f"'{TITLE}' is a heading with two marks, ##"
            depth = 2 if block.text == TITLE else 0
            opened += [block.line] if depth else []
        elif depth == 2 and level != 3:
            yield block.line, f"only ### sections stand under '## {TITLE}'"
        elif depth and level > depth + 1:
            yield block.line, f"{'#' * level} under {'#' * depth}: a level is left out"
        elif depth and level:
            depth, rows = level, rows + 1
    if opened and not rows:
        yield opened[0], f"'## {TITLE}' has no ### section"


class FoldSections(Treeprocessor):
    def run(self, root: Element) -> None:
        listed = [part for title in getattr(self.md, "toc_tokens", []) for part in (title, *title["children"])]
        deeper = {part["id"]: part for part in listed if part["level"] == 2 and part["name"] == TITLE}
        for part in deeper.values():
            part["children"].clear()
        within, fold = False, None
        for element in list(root):
            level = int(element.tag[1]) if re.fullmatch(r"h[1-6]", str(element.tag)) else 9
            if level <= 2:
                within, fold = element.get("id") in deeper, None
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
