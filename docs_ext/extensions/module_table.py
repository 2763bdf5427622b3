"""The modules of the package, in the order of the menu, where a page says `<!-- modules -->`."""

import ast
from pathlib import Path

import attention
from docs_ext.reading.page import menu


def table() -> list[str]:
    """Write a row for each module that has a page: its name, and the first sentence of its docstring."""
    folder = Path(attention.__file__).parent
    names = [Path(entry.name).stem for entry in menu() if entry.name.startswith("reference/")]
    rows = [(name, _summary(folder / f"{name}.py")) for name in names if (folder / f"{name}.py").is_file()]
    return ["| module | what it is about |", "| --- | --- |", *(f"| [{n}]({n}.md) | {what} |" for n, what in rows)]


def _summary(module: Path) -> str:
    return (ast.get_docstring(ast.parse(module.read_bytes())) or "").split("\n")[0].rstrip(".")
