"""Diagrams: an image of docs/assets/diagrams/ is replaced by its SVG while the page is being built.

    ![In the first layer each word notes the word before it](../assets/diagrams/two-layers.svg)

Within the page a drawing follows the reader's colour scheme and font, which the content of an image cannot. The alt
text names it, its <title> stands under it as the caption, its <desc> describes it. Beside two-layers.svg, drawn for a
phone, two-layers.wide.svg may be the drawing for a desk: the figure holds both, and CSS shows the one that has room. A
unit is a pixel, and <a href="masks.md"> leads to a page of the lessons.
"""

import re
from html import escape
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

from docs_ext.errors import SpecError
from docs_ext.reading.converter import PageError

LESSONS = Path(__file__).parents[2] / "docs/learn"
FOLDER = LESSONS.parent / "assets/diagrams"
_ADDRESS = re.compile(r"(?:^|/)assets/diagrams/([^/]+)$")
_SVG = "{http://www.w3.org/2000/svg}"


def render(name: str, alt: str, prefix: str, folder: Path) -> str:
    """Return the figure; `prefix` makes the drawing's ids unique within the page."""
    if not (folder / name).is_file():
        raise SpecError(f"there is no such file in {folder.name}/")
    if not alt.strip():
        raise SpecError("the alt text must say what the diagram says")
    svg = (folder / name).read_text("utf-8").strip()
    caption, desc = (_parts(svg).get(part, "") for part in ("title", "desc"))
    if not caption or not desc:
        raise SpecError(f"<{'desc' if caption else 'title'}> is missing")
    wide = folder / name.replace(".svg", ".wide.svg")
    html = _drawn(svg, alt, desc, prefix, "narrow" if wide.is_file() else "only")
    if wide.is_file():
        html += _drawn(wide.read_text("utf-8").strip(), alt, desc, f"{prefix}wide-", "wide")
    return f'<figure class="diagram"><figcaption>{escape(caption, quote=False)}</figcaption>{html}</figure>'


def _drawn(svg: str, alt: str, desc: str, prefix: str, layout: str) -> str:
    """Return one layout at its own size, a unit a pixel, its links as the page needs them."""
    _parts(svg)
    width, height = re.findall(r"[\d.]+", svg.partition('viewBox="')[2].partition('"')[0])[2:]
    svg = re.sub(r'(?<=\sid=")|(?<=url\(#)', prefix, svg)
    # the name outranks the title, which browsers would show again as a hint under the pointer
    svg = re.sub(r"\s*<(title|desc)>.*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<a href="([\w-]+)\.md', r'<a href="../\1/', svg)
    name = f'class="{layout}" width="{width}" height="{height}" aria-label="{escape(" ".join(alt.split()))}"'
    svg = re.sub(r"<svg([^>]*)>", rf"<svg {name} data-search-exclude\1><desc>{escape(desc)}</desc>", svg, count=1)
    return re.sub(r">\s+<", "><", svg)


def _parts(svg: str) -> dict[str, str]:
    """Return the drawing's title and description; refuse one that cannot be shown."""
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise SpecError(f"not well-formed: {error}") from None
    links = [link for element in root.iter() if (link := element.get("href")) is not None]
    if root.tag != f"{_SVG}svg" or root.get("role") != ("group" if links else "img"):
        raise SpecError('the root must be <svg xmlns="http://www.w3.org/2000/svg" role="img">, with links "group"')
    for link in links:
        if not (LESSONS / link).is_file():
            raise SpecError(f"the link {link} leads to no page of the lessons")
    return {part: " ".join((root.findtext(f"{_SVG}{part}") or "").split()) for part in ("title", "desc")}


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
                        raise SpecError("a diagram stands in a paragraph of its own")
                    html = render(address[1], image.get("alt", ""), f"diagram-{number}-", FOLDER)
                except SpecError as error:
                    raise PageError(self.md, f"the diagram {address[1]}: {error}", near=address[1]) from None
                parent.remove(image)
                parent.text = self.md.htmlStash.store(html)
