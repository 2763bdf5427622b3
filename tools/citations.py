"""Where pages and docstrings cite a source, in which words, and which section, equation or table of it.

A citation is a link to the bibliography, as in `[Su et al. 2021](../reference/sources.md#su2021), §3.4.3, eq. (34)`.
Below a formula the link says *Source*, and the name follows it: `[Source](../reference/sources.md#su2021): Su et al.`
A place, such as `§3.2.1`, belongs to the source that was named last before it, by a link or as in *Kwon et al., §4.5*.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from docs_ext.errors import did_you_mean
from docs_ext.sources.bibliography import FILE, Source, surname

_LINK = re.compile(r"\[(?P<words>(?:[^\[\]]|\[[^\]]*\])+)\]\([\w./-]*sources\.md#(?P<key>[\w-]+)\)")
_NAME = r"(?<![\w.-])(?P<name>[A-Z][\w-]+)(?: & [A-Z][\w-]+)?(?:\set\sal\.|\sand\sothers)?,?\s*(?P<year>\d{4}\b|)"
_MENTION = re.compile(rf"{_LINK.pattern}|{_NAME}")
_NUMBER = r"[A-Z]?\d[\d.]*(?<!\.)[a-z]?\b"
PLACE = re.compile(
    rf"§+ ?{_NUMBER}"
    r"|\beqs?\.\s\(\d+[a-z]?\)(?:(?:,| and| to)\s\(\d+[a-z]?\))*"
    rf"|\b(?:Table|Figure|Algorithm|Theorem|Lemma|Proposition|Corollary|Listing)s?\s{_NUMBER}(?:\s(?:and|to)\s{_NUMBER})?"
    rf"|\b[Aa]ppendi(?:x|ces)\s[A-Z](?:\.\d+)*\b|\bchapters?\s{_NUMBER}"
)


class Citation(NamedTuple):
    """One link to the bibliography, what it says, and where it stands in the text."""

    key: str
    words: str
    start: int


def citations(text: str) -> Iterator[Citation]:
    """Yield every link to the bibliography; one that says *Source* with the name behind it.

    >>> list(citations("By [Su et al. 2021](sources.md#su2021), §3.4."))
    [Citation(key='su2021', words='Su et al. 2021', start=3)]
    >>> [c.words for c in citations("[Source](sources.md#su2021): Su et al. 2021, eq. (34) · [Checked by](#x)")]
    ['Source: Su et al. 2021, eq. (34)']
    """
    for link in _LINK.finditer(text):
        words = link["words"]
        if words == "Source":
            words += re.split(r" · |\n|\[", text[link.end() :])[0]
        yield Citation(link["key"], " ".join(words.split()), link.start())


def faults(text: str, sources: Mapping[str, Source]) -> Iterator[tuple[int, str]]:
    """Yield each line of a page or module with a link to no source, or with words that do not name it."""
    for link in citations(text):
        line = text.count("\n", 0, link.start) + 1
        if link.key not in sources:
            yield line, f"{link.key} is not in {FILE.name}{did_you_mean(link.key, sources)}"
            continue
        source = sources[link.key]
        if link.words.startswith("Source"):
            if not any(name in link.words for name in source.names):
                yield line, f"{link.words!r} does not name {source.label}"
        elif link.words not in source.names:
            yield line, f"[{link.words}] is none of {', '.join(source.names)}"


def unrecorded(name: str, text: str, sources: Mapping[str, Source]) -> Iterator[str]:
    """Yield the places that a text, `learn/masks`, cites and nobody recorded, and those that it cites no more."""
    cited = {(key, place): f"{name} {n}" if n > 1 else name for (key, place), n in places(text, sources).items()}
    known = {
        (key, place): who
        for key, source in sources.items()
        for place, _, names in (part.partition(": ") for part in source.fields.get("places", "").split("; "))
        for who in names.split(", ")
        if who.split(" ")[0] == name
    }
    for key, place in sorted({where for where, _ in cited.items() ^ known.items()}):
        often = " more or less often" if (key, place) in cited.keys() & known.keys() else ""
        verb = "cites" if (key, place) in cited else "no longer cites"
        yield f"{verb} {place} of {key}{often}: compare it with the paper, then run python -m tools.sources"


def places(text: str, sources: Mapping[str, Source]) -> Counter[tuple[str, str]]:
    """Count each place of each source that a text cites, as (key, place)."""
    mentions = list(_mentions(text, sources))
    found = Counter[tuple[str, str]]()
    for place in PLACE.finditer(text):
        before = [key for start, key in mentions if start < place.start()]
        if before:
            found[before[-1], " ".join(place[0].split())] += 1
    return found


def _mentions(text: str, sources: Mapping[str, Source]) -> Iterator[tuple[int, str]]:
    """Yield where a source is named and its key: by a link, or by a name that an earlier link has."""
    linked: list[str] = []
    for found in _MENTION.finditer(text):
        if key := found["key"]:
            linked += [key] if key in sources else []  # an unknown key is told by `faults`
            yield found.start(), key
        else:
            same = [
                key
                for key in linked
                if _first(sources[key]) == found["name"] and found["year"] in ("", sources[key].year)
            ]
            if same:
                yield found.start(), same[-1]


def _first(source: Source) -> str:
    return surname(source.fields["author"].split(" and ")[0]) if "author" in source.fields else ""


def recorded(cited: Mapping[str, Counter[tuple[str, str]]]) -> dict[str, str]:
    """Write the field `places` of each source, of what each page or module cites.

    >>> recorded({"masks": Counter({("su2021", "§3.4"): 2}), "order": Counter({("su2021", "§3.4"): 1})})
    {'su2021': '§3.4: masks 2, order'}
    """
    where: dict[str, dict[str, list[str]]] = {}
    for name, counts in sorted(cited.items()):
        for (key, place), count in counts.items():
            where.setdefault(key, {}).setdefault(place, []).append(f"{name} {count}" if count > 1 else name)
    return {
        key: "; ".join(f"{place}: {', '.join(names)}" for place, names in sorted(found.items()))
        for key, found in where.items()
    }
