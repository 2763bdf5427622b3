"""Which page is being converted, for error messages."""

from typing import Any

from markdown import Markdown
from markdown.preprocessors import Preprocessor

_current = "a page without a name"


def current_page(md: Markdown) -> str:
    """Return the source path of the page, also while one of its docstrings is being converted."""
    global _current  # a docstring has a converter of its own, which does not know the page
    if "relpath" in md.treeprocessors:  # MkDocs registers it on the converter of each page
        relpath: Any = md.treeprocessors["relpath"]
        _current = relpath.file.src_uri
    return _current


class NotePage(Preprocessor):
    """Note the page's name before anything in it is converted."""

    def run(self, lines: list[str]) -> list[str]:
        current_page(self.md)
        return lines
