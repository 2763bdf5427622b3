r"""The numbered formulas of a page, each with the line under it that leads to its code, its source and its check.

    $$
    a = \softmax(s)
    \tag{1}
    $$

    [Code][attention.numerics.softmax] · [Source](../reference/sources.md#milakov2018): §2 · [Checked by](#by-hand)
    { .formula-links }

A formula is numbered if the text refers to it. The number is an anchor, `#formula-1`. What only gives letters a meaning
says `Source: definition`, and needs no code and no check.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from docs_ext.reading.page import Block, Page

LABELS = ("Code", "Source", "Checked by")
TAG = re.compile(r"\s*\\tag\{(.*?)\}")
_CLASS = "{ .formula-links }"
_PART = re.compile(rf"(?:\[(?P<link>{'|'.join(LABELS)})\](?P<target>[(\[][^)\]]+[)\]])|(?P<plain>{'|'.join(LABELS)}))")


class Part(NamedTuple):
    """What stands under a formula behind one label."""

    target: str  # as in Markdown: (#by-hand) or [attention.numerics.softmax]; nothing without a link
    words: str

    @property
    def function(self) -> str:
        """The path of a function, such as attention.numerics.softmax."""
        return self.target[1:-1] if self.target.startswith("[") else ""


class Equation(NamedTuple):
    """A numbered formula."""

    number: str
    tex: str  # without its number
    parts: dict[str, Part]  # by their labels

    @property
    def is_definition(self) -> bool:
        return self.parts.get("Source") == Part("", "definition")


def equations(page: Page) -> list[Equation]:
    r"""Read the numbered formulas of a page.

    >>> from docs_ext.reading.page import read
    >>> text = "$$\nx \\tag{1}\n$$\n\nCode: `x` · [Source](#here): ours\n{ .formula-links }"
    >>> [found] = equations(read("a.md", text))
    >>> found.number, found.tex, found.parts["Source"]
    ('1', 'x', Part(target='(#here)', words='ours'))
    """
    return [equation for _, _, equation in _numbered(page)]


def faults(page: Page) -> Iterator[tuple[int, str]]:
    r"""Yield the lines at which a numbered formula breaks the rules, and how.

    >>> from docs_ext.reading.page import read
    >>> next(faults(read("a.md", "$$\nx \\tag{2}\n$$")))
    (1, 'formula (2) stands where (1) is due')
    >>> next(faults(read("a.md", "$$\nx \\tag{1}\n$$\n\n[Source](#here): ours\n{ .formula-links }")))
    (1, "formula (1): under it nothing says Code, Checked by; a definition says 'Source: definition'")
    """
    linked = set()
    for due, (formula, links, equation) in enumerate(_numbered(page), 1):
        linked.add(links)
        if equation.number != str(due):
            yield formula.line, f"formula ({equation.number}) stands where ({due}) is due"
        missing = [label for label in LABELS if label not in equation.parts]
        if missing and not equation.is_definition:
            words = f"under it nothing says {', '.join(missing)}; a definition says 'Source: definition'"
            yield formula.line, f"formula ({due}): {words}"
    for block in page.blocks:
        lines = block.text.split("\n") if block.kind == "text" and block not in linked else []
        if _CLASS in lines:
            yield block.line + lines.index(_CLASS), "this line belongs under a numbered formula, after one empty line"


def _numbered(page: Page) -> Iterator[tuple[Block, Block | None, Equation]]:
    """Yield the numbered formulas, each with the block of the links under it and of the checks in between."""
    for at, formula in enumerate(page.blocks):
        if formula.kind == "formula" and (number := TAG.search(formula.text)):
            below = [block for block in page.blocks[at + 1 : at + 3] if block.kind != "check"][:1]
            end = max(block.end for block in page.blocks[at : at + 2] if block is formula or block.kind == "check")
            links = below[0] if below and below[0].line == end + 2 and below[0].kind == "text" else None
            parts = _parts(links.text.split("\n")) if links else {}
            yield formula, links if parts else None, Equation(number[1], TAG.sub("", formula.text).strip(), parts)


def _parts(lines: list[str]) -> dict[str, Part]:
    """Read the line under a formula; nothing if another one stands there."""
    found = {}
    for words in lines[0].split(" · ") if lines[1:2] == [_CLASS] else ():
        if part := _PART.match(words):
            label = part["link"] or part["plain"]
            found[label] = Part(part["target"] or "", words[part.end() :].lstrip(":, ").strip())
    return {label: part for label, part in found.items() if any(part)}
