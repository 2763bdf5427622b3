"""What the consoles of a learn page define: a page shows its functions whole, and tests try those very functions."""

from typing import Any

from docs_ext.reading.consoles import session
from docs_ext.reading.page import load


def names(stem: str) -> dict[str, Any]:
    """Return the namespace of the consoles of docs/learn/<stem>.md, quizzes left out, which run once in a process."""
    return session(load(f"learn/{stem}.md")).names
