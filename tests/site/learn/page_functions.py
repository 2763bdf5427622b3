"""What the consoles of a learn page define: a page shows its functions whole, and tests try those very functions."""

from contextlib import redirect_stdout
from doctest import DocTestParser
from functools import cache
from io import StringIO
from typing import Any

from tests.site.pages import ROOT, consoles


@cache
def names(stem: str) -> dict[str, Any]:
    """Run the consoles of docs/learn/<stem>.md in order, quizzes left out, and return what they define."""
    page = ROOT / "docs" / "learn" / f"{stem}.md"
    defined: dict[str, Any] = {"__name__": page.stem}
    with redirect_stdout(StringIO()):
        for console in consoles(page):
            if not console.is_proof:
                for example in DocTestParser().get_examples(console.code):
                    exec(compile(example.source, console.where, "single"), defined)
    return defined
