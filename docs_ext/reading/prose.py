"""What a page says apart from its examples: paragraph by paragraph, with the checks that stand behind them.

Front matter and fences count too, with the texts that a reader sees in them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any, NamedTuple

import yaml

from docs_ext.errors import SpecError
from docs_ext.reading.fence import find_fences, parse

OPENING, CLOSING = "<!-- check:", "-->"
IN_FENCE = "# check:"

_TEXTS = {"title", "caption", "description", "question", "because", "unit"}  # keys whose values are read
_OPTIONS = {"right", "wrong", "mistakes"}  # and those with keys of their own that are read


class Part(NamedTuple):
    """A text, the line on which it begins, the example of its own, and what it holds as an option of a quiz."""

    text: str
    line: int
    example: str
    holds: str = ""

    def line_of(self, position: int) -> int:
        return self.line + self.text.count("\n", 0, position)


class Item(NamedTuple):
    """One check and its line."""

    text: str
    line: int


@dataclass
class Block:
    """A paragraph, list, table, formula or fence, in a section from one line to another, and the checks behind it."""

    parts: list[Part]
    section: int
    marks: list[Item] = field(default_factory=list)
    keys: Mapping[str, Any] | None = None  # of a fence

    @property
    def line(self) -> int:
        """Where it begins."""
        return self.parts[0].line if self.parts else 0

    @property
    def last_line(self) -> int:
        """Where it ends."""
        return self.parts[-1].line_of(len(self.parts[-1].text)) if self.parts else 0


class Page(NamedTuple):
    """The blocks of a page, and for each section the line on which it starts and its consoles."""

    blocks: Sequence[Block]
    sections: Sequence[int]
    examples: Sequence[str]


def read(text: str) -> Page:
    """Read a page; a SpecError knows its line."""
    reader = _Reader(text)
    reader.read()
    return Page(reader.blocks, reader.sections, reader.examples)


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.fences = {
            start: (language, body.count("\n") + 1 if body else 0) for start, language, body in find_fences(self.lines)
        }
        self.blocks = list[Block]()
        self.sections, self.examples = [0], [""]
        self.at = 1

    def read(self) -> None:
        if self.lines[:1] == ["---"]:
            end = self.lines.index("---", 1)
            self.take_yaml("\n".join(self.lines[1:end]))
            self.at = end + 2
        while self.at <= len(self.lines):
            line = self.lines[self.at - 1]
            if self.at in self.fences:
                self.take_fence()
            elif line.lstrip().startswith(OPENING):
                self.take_checks()
            elif re.match(r"#+ ", line):
                self.sections.append(self.at)
                self.examples.append("")
                self.add([Part(line, self.at, "")])
                self.at += 1
            elif line.strip():
                self.take_paragraph()
            else:
                self.at += 1

    def add(self, parts: list[Part], keys: Mapping[str, Any] | None = None) -> Block:
        self.blocks.append(Block(parts, len(self.sections) - 1, keys=keys))
        return self.blocks[-1]

    def take_paragraph(self) -> None:
        start = self.at
        while self.at <= len(self.lines) and self.at not in self.fences:
            line = self.lines[self.at - 1]
            if not line.strip() or line.lstrip().startswith(OPENING) or re.match(r"#+ ", line):
                break
            self.at += 1
        self.add([Part("\n".join(self.lines[start - 1 : self.at - 1]), start, "")])

    def take_fence(self) -> None:
        language, height = self.fences[self.at]
        body = dedent("\n".join(self.lines[self.at : self.at + height]))
        if language == "pycon":
            self.examples[-1] += body + "\n"
        elif "-" in language or language == "chart":
            self.take_yaml(body)
        self.at += height + 2

    def take_yaml(self, body: str) -> None:
        keys, _ = parse(body)
        proof = "\n".join(str(keys.get(key, "")) for key in ("proof", "answer"))
        texts = _texts(yaml.compose(body), self.at, proof)
        block = self.add(list(texts), keys)
        for offset, row in enumerate(body.split("\n"), 1):
            if row.lstrip().startswith(IN_FENCE):
                block.marks += _items(row.partition(IN_FENCE)[2], self.at + offset)

    def take_checks(self) -> None:
        last = next((n for n in range(self.at, len(self.lines) + 1) if CLOSING in self.lines[n - 1]), None)
        if last is None:
            raise SpecError(f"'{OPENING}' has no '{CLOSING}'", line=self.at)
        if not self.blocks or self.blocks[-1].section != len(self.sections) - 1:
            raise SpecError("a check stands behind the paragraph that it checks", line=self.at)
        comment = "\n".join(self.lines[self.at - 1 : last])
        content = comment[comment.index(OPENING) + len(OPENING) : comment.index(CLOSING)]
        self.blocks[-1].marks += _items(content, self.at)
        self.at = last + 1


def _items(content: str, line: int) -> Iterator[Item]:
    for found in re.finditer(r"[^;]+", content):
        if found[0].strip():
            start = found.end() - len(found[0].lstrip())
            yield Item(" ".join(found[0].split()), line + content.count("\n", 0, start))


def _texts(node: yaml.Node | None, start: int, example: str, key: str = "", holds: str = "") -> Iterator[Part]:
    """Yield the texts of a fence; the example of a quiz's option is the expression that it holds."""
    if isinstance(node, yaml.ScalarNode):
        if key in _TEXTS and node.value != "null":
            yield Part(node.value, start + node.start_mark.line + 1, example, holds)
    elif isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if key in _OPTIONS:
                inner = {k.value: v.value for k, v in value.value} if isinstance(value, yaml.MappingNode) else {}
                holds = str(inner.get("holds", ""))
                yield Part(name.value, start + name.start_mark.line + 1, holds, holds)
                yield from _texts(value, start, f"{example}\n{holds}", "because", holds)
            else:
                yield from _texts(value, start, example, name.value, holds)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _texts(value, start, example)


def without_checks(lines: Sequence[str]) -> list[str]:
    """Return the lines of a page without its checks; those in a fence are comments already."""
    hidden = set[int]()
    for start, _, body in find_fences(lines):
        hidden |= set(range(start, start + body.count("\n") + 2))
    kept, inside = list[str](), False
    for number, line in enumerate(lines, 1):
        inside = inside or (number not in hidden and line.lstrip().startswith(OPENING))
        if not inside:
            kept.append(line)
        elif CLOSING in line:
            inside = False
    return kept
