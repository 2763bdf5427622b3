"""The script and the style of a figure that stands alone, as attention.show writes it: the site's, joined and pruned.

The build of the wheel calls this with nothing but hatchling, so it imports nothing that Python does not have.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docs_ext.html.modules import one_script

ROOT = Path(__file__).parents[2]
SHEETS = ("site", "figures", "widgets", "stage", "fences/attention-grid", "fences/head-browser")
OWN = Path(__file__).with_name("alone.css")  # what the theme defines on the site
_COMMENT = re.compile(r"[ \t]*/\*.*?\*/", re.DOTALL)
# In a script laid out by deno fmt: lines of comments, casts, and what stands at a line's ends
_FOR_AUTHORS = re.compile(r"^[ \t]*(?://|/\*\*(?!.*\*/ *\S)|\*).*\n?|/\*\*.*?\*/ ?|^[ \t]+|[ \t]+// .*$", re.MULTILINE)
_SPACE = re.compile(r"""("[^"]*"|'[^']*'|url\([^)]*\))|\s*([{};,>])\s*|:\s+""")
_DARK = re.compile(r'\[data-md-color-scheme="slate"\](?:\[data-md-color-primary\])?([^{},]*)\{([^}]*)\}')
_BLOCK = re.compile(r"([^{};]*)\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_IS = re.compile(r":is\(([^()]*)\)")
_NAME = re.compile(r"\.(-?[a-zA-Z][\w-]*)|(?<![\w.:#-])([a-z]+(?:-[a-z]+)+)(?![\w(-])")


def squeeze(style: str) -> str:
    r"""Leave out what is there for authors: comments, and spaces that mean nothing.

    >>> squeeze('/* why */\na > b::before {\n  content: ", ";   /* as it is */\n}\n')
    'a>b::before{content:", "}'
    """
    style = _COMMENT.sub("", style)
    return _SPACE.sub(lambda found: found[1] or found[2] or ":", style).replace(";}", "}").strip()


def shorten(script: str) -> str:
    r"""Leave out what is there for authors: comments and indents.

    >>> shorten('// why\nlet x = 1; // one\n/**\n * @type {X}\n */\n  /** @type {Y} */ (x).y();\n')
    'let x = 1;\n(x).y();\n'
    """
    return _FOR_AUTHORS.sub("", script)


def joined() -> tuple[str, str]:
    """Return both; colours follow the reader's system."""
    script = shorten(one_script(ROOT / "docs/assets/js", "show.js"))
    sheets = [OWN, *(ROOT / f"docs/assets/css/{sheet}.css" for sheet in SHEETS)]
    style = squeeze("\n".join(sheet.read_text("utf-8") for sheet in sheets))
    style = style.replace(',[data-md-color-scheme="default"]', "")
    style = _DARK.sub(r"@media (prefers-color-scheme:dark){:root\1{\2}}", style)
    words = set(re.findall(r"[\w-]+", script + (ROOT / "attention/show/page.py").read_text("utf-8"))) | {
        "l0",
        "l1",
        "l2",
    }
    return script, "".join(_used(style, words))


def _used(style: str, words: set[str]) -> Iterator[str]:
    """Yield the rules about what is there: whose classes and elements are among these words."""
    for selector, body in _BLOCK.findall(style):
        if selector.startswith(("@media", "@container", "@supports")):
            body = "".join(_used(body, words))
        elif not selector.startswith(("@property", "@keyframes")):
            selector = _IS.sub(lambda found: f":is({','.join(_known(found[1].split(','), words))})", selector)
            body = body if ":is()" not in selector and [*_known([selector], words)] else ""
        if body:
            yield f"{selector}{{{body}}}"


def _known(selectors: Iterable[str], words: set[str]) -> Iterator[str]:
    for selector in selectors:
        names = _NAME.findall(re.sub(r"\[[^\]]*\]|:not\([^()]*\)", "", selector))
        if all((a or b) in words for a, b in names) and not re.search("@font|data-md", selector):
            yield selector
