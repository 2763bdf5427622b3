"""Fences that become figures: the folder `docs_ext/fences` is the registry.

A fence is YAML; the module of its name turns the mapping into HTML that is complete without JavaScript. Any mistake in
a fence stops the build with its page and line. A module holds `REQUIRED` and `OPTIONAL`, the keys of its fence, and
`render`; an `OPTIONAL` of None leaves the check of further keys to `render`. An `id` is everybody's optional key:
without one a fence is numbered within its page.

In mkdocs.yml, `docs_ext.extensions.fences` stands after `pymdownx.superfences`, which finds the fences.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, Protocol, cast

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]
from pymdownx.superfences import SuperFencesCodeExtension  # type: ignore[import-untyped]

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.reading.converter import PageError, source
from docs_ext.reading.fence import check_keys, parse
from docs_ext.reading.page import bare

FOLDER = Path(__file__).parents[1] / "fences"
ANCHORS = ("mkdocs_extract_anchors", "properdocs_extract_anchors")  # the same thing in a generator and its fork
_IDS = re.compile(r'(?<=\sid=")[^"]+')


class Fence(Protocol):
    """What the module of a fence holds."""

    REQUIRED: Collection[str]
    OPTIONAL: Collection[str] | None

    def render(self, spec: Mapping[str, Any]) -> str:
        """Turn the mapping of a fence into HTML."""


def names() -> list[str]:
    """Return the names of all fences: rotation-dial for fences/rotation_dial.py."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("[!_]*.py"))


@cache
def fence(name: str) -> Fence:
    """Import the module of a fence; those that no page uses are never loaded."""
    module = import_module(f"docs_ext.fences.{name.replace('-', '_')}")
    for part in ("REQUIRED", "OPTIONAL", "render"):
        if not hasattr(module, part):
            raise SpecError(f"{module.__name__} must define {part}")
    return cast(Fence, module)


def render(name: str, text: str, default_id: str) -> str:
    """Turn the YAML of a fence into HTML; a SpecError knows the line within `text`, counted from 0."""
    spec, lines = parse(text)
    try:
        check_keys(spec, fence(name).REQUIRED, fence(name).OPTIONAL)
        return fence(name).render({"id": default_id} | spec)
    except SpecError as error:
        if error.line is None and error.key is not None:
            error.line = lines.get(error.key)
        raise
    except Exception as error:  # superfences would show the fence as code and go on
        raise SpecError(f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}") from error


class FencesExtension(Extension):
    """Add every fence of the folder to pymdownx.superfences."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        self.reset()
        md.registerExtension(self)
        host = next((e for e in md.registeredExtensions if isinstance(e, SuperFencesCodeExtension)), None)
        if host is None:
            raise ValueError("mkdocs.yml: docs_ext.extensions.fences must stand after pymdownx.superfences")
        for name in names():
            host.extend_super_fences(name, partial(self._format, name), _keep_options, None)
        md.preprocessors.register(_RefuseUnknown(md), "attention-fence-names", 90)  # before superfences takes them

    def reset(self) -> None:
        self.numbers = Counter[str]()
        self.seen = Counter[tuple[str, str]]()

    def _format(self, name: str, src: str, md: Markdown, options: Mapping[str, str], **header: Any) -> str:
        body = "\n".join(map(bare, src.split("\n")))
        self.numbers[name] += 1
        self.seen[name, body] += 1
        try:
            if options or header["classes"] or header["id_value"]:
                raise SpecError(f"the opening line holds nothing but ```{name}")
            html = render(name, src, f"{name}-{self.numbers[name]}")
        except SpecError as error:
            self._refuse(name, body, md, error)
        for anchors in ANCHORS:  # MkDocs checks links, and does not look into what superfences has stored
            if anchors in md.treeprocessors:
                md.treeprocessors[anchors].present_anchor_ids.update(_IDS.findall(html))  # type: ignore[attr-defined]
        return html

    def _refuse(self, name: str, body: str, md: Markdown, error: SpecError) -> NoReturn:
        same = [fence.line for fence in source(md).fences(name) if "\n".join(map(bare, fence.text.split("\n"))) == body]
        nth, line = self.seen[name, body] - 1, None
        if nth < len(same):
            line = same[nth] + (0 if error.line is None else error.line + 1)
        raise PageError(md, f"{name}: {error}", line=line) from error


class _RefuseUnknown(Preprocessor):
    """A misspelt name would be shown as code, and nobody would notice."""

    def run(self, lines: list[str]) -> list[str]:
        for block in source(self.md).fences():
            if block.name and not _is_language(block.name) and block.name not in names():
                hint = did_you_mean(block.name, names()) or f"; fences: {', '.join(names())}"
                raise PageError(self.md, f"{block.name} is neither a fence nor a language{hint}", line=block.line)
        return lines


@cache
def _is_language(name: str) -> bool:
    try:
        return bool(get_lexer_by_name(name))
    except ClassNotFound:
        return False


def _keep_options(_language: str, inputs: Mapping[str, str], options: dict[str, str], *_: Any) -> bool:
    options.update(inputs)  # refused later, where the line is known
    return True


def makeExtension(**kwargs: Any) -> FencesExtension:  # noqa: N802
    return FencesExtension(**kwargs)
