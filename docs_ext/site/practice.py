"""The exercises that go with a page: at its end it names what to write after it, and the mutants that break it."""

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from attention.practice.mutants import MUTANTS
from attention.practice.steps import STEPS
from docs_ext.html.template import template

EXERCISES, WRITING = "practice/kill-the-mutant.md", "practice/write.md"
_LINE = template("""
<p class="practice" data-search-exclude>Practise: {{ asks }}
  {% for name in names %}{{ " " if loop.first else " or " if loop.last else ", " }}
  <a href="{{ address }}#{{ name }}"><code>{{ name }}</code></a>{% endfor %}{{ ends }}</p>
""")


def invite(html: str, page: Page, files: Files) -> str:
    """Add lines with the functions and the mutants of a page to learn from, if it has any."""
    steps = {
        s.name: str(n) for n, s in enumerate(STEPS, 1) if f"learn/{s.see.partition('#')[0]}.md" == page.file.src_uri
    }
    mutants = [mutant.name for mutant in MUTANTS if f"learn/{mutant.page}.md" == page.file.src_uri]
    number = f" yourself (step{'s' if len(steps) > 1 else ''} {' and '.join(steps.values())})."
    html = _line(html, page, files.get_file_from_path(WRITING), list(steps), "write", number)
    return _line(html, page, files.get_file_from_path(EXERCISES), mutants, "would your tests notice", "?")


def _line(html: str, page: Page, exercises: File | None, names: list[str], asks: str, ends: str) -> str:
    if not names or exercises is None:
        return html
    address = get_relative_url(exercises.url, page.url)
    return f"{html}\n{_LINE(names=names, address=address, asks=asks, ends=ends)}"
