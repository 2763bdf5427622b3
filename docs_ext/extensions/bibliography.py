"""The bibliography, written from `docs/reference/sources.bib` (see `docs_ext.sources.bibliography`).

Where a page says `<!-- sources -->`, every entry is written to be read, under the anchor of its key; `<!-- bibtex -->`
gives those that have authors and a year, to be copied.
"""

from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from docs_ext.errors import SpecError
from docs_ext.reading.page import PageError
from docs_ext.sources.bibliography import FILE, load


def sources() -> str:
    """Write all entries as Markdown."""
    return "\n\n".join(source.prose() for source in load().values())


def bibtex() -> str:
    """Write what can be cited as a block of BibTeX."""
    entries = "\n\n".join(source.bibtex() for source in load().values() if source.year)
    return f"```bibtex\n{entries}\n```"


MARKS = {"<!-- sources -->": sources, "<!-- bibtex -->": bibtex}


class _WriteEntries(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        try:
            written = [MARKS[line.strip()]().split("\n") if line.strip() in MARKS else [line] for line in lines]
        except SpecError as error:
            place = "" if error.line is None else f":{error.line + 1}"
            raise PageError(self.md, f"{FILE.name}{place}: {error}") from error
        return [line for several in written for line in several]


class BibliographyExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(_WriteEntries(md), "attention-bibliography", 95)  # before superfences looks


def makeExtension(**kwargs: Any) -> BibliographyExtension:  # noqa: N802
    return BibliographyExtension(**kwargs)
