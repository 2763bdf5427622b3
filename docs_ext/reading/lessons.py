"""The lessons: the pages of the menu that say in their heads what they build on.

needs: [masks] names lessons, and none that these build on already. The menu has the short name of each.
"""

from pathlib import PurePosixPath
from typing import NamedTuple

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.reading.keys import parse
from docs_ext.reading.page import Page, load, menu


class Lesson(NamedTuple):
    """A lesson, by its name masks for learn/masks.md."""

    part: str  # of the menu
    page: Page
    short: str
    needs: list[str]
    behind: frozenset[str]  # all that it builds on


def lessons() -> dict[str, Lesson]:
    """Return the lessons by name in the order of the menu."""
    known = dict[str, Lesson]()
    for part, short, name in menu():
        if name.startswith("learn/"):
            add(known, PurePosixPath(name).stem, part, load(name), short)
    return known


def add(known: dict[str, Lesson], name: str, part: str, page: Page, short: str | None = None) -> None:
    """Add a page to the lessons before it, if it is one; refuse what it must not need."""
    head = next((parse(block.text)[0] for block in page.blocks if block.kind == "head"), {})
    needs = head.get("needs", ())
    for need in needs:
        if need not in known:
            raise SpecError(f"{page.name}: no lesson before it is {need!r}{did_you_mean(need, known)}")
        if others := [other for other in needs if other in known and need in known[other].behind]:
            raise SpecError(f"{page.name}: what needs {others[0]} needs {need} already")
    if "needs" in head:
        behind = frozenset(needs).union(*(known[need].behind for need in needs))
        known[name] = Lesson(part, page, short or name, needs, behind)
