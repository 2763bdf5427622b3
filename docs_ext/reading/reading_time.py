"""How long a page takes a person: its first part, and with what is folded under Going deeper.

150 words a minute, 40 seconds a figure or a block of code, 3 minutes a widget, 1 where it only selects, 70 seconds a
question, and what a task on paper says: "(4 minutes)". Words are those of prose, lists and tables; a formula is one.
Sources are not read.
Authors get the table of all pages from `make page`.
"""

import math
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mkdocs.structure.pages import Page as BuiltPage

from docs_ext.errors import SpecError
from docs_ext.reading.lessons import lessons
from docs_ext.reading.page import DOCS, Block, Page

MINUTES = {"words": 1 / 150, "blocks": 2 / 3, "figures": 2 / 3, "selections": 1, "widgets": 3, "questions": 7 / 6}
MINUTES |= {"tasks": 1}  # as they say
_SELECTING = {
    "attention-grid",
    "head-switch",
    "order-switch",
    "gradient-flow",
    "head-browser",
    "matrix-strips",
    "open-model",
    "translation-tabs",
    "window-sink",
}
RESTS = (3, 8)  # lessons of the Core after which an evening may end
_TASK = re.compile(r"\((\d+) minutes?\)")
_WIDGETS = {path.stem for path in (DOCS / "assets/js/widgets").glob("*.js")} - {"lesson-map"}  # looked at, as a figure
_FENCES = {path.stem.replace("_", "-") for path in (Path(__file__).parents[1] / "fences").glob("*.py")}
_PICTURE = re.compile(r"!\[[^]]*\]\([^)]*\)")
_UNSEEN = re.compile(
    r"\]\([^)]*\)|\]\[[^]]*\]|\{:? *[.#][^}]*\}|<[^>]*>"  # addresses, attributes, tags
    r"|^ *(?:\d+\. |[?!]{3}\+? \w+)",  # the number of an item, the kind of a fold
    re.MULTILINE,
)
_FORMULA = re.compile(r"\$[^$]+\$")


class Reading(NamedTuple):
    """What there is to read, and the minutes that it takes."""

    parts: Counter[str]  # of the first part: how many of what takes MINUTES
    first: float
    whole: float


@lru_cache(maxsize=256)
def reading(page: Page) -> Reading:
    """Return how long a page takes, up to Going deeper and in all."""
    first, deeper = Counter[str](), Counter[str]()
    part, seen = "", set[str]()
    for block in page.blocks:
        if block.name == "##":
            part = block.text
        counted = _counted(block, seen)
        if part == "Going deeper" and block.name != "##":
            deeper += counted
        elif part != "Sources":
            first += counted
    return Reading(first, _minutes(first), _minutes(first + deeper))


def _minutes(parts: Counter[str]) -> float:
    return sum(number * MINUTES[part] for part, number in parts.items())


def _counted(block: Block, seen: set[str]) -> Counter[str]:
    match block.kind, block.name:
        case "head" | "check" | "formula", _:
            return Counter(words=block.kind == "formula")
        case "fence", "quiz-question":
            return Counter(questions=1)
        case "fence", "pycon":
            return Counter(blocks=1)
        case "fence", name:
            # a strip, a scene or a step has nothing to touch, and one that the hand knows is looked at like a figure
            is_new = name in _WIDGETS - seen and not re.search("^(strip|scene|step):", block.text, re.MULTILINE)
            seen.add(name)
            touched = "selections" if name in _SELECTING else "widgets"
            return Counter({touched: is_new, "figures": name in _FENCES and not is_new})
        case _:
            text, pictures = _PICTURE.subn("", _FORMULA.sub("formula", block.text))
            words = sum(bool(re.search(r"\w", word)) for word in _UNSEEN.sub("", text).split())
            return Counter(words=words, figures=pictures, tasks=sum(map(int, _TASK.findall(text))))


def progress(page: BuiltPage) -> dict[str, Any] | None:
    """Return what stands above a title, and below: a lesson's number and minutes, or those of a part of the menu."""
    try:
        known = lessons()
    except SpecError:  # in the live server, where the page says what is wrong with it
        return None
    name, part = Path(page.file.src_uri).stem, page.parent and page.parent.title
    names = [other for other, lesson in known.items() if lesson.part == part]
    if name in names:
        number, (_, first, whole) = names.index(name) + 1, reading(known[name].page)
        rests = part == "Core" and number in RESTS
        return {
            "part": part,
            "number": number,
            "of": len(names),
            "name": name,
            "lessons": known,
            "first": math.ceil(first),
            "whole": math.ceil(whole),
            "next": names[number] if rests else None,
        }
    minutes = sum(math.ceil(reading(known[other].page).first) for other in names)  # as their labels say
    return {"part": part, "of": len(names), "first": minutes} if names else None
