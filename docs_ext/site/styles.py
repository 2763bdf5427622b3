"""The site's style sheets in their order, for ``extra_css`` in mkdocs.yml: a new one needs no entry there."""

from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def sheets(docs: Path = DOCS) -> list[str]:
    """Name the sheets that every page loads, relative to docs/: what is shared first, then what is one fence's own."""
    css = docs / "assets/css"
    shared = sorted(css.glob("*.css"), key=lambda sheet: (sheet.name != "site.css", sheet.name))
    fences = sorted(css.glob("fences/*.css"))
    return [sheet.relative_to(docs).as_posix() for sheet in (docs / "assets/katex/katex.min.css", *shared, *fences)]
