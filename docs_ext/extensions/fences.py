"""Fences that become figures: the registry, and what all of them share.

A fence is YAML; a renderer turns its mapping into HTML that is complete without JavaScript. Any mistake in a fence
stops the build with its page and line. A new fence is one module with `REQUIRED`, `OPTIONAL` and `render`, and one
line in `FENCES`. An `id` is everybody's optional key; without one a fence is numbered within its page.

In mkdocs.yml, `docs_ext.fences` stands after `pymdownx.superfences`, which finds the fences.
"""

import re
from collections import ChainMap, Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, NoReturn

import yaml
from markdown import Extension, Markdown
from pymdownx.superfences import SuperFencesCodeExtension, SuperFencesException  # type: ignore[import-untyped]

from docs_ext import (
    calculator,
    chart,
    decoding,
    dial,
    explorer,
    grid,
    head_switch,
    lab,
    lanes,
    painter,
    quiz,
    source,
    stepper,
    switch,
    table,
    triangle,
    window,
)
from docs_ext._page import current_page
from docs_ext.expressions import SpecError, did_you_mean


class Fence(NamedTuple):
    render: Callable[[Mapping[str, Any]], str]
    required: Collection[str]
    optional: Collection[str] | None  # None: the renderer checks further keys itself


FENCES = {
    "attention-grid": Fence(grid.render, grid.REQUIRED, grid.OPTIONAL),
    "attention-row": Fence(lanes.render, lanes.REQUIRED, lanes.OPTIONAL),
    "blend-triangle": Fence(triangle.render, triangle.REQUIRED, triangle.OPTIONAL),
    "chart": Fence(chart.render, chart.REQUIRED, chart.OPTIONAL),
    "computed-table": Fence(table.render, table.REQUIRED, table.OPTIONAL),
    "decode-stepper": Fence(decoding.render, decoding.REQUIRED, decoding.OPTIONAL),
    "explained-code": Fence(source.render, source.REQUIRED, source.OPTIONAL),
    "head-switch": Fence(head_switch.render, head_switch.REQUIRED, head_switch.OPTIONAL),
    "mask-painter": Fence(painter.render, painter.REQUIRED, painter.OPTIONAL),
    "order-switch": Fence(switch.render, switch.REQUIRED, switch.OPTIONAL),
    "pe-explorer": Fence(explorer.render, explorer.REQUIRED, explorer.OPTIONAL),
    "qkv-calculator": Fence(calculator.render, calculator.REQUIRED, calculator.OPTIONAL),
    "quiz": Fence(quiz.render, quiz.REQUIRED, quiz.OPTIONAL),
    "rotation-dial": Fence(dial.render, dial.REQUIRED, dial.OPTIONAL),
    "softmax-lab": Fence(lab.render, lab.REQUIRED, lab.OPTIONAL),
    "tile-stepper": Fence(stepper.render, stepper.REQUIRED, stepper.OPTIONAL),
    "window-sink": Fence(window.render, window.REQUIRED, window.OPTIONAL),
}


def render(name: str, text: str, default_id: str) -> str:
    """Turn the YAML of a fence into HTML; a SpecError knows the line within `text`, counted from 0."""
    spec, lines = parse(text)
    try:
        check_keys(spec, FENCES[name])
        return FENCES[name].render({"id": default_id} | spec)
    except SpecError as error:
        if error.line is None and error.key is not None:
            error.line = lines.get(error.key)
        raise
    except Exception as error:  # superfences would show the fence as code and go on
        raise SpecError(f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}") from error


