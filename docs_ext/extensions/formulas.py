"""Formulas of a page and of the docstrings in it: TeX in, HTML and MathML out (see `docs_ext.html.formula`)."""

from typing import Any

from markdown import Extension, Markdown

from docs_ext.html.formula import RenderFormulas
from docs_ext.reading.page import NotePage


class FormulasExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(NotePage(md), "attention-page", 100)
        md.treeprocessors.register(RenderFormulas(md), "attention-formulas", 4)  # after attr_list and toc


def makeExtension(**kwargs: Any) -> FormulasExtension:  # noqa: N802
    return FormulasExtension(**kwargs)
