"""The last hand on the built pages: fewer and smaller files, and a policy of what they may load."""

from pathlib import Path

from docs_ext.html.alone import shorten
from docs_ext.site.assets import bundle, link_bundle
from docs_ext.site.cards import draw_cards
from docs_ext.site.fonts import subset_fonts
from docs_ext.site.policy import policy, with_policy
from docs_ext.theme.patches import name_controls


def finish(site: Path, site_url: str | None = None) -> None:
    """Finish a site that MkDocs has just built for this address. Sources stay as they are."""
    pages = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    draw_cards(site, pages)
    subset_fonts(site, pages.values())
    own = bundle(site, pages.values())
    for script in (site / "assets/js").rglob("*.js"):
        script.write_text(shorten(script.read_text("utf-8")), "utf-8")
    csp = policy(site_url)
    for path, page in pages.items():
        page = name_controls(link_bundle(page, own))
        path.write_text(with_policy(page, csp), "utf-8")
