"""Consoles: what a copy must not hold is marked, and what a reader has already seen is folded.

Pygments marks prompts with `gp`, but only parts of outputs with `go`, and never a line's end: a copied block
would keep tracebacks and blank lines. Here a line without a prompt becomes one `go` span, newline included, so that CSS
alone can hide what is no code.

Every block imports and defines what it uses, and most of that is known after the first block of a page. The setup of a
block folds: the statements it begins with that print nothing, and are imports or stand in an earlier block.
"""

import re
from html import unescape

from markupsafe import Markup

from docs_ext.html.template import template
from docs_ext.reading.consoles import setup

_PROMPT = '<span class="gp">'
_CONSOLE = re.compile(rf"(?<=<code>)({_PROMPT}.*?)(?=</code></pre>)", re.DOTALL)
_MARKED = "\n</span>"  # Pygments itself closes every span before the newline
_BLOCK = re.compile(
    rf'<div class="(?P<classes>[^"]*)"><pre><span></span><code>(?P<console>{_PROMPT}.*?)</code></pre>', re.DOTALL
)
_LINE = re.compile(r'<span class="go">[^\n]*\n</span>|[^\n]*\n')
_BLANK = '<span class="go">\n</span>'
_TAG = re.compile(r"<[^>]*>")

# The theme gives a button to each `pre > code`: the setup has none, and the one of the block copies `data-copy`.
_FOLDED = template("""
<div class="{{ classes }}" data-copy="{{ copy }}"><details class="setup" data-search-exclude>
  <summary>setup, {{ size }} {{ "line" if size == 1 else "lines" }}</summary><pre>{{ setup }}</pre></details>
  <pre><span></span><code>{{ rest }}</code></pre>
""")


def mark_outputs(html: str) -> str:
    """Wrap the output lines of every console in the page; consoles already marked stay as they are."""
    return _CONSOLE.sub(lambda console: _mark(console[0]), html)


def _mark(console: str) -> str:
    if _MARKED in console:
        return console
    return "".join(line + "\n" if line.startswith(_PROMPT) else _output(line) for line in console.rstrip().split("\n"))


def _output(line: str) -> str:
    text = re.sub(r'<span class="go">(.*?)</span>', r"\1", line)
    return f'<span class="go">{text}\n</span>'


def fold_setups(html: str) -> str:
    """Fold the setup of every console of a page; their outputs are marked already."""
    seen = set[str]()
    return _BLOCK.sub(lambda block: _fold(block, seen), html)


def _fold(block: re.Match[str], seen: set[str]) -> str:
    """Fold one block, and add its statements to those that the reader has seen."""
    lines = _LINE.findall(block["console"])
    texts = [unescape(_TAG.sub("", line)) for line in lines]
    end = setup("".join(texts).rstrip("\n"), seen)
    if not end:
        return block[0]
    code = (text[4:] or "\n" for text in texts if _is_typed(text))
    folded = [line for line, text in zip(lines[:end], texts[:end], strict=True) if _is_typed(text)]  # no blank lines
    return _FOLDED(
        classes=Markup(block["classes"]),
        copy="".join(code).rstrip("\n"),
        size=len(folded),
        setup=Markup("".join(folded)),
        rest=Markup("".join(lines[end:]).removeprefix(_BLANK)),
    )


def _is_typed(line: str) -> bool:
    return line.startswith((">>>", "..."))
