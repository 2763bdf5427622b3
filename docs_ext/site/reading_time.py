"""How long a page takes to read: its first part, and with what is folded under Going deeper.

200 words a minute, 15 lines of typed code a minute, half a minute a question. Words are those of prose, lists, tables
and captions; a formula is one. A figure is looked at, not read; setup that is folded is known, sources are not read.
"""

import math
import re
from functools import lru_cache
from typing import Any, NamedTuple

from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as BuiltPage

from docs_ext.errors import SpecError
from docs_ext.reading.consoles import setup
from docs_ext.reading.page import Block, Page, of_file

WORDS, LINES, QUESTIONS = 200, 15, 2  # a minute
_UNSEEN = re.compile(
    r"!\[[^]]*\]\([^)]*\)|\]\([^)]*\)|\]\[[^]]*\]|\{:? *[.#][^}]*\}|<[^>]*>"  # pictures, addresses, attributes, tags
    r"|^ *(?:\d+\. |[?!]{3}\+? \w+)",  # the number of an item, the kind of a fold
    re.MULTILINE,
)
_FORMULA = re.compile(r"\$[^$]+\$")
_CAPTION = re.compile(r"^ *(?:caption|title):(.*)$", re.MULTILINE)


class Reading(NamedTuple):
    """Minutes."""

    first: float
    whole: float


@lru_cache(maxsize=256)
def reading(page: Page) -> Reading:
    r"""Return how long a page takes, up to Going deeper and in all.

    >>> from docs_ext.reading.page import read
    >>> reading(read("a.md", f"{'word ' * 298}\n## Going deeper\n{'word ' * 100}"))
    Reading(first=1.5, whole=2.0)
    """
    first = deeper = 0.0
    part, seen = "", set[str]()
    for block in page.blocks:
        if block.name == "##":
            part = block.text
        minutes = _minutes(block, seen)
        if part == "Going deeper" and block.name != "##":
            deeper += minutes
        elif part != "Sources":
            first += minutes
    return Reading(first, first + deeper)


def _minutes(block: Block, seen: set[str]) -> float:
    match block.kind, block.name:
        case "head" | "check", _:
            return 0
        case "formula", _:
            return 1 / WORDS
        case "fence", "quiz-question":
            return 1 / QUESTIONS
        case "fence", "pycon":
            new = block.text.split("\n")[setup(block.text, seen) :]
            return sum(line.startswith((">>>", "...")) for line in new) / LINES
        case "fence", _:
            return len(" ".join(_CAPTION.findall(block.text)).split()) / WORDS
        case _:
            text = _UNSEEN.sub("", _FORMULA.sub("formula", block.text))
            return sum(bool(re.search(r"\w", word)) for word in text.split()) / WORDS


def progress(page: BuiltPage, nav: Navigation) -> dict[str, Any] | None:
    """Return what stands above a title: the number of a learn page and its minutes, or those of the core track."""
    lessons = [other for other in nav.pages if other.file.src_uri.startswith("learn/")]
    learn = [other for other in lessons if "Reference" not in [part.title for part in other.ancestors]]
    if page in learn:
        first, whole = map(math.ceil, _reading(page))
        return {"number": learn.index(page) + 1, "of": len(learn), "first": first, "whole": whole}
    if page.file.src_uri == "index.md":
        core = [other for other in nav.pages if other.parent is page.parent]
        minutes = sum(_reading(other).first for other in core)
        return {"pages": len(core), "first": math.ceil(minutes)}
    return None


def _reading(page: BuiltPage) -> Reading:
    try:
        return reading(of_file(page.file))
    except SpecError:  # in the live server, where the page says what is wrong with it
        return Reading(0, 0)
