"""Style sheets and scripts as readers get them: fewer and smaller files than authors write.

All style sheets but the theme's become one. Not in it are the sheet of a fence that stands on one page, or on two if it
is long, and the sheet of docstrings: only pages that need them load them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path

from docs_ext.html.alone import squeeze
from docs_ext.site.fonts import embed_fonts, load_fonts

DOCS = Path(__file__).parents[2] / "docs"
BUNDLE = "assets/css/all.css"
WORTH = 1100  # bytes of a sheet that has a request of its own
_FENCE = re.compile(r"css/fences/([\w-]+)\.css$")
_LINK = re.compile(r'\s*<link rel="stylesheet" href="(?P<base>[^"]*?)(?P<path>assets/(?:css|katex|_mk)[^"]*\.css)">')


def sheets(docs: Path = DOCS) -> list[str]:
    """Name the sheets that every page loads, relative to docs/: what is shared first, then what is one fence's own.

    mkdocs.yml calls this for `extra_css`, so that a new sheet needs no entry there.
    """
    css = docs / "assets/css"
    shared = sorted(css.glob("*.css"), key=lambda sheet: (sheet.name != "site.css", sheet.name))
    fences = sorted(css.glob("fences/*.css"))
    return [sheet.relative_to(docs).as_posix() for sheet in (docs / "assets/katex/katex.min.css", *shared, *fences)]


def bundle(site: Path, pages: Iterable[str]) -> set[str]:
    """Write all style sheets that are not the theme's into one, in their order; return those of some pages only."""
    shown = list(pages)
    on_pages = Counter(name for page in shown for name in _shown(page))
    names = list(dict.fromkeys(link["path"] for page in shown for link in _LINK.finditer(page)))
    own = {name for name in names if "_mkdocstrings" in name or _is_alone(name, on_pages)}
    styles = {name: (site / name).read_text("utf-8") for name in names}
    shared = [style.replace("url(fonts/", "url(../katex/fonts/") for name, style in styles.items() if name not in own]
    for name in names:
        if name in own:
            (site / name).write_text(squeeze(styles[name]), "utf-8")
        else:
            (site / name).unlink()
    (site / BUNDLE).write_text(embed_fonts(site, squeeze("\n".join(shared))), "utf-8")
    return own


def _is_alone(name: str, on_pages: Counter[str]) -> bool:
    """Tell whether a sheet is that of a fence which few pages have, and worth a request."""
    fence = _FENCE.search(name)
    least = [WORTH, WORTH, 3 * WORTH]  # by how many pages have it
    pages = on_pages[fence[1]] if fence else len(least)
    return pages < len(least) and (DOCS / name).stat().st_size > least[pages]


@lru_cache(maxsize=128)  # each page is asked twice
def _shown(page: str) -> frozenset[str]:
    """Return the elements and the classes of a page: a fence is one or the other."""
    classes = " ".join(re.findall(r'class="([^"]*)"', page))
    return frozenset(re.findall(r"<([a-z][\w-]*)", page)) | frozenset(classes.split())


def _needs(page: str, name: str) -> bool:
    """Tell whether what a sheet is for stands on a page: a fence, or docstrings."""
    fence = _FENCE.search(name)
    return (fence[1] if fence else "doc") in _shown(page)


def link_bundle(page: str, own: Collection[str] = ()) -> str:
    """Let the page load the one file, with it the fonts of its formulas, and the sheets that are its own."""
    links = list(_LINK.finditer(page))
    if not links:
        return page
    start, base = links[0].start(), links[0]["base"]
    one = f"\n      {load_fonts(page, base, BUNDLE)}"
    kept = "".join(link[0] for link in links if link["path"] in own and _needs(page, link["path"]))
    return page[:start] + one + kept + _LINK.sub("", page[start:])
