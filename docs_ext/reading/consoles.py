"""What the consoles of a page define: a figure may show the very run that stands on the page, here or elsewhere."""

from collections.abc import Iterator
from contextlib import redirect_stdout
from doctest import DocTestParser
from functools import lru_cache
from io import StringIO
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.reading.fence import find_fences

FOLDER = Path(__file__).parents[2] / "docs" / "learn"


class Names(SimpleNamespace):
    """The names that the consoles of a page define, as attributes."""

    def __getattr__(self, name: str) -> Any:
        """Answer for a name that no console defines."""
        raise AttributeError(f"no console of {self._page} defines {name!r}{did_you_mean(name, vars(self))}")


class Step(NamedTuple):
    """One console: the line of its opening, what stands in it, and the names that it defines or defines anew."""

    line: int
    code: str
    names: dict[str, Any]


def page(stem: str) -> Names:
    """Run the consoles of docs/learn/<stem>.md from top to bottom, without its quizzes, and return what they define.

    It runs once, until the page is edited; what it prints is the tests' business.
    """
    return _run(f"learn/{stem}.md", source(stem))


def source(stem: str) -> str:
    """Return what stands in docs/learn/<stem>.md."""
    path = FOLDER / f"{stem}.md"
    if not path.is_file():
        raise SpecError(f"there is no page learn/{stem}.md{did_you_mean(stem, (p.stem for p in FOLDER.glob('*.md')))}")
    return path.read_text("utf-8")


@lru_cache(maxsize=8)
def _run(name: str, text: str) -> Names:
    names = {key: value for step in steps(name, text) for key, value in step.names.items()}
    return Names(_page=name, **{key: value for key, value in names.items() if not key.startswith("_")})


def steps(name: str, text: str) -> Iterator[Step]:
    """Run the consoles of a page one after the other, in one namespace."""
    lines, names = text.splitlines(), {"__name__": "__main__"}
    for start, language, body in find_fences(lines):
        if language == "pycon":
            console = dedent("\n".join(lines[start : start + body.count("\n") + 1]))
            before = dict(names)
            run(console, names, name, start)
            yield Step(start, console, {k: v for k, v in names.items() if k not in before or before[k] is not v})


def run(console: str, names: dict[str, Any], name: str, start: int) -> None:
    """Run one console, which opens on this line of the page, in a namespace."""
    with redirect_stdout(StringIO()), np.printoptions():
        for example in DocTestParser().get_examples(console + "\n"):
            try:
                exec(compile(example.source, name, "exec"), names)
            except Exception as error:
                if example.exc_msg is None:
                    line = start + example.lineno + 1
                    raise SpecError(f"{name}:{line}: {type(error).__name__}: {error}") from error
