"""Words in the text of a page, each replaced by an element: a link, or a word with a hint."""

import re
from collections.abc import Callable, Set
from xml.etree.ElementTree import Element

from markdown.util import AtomicString

HEADINGS = {f"h{n}" for n in range(1, 7)}


def replace(
    parent: Element, words: re.Pattern[str], make: Callable[[re.Match[str]], Element | None], out: Set[str]
) -> None:
    """Put an element where the text has such a word, in the order of the page; but not in formulas and elements `out`.

    `make` may return None, which leaves the word.
    """
    if parent.tag in out or "arithmatex" in parent.get("class", "").split():
        return
    children = list(parent)
    parent.text = _replaced(parent, 0, parent.text, words, make)
    for child in children:
        replace(child, words, make, out)
        child.tail = _replaced(parent, list(parent).index(child) + 1, child.tail, words, make)


def _replaced(
    parent: Element, at: int, text: str | None, words: re.Pattern[str], make: Callable[[re.Match[str]], Element | None]
) -> str | None:
    """Put the elements of a text into `parent`; return what stands before the first."""
    if text is None or isinstance(text, AtomicString):
        return text
    for found in words.finditer(text):
        element = make(found)
        if element is not None:
            element.text = AtomicString(found[0])
            parent.insert(at, element)
            element.tail = _replaced(parent, at + 1, text[found.end() :], words, make)
            return text[: found.start()]
    return text
