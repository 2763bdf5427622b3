"""What no Markdown extension can do to a page: ``python -m docs_ext.site.finish site``, after the build.

Adds a content security policy, a referrer policy and citation tags to every page, and mends faults of the theme: the
search dialog has no name, the page for wrong addresses leads nowhere, the corner of a table is an empty header. Then
makes the site's files smaller and puts a script next to every learn page. A second run changes nothing.
"""

import hashlib
import re
import sys
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path

from docs_ext.site.downloads import write_downloads
from docs_ext.site.slim import EMBEDDED, FONTS, STYLES, slim

DOCS = Path(__file__).parents[2] / "docs"
AUTHOR = "The authors of Attention, line by line"
_MENDED = {
    'data-md-component="search" role="dialog"': 'data-md-component="search" role="dialog" aria-label="Search"',
    "<h1>404 - Not found</h1>": "<h1>404 - Not found</h1>\n"
    "  <p>No page has this address. The search above knows them all; the tabs lead to the first of each part.</p>",
}
_STYLES = re.compile(rf'<link rel="stylesheet" href="(?P<base>[^"]*){re.escape(STYLES)}">')


def policy(pages: Iterable[str]) -> str:
    """Allow the site's own files and the theme's inline scripts, nothing else.

    One policy serves all pages, since instant navigation keeps the policy of the page where it began.
    """
    scripts = {script for page in pages for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL)}
    hashes = sorted(b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return "; ".join(
        (
            "default-src 'self'",
            " ".join(("script-src 'self'", *(f"'sha256-{hash_}'" for hash_ in hashes))),
            "style-src 'self'",
            "style-src-attr 'unsafe-inline'",  # KaTeX places its boxes by style attributes
            "img-src 'self' data:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


def finish(page: str, csp: str) -> str:
    """Return the page with its head completed and the theme's faults mended."""
    if "Content-Security-Policy" in page:
        return page
    language, title, site = (
        _first(pattern, page)
        for pattern in (r'<html lang="(.*?)"', r"<title>(.*?)</title>", r'title="([^"]*)" class="[^"]*md-logo')
    )
    tags = (
        f'<meta http-equiv="Content-Security-Policy" content="{csp}">',
        '<meta name="referrer" content="strict-origin-when-cross-origin">',
        f'<meta property="og:site_name" content="{site}">',
        f'<meta name="citation_title" content="{title.removesuffix(f" - {site}")}">',
        f'<meta name="citation_author" content="{AUTHOR}">',
        f'<meta name="citation_language" content="{language}">',
    )
    for fault, mended in _MENDED.items():
        page = page.replace(fault, mended)
    page = re.sub(r"<th\b([^>]*)></th>", r"<td\1></td>", page)  # Markdown's empty corner of a table is no header
    page = _STYLES.sub(lambda link: _preload(page, link["base"]) + link[0], page)
    charset = '<meta charset="utf-8">'
    return page.replace(charset, "\n      ".join((charset, *tags)), 1)


def _preload(page: str, base: str) -> str:
    """Fetch the rarer fonts of a page's formulas with the page."""
    fonts = [
        name for name, marks in FONTS.items() if name not in EMBEDDED and re.search(rf'class="[^"]*(?:{marks})', page)
    ]
    href = f"{base}assets/katex/fonts/KaTeX_{{}}.woff2"
    tag = f'<link rel="preload" href="{href}" as="font" type="font/woff2" crossorigin>\n      '
    return "".join(tag.format(font) for font in fonts)


def _first(pattern: str, page: str) -> str:
    match = re.search(pattern, page)
    if match is None:
        raise ValueError(f"no {pattern} in a page: has the theme changed?")
    return match[1].replace('"', "&quot;")


def main(site: Path) -> None:
    pages = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    csp = policy(pages.values())
    if any("Content-Security-Policy" not in page for page in pages.values()):
        pages = slim(site, pages)
    for path, page in pages.items():
        path.write_text(finish(page, csp), "utf-8")
    write_downloads(DOCS, site)
    print(f"finished {len(pages)} pages in {site}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
