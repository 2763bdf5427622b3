"""Consoles of a page: what a reader copies is the code alone (see `docs_ext.html.console`)."""

from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

from docs_ext.html.console import mark_outputs


class _MarkOutputs(Postprocessor):
    def run(self, text: str) -> str:
        return mark_outputs(text)


class ConsolesExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.postprocessors.register(_MarkOutputs(md), "attention-consoles", 0)  # after raw HTML


def makeExtension(**kwargs: Any) -> ConsolesExtension:  # noqa: N802
    return ConsolesExtension(**kwargs)
