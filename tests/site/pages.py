"""The pages of the site, and the consoles in them."""

import re
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>```+) *pycon\b.*\n(?P<code>(?:.*\n)*?)(?P=indent)(?P=ticks) *$", re.M)
_PROOF = re.compile(r"^(?P<indent> *)proof: \|\n(?P<code>(?:(?P=indent) +.*\n| *\n)+)", re.M)  # in a quiz


class Console(NamedTuple):
    """One ```pycon block or proof of a quiz: where it starts, and what stands in it."""

    where: str
    code: str
    is_proof: bool

    @property
    def continues(self) -> bool:
        """Whether its first comment says that it needs the blocks above it."""
        return self.code.startswith(">>> # continues ")


def consoles(page: Path) -> list[Console]:
    text = page.read_text("utf-8")
    found = []
    for fence in chain(_FENCE.finditer(text), _PROOF.finditer(text)):
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Console(f"{page.relative_to(ROOT)}:{line}", dedent(fence["code"]), fence.re is _PROOF))
    return found
