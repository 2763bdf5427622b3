"""The lessons: the pages of the menu whose heads say what they build on.

    short: KV cache                 # the name on the map: the term that an engineer looks for
    needs: [masks]                  # the lessons that this one builds on, and not those that they build on themselves

Both stand in the head of a page.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.reading.fence import parse
from docs_ext.reading.minutes import reading
from docs_ext.reading.page import DOCS, Page, load

_IN_MENU = re.compile(r" +- (?:(?P<part>[\w-]+):|learn/(?P<name>[\w-]+)\.md)")


class Lesson(NamedTuple):
    """A lesson by its name: masks for learn/masks.md."""

    name: str
    part: str  # of the menu
    page: Page
    short: str
    needs: list[str]

    @property
    def minutes(self) -> int:
        return math.ceil(reading(self.page).first)

    @property
    def questions(self) -> int:
        return len(self.page.fences("quiz-question"))


def lessons() -> dict[str, Lesson]:
    """Return the lessons in the order of the menu; refuse one that needs what comes later."""
    part, menu = "", list[tuple[str, str, Page]]()
    for found in map(_IN_MENU.fullmatch, (DOCS.parent / "mkdocs.yml").read_text("utf-8").split("\n")):
        part = (found and found["part"]) or part
        if found and found["name"]:
            menu.append((found["name"], part, load(f"learn/{found['name']}.md")))
    return _read(tuple(menu))


@lru_cache(maxsize=2)
def _read(menu: Sequence[tuple[str, str, Page]]) -> dict[str, Lesson]:
    known = dict[str, Lesson]()
    for name, part, page in menu:
        head = next((parse(block.text)[0] for block in page.blocks if block.kind == "head"), {})
        if "needs" in head:
            known[name] = Lesson(name, part, page, str(head.get("short", name)), head["needs"])
            for fault in _faults(known[name], known):
                raise SpecError(f"{page.name}: {fault}")
    return known


def _faults(lesson: Lesson, known: Mapping[str, Lesson]) -> Iterator[str]:
    for need in lesson.needs:
        if need not in known or need == lesson.name:
            yield f"no lesson before it is {need!r}{did_you_mean(need, known)}"
        for other in lesson.needs:
            if other in known and need in [one.name for one in way(other, known)[:-1]]:
                yield f"it needs {need} already because it needs {other}"


def way(name: str, known: Mapping[str, Lesson]) -> list[Lesson]:
    """Return all that a lesson builds on, in the order of the menu, and the lesson itself."""
    on, left = set[str](), [name]
    while left:
        on.add(one := left.pop())
        left += known[one].needs
    return [lesson for lesson in known.values() if lesson.name in on]
