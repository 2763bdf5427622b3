"""Numbers that pages quote from a source: `docs_ext/facts.yml` holds them, each with its place in the source."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from docs_ext.errors import SpecError, did_you_mean

FILE = Path(__file__).parents[1] / "facts.yml"


@cache
def facts_in(path: Path) -> dict[str, dict[str, Any]]:
    """Read the facts by source and name."""
    return yaml.safe_load(path.read_text("utf-8")) or {}


def fact(source: str, name: str) -> Any:
    """Return a number, or several, that a source states; `source` is its anchor in the bibliography."""
    facts = facts_in(FILE)
    for known, key, what in ((facts, source, "source"), (facts.get(source, {}), name, f"fact of {source}")):
        if key not in known:
            raise SpecError(f"facts.yml has no {what} {key!r}{did_you_mean(key, known)}")
    return facts[source][name]["value"]
