"""Consoles: mark each output line of a `pycon` block, so that CSS alone can hide what a copy must not hold.

Pygments marks prompts with `gp`, but only parts of outputs with `go`, and never a line's end: a copied block
would keep tracebacks and blank lines. Here a line without a prompt becomes one `go` span, newline included.
"""

import re

_PROMPT = '<span class="gp">'
_CONSOLE = re.compile(rf"(?<=<code>)({_PROMPT}.*?)(?=</code></pre>)", re.DOTALL)
_MARKED = "\n</span>"  # Pygments itself closes every span before the newline


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
