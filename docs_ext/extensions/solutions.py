"""The solutions of the problem sheets: pages outside of the menu, which a site for students is built without.

With SOLUTIONS=no in the environment mkdocs.yml excludes them, so that nothing of the site is made from them. The links
to them stand where a page says `<!-- solutions -->`, and nowhere else.
"""

import os

from docs_ext.reading.page import DOCS, load


def left_out() -> str:
    """Return what MkDocs excludes: the solutions, or nothing."""
    return "/teach/solutions-*.md" if os.environ.get("SOLUTIONS") == "no" else ""


def listed() -> list[str]:
    """Write the links as Markdown, or that this site has none."""
    if left_out():
        return ["This site was built without the solutions: `make build` in a copy of the project builds it with them."]
    names = sorted(path.name for path in (DOCS / "teach").glob("solutions-*.md"))
    return [f"- [{load(f'teach/{name}').title}]({name})" for name in names]
