"""Fences that become figures: the folder `docs_ext/fences` is the registry.

A fence is YAML; the module of its name turns the mapping into HTML that is complete without JavaScript. Any mistake in
a fence stops the build with its page and line. A module holds `REQUIRED` and `OPTIONAL`, the keys of its fence, and
either `data`, what the script of its name draws, or `render`, the HTML of what no script redraws; an `OPTIONAL` of None
leaves the check of further keys to it. An `id` is everybody's optional key: without one a fence is numbered within its
page. `from: learn/masks.md#painter` takes all from the fence of that name and id but the keys that it has itself.

superfences shows what is left, which is code.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from markdown.preprocessors import Preprocessor
from markupsafe import Markup
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.html.widget import figure
from docs_ext.reading.converter import PageError, source
from docs_ext.reading.keys import check_keys, parse
from docs_ext.reading.page import bare, load, read

FOLDER = Path(__file__).parents[1] / "fences"
ANCHORS = ("mkdocs_extract_anchors", "properdocs_extract_anchors")  # the same thing in a generator and its fork
_IDS = re.compile(r'(?<=\sid=")[^"]+')


def names() -> list[str]:
    """Return the names of all fences: rotation-dial for fences/rotation_dial.py."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("[!_]*.py"))


@cache
def fence(name: str) -> Any:
    """Import the module of a fence; those that no page uses are never loaded."""
    module = import_module(f"docs_ext.fences.{name.replace('-', '_')}")
    for parts in (("REQUIRED",), ("OPTIONAL",), ("data", "render")):
        if not any(hasattr(module, part) for part in parts):
            raise SpecError(f"{module.__name__} must define {' or '.join(parts)}")
    return module


def draw(name: str, spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    module = fence(name)
    if not hasattr(module, "data"):
        return Markup(module.render(spec))
    return figure(name, {"id": spec["id"], "title": spec["caption"], **module.data(spec)})


def render(name: str, text: str, default_id: str) -> str:
    """Turn the YAML of a fence into HTML; a SpecError knows the line within `text`, counted from 0."""
    spec, lines = parse(text)
    try:
        if "from" in spec:
            spec = _taken(name, **spec)
        check_keys(spec, fence(name).REQUIRED, fence(name).OPTIONAL)
        return draw(name, {"id": default_id} | spec)
    except SpecError as error:
        if error.key in lines:  # a line below the key, if it knows one
            error.line = lines[str(error.key)] + (0 if error.line is None else error.line + 1)
        raise
    except Exception as error:
        raise SpecError(f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}") from error


def _taken(name: str, **spec: Any) -> dict[str, Any]:
    page, _, ident = str(spec.pop("from")).partition("#")
    fences = enumerate((parse(fence.text)[0] for fence in load(page).fences(name)), 1)
    found = {given.get("id", f"{name}-{number}"): given for number, given in fences}
    if ident not in found:
        raise SpecError(f"{page} has no {name} of the id {ident!r}{did_you_mean(ident, found)}", key="from")
    return {"id": ident} | found[ident] | spec


class DrawFences(Preprocessor):
    """Put the figure of a fence in its place, and refuse a misspelt name, which would be shown as code."""

    def run(self, lines: list[str]) -> list[str]:
        if not any(bare(line).startswith(("```", "~~~")) for line in lines):
            return lines
        page, numbers = read("", "\n".join(lines)), Counter[str]()
        for fence in source(self.md).fences():
            if fence.name and not _is_language(fence.name) and fence.name not in names():
                hint = did_you_mean(fence.name, names()) or f"; fences: {', '.join(names())}"
                raise PageError(self.md, f"{fence.name} is neither a fence nor a language{hint}", line=fence.line)
        drawn, end = list[str](), 0
        for fence, written in zip(page.fences(*names()), source(self.md).fences(*names()), strict=True):
            numbers[fence.name] += 1
            opening = lines[fence.line - 1]
            try:
                if bare(opening).strip("`~ ") != fence.name:
                    raise SpecError(f"the opening line holds nothing but ```{fence.name}", line=-1)
                html = render(fence.name, fence.text, f"{fence.name}-{numbers[fence.name]}")
            except SpecError as error:
                line = written.line + (0 if error.line is None else error.line + 1)
                raise PageError(self.md, f"{fence.name}: {error}", line=line) from error
            for anchors in ANCHORS:  # MkDocs checks links, and does not look into what is stored
                if anchors in self.md.treeprocessors:
                    self.md.treeprocessors[anchors].present_anchor_ids.update(_IDS.findall(html))  # type: ignore[attr-defined]
            indent = opening[: len(opening) - len(opening.lstrip("> \t"))]
            drawn += [*lines[end : fence.line - 1], indent + self.md.htmlStash.store(html)]
            end = fence.end
        return [*drawn, *lines[end:]]


@cache
def _is_language(name: str) -> bool:
    try:
        return bool(get_lexer_by_name(name))
    except ClassNotFound:
        return False
