"""What is wrong with what an author wrote, and what would be right."""

import re
from collections.abc import Iterable
from difflib import get_close_matches


class SpecError(ValueError):
    """What is wrong with a fence, in one line: under which of its keys, on which line (from 0) of it or of the key."""

    def __init__(self, message: str, *, key: str | None = None, line: int | None = None) -> None:
        super().__init__(re.sub(r"\s*\n\s*", " ", message))  # it may quote a text of several
        self.key = key
        self.line = line


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a hint for a misspelt word, or nothing."""
    close = get_close_matches(word, list(words), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
