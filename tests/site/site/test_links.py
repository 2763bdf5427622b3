"""Links within the site lead to what their words say: an anchor that exists may still be the wrong one.

A link shares a word with the heading, title or glossary entry that it leads to, or with the text of that section. What
the next page, a later page or the page before is, the menu decides. The few other links are listed below.
"""

import posixpath
import re
from functools import cache
from typing import NamedTuple

import pytest

pytest.importorskip("mkdocs", reason="reading the glossary needs the docs extra")

from docs_ext.extensions.glossary import GLOSSARY, terms
from tests.site.pages import ROOT

DOCS = ROOT / "docs"
CHECK = re.compile(r"^ *# check:[^\n]*$|<!-- check:.*?-->", re.M | re.S)


def read(path):
    """Return a page without the checks of its numbers, each line where it was."""
    return CHECK.sub(lambda check: "\n" * check[0].count("\n"), path.read_text("utf-8"))


PAGES = {path.relative_to(DOCS).as_posix(): read(path) for path in sorted(DOCS.rglob("*.md"))}
MENU = re.findall(r"- ((?:learn/|practice/|reference/)?[\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
TERMS = terms(GLOSSARY.read_text("utf-8"))

LINK = re.compile(
    r"(?<!!)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])+)\](?:\((?P<url>[^)\s]*)\)|\[(?P<name>attention\.[\w.]+)\])"
)
FENCE = re.compile(r"^( *)(```+).*?^\1\2 *$", re.M | re.S)
ANCHOR = re.compile(
    r"^(?P<level>#*) *(?P<text>[^\n]*?) *\{ #(?P<anchor>[\w-]+)[^}]*\}$|^(?P<plain>#+) (?P<heading>.+)$", re.M
)
LABELS = ("Code", "Source", "Checked by")  # below a formula, where tests of their own look
_SMALL = """
    and are but can does each for from has have how its not one that the them then there this what when where which why
    with
"""
SMALL = set(_SMALL.split())


class Link(NamedTuple):
    """One link: where it stands, its words, and the page, anchor or name that it leads to."""

    place: str
    page: str
    words: str
    target: str
    anchor: str


def links():
    """Yield every link of the pages and the docstrings to a page, a section or a function."""
    modules = {f"reference/{path.stem}.md": path.read_text("utf-8") for path in (ROOT / "attention").glob("[!_]*.py")}
    for page, text in [*PAGES.items(), *modules.items()]:
        blank = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)
        for link in LINK.finditer(blank):
            place = f"{page}:{blank.count(chr(10), 0, link.start()) + 1}"
            words = " ".join(link["words"].split())
            if link["name"]:
                yield Link(place, page, words, "", link["name"])
            elif "://" not in link["url"] and "sources." not in link["url"] and words not in LABELS:
                path, _, anchor = link["url"].partition("#")
                target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
                if target in PAGES:
                    yield Link(place, page, words, target, anchor)


def stems(text):
    """Return the beginnings of the words of a text, letters of formulas and numbers left out."""
    text = re.sub(r"\$[^$]*\$", " ", text.casefold().replace("_", " "))
    return {word[:5] for word in re.findall(r"[^\W\d]{3,}|\b\w+\d\w*\b", text)} - SMALL


@cache
def sections(page):
    """Return what stands at each anchor of a page: its heading or item, and the text below it."""
    text, found = PAGES[page], {}
    marks = list(ANCHOR.finditer(text))
    for mark in marks:
        level = len(mark["level"] or mark["plain"] or "")
        heading = mark["text"] if mark["anchor"] else mark["heading"]
        anchor = mark["anchor"] or re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.casefold()).strip())
        ends = [other.start() for other in marks if other.start() > mark.start() and (
            len(other["level"] or other["plain"] or "") or 7) <= (level or 7)]  # fmt: skip
        end = min(ends, default=len(text)) if level else mark.end() + 600
        before = text[max(0, mark.start() - 600) : mark.start()] if not level else ""  # the paragraph that it marks
        found[anchor] = f"{heading} {anchor} {before} {text[mark.end() : end]}"
    return found


@cache
def subjects(page):
    """Return what a page as a whole is about: its title, tags and headings, and the terms that it introduces."""
    text = PAGES[page]
    head = text.split("\n---\n")[0] if text.startswith("---") else ""
    headings = re.findall(r"^#+ .*$", FENCE.sub("", text), re.M)
    return " ".join([page, head, *headings, *(f"{term.name} {term.text}" for term in TERMS if term.page == page)])


