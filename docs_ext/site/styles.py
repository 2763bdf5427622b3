"""Style sheets: found by folder, and one file in the built site beside the theme's own."""

import re
from collections.abc import Iterable
from pathlib import Path

from docs_ext.site.fonts import embed_fonts, load_fonts

DOCS = Path(__file__).parents[2] / "docs"
BUNDLE = "assets/css/all.css"
_COMMENT = re.compile(r"[ \t]*/\*.*?\*/", re.DOTALL)
_LINK = re.compile(r'\s*<link rel="stylesheet" href="(?P<base>[^"]*?)(?P<path>assets/(?:css|katex|_mk)[^"]*\.css)">')


def sheets(docs: Path = DOCS) -> list[str]:
    """Name the sheets that every page loads, relative to docs/: what is shared first, then what is one fence's own.

    mkdocs.yml calls this for `extra_css`, so that a new sheet needs no entry there.
    """
    css = docs / "assets/css"
    shared = sorted(css.glob("*.css"), key=lambda sheet: (sheet.name != "site.css", sheet.name))
    fences = sorted(css.glob("fences/*.css"))
    return [sheet.relative_to(docs).as_posix() for sheet in (docs / "assets/katex/katex.min.css", *shared, *fences)]


def bundle(site: Path, pages: Iterable[str]) -> None:
    """Write all style sheets that are not the theme's into one, in their order."""
    names = list(dict.fromkeys(link["path"] for page in pages for link in _LINK.finditer(page)))
    styles = [(site / name).read_text("utf-8").replace("url(fonts/", "url(../katex/fonts/") for name in names]
    (site / BUNDLE).write_text(embed_fonts(site, squeeze("\n".join(styles))), "utf-8")
    for name in names:
        (site / name).unlink()


def squeeze(style: str) -> str:
    r"""Leave out what is there for authors: comments, indents and blank lines.

    >>> squeeze("/* why */\na {\n  color: red;   /* as it is */\n}\n")
    'a {\ncolor: red;\n}\n'
    """
    return re.sub(r"\s*\n\s*", "\n", _COMMENT.sub("", style)).lstrip()


def link_bundle(page: str) -> str:
    """Let the page load the one file, and with it the fonts of its formulas."""
    links = list(_LINK.finditer(page))
    if not links:
        return page
    start, base = links[0].start(), links[0]["base"]
    one = f"\n      {load_fonts(page, base, BUNDLE)}"
    return page[:start] + one + _LINK.sub("", page[start:])
