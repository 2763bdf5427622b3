"""HTML that is already written, as the tree that a browser makes of it: parts are found by element, not by pattern.

What reads a page here writes something else, such as the search index. A published page keeps the text that it has.
"""

from typing import Any

from selectolax.lexbor import LexborHTMLParser

Node = Any  # a tree or an element; the types of the library have None wherever an element might be missing


def document(html: str) -> Node:
    """Read a whole page."""
    return LexborHTMLParser(html)


def content(html: str) -> Node:
    """Read the content of a page."""
    return LexborHTMLParser(html, is_fragment=True)


def formulas(tree: Node) -> list[Node]:
    """Return the formulas that KaTeX has drawn."""
    return list(tree.css(".katex-display, .katex:not(.katex-display > .katex)"))


def tex(formula: Node) -> str:
    """Return what an author wrote for a drawn formula."""
    annotation = formula.css_first("annotation")
    if annotation is None:
        raise ValueError("a formula without its TeX")
    return str(annotation.text())


def without_colours(tree: Node) -> None:
    """Leave code without the elements that colour it."""
    for code in tree.css("pre"):
        code.unwrap_tags(["span"])
