"""The mutants of the exercises, written from `attention.practice.mutants`, so that page and program agree.

`<!-- mutants -->` becomes a table: each mutant, what is wrong with it, the page to learn it from, and a hint, folded.
`<!-- mutant scale-missing -->` becomes the lines that this mutant changes.
"""

import re

from attention.practice.mutants import MUTANTS, NAMES, Mutant, named
from docs_ext.errors import SpecError, did_you_mean
from docs_ext.reading.page import load


def table() -> list[str]:
    """Write the table as Markdown, whose links MkDocs checks."""
    return ["| mutant | what is wrong | learn it from |", "| --- | --- | --- |", *map(_row, MUTANTS)]


def _row(mutant: Mutant) -> str:
    link = f"[{load(f'learn/{mutant.page}.md').title}](../learn/{mutant.page}.md)"
    hint = f'<details class="question"><summary>Hint</summary><p>{_code(mutant.hint)}</p></details>'
    return f"| `{mutant.name}`{{ #{mutant.name} }} | {_code(mutant.wrong)}{hint} | {link} |"


def _code(sentence: str) -> str:
    """Mark the names in a sentence, which is plain text for a console, as code."""
    return re.sub(r"\b\w+_\w+\b|\b\w+=\([\d, ]+\)|\bexp\b", r"<code>\g<0></code>", sentence)


def change(name: str) -> list[str]:
    """Write what a mutant changes as a block of lines that go and lines that come, and where."""
    if name not in NAMES:
        raise SpecError(f"no mutant is called {name!r}{did_you_mean(name, NAMES)}")
    mutant = named(name)
    text = re.sub(r"^(\w+): ", r"  # attention/\1.py: ", mutant.change.strip(), flags=re.MULTILINE)
    return ["```diff", *re.sub("^    ", "  #     ", text, flags=re.MULTILINE).split("\n"), "```"]
