"""Every page as Markdown as well, for programs and for people who read text: learn/scaling/index.html.md.

The address is the page's with `index.html.md` after it, as llmstxt.org proposes, and llms.txt at the root lists the
twins in the order of the menu. llms-full.txt has all pages to learn from in one file, without the numbers that charts
are drawn from. Links in a twin lead to pages, not to twins: the anchors are there, and so are the readers.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files, InclusionLevel
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from docs_ext.copies.links import has_copies, name_of
from docs_ext.copies.markdown import to_markdown, whole
from docs_ext.copies.notebooks import as_notebook, blanks, brief
from docs_ext.site.practice import WRITING

_OPTIONAL = "Practice"  # what the proposal lets a program leave out
_NOTE = (
    "*This is the Markdown twin of {address}. A widget is a link to it. A link with `index.html.md` after it "
    "leads to the twin of another page.*"
)
_ABOUT = """\
# {name}

> {description}

Every page has a Markdown twin, at its address with `index.html.md` after it. Formulas are TeX, and tables are
filled in. The consoles are doctests: `python -m doctest` runs a twin, with NumPy and the package `attention` of this
site (the distribution attention-line-by-line) installed. [All pages to learn from in one file]({full}).
"""


def write_markdown_pages(config: MkDocsConfig, nav: Navigation, files: Files) -> None:
    """Write the twin of every page beside it, in the menu or not, and llms.txt."""
    site, root = Path(config.site_dir), config.site_url or ""
    learn = list[str]()
    outside = (file.page for file in files.documentation_pages(inclusion=InclusionLevel.is_not_in_nav))
    for page in (*nav.pages, *filter(None, outside)):
        text = to_markdown(page.content or "", address(page))
        title, _, body = text.partition("\n")
        note = _NOTE.format(address=address(page))
        (site / f"{page.file.dest_uri}.md").write_text(f"{title}\n\n{note}\n{whole(body)}", "utf-8")
        if page.file.src_uri.startswith(("index.md", "learn/")):
            learn.append(whole(brief(text)))
        notebook = (site / page.file.dest_uri).with_name(f"{name_of(page)}.ipynb")
        if page.file.src_uri == WRITING:
            notebook.write_text(blanks(config.site_url), "utf-8")
        if has_copies(page):
            notebook.write_text(as_notebook(text, address(page), name_of(page), config.site_url), "utf-8")
    about = _ABOUT.format(
        name=config.site_name, description=config.site_description, full=urljoin(root, "llms-full.txt")
    )
    (site / "llms.txt").write_text(f"{about}\n{''.join(_sections(nav))}", "utf-8")
    (site / "llms-full.txt").write_text("\n".join(learn), "utf-8")


def address(page: Page) -> str:
    """Return the address at which readers find a page."""
    return page.canonical_url or page.url


def _sections(nav: Navigation) -> Iterator[str]:
    parts = [part for item in nav.items for part in (item.children if item.title == "Learn" else [item]) or ()]
    for section in sorted(parts, key=lambda section: section.title == _OPTIONAL):
        yield f"## {'Optional' if section.title == _OPTIONAL else section.title}\n\n{''.join(_links(section))}\n"


def _links(section: Any) -> Iterator[str]:
    for item in section.children or ():
        if isinstance(item, Section):
            yield from _links(item)
        elif isinstance(item, Page):
            title, about = item.meta.get("title", item.title), item.meta.get("description")
            yield f"- [{title}]({address(item)}index.html.md){f': {about}' if about else ''}\n"
