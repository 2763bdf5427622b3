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
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docs_ext.reading.fence import find_fences
from docs_ext.reading.prose import CLOSING, OPENING

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


def equations(lines: Sequence[str]) -> list[Equation]:
    r"""Read the numbered formulas of a page.

    >>> [found] = equations(["$$", r"x \tag{1}", "$$", "", "Code: `x` · [Source](#here): ours", "{ .formula-links }"])
    >>> found.number, found.tex, found.parts["Source"]
    ('1', 'x', Part(target='(#here)', words='ours'))
    """
    return [found for _, _, found in _numbered(lines)]


def fault(lines: Sequence[str]) -> tuple[int, str] | None:
    r"""Return the first line at which a numbered formula breaks the rules, and how.

    >>> fault(["$$", r"x \tag{2}", "$$"])
    (1, 'formula (2) stands where (1) is due')
    >>> fault(["$$", r"x \tag{1}", "$$", "", "[Source](#here): ours", "{ .formula-links }"])
    (1, "formula (1): under it nothing says Code, Checked by; a definition says 'Source: definition'")
    """
    below = set()  # where a line of links may end
    for due, (start, end, equation) in enumerate(_numbered(lines), 1):
        below.add(end + 4)
        if equation.number != str(due):
            return start + 1, f"formula ({equation.number}) stands where ({due}) is due"
        missing = [label for label in LABELS if label not in equation.parts]
        if missing and not equation.is_definition:
            words = f"under it nothing says {', '.join(missing)}; a definition says 'Source: definition'"
            return start + 1, f"formula ({due}): {words}"
    code = _code(lines)
    for number, line in enumerate(lines, 1):
        if line.strip() == _CLASS and number not in below and number - 1 not in code:
            return number, "this line belongs under a numbered formula, after one empty line"
    return None


def _numbered(lines: Sequence[str]) -> Iterator[tuple[int, int, Equation]]:
    """Yield the numbered formulas, and between which lines, from 0, each stands with the checks of its numbers."""
    for start, end, tex in _displays(lines):
        if number := TAG.search(tex):
            if lines[end + 1 : end + 2] and lines[end + 1].startswith(OPENING):
                end = next(n for n in range(end + 1, len(lines)) if CLOSING in lines[n])
            yield start, end, Equation(number[1], TAG.sub("", tex).strip(), _parts(lines[end + 1 :]))


def _displays(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first and last line, from 0, and the TeX of every formula that stands on lines of its own."""
    code = _code(lines)
    marks = [n for n, line in enumerate(lines) if line.strip() == "$$" and n not in code]
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        yield start, end, "\n".join(lines[start + 1 : end])


def _code(lines: Sequence[str]) -> set[int]:
    """Return which lines, from 0, stand within fences."""
    return {start + n for start, _, body in find_fences(lines) for n in range(body.count("\n") + 1)}


def _parts(below: Sequence[str]) -> dict[str, Part]:
    """Read the line under a formula; nothing if another one stands there."""
    text = [line.strip() for line in below[:3]]
    if len(text) < 3 or text[0] or text[2] != _CLASS:
        return {}
    found = {}
    for words in text[1].split(" · "):
        if part := _PART.match(words):
            label = part["link"] or part["plain"]
            found[label] = Part(part["target"] or "", words[part.end() :].lstrip(":, ").strip())
    return {label: part for label, part in found.items() if any(part)}
