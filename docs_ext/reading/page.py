"""Which page is being converted, and at which line of it something is wrong."""

from collections.abc import Sequence
from typing import Any

from markdown import Markdown
from markdown.preprocessors import Preprocessor
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]

try:
    from mkdocs.exceptions import BuildError
except ImportError:  # another generator
    BuildError = ValueError  # type: ignore[assignment,misc]

_current = "a page without a name"


def current_page(md: Markdown) -> str:
    """Return the source path of the page, also while one of its docstrings is being converted."""
    global _current  # a docstring has a converter of its own, which does not know the page
    if _knows_page(md):
        relpath: Any = md.treeprocessors["relpath"]
        _current = relpath.file.src_uri
    elif "rendering_context" in md.preprocessors:  # Zensical's
        context: Any = md.preprocessors["rendering_context"]
        _current = context.page.path
    return _current


def _knows_page(md: Markdown) -> bool:
    return "relpath" in md.treeprocessors  # MkDocs registers it on the converter of each page


def source_lines(md: Markdown) -> Sequence[str]:
    """Return the page as its author sees it: MkDocs takes the front matter away before Markdown runs."""
    if _knows_page(md):
        page: Any = md.treeprocessors["relpath"]
        return str(page.file.content_string).splitlines()
    converter: Any = md  # the stubs know no lines
    return list(getattr(converter, "lines", ()))


class PageError(SuperFencesException, BuildError):  # type: ignore[misc]
    """A page that cannot be built: its name, the line if it is known, and what is wrong.

    superfences passes its own exception on, and shows a fence as code for any other; MkDocs prints its own in one line,
    and any other with a traceback.
    """

    def __init__(self, md: Markdown, message: str, *, line: int | None = None, near: str = "") -> None:
        if line is None and near:
            line = _line_of(source_lines(md), near)
        place = ""
        if line is not None:
            place = f":{line}" if _knows_page(md) else f", line of the text {line}"  # such as a docstring's
        super().__init__(f"{current_page(md)}{place}: {message}")


def _line_of(lines: Sequence[str], text: str) -> int | None:
    """Find the line, counted from 1, on which `text` begins; None if it is not there to the letter."""
    first = text.strip().split("\n")[0].strip()
    return next((number for number, line in enumerate(lines, 1) if first in line), None)


class NotePage(Preprocessor):
    """Note the page's name before anything in it is converted."""

    def run(self, lines: list[str]) -> list[str]:
        current_page(self.md)
        return lines
