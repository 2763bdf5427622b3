"""How long a page takes to read: its first part, and with what is folded under Going deeper.

200 words a minute, 15 lines of typed code a minute, half a minute a question. Words are those of prose, lists, tables
and captions; a formula is one. The figures of a widget are looked at, not read, and setup that is folded is known.
"""

import json
import math
import re
from collections import Counter
from functools import lru_cache, partial
from html.parser import HTMLParser
from typing import Any, NamedTuple

from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from docs_ext.disk_cache import kept
from docs_ext.site.formulas import replace_formulas

WORDS, LINES, QUESTIONS = 200, 15, 2  # a minute
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_VOID = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Reading(NamedTuple):
    """Minutes."""

    first: float
    whole: float


@lru_cache(maxsize=64)  # the live server reads every edit
def reading(html: str) -> Reading:
    """Return how long a page takes, up to Going deeper and in all.

    >>> page = "<p>" + "word " * 300 + "</p><details class='deeper'><p>" + "word " * 100 + "</p></details>"
    >>> reading(page)
    Reading(first=1.5, whole=2.0)
    """
    return Reading(*json.loads(kept(partial(_minutes, html), html)))


def _minutes(html: str) -> bytes:
    counted = _Counter()
    counted.feed(_DRAWING.sub("", replace_formulas(html, lambda _: " formula ")))
    counted.close()
    first, deeper, _ = (
        tally["words"] / WORDS + tally["lines"] / LINES + tally["questions"] / QUESTIONS for tally in counted.tallies
    )
    return json.dumps([first, first + deeper]).encode()


class _Counter(HTMLParser):
    """Tallies of the first part, of Going deeper, and of the sources, which nobody reads through."""

    def __init__(self) -> None:
        super().__init__()
        self.tallies = Counter[str](), Counter[str](), Counter[str]()
        self.open: list[tuple[str, str]] = [("page", "read")]  # the elements, and how each is taken
        self.part = 0
        self.code = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        if tag == "h2":
            self.part = 2 if given.get("id") == "sources" else 0
        elif "deeper" in classes:
            self.part = 1
        if tag == "span" and "gp" in classes:
            self.code += "\0"
        self.open.append((tag, self._way(tag, classes)))
        if self.open[-1] == ("quiz-question", "left out"):
            self.tallies[self.part]["questions"] += 1

    def _way(self, tag: str, classes: list[str]) -> str:
        """Say how what stands in an element is taken: read, typed, looked at or left out."""
        way = self.open[-1][1]
        if way == "left out" or tag in ("quiz-question", "script", "style") or {"setup", "headerlink"} & {*classes}:
            return "left out"
        if tag in ("caption", "figcaption"):
            return "read"
        if way == "looked at" or "-" in tag or tag == "figure":
            return "looked at"
        return "typed" if tag == "pre" else way

    def handle_data(self, data: str) -> None:
        way = self.open[-1][1]
        if way == "read":
            self.tallies[self.part]["words"] += sum(bool(re.search(r"\w", word)) for word in data.split())
        elif way == "typed":
            self.code += data

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1] == ("pre", "typed"):
            typed = [line for line in self.code.splitlines() if line.strip()]
            prompts = [line for line in typed if line.startswith("\0")]
            self.tallies[self.part]["lines"] += len(prompts or typed)  # of a console only what is typed
            self.code = ""
        if self.open[-1][0] == tag:
            self.open.pop()


def progress(page: Page, nav: Navigation) -> dict[str, Any] | None:
    """Return what stands above a title: the number of a learn page and its minutes, or those of the core track."""
    learn = [other for other in nav.pages if other.file.src_uri.startswith("learn/")]
    if page in learn:
        first, whole = map(math.ceil, reading(page.content or ""))
        return {"number": learn.index(page) + 1, "of": len(learn), "first": first, "whole": whole}
    if page.file.src_uri == "index.md":
        core = [other for other in nav.pages if other.parent is page.parent]
        return {"pages": len(core), "first": math.ceil(sum(reading(other.content or "").first for other in core))}
    return None
