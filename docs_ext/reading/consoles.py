"""The consoles of a page, and what they define: a figure may show the very run that stands on the page, or on another.

All of them are read and run here, by the rules of doctest, once in a process until the page is edited.
"""

import ast
import re
from contextlib import suppress
from doctest import DebugRunner, DocTest, DocTestFailure, DocTestParser, Example, UnexpectedException
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.reading.page import Block, Page, load, on_page


class Names(SimpleNamespace):
    """The names that the consoles of a page define, as attributes."""

    def __getattr__(self, name: str) -> Any:
        """Answer for a name that no console defines."""
        raise AttributeError(f"no console of {self._page} defines {name!r}{did_you_mean(name, vars(self))}")


class Step(NamedTuple):
    """A console that has run, and the names that it defines or defines anew."""

    block: Block
    names: dict[str, Any]


class Session(NamedTuple):
    """The consoles of a page that have run one after the other, and the namespace in which they have."""

    steps: list[Step]
    names: dict[str, Any]


def page(stem: str) -> Names:
    """Run the consoles of docs/learn/<stem>.md from top to bottom, without its quizzes, and return what they define."""
    found = load(f"learn/{stem}.md")
    names = {key: value for key, value in session(found).names.items() if not key.startswith("_")}
    return Names(_page=found.name, **names)


@lru_cache(maxsize=256)
def session(page: Page) -> Session:
    """Run the consoles of a page."""
    names, done = dict[str, Any]({"__name__": "__main__"}), list[Step]()
    for block in page.fences("pycon"):
        before = dict(names)
        with on_page(page.name, block.line + 1):
            run(block.text, names)
        done.append(Step(block, {k: v for k, v in names.items() if k not in before or before[k] is not v}))
    return Session(done, names)


def run(console: str, names: dict[str, Any]) -> None:
    """Run a console in a namespace; a SpecError knows the line in it, from 0."""
    test = DocTest([], {}, "console", None, 0, None)
    test.examples, test.globs = [*examples(console)], names
    try:
        with np.printoptions():
            DebugRunner(verbose=False).run(test, clear_globs=False)
    except UnexpectedException as error:
        kind, value, _ = error.exc_info
        raise SpecError(f"{kind.__name__}: {value}", line=error.example.lineno) from value
    except DocTestFailure as failure:
        source, got, want = failure.example.source.strip(), failure.got.strip(), failure.example.want.strip()
        told = f"{source} gives {got or 'nothing'}, not {want or 'nothing'}"
        raise SpecError(told, line=failure.example.lineno) from None


@cache
def examples(console: str) -> tuple[Example, ...]:
    """Return the statements of a console; a SpecError knows the line, from 0, that is none."""
    try:
        found = DocTestParser().get_examples(console + "\n")
    except ValueError as error:  # line 3 of the docstring for <string> lacks blank after >>>: '>>>x'
        number, wrong = re.findall(r"^line (\d+) of .*?((?:has|lacks) .*)", str(error), re.DOTALL)[0]
        raise SpecError(f"this line of a console {wrong}", line=int(number) - 1) from error
    for example in found:
        try:
            compile(example.source, "console", "single")
        except SyntaxError as error:
            if "SyntaxError" not in (example.exc_msg or ""):
                line = example.lineno + (error.lineno or 1) - 1
                raise SpecError(f"this line of a console is no Python: {error.msg}", line=line) from error
    return tuple(found)


def setup(console: str, seen: set[str]) -> int:
    r"""Return how many lines a console begins with that a reader knows; `seen` has the statements so far, and grows.

    They are statements that print nothing, and are imports or stand in an earlier block; 0 if nothing follows them.

    >>> seen = set()
    >>> setup(">>> import re\n>>> a = 1\n>>> a\n1", seen), setup(">>> import os\n>>> a = 1\n>>> a + 1\n2", seen)
    (1, 2)
    """
    try:
        found = examples(console)
    except SpecError:
        return 0
    lines, end, known = console.split("\n"), 0, 0
    for example in found:
        comments = any(line.startswith((">>>", "...")) for line in lines[end : example.lineno])  # doctest has none
        if comments or example.want or not (example.source in seen or imports(example)):
            known = end
            break
        end = example.lineno + example.source.count("\n")
        while end < len(lines) and lines[end].startswith("..."):
            end += 1
    seen.update(example.source for example in found)
    return known


def imports(example: Example) -> bool:
    """Tell whether it does nothing but import."""
    with suppress(SyntaxError):
        return all(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.parse(example.source).body)
    return False
