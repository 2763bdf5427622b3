"""A reference of every fence, written from the modules of `docs_ext/fences` where a page says `<!-- fences -->`.

Each module's docstring tells an author what to type. Its first paragraph opens the section; every example in it is
shown as text, and runs in a closed block below that, or on the page that the module names as SHOWN_ON. What begins "The
HTML" is for those who write scripts, and is left out.
"""

import re
from functools import partial
from inspect import cleandoc
from textwrap import dedent, indent
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from docs_ext.extensions import fences
from docs_ext.reading.page import PageError, source_lines

MARK = "<!-- fences -->"
_EXAMPLE = re.compile(r"^( *)```(?P<name>[\w-]+)\n.*?^\1```$", re.MULTILINE | re.DOTALL)


def section(name: str) -> str:
    """Write what an author needs to know of one fence, as Markdown."""
    module = fences.fence(name)
    for_authors = cleandoc(module.__doc__ or "").split("\n\nThe HTML")[0]
    if name not in {example["name"] for example in _EXAMPLE.finditer(for_authors)}:
        path = f"docs_ext/fences/{name.replace('-', '_')}.py"
        raise ValueError(f"{path}: its docstring shows no example, a fence that begins ```{name}")
    first, rest = for_authors.split("\n\n", 1)
    heading = f"### `{name}` {{ #fence-{name} data-search-exclude=true }}"  # softmax-lab is not what softmax looks for
    shown_on = getattr(module, "SHOWN_ON", "")  # of a figure that is too large to stand here as well
    parts = heading, first, _keys(module), _EXAMPLE.sub(partial(_shown_and_live, shown_on), rest)
    return "\n\n".join(parts)


def _keys(module: fences.Fence) -> str:
    def listed(keys: Any) -> str:
        return ", ".join(f"`{key}`" for key in keys)

    required = f"Required: {listed(module.REQUIRED)}."
    if module.OPTIONAL is None:
        return f"{required} Optional: what Vega-Lite knows."
    return f"{required} Optional: {listed(module.OPTIONAL)}." if module.OPTIONAL else required


def _shown_and_live(shown_on: str, example: re.Match[str]) -> str:
    text = dedent(example[0])
    if shown_on:
        return f"````markdown\n{text}\n````\n\nLive [on its page]({shown_on})."
    return f'````markdown\n{text}\n````\n\n??? example "Live"\n\n{indent(text, "    ")}'


class _WriteSections(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return [written for line in lines for written in (self._sections() if line.strip() == MARK else [line])]

    def _sections(self) -> list[str]:
        try:
            return "\n\n".join(map(section, fences.names())).split("\n")
        except ValueError as error:
            here = [number for number, line in enumerate(source_lines(self.md), 1) if line.strip() == MARK]
            raise PageError(self.md, str(error), line=here[0]) from None


class FenceReferenceExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(_WriteSections(md), "attention-fence-reference", 95)  # before superfences looks


def makeExtension(**kwargs: Any) -> FenceReferenceExtension:  # noqa: N802
    return FenceReferenceExtension(**kwargs)