class _Loader(yaml.SafeLoader):
    """Safe YAML in which no key may stand twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        counts = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, _ in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and counts[key.value] > 1:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} is there twice", problem_mark=key.start_mark)
        return super().construct_mapping(node, deep)


def parse(text: str) -> tuple[dict[str, Any], Mapping[str, int]]:
    """Return the mapping that `text` holds, and the line of each key in it, the inner ones included."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise SpecError("a fence holds 'key: value' lines")
        return loader.construct_document(node), _lines(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise SpecError(f"YAML: {error.problem or error.context}", line=mark.line if mark else None) from error
    finally:
        loader.dispose()


def _lines(node: yaml.MappingNode) -> ChainMap[str, int]:
    inner = [_lines(item) for _, item in node.value if isinstance(item, yaml.MappingNode)]
    return ChainMap({key.value: key.start_mark.line for key, _ in node.value}, *inner)


def check_keys(spec: Mapping[str, Any], fence: Fence) -> None:
    """Refuse an unknown key, a missing one, and an id that no HTML document could hold."""
    if fence.optional is not None:
        known = sorted({*fence.required, *fence.optional, "id"})
        for key in spec:
            if key not in known:
                hint = did_you_mean(str(key), known) or f"; known: {', '.join(known)}"
                raise SpecError(f"unknown key {key!r}{hint}", key=str(key))
    for key in fence.required:
        if spec.get(key) in (None, ""):
            raise SpecError(f"the key {key!r} is missing", key=key)
    if not re.fullmatch(r"[A-Za-z][\w-]*", str(spec.get("id", "id"))):
        raise SpecError(f"id must be letters, digits and hyphens: {spec['id']!r}", key="id")


_OPENING = re.compile(r"(`{3,}|~{3,})[ \t]*\{?[ \t]*\.?([\w-]*)[^`]*$")


def _bare(line: str) -> str:
    """Strip the indentation or quotation that a list, a tab or an admonition gives a line."""
    return line.lstrip("> \t").rstrip()


def find_fences(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Yield line number, name and bare body of every fence; a fence shown within another one is just its text."""
    start, name, closing, body = 0, "", "", list[str]()
    for number, line in enumerate(map(_bare, lines), 1):
        if closing and line == closing:
            yield start, name, "\n".join(body)
            closing = ""
        elif closing:
            body.append(line)
        elif opening := _OPENING.match(line):
            start, closing, name, body = number, opening[1], opening[2], []


def source_lines(md: Markdown) -> list[str]:
    """Return the page as its author sees it: MkDocs takes the front matter away before Markdown runs."""
    if "relpath" in md.treeprocessors:  # MkDocs registers it
        page: Any = md.treeprocessors["relpath"]
        return str(page.file.content_string).splitlines()
    converter: Any = md  # the stubs know no lines
    return list(converter.lines)


class FencesExtension(Extension):
    """Add every fence of the registry to pymdownx.superfences."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        self.reset()
        md.registerExtension(self)
        host = next((e for e in md.registeredExtensions if isinstance(e, SuperFencesCodeExtension)), None)
        if host is None:
            raise ValueError("mkdocs.yml: docs_ext.fences must stand after pymdownx.superfences")
        for name in FENCES:
            host.extend_super_fences(name, partial(self._format, name), _keep_options, None)

    def reset(self) -> None:
        self.numbers = Counter[str]()
        self.seen = Counter[tuple[str, str]]()

    def _format(self, name: str, src: str, md: Markdown, options: Mapping[str, str], **header: Any) -> str:
        body = "\n".join(map(_bare, src.split("\n")))
        self.numbers[name] += 1
        self.seen[name, body] += 1
        try:
            if options or header["classes"] or header["id_value"]:
                raise SpecError(f"the opening line holds nothing but ```{name}")
            return render(name, src, f"{name}-{self.numbers[name]}")
        except SpecError as error:
            self._refuse(name, body, md, error)

    def _refuse(self, name: str, body: str, md: Markdown, error: SpecError) -> NoReturn:
        """Raise the one exception that superfences passes on."""
        same = [start for start, *fence in find_fences(source_lines(md)) if fence == [name, body]]
        nth = self.seen[name, body] - 1
        line = ""
        if nth < len(same):
            in_page = ":" if "relpath" in md.treeprocessors else ", line of the text "  # such as a docstring's
            line = f"{in_page}{same[nth] + (0 if error.line is None else error.line + 1)}"
        raise SuperFencesException(f"{current_page(md)}{line}: {name}: {error}") from error


def _keep_options(_language: str, inputs: Mapping[str, str], options: dict[str, str], *_: Any) -> bool:
    options.update(inputs)  # refused later, where the line is known
    return True


def makeExtension(**kwargs: Any) -> FencesExtension:  # noqa: N802
    return FencesExtension(**kwargs)
