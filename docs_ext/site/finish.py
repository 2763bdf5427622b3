"""The last hand on the built pages: fewer and smaller files, and a policy of what they may load.

Sources stay as they are; readers load less.
"""

import re
from pathlib import Path

from docs_ext.site.fonts import subset_fonts
from docs_ext.site.policy import check, policy, with_policy
from docs_ext.site.scripts import strip_comments, strip_indents
from docs_ext.site.styles import bundle, link_bundle
from docs_ext.site.theme_patches import name_search_dialog

# Within a tag no line begins or ends so: an attribute holds neither < nor > as it is.
_INDENT = re.compile(r"<(annotation|pre|script|textarea)\b.*?</\1>|\s*\n\s*(?=<)|(?<=>)\s*\n\s*", re.DOTALL)


def finish(site: Path, site_url: str | None = None) -> None:
    """Finish a site that MkDocs has just built for this address."""
    pages = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    subset_fonts(site, pages.values())
    own = bundle(site, pages.values())
    for script in (site / "assets/js").rglob("*.js"):
        script.write_text(strip_indents(strip_comments(script.read_text("utf-8"))), "utf-8")
    pages = {path: name_search_dialog(link_bundle(page, own)) for path, page in pages.items()}
    csp = policy(site_url)
    for path, page in pages.items():
        check(path.relative_to(site).as_posix(), page, site_url)
        path.write_text(without_indents(with_policy(page, csp)), "utf-8")


def without_indents(page: str) -> str:
    r"""Leave out empty lines and the spaces of lines between two tags, except where a reader sees them.

    >>> without_indents('<p title="one\n  two">\n\n   three</p>\n  <pre>\n  <b>x</b>\n</pre>')
    '<p title="one\n  two">\nthree</p>\n<pre>\n  <b>x</b>\n</pre>'
    """
    return _INDENT.sub(lambda found: found[0] if found[1] else "\n", page)