def title(page):
    return re.search(r"^# (.*)$", PAGES[page], re.M)[1]


def better(link):
    """Return another anchor of the page whose heading has more of the link's words."""
    words = stems(link.words)
    headings = {anchor: len(words & stems(text.split("\n")[0][:120])) for anchor, text in sections(link.target).items()}
    most = max(headings, key=headings.get)
    return most if headings[most] > headings.get(link.anchor, 0) else None


def leads_astray(link):
    """Return why the words of a link do not fit where it leads; None is well."""
    if link.anchor.startswith("attention.") or not link.target:
        name = link.anchor.rpartition(".")[2]
        fits = name in re.findall(r"\w+", link.words) or link.words in LABELS
        if "`" not in link.words:  # a word for what the function makes
            fits = fits or stems(link.words) & stems(name) or re.sub(r"\W", "", link.words.casefold()) == name
        return None if fits else f"names {name}"
    if way := re.search(r"\b(next|later) page\b|\bpage (before)\b", link.words, re.IGNORECASE):
        here, there = MENU.index(link.page), MENU.index(link.target)
        fits = {"next": there == here + 1, "later": there > here, "before": there == here - 1}
        return None if fits[(way[1] or way[2]).lower()] else f"leads to page {there - here:+} of the menu"
    if link.words.casefold() in ("the running example", "running example"):
        return None if link.target in ("learn/line-by-line.md", "reference/example.md") else "leads elsewhere"
    place = PAGES[link.target].find(f"{{ #{link.anchor}")
    if link.words.casefold() in ("going deeper", "above", "below"):
        here = int(link.place.rpartition(":")[2]) - 1 - PAGES[link.page].count("\n", 0, place)
        deeper = PAGES[link.target].find("## Going deeper") < place
        return (
            None if {"going deeper": deeper, "above": here > 0, "below": here < 0}[link.words.casefold()] else "is not"
        )
    if link.target != link.page and stems(link.words) <= stems(f"{link.target} {title(link.target)}"):
        return None  # it names the page
    if link.anchor and link.anchor not in sections(link.target):
        return None  # a fence writes it
    text = sections(link.target).get(link.anchor, "") if link.anchor else subjects(link.target)
    shared = stems(link.words) & stems(text)
    if link.anchor and (rival := better(link)):
        return f"fits {link.target}#{rival} better"
    return None if shared else f"shares no word with {link.target}#{link.anchor}"


