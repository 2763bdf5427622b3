"""A reference of every fence, written from the modules of `docs_ext/fences` where a page says `<!-- fences -->`.

Each module's docstring tells an author what to type. Its first paragraph opens the section; every example in it is
shown as text, and runs in a closed block below that, or on the page that the module names as SHOWN_ON. What begins "The
HTML" is for those who write scripts, and is left out.
"""

import re
from functools import partial
from inspect import cleandoc
from textwrap import dedent, indent
from typing import Any

from docs_ext.errors import SpecError
from docs_ext.extensions import fences

_EXAMPLE = re.compile(r"^( *)```(?P<name>[\w-]+)\n.*?^\1```$", re.MULTILINE | re.DOTALL)


def listed() -> list[str]:
    """Write the sections of all fences."""
    return "\n\n".join(map(section, fences.names())).split("\n")


def section(name: str) -> str:
    """Write what an author needs to know of one fence, as Markdown."""
    module = fences.fence(name)
    for_authors = cleandoc(module.__doc__ or "").split("\n\nThe HTML")[0]
    if name not in {example["name"] for example in _EXAMPLE.finditer(for_authors)}:
        path = f"docs_ext/fences/{name.replace('-', '_')}.py"
        raise SpecError(f"{path}: its docstring shows no example, a fence that begins ```{name}")
    first, rest = for_authors.split("\n\n", 1)
    heading = f"### `{name}` {{ #fence-{name} data-search-exclude=true }}"  # softmax-lab is not what softmax looks for
    shown_on = getattr(module, "SHOWN_ON", "")  # of a figure that is too large to stand here as well
    parts = heading, first, _keys(module), _EXAMPLE.sub(partial(_shown_and_live, shown_on), rest)
    return "\n\n".join(parts)


def _keys(module: fences.Fence) -> str:
    def listed(keys: Any) -> str:
        return ", ".join(f"`{key}`" for key in keys)

    required = f"Required: {listed(module.REQUIRED)}."
    if module.OPTIONAL is None:
        return f"{required} Optional: what Vega-Lite knows."
    return f"{required} Optional: {listed(module.OPTIONAL)}." if module.OPTIONAL else required


def _shown_and_live(shown_on: str, example: re.Match[str]) -> str:
    text = dedent(example[0])
    if shown_on:
        return f"````markdown\n{text}\n````\n\nLive [on its page]({shown_on})."
    return f'````markdown\n{text}\n````\n\n??? example "Live"\n\n{indent(text, "    ")}'
