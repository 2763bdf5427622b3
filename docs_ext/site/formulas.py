"""Formulas in a built page: where they are."""

import re
from collections.abc import Iterator

_FORMULA = '<span class="katex'
_SPAN = re.compile(r"<(/?)span\b[^>]*>")


def formulas(html: str) -> Iterator[tuple[int, int]]:
    """Yield where each formula that KaTeX has drawn begins and ends."""
    start = html.find(_FORMULA)
    while start >= 0:
        depth = 0
        for span in _SPAN.finditer(html, start):
            depth += -1 if span[1] else 1
            if depth == 0:
                break
        if depth:
            raise ValueError("a formula does not end")
        yield start, span.end()
        start = html.find(_FORMULA, span.end())
