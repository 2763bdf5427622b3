"""The site's own scripts as readers get them: without the comments and spaces that are there for their authors."""

import re

from pygments.lexers.javascript import JavascriptLexer  # type: ignore[import-untyped]
from pygments.token import Comment, Whitespace  # type: ignore[import-untyped]


def strip_comments(source: str) -> str:
    """Take out the ``// ...`` and ``/** ... */`` that have their lines to themselves; all else stays byte for byte."""
    kept, start = [], 0
    for begin, kind, text in JavascriptLexer().get_tokens_unprocessed(source):
        line, end = source.rfind("\n", 0, begin) + 1, begin + len(text.rstrip("\n"))
        next_line = source.find("\n", end) + 1 or len(source)
        alone = not (source[line:begin] + source[end:next_line]).strip()
        if kind in Comment and alone and text.startswith(("//", "/**")):
            kept.append(source[start:line])
            start = next_line
    return "".join((*kept, source[start:]))


def strip_indents(source: str) -> str:
    r"""Take out the spaces that lines of code begin with; a text of several lines keeps them.

    >>> strip_indents("{\n  f(`\n  ${a\n  + b}`);\n}\n")
    '{\nf(`\n  ${a\n+ b}`);\n}\n'
    """
    kept = [""]
    for _, kind, text in JavascriptLexer().get_tokens_unprocessed(source):
        if kind in Whitespace:
            text = re.sub(r"(?<=\n)[ \t]+", "", text)
            text = text.lstrip(" \t") if kept[-1][-1:] in ("", "\n") else text
        kept.append(text)
    return "".join(kept)
