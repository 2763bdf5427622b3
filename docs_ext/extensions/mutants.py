"""The mutants of the exercises, written from `attention.practice.mutants`, so that page and program agree.

`<!-- mutants -->` becomes a table: each mutant, what is wrong with it, the page to learn it from, and a hint, folded.
`<!-- mutant scale-missing -->` becomes the lines that this mutant changes.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from attention.practice.mutants import MUTANTS, NAMES, Mutant, named
from docs_ext.errors import did_you_mean
from docs_ext.reading.page import PageError, source_lines

LEARN = Path(__file__).parents[2] / "docs" / "learn"
_MARK = re.compile(r"(?P<indent> *)<!-- (?:mutants|mutant (?P<name>\S+)) -->")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


def table() -> list[str]:
    """Write the table as Markdown, whose links MkDocs checks."""
    return ["| mutant | what is wrong | learn it from |", "| --- | --- | --- |", *map(_row, MUTANTS)]


def _row(mutant: Mutant) -> str:
    heading = _HEADING.search((LEARN / f"{mutant.page}.md").read_text("utf-8"))
    assert heading is not None, f"learn/{mutant.page}.md has no heading"
    link = f"[{heading[1]}](../learn/{mutant.page}.md)"
    hint = f'<details class="question"><summary>Hint</summary><p>{_code(mutant.hint)}</p></details>'
    return f"| `{mutant.name}`{{ #{mutant.name} }} | {_code(mutant.wrong)}{hint} | {link} |"


def _code(sentence: str) -> str:
    """Mark the names in a sentence, which is plain text for a console, as code."""
    return re.sub(r"\b\w+_\w+\b|\b\w+=\([\d, ]+\)|\bexp\b", r"<code>\g<0></code>", sentence)


def change(mutant: Mutant) -> list[str]:
    """Write what a mutant changes as a block of lines that go and lines that come, and where."""
    text = re.sub(r"^(\w+): ", r"  # attention/\1.py: ", mutant.change.strip(), flags=re.MULTILINE)
    return ["```diff", *re.sub("^    ", "  #     ", text, flags=re.MULTILINE).split("\n"), "```"]


class _Write(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return [written for line in lines for written in self._written(line)]

    def _written(self, line: str) -> Iterator[str]:
        mark = _MARK.fullmatch(line)
        if not mark:
            yield line
        elif mark["name"] is None:
            yield from table()
        elif mark["name"] in NAMES:
            yield from (mark["indent"] + written for written in change(named(mark["name"])))
        else:
            here = next(number for number, text in enumerate(source_lines(self.md), 1) if text == line)
            hint = did_you_mean(mark["name"], NAMES)
            raise PageError(self.md, f"no mutant is called {mark['name']!r}{hint}", line=here)


class MutantsExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(_Write(md), "attention-mutants", 95)  # before superfences looks


def makeExtension(**kwargs: Any) -> MutantsExtension:  # noqa: N802
    return MutantsExtension(**kwargs)
