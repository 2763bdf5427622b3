"""Links to the copies of a page, at its end.

A page to learn from that has examples is offered as Markdown, which `python -m doctest` runs, and as a notebook. The
page that says `<!-- blanks -->` offers a notebook of functions to fill in.
"""

import os
from pathlib import PurePosixPath

from mkdocs.structure.pages import Page

from docs_ext.html.template import template
from docs_ext.reading.page import of_file
from docs_ext.site.address import repository

BLANKS = "<!-- blanks -->"
_LINE = template("""
<p class="download" data-search-exclude>
  Take this page with you <a href="index.html.md" download="{{ name }}.md">as Markdown</a>, whose examples
  <code>python -m doctest {{ name }}.md</code> runs, or <a href="{{ name }}.ipynb" download>as a notebook</a>
  {%- if colab %}, or <a href="{{ colab }}">open it in Colab</a>{% endif %}.</p>
""")
_TO_FILL_IN = template("""
<a href="{{ name }}.ipynb" download>Download the notebook</a>
{%- if colab %}, or <a href="{{ colab }}">open it in Colab</a>{% endif %}.
""")


def link_copies(html: str, page: Page) -> str:
    """Put the links into the content of a page."""
    notebook = page.file.dest_uri.replace("index.html", f"{name_of(page)}.ipynb")
    if BLANKS in html:
        html = html.replace(BLANKS, _TO_FILL_IN(name=name_of(page), colab=in_colab(notebook)))
    if not has_copies(page):
        return html
    return f"{html}\n{_LINE(name=name_of(page), colab=in_colab(notebook))}"


def has_copies(page: Page) -> bool:
    """Tell whether it is a page to learn from, with examples."""
    lesson = page.file.src_uri == "index.md" or page.file.src_uri.startswith("learn/")
    return lesson and bool(of_file(page.file).fences("pycon", "quiz-question"))


def name_of(page: Page) -> str:
    """Return the name under which the copies of a page are kept: scaling."""
    return PurePosixPath(page.file.src_uri).stem


def in_colab(notebook: str) -> str | None:
    """Return the address that opens a notebook in Colab, if REPO_URL names a repository on GitHub.

    Colab reads it from a branch: from `notebooks`, to which .github/workflows/pages.yml pushes those of the site.
    """
    host, _, name = (repository(os.environ.get("REPO_URL")) or "").partition("://github.com/")
    return f"https://colab.research.google.com/github/{name}/blob/notebooks/{notebook}" if host and name else None
