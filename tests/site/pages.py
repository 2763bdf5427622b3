"""The pages of the site, and the consoles in them, as the model of a page has them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from docs_ext.reading.page import Page, read

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


class Console(NamedTuple):
    """One ```pycon block or proof of a quiz: where it starts, and what stands in it."""

    where: str
    code: str


def page(path: Path) -> Page:
    return read(str(path.relative_to(ROOT)), path.read_text("utf-8"))


def consoles(path: Path) -> list[Console]:
    """Return the consoles of a page; it takes the standard library alone."""
    found = page(path)
    return [Console(f"{found.name}:{block.line}", block.text + "\n") for block in found.fences("pycon")]


def with_proofs(path: Path) -> list[Console]:
    """Return the consoles of a page and the proofs of its quizzes, in their order."""
    from docs_ext.reading.keys import parse

    found, name = list[Console](), page(path).name
    for block in page(path).fences("pycon", "quiz-question"):
        if block.name == "pycon":
            found.append(Console(f"{name}:{block.line}", block.text + "\n"))
        else:
            keys, lines = parse(block.text)
            found.append(Console(f"{name}:{block.line + lines['proof'] + 1}", keys["proof"]))
    return found


def converted(text: str, page: str = "learn/page.md") -> str:
    """Convert a page with formulas, as MkDocs does with the converter of each page."""
    from markdown import Markdown
    from markdown.treeprocessors import Treeprocessor

    extensions = ["tables", "attr_list", "pymdownx.arithmatex", "docs_ext.extensions.page_steps"]
    md = Markdown(extensions=extensions, extension_configs={"pymdownx.arithmatex": {"generic": True}})
    relpath: Any = Treeprocessor(md)
    relpath.file = SimpleNamespace(src_uri=page, content_bytes=text.encode())
    md.treeprocessors.register(relpath, "relpath", 0)
    return md.convert(text)
