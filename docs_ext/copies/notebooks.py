"""Every learn page as a notebook: its text, and its examples as cells whose outputs are there before they run.

It is made from the Markdown of the page, cut where a console begins. A cell ends where the page shows an output, so
that a run shows all of them. What only the page can show, a widget or a chart, is a link to it; answers are folded.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from doctest import DocTestParser, Example
from functools import partial
from itertools import zip_longest
from typing import Any

import attention
from docs_ext.copies.markdown import END, FIGURE, FOLD, UNFOLD
from docs_ext.disk_cache import kept
from docs_ext.site.address import public

_PART = re.compile(
    r"^(?P<fence> *`{3,})(?P<language>\w*)\n(?P<code>.*?)^(?P=fence)$|^(?P<heading>#{1,3} [^\n]*)$",
    re.MULTILINE | re.DOTALL,
)
_ABOUT = """\
{title}

This notebook is the page [{address}]({address}) with its examples as cells. Their outputs are those of the page: change
something and run them again. It needs NumPy and the package of the site:

    {install}

Text and code are under the MIT licence.\
"""
# Another distribution on the Python Package Index is called `attention`, and installs a package of that name.
_CHECK = """\
def check_package():
    import sys
    from importlib.metadata import distributions

    names = {{distribution.name for distribution in distributions()}}
    if "attention-line-by-line" not in names or "attention" in names:
        sys.exit(
            "This needs the package of Attention, line by line, and no other one of the name `attention`. Please run\\n"
            "  python -m pip uninstall attention attention-line-by-line\\n"
            "  {install}"
        )


check_package()\
"""
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
Node = dict[str, Any]  # a cell or an output, in the format of Jupyter


def as_notebook(markdown: str, address: str, name: str, site_url: str | None) -> str:
    """Return the page, whose Markdown has the marks of docs_ext/copies/markdown.py, as a notebook."""
    sources = brief(markdown), address, name, install(site_url)
    return kept(partial(_made, *sources), *sources).decode()


def install(site_url: str | None, version: str = attention.__version__) -> str:
    """Return the command that installs the package: the wheel on the site, or a clone if the site has no address.

    >>> install("https://site.test/attention/", "1.2.3")
    'python -m pip install https://site.test/attention/attention_line_by_line-1.2.3-py3-none-any.whl'
    >>> install("http://127.0.0.1:8000/")
    'python -m pip install .    (in the folder of the repository)'
    """
    site = public(site_url)
    if not site:
        return "python -m pip install .    (in the folder of the repository)"
    return f"python -m pip install {site.rstrip('/')}/attention_line_by_line-{version}-py3-none-any.whl"


def brief(markdown: str) -> str:
    """Leave out what only the page can show."""
    return re.sub(f"{FIGURE}.*?{END}\n*", "", markdown, flags=re.DOTALL)


def _made(markdown: str, address: str, name: str, install: str) -> bytes:
    title, _, text = markdown.partition("\n")
    text = text.replace(FOLD, "<details><summary>Show</summary>\n\n").replace(UNFOLD, "\n\n</details>")
    about = _ABOUT.format(title=title, address=address, install=install)
    cells, functions = [_text(about), _code(_CHECK.format(install=install))], dict[str, str]()
    cells[1]["metadata"]["jupyter"] = {"source_hidden": True}  # nobody needs to read it; its message shows
    for part in _parts(text):
        cells += [_text(part)] if isinstance(part, str) else _code_cells(part, functions)
    _number(cells, name)
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return f"{json.dumps(notebook, ensure_ascii=False, indent=1)}\n".encode()


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
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "source": source, "outputs": list(outputs)}


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
    cell = _code(_joined(examples), *_outputs(examples[-1], functions))
    if examples[-1].exc_msg:
        cell["metadata"]["tags"] = ["raises-exception"]  # the cells below run all the same
    return cell


def _joined(examples: list[Example]) -> str:
    """Write examples below one another, with an empty line after their imports."""
    lines = ""
    for example, after in zip_longest(examples, examples[1:]):
        lines += _displayed(example.source) if _shows_inside(example) else example.source
        if _is_import(example) and after and not _is_import(after):
            lines += "\n"
    return lines.strip("\n")


def _is_import(example: Example) -> bool:
    return isinstance(ast.parse(example.source).body[0], ast.Import | ast.ImportFrom)


def _displayed(code: str) -> str:
    """Wrap in display() each value inside a block that the prompt would show."""
    lines = code.encode().splitlines(keepends=True)  # ast counts columns in bytes
    for value in reversed([*_values(ast.parse(code).body)]):
        first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
        lines[last] = lines[last][: value.end_col_offset] + b")" + lines[last][value.end_col_offset :]
        lines[first] = lines[first][: value.col_offset] + b"display(" + lines[first][value.col_offset :]
    return b"".join(lines).decode()


def _values(body: list[ast.stmt]) -> Iterator[ast.Expr]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.ClassDef() | ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                continue  # the prompt does not show what happens inside, or what is printed
            case ast.Expr():
                yield statement
        for inner in ("body", "orelse", "finalbody"):
            yield from _values(getattr(statement, inner, []))


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
