"""What a page says apart from its examples: paragraph by paragraph, with the marks that stand behind them.

Front matter and fences count too, with the texts that a reader sees in them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from docs_ext.errors import SpecError
from docs_ext.reading.keys import parse
from docs_ext.reading.page import Block, Page

_COMMENT = re.compile(r"^ *# check:(?P<check>.*(?:\n *#(?! check:).*)*)", re.MULTILINE)  # to the end of the comment

_TEXTS = {"title", "caption", "description", "question", "because", "unit"}  # keys whose values are read
_OPTIONS = {"right", "wrong", "mistakes"}  # and those with keys of their own that are read


class Part(NamedTuple):
    """A text, the line on which it begins, the example of its own, and what it holds as an option of a quiz."""

    text: str
    line: int
    example: str = ""
    holds: str = ""

    def line_of(self, position: int) -> int:
        """Return the line of the page on which a place of the text stands."""
        return self.line + self.text.count("\n", 0, position)


class Item(NamedTuple):
    """One mark and its line."""

    text: str
    line: int


@dataclass
class Text:
    """What a block says, in a section, and the marks behind it."""

    block: Block
    parts: list[Part]
    section: int
    marks: list[Item] = field(default_factory=list)
    keys: Mapping[str, Any] | None = None  # of a fence


class Texts(NamedTuple):
    """What the blocks of a page say, and for each section the line on which it starts and its consoles."""

    texts: Sequence[Text]
    sections: Sequence[int]
    examples: Sequence[str]


def read(page: Page) -> Texts:
    """Read a page; a SpecError knows its line."""
    texts, sections, examples = list[Text](), [0], [""]
    for block in page.blocks:
        if block.kind == "heading":
            sections.append(block.line)
            examples.append("")
        here = len(sections) - 1
        if block.kind == "check":
            if not texts or texts[-1].section != here:
                raise SpecError("a check stands behind the paragraph that it checks", line=block.line)
            texts[-1].marks += _items(block.text, block.line)
        elif block.kind == "head" or (block.kind == "fence" and ("-" in block.name or block.name == "chart")):
            texts.append(_yaml(block, here))
        elif block.name == "pycon":
            examples[-1] += block.text + "\n"
        elif block.kind != "fence":
            texts.append(Text(block, [Part(page.source(block), block.line)], here))
    return Texts(texts, sections, examples)


def _yaml(block: Block, section: int) -> Text:
    try:
        keys, _ = parse(block.text)
    except SpecError as error:
        raise SpecError(str(error), line=block.line + 1 + (error.line or 0)) from error
    proof = "\n".join(str(keys.get(key, "")) for key in ("proof", "answer"))
    text = Text(block, [*_texts(yaml.compose(block.text), block.line, proof)], section, keys=keys)
    for comment in _COMMENT.finditer(block.text):
        content = re.sub(r"\n *#", "\n", comment["check"])
        text.marks += _items(content, block.line + 1 + block.text.count("\n", 0, comment.start("check")))
    return text


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
