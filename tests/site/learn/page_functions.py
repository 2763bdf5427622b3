"""What the consoles of a learn page define: a page shows its functions whole, and tests try those very functions."""

from typing import Any

from docs_ext.reading.consoles import steps
from docs_ext.reading.page import load


def names(stem: str) -> dict[str, Any]:
    """Return what the consoles of docs/learn/<stem>.md define, quizzes left out, which run once in a process."""
    return {name: value for step in steps(load(f"learn/{stem}.md")) for name, value in step.names.items()}
