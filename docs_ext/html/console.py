"""Consoles: what a copy must not hold is marked, and what a reader has already seen is folded.

Pygments marks prompts with `gp`, but only parts of outputs with `go`, and never a line's end: a copied block
would keep tracebacks and blank lines. Here a line without a prompt becomes one `go` span, newline included, so that CSS
alone can hide what is no code.

Every block imports and defines what it uses, and most of that is known after the first block of a page. The setup of a
block folds: the statements it begins with that print nothing, and are imports or stand in an earlier block.

A copy goes to a Python prompt, which needs an empty line after a compound statement; of a page whose front matter says
`copies: doctests` it goes to a file of tests, with prompts and outputs, and nothing folds.
"""

import ast
import re
from html import unescape

from markupsafe import Markup

from docs_ext.html.template import template
from docs_ext.reading.consoles import examples, setup

_PROMPT = '<span class="gp">'
_CONSOLE = re.compile(rf"(?<=<code>)({_PROMPT}.*?)(?=</code></pre>)", re.DOTALL)
_MARKED = "\n</span>"  # Pygments itself closes every span before the newline
_BLOCK = re.compile(
    rf'<div class="(?P<classes>[^"]*)"><pre><span></span><code>(?P<console>{_PROMPT}.*?)</code></pre>', re.DOTALL
)
_LINE = re.compile(r'<span class="go">[^\n]*\n</span>|[^\n]*\n')
_BLANK = '<span class="go">\n</span>'
_TAG = re.compile(r"<[^>]*>")

_NAME = "(?P<name>(?:[Ww]_)?[QqKkVv][1-9]?|quer(?:y|ies)|(?:key|value)s?)"
_CODE_NAME = re.compile(  # not sorted(x, key=len), np.eye(5, k=-1), d.keys()
    rf'<span class="n(?=">{_NAME}</span>(?!<span class="(?:p">\(|o">=(?:-|</span><span class="(?:mi|nb|k)">))))'
)
_INLINE_NAME = re.compile(r"(?<![\w\\])(?:[Ww]_)?[QKV][1-9]?(?!\w)|(?<=>)(?:query|key|value)(?=<)")
_ROLES = {"q": "query", "k": "key", "v": "value"}

# The theme gives a button to each `pre > code`: the setup has none, and the one of the block copies `data-copy`.
_COPIED = template("""
<div class="{{ classes }}" data-copy="{{ copy }}">
  {%- if setup %}<details class="setup" data-search-exclude>
  <summary>setup, {{ setup | length }} {{ "line" if setup | length == 1 else "lines" }}</summary>
  <pre>{{ setup | join }}</pre></details>{% endif %}
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


def prepare_copies(html: str, *, folds: bool = True, as_doctests: bool = False) -> str:
    """Fold the setup of every console, and give each what a copy of it holds; their outputs are marked already."""
    seen = set[str]()

    def prepared(block: re.Match[str]) -> str:
        lines = _LINE.findall(block["console"])
        texts = [unescape(_TAG.sub("", line)) for line in lines]
        console = "".join(texts).rstrip("\n")
        end = setup(console, seen) if folds and not as_doctests else 0
        typed = "\n".join(text[4:].rstrip("\n") for text in texts if _is_typed(text))
        copy = console if as_doctests else for_prompt(console)
        if not end and copy == typed:
            return block[0]
        rest = "".join(lines[end:]).removeprefix(_BLANK) if end else block["console"]
        return _COPIED(
            classes=Markup(block["classes"]),
            copy=copy,
            setup=[Markup(line) for line, text in zip(lines[:end], texts[:end], strict=True) if _is_typed(text)],
            rest=Markup(rest),
        )

    return _BLOCK.sub(prepared, html)


def colour_roles(html: str) -> str:
    """Give names of queries, keys and values in code, and nothing in strings and comments, the class of their role."""
    html = _CODE_NAME.sub(lambda found: f"{found[0]} role-{_role(found['name'])}", html)
    return re.sub("(?<!</span>)<code>[^<]*</code>", lambda inline: _INLINE_NAME.sub(_marked, inline[0]), html)


def _marked(name: re.Match[str]) -> str:
    return f'<span class="role-{_role(name[0])}">{name[0]}</span>'


def _role(name: str) -> str:
    return _ROLES[name.lower().removeprefix("w_")[0]]


def for_prompt(console: str) -> str:
    r"""Return the statements of a console, compound ones with an empty line behind them.

    >>> for_prompt(">>> for i in range(2):\n...     print(i)\n0\n1\n>>> 5\n5")
    'for i in range(2):\n    print(i)\n\n5'
    """
    compound = (example for example in examples(console) if hasattr(ast.parse(example.source).body[-1], "body"))
    ends = {example.lineno + example.source.count("\n") for example in compound}
    lines = list[str]()
    for number, line in enumerate(console.split("\n")):
        if number in ends and not line.startswith("..."):
            lines.append("")
        if _is_typed(line):
            lines.append(line[4:])
    return "\n".join(lines).strip("\n")


def _is_typed(line: str) -> bool:
    return line.startswith((">>>", "..."))
