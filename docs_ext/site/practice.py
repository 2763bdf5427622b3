"""The exercises that go with a page: at its end it names the mutants that break what it explains."""

from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from attention.practice.mutants import MUTANTS
from docs_ext.html.template import template

EXERCISES = "practice/kill-the-mutant.md"
_LINE = template("""
<p class="practice" data-search-exclude>Practise: would your tests notice
  {% for name in names %}{{ "" if loop.first else " or " if loop.last else ", " }}
  <a href="{{ address }}#{{ name }}"><code>{{ name }}</code></a>{% endfor %}?</p>
""")


def invite(html: str, page: Page, files: Files) -> str:
    """Add a line with the mutants of a page to learn from, if it has any."""
    names = [mutant.name for mutant in MUTANTS if f"learn/{mutant.page}.md" == page.file.src_uri]
    exercises = files.get_file_from_path(EXERCISES)
    if not names or exercises is None:
        return html
    return f"{html}\n{_LINE(names=names, address=get_relative_url(exercises.url, page.url))}"
