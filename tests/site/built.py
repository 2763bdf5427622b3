"""Built pages as trees, each read once.

The standard library's parser is several times as fast as html5lib, and a page whose elements are not nested as they
are written fails here. Whether its HTML is valid, html5lib says every night (test_site.py).
"""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.built, self.open = TreeBuilder(), ["document"]
        self.built.start("document", {})
        self.handle_data = self.built.data

    def handle_starttag(self, tag, attributes):
        self.built.start(tag, {name: value or "" for name, value in attributes})
        self.open.append(tag)
        if tag in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert tag == self.open.pop(), f"{self.getpos()}: </{tag}> closes another element"
        self.built.end(tag)


def target(anchor: str) -> str:
    """Return the id that an anchor names; #~lab.n=6 is a state of the widget lab."""
    return anchor[1:].partition(".")[0] if anchor.startswith("~") else anchor


def tree(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    reader.handle_endtag("document")
    return reader.built.close()


@cache
def page(path: Path) -> Element:
    return tree(path.read_text("utf-8"))
