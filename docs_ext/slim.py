"""A smaller first view, made from the built site: fewer files, fonts without glyphs that no formula uses.

Sources stay as they are; readers load less. A part of the theme that is not where it was stops the build.
"""

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font  # type: ignore[import-untyped]

STYLES = "assets/css/all.css"
_STYLE_LINK = re.compile(
    r'\s*<link rel="stylesheet" href="(?P<base>[^"]*?)(?P<path>assets/(?:css|katex|_mk)[^"]*\.css)">'
)
# The theme fetches the index of all pages at once; here it waits until the search is opened.
_AT_ONCE, _ON_DEMAND = 'location.protocol!=="file:"', "!1"


def slim(site: Path, pages: dict[Path, str]) -> dict[Path, str]:
    """Make the site's files smaller; return the pages, which load fewer of them."""
    for name in _bundle(site, pages.values()):
        (site / name).unlink()
    _subset_fonts(site, pages.values())
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
        (site / STYLES).write_text("\n".join(sheets), "utf-8")
    return names


def _link_bundle(page: str) -> str:
    links = list(_STYLE_LINK.finditer(page))
    if not links:
        return page
    one = f'\n      <link rel="stylesheet" href="{links[0]["base"]}{STYLES}">'
    return page[: links[0].start()] + one + _STYLE_LINK.sub("", page[links[0].start() :])


class _Formulas(HTMLParser):
    """The characters that KaTeX draws."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.characters: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.depth or "katex-html" in (dict(attrs).get("class") or ""):
            self.depth += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Leave the depth: <path/> closes itself."""

    def handle_endtag(self, tag: str) -> None:
        self.depth -= self.depth > 0

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.characters.update(data)


def _subset_fonts(site: Path, pages: Iterable[str]) -> None:
    formulas = _Formulas()
    for page in pages:
        formulas.feed(page)
    options = Options(flavor="woff2", layout_features=["*"])
    for path in (site / "assets/katex/fonts").glob("*.woff2"):
        with load_font(str(path), options) as font:
            subsetter = Subsetter(options)
            subsetter.populate(text="".join(sorted(formulas.characters)))
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
