"""A page as its author wrote it, parsed once into blocks that know their lines.

Whatever looks for examples, fences, headings or formulas in Markdown reads this. It needs the standard library alone.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from docs_ext.errors import SpecError, did_you_mean

DOCS = Path(__file__).parents[2] / "docs"
OPENING, CLOSING = "<!-- check:", "-->"
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*\{?[ \t]*\.?([\w-]*)[^`]*$")
_IN_MENU = re.compile(r" +- (?:(?P<part>[\w-]+):|(?:(?P<short>[^:]+): )?(?P<name>[\w/-]+\.md))")
_HEADING = re.compile(r"(#{1,6}) +(.+?)(?: *\{([^{}]*)\})? *#* *$")


class Block(NamedTuple):
    """A part of a page, from one line to another, counted from 1.

    Its kind is head (YAML), heading, fence, formula (on lines of its own), check (of numbers) or text. What it holds is
    without the marks around it, and without the indentation of a list or an admonition.
    """

    kind: str
    line: int
    end: int
    text: str
    name: str = ""  # of a fence: its language; of a heading: its marks, such as ##
    anchor: str = ""  # of a heading that has one


@dataclass(frozen=True)
class Page:
    """A page by its name in MkDocs, learn/masks.md: its lines, and its blocks, which are all of it but empty lines."""

    name: str
    text: str
    lines: list[str] = field(compare=False)
    blocks: list[Block] = field(compare=False)

    def fences(self, *names: str) -> list[Block]:
        """Return the fences of these languages, or all."""
        return [block for block in self.blocks if block.kind == "fence" and (block.name in names or not names)]

    @cached_property
    def title(self) -> str:
        """The words of its first heading."""
        return next((block.text for block in self.blocks if block.name == "#"), self.name)

    @cached_property
    def deeper(self) -> int:
        """The line of the heading Going deeper, behind which a page folds; behind the last one if it has none."""
        found = (b.line for b in self.blocks if b.kind == "heading" and b.text == "Going deeper")
        return next(found, len(self.lines) + 1)

    def source(self, block: Block) -> str:
        """Return a block to the letter."""
        return "\n".join(self.lines[block.line - 1 : block.end])


@lru_cache(maxsize=256)
def read(name: str, text: str) -> Page:
    """Parse a page; a SpecError knows its line."""
    lines = text.split("\n")
    return Page(name, text, lines, [*_blocks(lines)])


def load(name: str) -> Page:
    """Read a page of the site; it is parsed again only after an edit."""
    path = DOCS / name
    if not path.is_file():
        others = (other.relative_to(DOCS).as_posix() for other in DOCS.rglob("*.md"))
        raise SpecError(f"there is no page {name}{did_you_mean(name, others)}")
    return _loaded(name, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _loaded(name: str, path: Path, _time: int) -> Page:
    with on_page(name):
        return read(name, decoded(path.read_bytes()))


def of_file(file: Any) -> Page:
    """Return the page in a file of MkDocs; a SpecError knows its line."""
    return read(file.src_uri, decoded(file.content_bytes))


def decoded(data: bytes) -> str:
    """Return the text of a file; a SpecError knows its line."""
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError(f"the byte 0x{data[error.start]:02x} is no UTF-8", line=line) from None


class Entry(NamedTuple):
    """A line of the menu in mkdocs.yml: the part in which it stands, a short name if it has one, and its page."""

    part: str
    short: str | None
    name: str


def menu() -> list[Entry]:
    """Return the pages of the menu in their order; those that are not there are left out."""
    part, found = "", list[Entry]()
    for line in (DOCS.parent / "mkdocs.yml").read_text("utf-8").split("\n"):
        if entry := _IN_MENU.fullmatch(line):
            part = entry["part"] or part
            if entry["name"] and (DOCS / entry["name"]).is_file():
                found.append(Entry(part, entry["short"], entry["name"]))
    return found


@contextmanager
def on_page(name: str, first: int = 0) -> Iterator[None]:
    """Name the page and the line of what is wrong; `first` is that of the part which counts from 0."""
    try:
        yield
    except SpecError as error:
        line = first + (error.line or 0)
        raise SpecError(f"{name}:{line}: {error}" if line else f"{name}: {error}") from error


def bare(line: str) -> str:
    """Strip the indentation or quotation that a list, a tab or an admonition gives a line."""
    return line.lstrip("> \t").rstrip()


def _blocks(lines: list[str]) -> Iterator[Block]:
    at = 0
    if lines[:1] == ["---"]:
        at = _end(lines, 1, "---", "the front matter") + 1
        yield Block("head", 1, at, "\n".join(lines[1 : at - 1]))
    start = at  # of a text
    while at <= len(lines):
        is_text = at < len(lines) and bool(lines[at].strip())
        block = _special(lines, at) if is_text else None
        if is_text and block is None:
            at += 1
            continue
        if start < at:
            yield Block("text", start + 1, at, "\n".join(lines[start:at]))
        if block:
            yield block
        start = at = block.end if block else at + 1


def _special(lines: list[str], at: int) -> Block | None:
    """Return the block that begins here unless it is text."""
    line = lines[at]
    if fence := _FENCE.match(bare(line)):
        end = _end(lines, at + 1, fence[1], f"the fence {bare(line)}")
        indent = line[: len(line) - len(line.lstrip("> \t"))]
        body = (row.removeprefix(indent) if row.startswith(indent) else bare(row) for row in lines[at + 1 : end])
        return Block("fence", at + 1, end + 1, "\n".join(body), fence[2])
    if line.strip() == "$$":
        end = _end(lines, at + 1, "$$", "the formula")
        return Block("formula", at + 1, end + 1, "\n".join(lines[at + 1 : end]))
    if line.lstrip().startswith(OPENING):
        last = next((n for n in range(at, len(lines)) if CLOSING in lines[n]), None)
        if last is None:
            raise SpecError(f"'{OPENING}' has no '{CLOSING}'", line=at + 1)
        comment = "\n".join(lines[at : last + 1])
        return Block("check", at + 1, last + 1, comment[comment.index(OPENING) + len(OPENING) : comment.index(CLOSING)])
    if heading := _HEADING.match(line):
        anchor = re.search(r"#([\w-]+)", heading[3] or "")
        return Block("heading", at + 1, at + 1, heading[2], heading[1], anchor[1] if anchor else "")
    return None


def _end(lines: list[str], start: int, closing: str, what: str) -> int:
    """Find the line, from 0, that closes what begins on the line before `start`."""
    for at in range(start, len(lines)):
        if bare(lines[at]) == closing:
            return at
    raise SpecError(f"{what} has no end: no line {closing} below", line=start)
