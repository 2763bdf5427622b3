"""A smaller first view, made from the built site: fewer files, fonts without glyphs that no formula uses.

Sources stay as they are; readers load less. A part of the theme that is not where it was stops the build.
"""

import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font  # type: ignore[import-untyped]

STYLES = "assets/css/all.css"
# How KaTeX marks what it draws in a font; all other text is in PLAIN. The style sheet holds the fonts that every page
# of formulas needs.
FONTS = {
    "Math-Italic": r"mathnormal\b",
    "AMS-Regular": r"mathbb\b|amsrm\b",
    "Caligraphic-Regular": r"mathcal\b",
    "Main-Bold": r"mathbf\b",
    "Size1-Regular": r"delimsizing size1\b|small-op\b|delim-size1\b",
    "Size2-Regular": r"delimsizing size2\b|large-op\b",
    "Size3-Regular": r"delimsizing size3\b",
    "Size4-Regular": r"delimsizing size4\b|delim-size4\b",
}
PLAIN = "Main-Regular"
EMBEDDED = (PLAIN, "Math-Italic")
_STYLE_LINK = re.compile(
    r'\s*<link rel="stylesheet" href="(?P<base>[^"]*?)(?P<path>assets/(?:css|katex|_mk)[^"]*\.css)">'
)
# The theme fetches the index of all pages at once; here it waits until the search is opened.
_AT_ONCE, _ON_DEMAND = 'location.protocol!=="file:"', "!1"


def slim(site: Path, pages: dict[Path, str]) -> dict[Path, str]:
    """Make the site's files smaller; return the pages, which load fewer of them."""
    _subset_fonts(site, pages.values())
    for name in _bundle(site, pages.values()):
        (site / name).unlink()
    _strip_comments(site)
    _fetch_search_index_on_demand(site)
    return {path: _link_bundle(page) for path, page in pages.items()}


def _bundle(site: Path, pages: Iterable[str]) -> list[str]:
    """Write all style sheets that are not the theme's into one, in their order."""
    names = list(dict.fromkeys(link["path"] for page in pages for link in _STYLE_LINK.finditer(page)))
    names = [name for name in names if name != STYLES]
    if names:
        sheets = [(site / name).read_text("utf-8").replace("url(fonts/", "url(../katex/fonts/") for name in names]
        (site / STYLES).parent.mkdir(parents=True, exist_ok=True)
        (site / STYLES).write_text(_embed_fonts(site, "\n".join(sheets)), "utf-8")
    return names


def _embed_fonts(site: Path, styles: str) -> str:
    """Put the fonts of nearly every formula into the style sheet: they need no request of their own."""
    for name in EMBEDDED:
        font = f"assets/katex/fonts/KaTeX_{name}.woff2"
        data = b64encode((site / font).read_bytes()).decode()
        styles = styles.replace(f"url(../{font.removeprefix('assets/')})", f"url(data:font/woff2;base64,{data})")
        (site / font).unlink()
    return styles


def _link_bundle(page: str) -> str:
    links = list(_STYLE_LINK.finditer(page))
    if not links:
        return page
    one = f'\n      <link rel="stylesheet" href="{links[0]["base"]}{STYLES}">'
    return page[: links[0].start()] + one + _STYLE_LINK.sub("", page[links[0].start() :])


class _Formulas(HTMLParser):
    """The characters that KaTeX draws in each font."""

    def __init__(self) -> None:
        super().__init__()
        self.fonts: list[str] = []  # of the open elements, from the formula to the innermost
        self.characters: dict[str, set[str]] = defaultdict(set)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = dict(attrs).get("class") or ""
        if self.fonts or "katex-html" in classes:
            outer = self.fonts[-1] if self.fonts else PLAIN
            self.fonts.append(next((font for font, marks in FONTS.items() if re.search(marks, classes)), outer))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Leave the open elements: <path/> closes itself."""

    def handle_endtag(self, tag: str) -> None:
        if self.fonts:
            self.fonts.pop()

    def handle_data(self, data: str) -> None:
        if self.fonts:
            self.characters[self.fonts[-1]].update(data)


def _subset_fonts(site: Path, pages: Iterable[str]) -> None:
    """Keep the glyphs that formulas use; fonts that FONTS does not know stay whole."""
    formulas = _Formulas()
    for page in pages:
        formulas.feed(page)
    options = Options(flavor="woff2", layout_features=["*"], hinting=False)
    for path in (site / "assets/katex/fonts").glob("*.woff2"):
        name = path.stem.removeprefix("KaTeX_")
        if name == PLAIN or name in FONTS:
            with load_font(str(path), options) as font:
                subsetter = Subsetter(options)
                subsetter.populate(text="".join(sorted(formulas.characters[name])))
                subsetter.subset(font)
                save_font(font, str(path), options)


def _strip_comments(site: Path) -> None:
    """Take comments that fill a line out of our modules."""
    for path in (site / "assets/js").glob("*.js"):
        path.write_text(re.sub(r"^ *//.*\n", "", path.read_text("utf-8"), flags=re.MULTILINE), "utf-8")


def _fetch_search_index_on_demand(site: Path) -> None:
    for path in (site / "assets/javascripts").glob("bundle.*.js"):
        script = path.read_text("utf-8")
        if script.count(_AT_ONCE) != 1:
            raise ValueError(f"{path.name}: {script.count(_AT_ONCE)} times {_AT_ONCE}: has the theme changed?")
        path.write_text(script.replace(_AT_ONCE, _ON_DEMAND), "utf-8")
