"""Formulas in a built page: where they are, and the page without them."""

import re
from collections.abc import Iterator
from html import escape

_FORMULA = '<span class="katex'
_SPAN = re.compile(r"<(/?)span\b[^>]*>")
_FOLDED_HEADING = re.compile(r'(<details class="deeper">\s*<summary>)(.*?)(</summary>)', re.DOTALL)
_FIRST_HEADING = re.compile(r"(<h1\b[^>]*>).*?(</h1>)", re.DOTALL)
_CODE = re.compile(r"<pre\b.*?</pre>", re.DOTALL)


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


def for_search(html: str, title: str = "") -> str:
    """Return what the search plugin has to read: a page without its formulas, and code without its colours.

    It would parse each of them, most of the tags of a page, and its index would be the same: formulas are marked with
    `data-search-exclude`. That took a quarter of a build. A heading in a summary moves before its fold, since the plugin
    would end the section with the summary.

    >>> for_search('<p>a <span class="katex"><span>x</span></span> b</p><pre><span>c</span></pre>')
    '<p>a  b</p><pre>c</pre>'
    """
    kept, end = [], 0
    for start, stop in formulas(html):
        kept.append(html[end:start])
        end = stop
    if title:  # the heading and the term in brackets, as the menu has it
        html = _FIRST_HEADING.sub(lambda heading: f"{heading[1]}{escape(title)}{heading[2]}", html, count=1)
    without = _FOLDED_HEADING.sub(r"\2\1\3", "".join([*kept, html[end:]]))
    return _CODE.sub(lambda code: _SPAN.sub("", code[0]), without)
