"""Every learn page as a notebook: its text, and its examples as cells whose outputs are there before they run.

It is made from the Markdown of the page (docs_ext/site/markdown.py), cut where a console begins. A cell ends where the
page shows an output, so that a run shows all of them; tests run every notebook and compare. What only the page can
show, a widget or a chart, is a link to it; answers are folded.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from doctest import DocTestParser, Example
from functools import partial
from typing import Any

import nbformat

from docs_ext.html.disk_cache import kept
from docs_ext.site.downloads import joined, shown
from docs_ext.site.import_check import guard, install
from docs_ext.site.markdown import END, FIGURE, FOLD, UNFOLD

_PART = re.compile(
    r"^(?P<fence> *`{3,})(?P<language>\w*)\n(?P<code>.*?)^(?P=fence)$|^(?P<heading>#{1,3} [^\n]*)$",
    re.MULTILINE | re.DOTALL,
)
_ABOUT = """\
{title}

This notebook is the page [{address}]({address}) with its examples as cells. Their outputs are those of the page: change
something and run them again. It needs NumPy and the package of the site. If the next cell finds that missing, run

    {install}

Text and code are under the MIT licence.\
"""
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
Node = dict[str, Any]  # a cell or an output, as nbformat writes it


def as_notebook(markdown: str, address: str, name: str, site_url: str | None) -> str | None:
    """Return the page as a notebook, or None if it has no examples."""
    sources = brief(markdown), address, name, guard(site_url), install(site_url)
    return kept(partial(_made, *sources), *sources, by="nbformat").decode() or None


def brief(markdown: str) -> str:
    """Leave out what only the page can show."""
    return re.sub(f"{FIGURE}.*?{END}\n*", "", markdown, flags=re.DOTALL)


def _made(markdown: str, address: str, name: str, check: str, install: str) -> bytes:
    title, _, text = markdown.partition("\n")
    text = text.replace(FOLD, "<details><summary>Show</summary>\n\n").replace(UNFOLD, "\n\n</details>")
    parts = list(_parts(text))
    if not any(isinstance(part, list) for part in parts):
        return b""
    about = _ABOUT.format(title=title, address=address, install=install)
    cells, functions = [_text(about), _code(check.strip())], dict[str, str]()
    cells[1]["metadata"]["jupyter"] = {"source_hidden": True}  # nobody needs to read it; its message shows
    for part in parts:
        cells += [_text(part)] if isinstance(part, str) else _code_cells(part, functions)
    _number(cells, name)
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    write: Any = nbformat  # it has no types
    return f"{write.writes(write.from_dict(notebook))}\n".encode()


def _parts(text: str) -> Iterator[str | list[Example]]:
    """Yield the sections of a text, and the examples of its consoles."""
    start = 0
    for part in _PART.finditer(text):
        if part["heading"] or part["language"] == "pycon":
            if prose := text[start : part.start()].strip():
                yield prose
            start = part.start() if part["heading"] else part.end()
        if part["language"] == "pycon":
            yield DocTestParser().get_examples(part["code"])
    if prose := text[start:].strip():
        yield prose


def _text(source: str) -> Node:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str, *outputs: Node) -> Node:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": list(outputs)}


def _code_cells(examples: Iterable[Example], functions: dict[str, str]) -> Iterator[Node]:
    """Yield a cell for each output; `functions` are those defined so far, and their code."""
    before = list[Example]()
    for example in examples:
        before.append(example)
        defined = (node for node in ast.walk(ast.parse(example.source)) if isinstance(node, ast.FunctionDef))
        functions |= {function.name: ast.unparse(function) for function in defined}
        if example.want:
            yield _code_cell(before, functions)
            before = []
    if before:
        yield _code_cell(before, functions)


def _code_cell(examples: list[Example], functions: dict[str, str]) -> Node:
    cell = _code(joined(examples, _source), *_outputs(examples[-1], functions))
    if examples[-1].exc_msg:
        cell["metadata"]["tags"] = ["raises-exception"]  # the cells below run all the same
    return cell


def _source(example: Example) -> str:
    return shown(example.source, by="display") if _shows_inside(example) else example.source


def _shows_inside(example: Example) -> bool:
    """Say whether a value comes from inside a block, `with` for example: the prompt shows it, and Jupyter does not."""
    inside = not isinstance(ast.parse(example.source).body[-1], ast.Expr)
    return bool(inside and example.want and not example.exc_msg and "print(" not in example.source)


def _outputs(example: Example, functions: dict[str, str]) -> Iterator[Node]:
    """Yield what Jupyter records where the prompt prints this."""
    want = example.want.replace("<BLANKLINE>", "")
    if example.exc_msg:
        error = example.exc_msg.strip()
        name, _, message = error.partition(": ")
        yield {
            "output_type": "error",
            "ename": name.rpartition(".")[2],
            "evalue": message,
            "traceback": [error],
        }
    elif _shows_inside(example):
        yield _value("display_data", want)
    else:
        lines = want.splitlines(keepends=True)
        values = len(lines) - _printed(example, len(lines), functions)
        if printed := "".join(lines[: len(lines) - values]):
            yield {"output_type": "stream", "name": "stdout", "text": printed}
        if values:
            yield _value("execute_result", "".join(lines[-values:]))


def _value(kind: str, text: str) -> Node:
    return {"output_type": kind, "metadata": {}, "data": {"text/plain": text.rstrip("\n")}}


def _printed(example: Example, lines: int, functions: dict[str, str]) -> int:
    """Return how many lines of an output are printed; what follows is the value of the statement."""
    match ast.parse(example.source).body[-1]:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return lines
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if "print(" in functions.get(name, ""):
            return lines - ("return " in functions[name])  # a value of one line
        case ast.Expr():
            return 0
    return lines


def _number(cells: list[Node], name: str) -> None:
    """Give the cells their ids, and the counts of a first run."""
    count = 0
    for place, cell in enumerate(cells):
        cell["id"] = f"{name}-{place}"
        if cell["cell_type"] == "code":
            count += 1
            for counted in (cell, *cell["outputs"]):
                if counted is cell or counted["output_type"] == "execute_result":
                    counted["execution_count"] = count
