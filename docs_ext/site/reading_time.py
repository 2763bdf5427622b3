"""What stands above a title: how long the page takes, what it builds on, and what builds on it."""

import math
from collections import Counter
from typing import Any

from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as BuiltPage

from docs_ext.errors import SpecError
from docs_ext.reading.lessons import lessons
from docs_ext.reading.minutes import Reading, reading
from docs_ext.reading.page import of_file


def progress(page: BuiltPage, nav: Navigation) -> dict[str, Any] | None:
    """Return what stands above a title: number, minutes and neighbours of a learn page, or those of the core track."""
    pages = [other for other in nav.pages if other.file.src_uri.startswith("learn/")]
    learn = [other for other in pages if "Reference" not in [part.title for part in other.ancestors]]
    if page in learn:
        first, whole = map(math.ceil, _reading(page)[1:])
        number = {"number": learn.index(page) + 1, "of": len(learn), "first": first, "whole": whole}
        return number | _neighbours(page, learn)
    if page.file.src_uri == "index.md":
        core = [other for other in nav.pages if other.parent is page.parent]
        minutes = sum(_reading(other).first for other in core)
        return {"pages": len(core), "first": math.ceil(minutes)}
    return None


def _neighbours(page: BuiltPage, learn: list[BuiltPage]) -> dict[str, list[tuple[str, str]]]:
    """Return the short names and addresses of the lessons that a page needs, and of those that it opens."""
    try:
        known = lessons()
    except SpecError:  # in the live server, as below
        known = {}
    urls = {other.file.src_uri: other.url for other in learn}
    name = page.file.src_uri.removeprefix("learn/").removesuffix(".md")
    needs = [known[need] for need in known[name].needs] if name in known else []
    opens = [other for other in known.values() if name in other.needs]
    return {
        key: [(one.short, urls[one.page.name]) for one in found if one.page.name in urls]
        for key, found in (("needs", needs), ("opens", opens))
    }


def _reading(page: BuiltPage) -> Reading:
    try:
        return reading(of_file(page.file))
    except SpecError:  # in the live server, where the page says what is wrong with it
        return Reading(Counter(), 0, 0)
