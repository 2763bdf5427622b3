"""Formulas in a built page: where they are, and the page with words in their place."""

import re
from collections.abc import Callable, Iterator

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


def replace_formulas(html: str, words: Callable[[str], str]) -> str:
    """Put words in the place of each formula; `words` is given what was drawn.

    >>> replace_formulas('<p>a <span class="katex"><span>x</span></span> b</p>', lambda drawn: "x")
    '<p>a x b</p>'
    """
    parts, end = [], 0
    for start, stop in formulas(html):
        parts += [html[end:start], words(html[start:stop])]
        end = stop
    return "".join([*parts, html[end:]])