OTHERS = {  # looked at, page by page: the words, and where they lead
    ("index.md", "$\\K$ answers", "learn/queries-keys-values.md#"),
    ("index.md", "$\\Q$ asks", "learn/queries-keys-values.md#"),
    ("index.md", "$\\Z$ is the blend", "learn/read-the-grid.md#"),
    ("learn/before-you-start.md", "table", "reference/notation.md#rows-here-columns-elsewhere"),
    ("learn/beyond-softmax.md", "Head 2", "learn/heads.md#worked-numbers"),
    ("learn/bits.md", "have theirs too", "learn/smaller-caches.md#fewer-bits"),
    ("learn/bits.md", "its smallest number is larger than the weights of a long text", "learn/bits.md#divide-last"),
    ("learn/bits.md", "the page about budgets", "learn/scores-and-softmax.md#overflow"),
    ("learn/bits.md", "the page about masks", "learn/masks.md#large-negative-number"),
    ("learn/bits.md", "tiles", "learn/memory.md#"),
    ("learn/decoding.md", "a common mistake", "learn/decoding.md#top-left-mask"),
    ("learn/decoding.md", "a layer with a cache", "learn/transformer-block.md#llama"),
    ("learn/distance.md", "how bad", "learn/distance.md#chosen-head"),
    ("learn/distance.md", "into the dot product", "learn/distance.md#temperature"),
    ("learn/distance.md", "no positions at all", "learn/order.md#a-mask-that-looks-back"),
    ("learn/engineering.md", "the third", "learn/speed.md#"),
    ("learn/explanation.md", "here is how", "learn/explanation.md#reachable"),
    ("learn/heads.md", "not three", "reference/errata.md#only-parameters"),
    ("learn/heads.md", "the division", "learn/scaling.md#"),
    ("learn/history.md", "The division by $\\sqrt{\\dk}$", "learn/scaling.md#"),
    ("learn/history.md", "a product of two matrices", "learn/history.md#general-by-hand"),
    ("learn/history.md", "does not notice that", "reference/properties.md#shift"),
    ("learn/history.md", "put it in", "learn/order.md#"),
    ("learn/masks.md", "causal mask", "reference/translator.md#causal"),
    ("learn/masks.md", "with others", "reference/conventions.md#"),
    ("learn/memory.md", "a cache", "learn/decoding.md#what-it-costs"),
    ("learn/memory.md", "before", "learn/line-by-line.md#"),
    ("learn/memory.md", "the benchmarks", "reference/performance.md#"),
    ("learn/relative-positions.md", "Numbers", "learn/relative-positions.md#buckets"),
    ("learn/relative-positions.md", "Numbers and formula", "learn/relative-positions.md#vectors"),
    ("learn/relative-positions.md", "add a distance to a word", "reference/errata.md#added-positions"),
    ("learn/relative-positions.md", "bias", "reference/notation.md#"),
    ("learn/relative-positions.md", "does not notice", "reference/properties.md#shift"),
    ("learn/relative-positions.md", "layer with a cache", "learn/transformer-block.md#llama"),
    ("learn/relative-positions.md", "the proof", "learn/relative-positions.md#derivation"),
    ("learn/scaling.md", "tries out", "learn/training.md#without-scaling"),
    ("learn/scores-and-softmax.md", "a trap", "reference/errata.md#same-direction"),
    ("learn/sharing-heads.md", "The two heads", "learn/heads.md#worked-numbers"),
    ("learn/smaller-caches.md", "agree again", "learn/smaller-caches.md#both-ways"),
    ("learn/smaller-caches.md", "drew", "learn/smaller-caches.md#measured"),
    ("learn/smaller-caches.md", "the functions above", "learn/smaller-caches.md#both-ways"),
    ("learn/speed.md", "131,072 bytes a token", "learn/decoding.md#check-yourself"),
    ("learn/speed.md", "above", "learn/speed.md#try-it"),
    ("learn/training.md", "seeing the answer", "learn/masks.md#"),
    ("learn/transformer-block.md", "This", "#attention.block.rms_norm"),
    ("learn/transformer-block.md", "only one matrix", "learn/transformer-block.md#lead"),
    ("learn/transformer-block.md", "small example", "learn/transformer-block.md#without-a-norm"),
    ("learn/transformer-block.md", "the heads alone", "learn/heads.md#bring-weights-from-llama"),
    ("learn/windowed-caches.md", "it travels on", "learn/windows-and-sinks.md#reach"),
    ("learn/windowed-caches.md", "the bytes of a cache", "learn/decoding.md#what-it-costs"),
    ("learn/windowed-caches.md", "the first tokens of the text", "learn/windows-and-sinks.md#attention-sinks"),
    ("reference/how-this-site-is-made.md", "put to use", "learn/relative-positions.md#rotary"),
    ("reference/how-this-site-is-made.md", "that page", "learn/training.md#"),
    ("reference/notation.md", "added to all scores", "reference/properties.md#shift"),
    ("reference/notation.md", "being written", "learn/decoding.md#"),
    ("reference/notation.md", "in 2015", "learn/history.md#"),
    ("reference/notation.md", "written now", "learn/decoding.md#"),
}
ALL = list(links())


def test_many_links_are_read():
    assert len(ALL) > 700


def test_the_words_of_a_link_say_where_it_leads():
    astray = [
        f"{link.place}: [{link.words}] {why}"
        for link in ALL
        if (why := leads_astray(link)) and (link.page, link.words, f"{link.target}#{link.anchor}") not in OTHERS
    ]
    assert not astray, "\n".join(astray)


WRONG = {
    "another section": ("learn/gradients.md", "each row sums to zero", "reference/properties.md", "hull"),
    "another entry": ("learn/relative-positions.md", "distance", "reference/glossary.md", "budget"),
    "another page": ("learn/gradients.md", "sinusoid", "learn/memory.md", ""),
    "another function": ("learn/heads.md", "`attention_flops`", "reference/costs.md", "attention.costs.kv_cache_bytes"),
    "no next page": ("learn/lookup.md", "The next page", "learn/masks.md", ""),
    "another example": ("learn/masks.md", "the running example", "learn/history.md", ""),
}


@pytest.mark.parametrize(("page", "words", "target", "anchor"), WRONG.values(), ids=WRONG)
def test_a_link_that_leads_astray_is_noticed(page, words, target, anchor):
    assert leads_astray(Link(f"{page}:1", page, words, target, anchor))
