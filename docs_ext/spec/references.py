"""Numbers that say where: of a formula, of an item in a list, of a place in a source, of the year of a source."""

# ruff: noqa: RUF001  (authors write the minus and the dash of print)

import re
from collections.abc import Iterator

from docs_ext.spec.facts import places
from docs_ext.spec.prose import Page, Part

_SOURCE = re.compile(r"#([a-z]+(\d{4})[a-z]?)\)")
_YEAR = re.compile(r"(?:(?P<several>et al\.|& \w+)|\b(?P<one>[A-Z][\w-]+)) (?P<year>(?:19|20)\d\d)\b")
_NUMBER = r"\(?(?:[A-Z]\.?)?\d+(?:\.\d+)*\)?"
_PLACE = re.compile(
    r"(?P<kind>§§?|[Ee]qs?\.|\b(?:Algorithm|Appendix|appendix|chapter|Definition|Example|Figure|footnote|Lemma|Proposition|Section|Table|Theorem)s?)"
    rf" *(?P<numbers>{_NUMBER}(?:(?:,| and|, and| or| to|–) ?{_NUMBER})*)"
)


def mistakes(page: Page, text: str) -> Iterator[tuple[int, str]]:
    """Yield line and mistake: a formula out of order or not there, a year or a place that no linked source has.

    And a paragraph such as "6. That is all", which would be shown as the first item of a list, and an exercise,
    "**6. A sink.**", out of order.
    """
    tags = [int(tag) for tag in re.findall(r"\\tag\{(\d+)\}", text)]
    for expected, tag in enumerate(tags, 1):
        if tag != expected:
            yield (
                text.count("\n", 0, text.index(f"\\tag{{{tag}}}")) + 1,
                f"formula ({tag}) comes where ({expected}) is due",
            )
            break
    yield from _lists(page)
    for block in page.blocks:
        for part in block.parts:
            for found in re.finditer(r"(?:[Ee]quation|[Ff]ormula) \((\d+)\)", part.text):
                if int(found[1]) not in tags:
                    yield part.line_of(found.start()), f"the page has no formula ({found[1]})"
            yield from _citations(part)


def _lists(page: Page) -> Iterator[tuple[int, str]]:
    due = 1
    text = [part for block in page.blocks if block.keys is None for part in block.parts]
    for part in text:
        if items := re.match(r"(?: *\d+\. .*\n?)+", part.text):
            counted = [int(number) for number in re.findall(r"^ *(\d+)\. ", items[0], re.MULTILINE)]
            if counted[0] not in (1, due):
                yield part.line, f"'{counted[0]}. ' begins a list, which counts from 1: write '{counted[0]}\\. '"
            due = counted[-1] + 1
    exercises = [(part.line, found[1]) for part in text if (found := re.match(r"\*\*(\d+)\. ", part.text))]
    for expected, (line, number) in enumerate(exercises, 1):
        if int(number) != expected:
            yield line, f"exercise {number} comes where {expected} is due"


def cited(part: Part) -> Iterator[tuple[int, str]]:
    """Yield the places of sources that a text names, and where: `§3.1`, `eq. (5)`."""
    for found in _PLACE.finditer(part.text):
        kind = {"§§": "§", "Eq.": "eq.", "eqs.": "eq.", "Eqs.": "eq."}.get(found["kind"], found["kind"].rstrip("s"))
        for number in re.findall(r"(?:[A-Z]\.?)?\d+(?:\.\d+)*", found["numbers"]):
            yield (
                found.start(),
                f"§{number}" if kind == "§" else f"eq. ({number})" if kind == "eq." else f"{kind} {number}",
            )


def _citations(part: Part) -> Iterator[tuple[int, str]]:
    sources = {found[1]: found[2] for found in _SOURCE.finditer(part.text)}
    if not sources:
        return
    for found in _YEAR.finditer(part.text):
        known = found["several"] or any(source.startswith(found["one"].lower()) for source in sources)
        if known and found["year"] not in sources.values():
            yield part.line_of(found.start()), f"{found[0]}: no source that is linked here is of {found['year']}"
    there = set().union(*map(places, sources))
    for position, place in cited(part):
        if place not in there:
            yield part.line_of(position), f"facts.yml has no {place} for {', '.join(sources)}"
