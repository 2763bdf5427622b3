"""Diagrams: an image of docs/assets/diagrams/ is replaced by its SVG while the page is being built.

    ![Q, K and V are made from X, and the weights blend V](../assets/diagrams/data-flow.svg)

Within the page a drawing follows the reader's colour scheme and font, which the content of an image cannot. The alt
text names it, its <title> stands under it as the caption, its <desc> describes it.
"""

import re
from html import escape
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from docs_ext.reading.converter import PageError

FOLDER = Path(__file__).parents[2] / "docs/assets/diagrams"
_ADDRESS = re.compile(r"(?:^|/)assets/diagrams/([^/]+)$")
_SVG = "{http://www.w3.org/2000/svg}"


class DiagramError(ValueError):
    """A diagram that cannot be shown."""


def render(name: str, alt: str, prefix: str, folder: Path) -> str:
    """Return the figure; `prefix` makes the drawing's ids unique within the page."""
    if not (folder / name).is_file():
        raise DiagramError(f"there is no such file in {folder.name}/")
    if not alt.strip():
        raise DiagramError("the alt text must say what the diagram says")
    svg = (folder / name).read_text("utf-8").strip()
    caption = _check(svg)
    svg = re.sub(r'(?<=\sid=")|(?<=url\(#)', prefix, svg)
    # the name outranks the title, which browsers would show again as a hint under the pointer
    svg = re.sub(r"\s*<title>.*?</title>", "", svg, count=1, flags=re.DOTALL)
    svg = svg.replace("<svg", f'<svg aria-label="{escape(" ".join(alt.split()))}" data-search-exclude', 1)
    svg = re.sub(r">\s+<", "><", svg)
    return f'<figure class="diagram">{svg}<figcaption>{escape(caption, quote=False)}</figcaption></figure>'


def _check(svg: str) -> str:
    """Return the drawing's title; refuse one that is not complete."""
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise DiagramError(f"not well-formed: {error}") from None
    if root.tag != f"{_SVG}svg" or root.get("role") != "img":
        raise DiagramError('the root must be <svg xmlns="http://www.w3.org/2000/svg" role="img">')
    for part in ("title", "desc"):
        if not (root.findtext(f"{_SVG}{part}") or "").strip():
            raise DiagramError(f"<{part}> is missing")
    if any("href" in element.attrib for element in root.iter()):
        raise DiagramError("no href, no <use>: Material's script stops at what it cannot set an href of")
    return " ".join((root.findtext(f"{_SVG}title") or "").split())


class InlineDiagrams(Treeprocessor):
    def run(self, root: Element) -> None:
        number = 0
        for parent in list(root.iter()):
            for image in parent.findall("img"):
                address = _ADDRESS.search(image.get("src", ""))
                if address is None:
                    continue
                number += 1
                try:
                    if parent.tag != "p" or len(parent) > 1 or (parent.text or image.tail or "").strip():
                        raise DiagramError("a diagram stands in a paragraph of its own")
                    html = render(address[1], image.get("alt", ""), f"diagram-{number}-", FOLDER)
                except DiagramError as error:
                    raise PageError(self.md, f"the diagram {address[1]}: {error}", near=address[1]) from None
                parent.remove(image)
                parent.text = self.md.htmlStash.store(html)
