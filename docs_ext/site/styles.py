"""Style sheets: all that are not the theme's become one file of the built site."""

import re
from collections.abc import Iterable
from pathlib import Path

from docs_ext.site.fonts import embed_fonts, preload_fonts

BUNDLE = "assets/css/all.css"
_LINK = re.compile(r'\s*<link rel="stylesheet" href="(?P<base>[^"]*?)(?P<path>assets/(?:css|katex|_mk)[^"]*\.css)">')


def bundle(site: Path, pages: Iterable[str]) -> None:
    """Write all style sheets that are not the theme's into one, in their order."""
    names = list(dict.fromkeys(link["path"] for page in pages for link in _LINK.finditer(page)))
    sheets = [(site / name).read_text("utf-8").replace("url(fonts/", "url(../katex/fonts/") for name in names]
    (site / BUNDLE).write_text(embed_fonts(site, "\n".join(sheets)), "utf-8")
    for name in names:
        (site / name).unlink()


def link_bundle(page: str) -> str:
    """Let the page load the one file, and with it the fonts of its formulas."""
    links = list(_LINK.finditer(page))
    if not links:
        return page
    start, base = links[0].start(), links[0]["base"]
    one = f'\n      {preload_fonts(page, base)}<link rel="stylesheet" href="{base}{BUNDLE}">'
    return page[:start] + one + _LINK.sub("", page[start:])
