"""Which page a converter of Python-Markdown has at hand, and at which line of it something is wrong."""

from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]

from docs_ext.errors import SpecError
from docs_ext.reading.page import Page, of_file, on_page, read

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


def is_docstring(md: Markdown) -> bool:
    """Tell whether a docstring is being converted: it does not know what stands before it on the page."""
    return "mkdocstrings_headings" in md.treeprocessors


def source(md: Markdown) -> Page:
    """Return the page as its author sees it: MkDocs takes the front matter away before Markdown runs."""
    converter: Any = md  # the stubs know no lines
    name = current_page(md)  # noted for the docstrings of the page
    try:
        if _knows_page(md):
            return of_file(converter.treeprocessors["relpath"].file)
        return read(name, "\n".join(getattr(converter, "lines", ())))
    except SpecError as error:
        raise PageError(md, str(error), line=error.line) from error


def refuse_unreadable(file: Any) -> None:
    """Refuse a file of MkDocs that cannot be parsed, in one line."""
    try:
        with on_page(file.src_uri):
            of_file(file)
    except SpecError as error:
        raise BuildError(str(error)) from error


class PageError(SuperFencesException, BuildError):  # type: ignore[misc]
    """A page that cannot be built: its name, the line if it is known, and what is wrong.

    superfences passes its own exception on, and shows a fence as code for any other; MkDocs prints its own in one line,
    and any other with a traceback.
    """

    def __init__(self, md: Markdown, message: str, *, line: int | None = None, near: str = "") -> None:
        if line is None and near:  # the line on which this text begins, if it is there to the letter
            first = near.strip().split("\n")[0].strip()
            line = next((number for number, text in enumerate(source(md).lines, 1) if first in text), None)
        place = ""
        if line is not None:
            place = f":{line}" if _knows_page(md) else f", line of the text {line}"  # such as a docstring's
        super().__init__(f"{current_page(md)}{place}: {message}")
