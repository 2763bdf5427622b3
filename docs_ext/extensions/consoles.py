"""Consoles of a page: what a reader copies is the code alone, and what stood there before folds.

See `docs_ext.html.console`.
"""

from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

from docs_ext.html.console import fold_setups, mark_outputs


class _Consoles(Postprocessor):
    def run(self, text: str) -> str:
        marked = mark_outputs(text)
        # a docstring has a converter of its own, which does not know what stands before it on the page
        return marked if "mkdocstrings_headings" in self.md.treeprocessors else fold_setups(marked)


class ConsolesExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.postprocessors.register(_Consoles(md), "attention-consoles", 0)  # after raw HTML


def makeExtension(**kwargs: Any) -> ConsolesExtension:  # noqa: N802
    return ConsolesExtension(**kwargs)
