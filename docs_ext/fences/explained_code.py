"""A function of the package, explained line by line: the code is read from its file while the page is being built.

```explained-code
function: attention/costs.py:_size   # a file, and a function in it
notes:                               # how a line begins: its note
  "def": The size comes with its name, for the error.
  "return": An integer of 0 or more passes.
```

Every line is explained: the first note begins at `def`, and the lines up to the next one belong to it. The docstring is
left out. A note whose line is not there, or not after the one before, stops the build.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from markupsafe import Markup
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.html.inline import inline
from docs_ext.html.template import template
from docs_ext.html.widget import still
from docs_ext.reading.keys import Spec

REQUIRED = ("function", "notes")
OPTIONAL = ()
ROOT = Path(__file__).parents[2]

_PARTS = template("""
{% for code, note in parts %}
<div class="highlight"><pre><code>{{ code }}</code></pre></div>
<p>{{ note }}</p>
{% endfor %}
""")


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    notes = spec["notes"]
    if not isinstance(notes, dict) or not all(isinstance(note, str) for note in notes.values()):
        raise SpecError("notes is a mapping: how a line begins, then what there is to say about it", key="notes")
    lines = source_lines(str(spec["function"]))
    code = map(_highlighted, _parts(lines, list(notes)))
    return still("explained-code", spec["id"], _PARTS(parts=zip(code, map(inline, notes.values()), strict=True)))


def source_lines(address: str) -> list[str]:
    """Return the lines of `path:function` without its docstring."""
    path, _, name = address.partition(":")
    file = ROOT / path
    if not name or not file.is_file():
        raise SpecError(
            f"function is path:name, such as examples/sequence_parallel.py:spread: {address!r}", key="function"
        )
    text = file.read_text("utf-8")
    found = {node.name: node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    if name not in found:
        raise SpecError(f"{path} has no function {name!r}{did_you_mean(name, found)}", key="function")
    node = found[name]
    lines = text.splitlines()[: node.end_lineno]
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        del lines[first.lineno - 1 : first.end_lineno]
    return dedent("\n".join(lines[node.lineno - 1 :])).split("\n")


def _parts(lines: list[str], beginnings: list[str]) -> Iterator[str]:
    """Cut the lines where a note begins."""
    starts = list[int]()
    for beginning in beginnings:
        after = starts[-1] + 1 if starts else 0
        here = [n for n, line in enumerate(lines) if n >= after and line.strip().startswith(beginning)]
        if not here:
            raise SpecError(f"no further line begins with {beginning!r}", key="notes")
        starts.append(here[0])
    if not starts or starts[0] > 0:
        raise SpecError(f"the first note must begin at {lines[0]!r}", key="notes")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield "\n".join(lines[start:end])


def _highlighted(text: str) -> Markup:
    return Markup(highlight(text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)))
