"""What the pages of a built site hold, to be compared with another build of the same sources."""

import json
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

PARTS = {"katex": "formulas", "highlight": "consoles and code", "doc-heading": "API entries"}  # by class
HOOKS = {"cite", "download", "downloads", "offline", "place", "practice"}  # classes of what hooks add
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_NO_WORDS = {"script", "style"}
_CHIPS = {"md-tags"}  # the tags of a page, which one generator shows and another searches only


class Page(HTMLParser):
    """One page: its links, and the parts, anchors and words of its article."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: Counter[str] = Counter()
        self.anchors: set[str] = set()
        self.ids: set[str] = set()  # the anchors of the article alone
        self.links: set[str] = set()
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = []  # tags, and whether the article goes on in them
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what begins here."""
        values = {name: value for name, value in attrs if value}
        classes = set(values.get("class", "").split())
        inside = tag == "article" or bool(self._open and self._open[-1][1])
        inside = inside and tag not in _NO_WORDS and not classes & (HOOKS | _CHIPS)
        here = {values[name] for name in ("id", "name") if name in values}
        self.anchors |= here
        self.links |= {values[name] for name in ("href", "src") if name in values}
        if inside:
            self.ids |= here
            self.parts.update(PARTS[name] for name in classes & PARTS.keys())
            self.parts["widgets"] += "-" in tag and tag != "annotation-xml"
        if tag not in _VOID:
            self._open.append((tag, inside))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what begins and ends here, as in SVG."""
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what is open, with what HTML allows to stay open in it."""
        if any(name == tag for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Note the words of the article."""
        if self._open and self._open[-1][1]:
            self.words += data.split()


class Site(NamedTuple):
    """A built site: its pages by address, the names of all its files, and how many places search knows."""

    pages: dict[str, Page]
    files: set[str]
    searched: int

    def parts(self) -> Counter[str]:
        """Count the parts of all pages."""
        return sum((page.parts for page in self.pages.values()), Counter())

    def words_changed(self, other: "Site") -> list[str]:
        """Name the pages of both that do not say the same."""
        return [name for name in self._shared(other) if self.pages[name].words != other.pages[name].words]

    def anchors_lost(self, other: "Site") -> list[str]:
        """Name the anchors of this site's articles that the other does not have."""
        pairs = ((name, self.pages[name].ids - other.pages[name].anchors) for name in self._shared(other))
        return [f"{name}#{lost}" for name, ids in pairs for lost in sorted(ids)]

    def dead_links(self) -> Iterator[str]:
        """Yield every link from a page to a page, file or anchor of this site that is not there."""
        for name, page in self.pages.items():
            for link in sorted(page.links):
                if self._is_dead(name, link):
                    yield f"{name}: {link}"

    def _shared(self, other: "Site") -> list[str]:
        return [name for name in self.pages if name in other.pages]

    def _is_dead(self, name: str, link: str) -> bool:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or parts.path.startswith("/"):
            return False
        target = normpath(str(PurePosixPath(name).parent / unquote(parts.path))) if parts.path else name
        if target not in self.files:
            target = normpath(f"{target}/index.html")
        if target not in self.files:
            return True
        anchor = unquote(parts.fragment)
        is_state = anchor.startswith("~")  # of a widget
        return bool(anchor) and not is_state and target in self.pages and anchor not in self.pages[target].anchors


def read(folder: Path) -> Site:
    """Read a site from its folder."""
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pages = {name: Page((folder / name).read_text("utf-8")) for name in sorted(files) if name.endswith(".html")}
    return Site(pages, files, sum(_searched(folder / name) for name in ("search/search_index.json", "search.json")))


def _searched(index: Path) -> int:
    if not index.exists():
        return 0
    found = json.loads(index.read_text("utf-8"))
    return len(found.get("docs", found.get("items", ())))
