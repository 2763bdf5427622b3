"""Every learn page as a notebook: its text, and its examples as cells whose outputs are there before they run.

It is made from the Markdown of the page, cut where a console begins. A cell ends where the page shows an output, so
that a run shows all of them; it is stored as text, and a run numbers what is a value. What only the page can show, a
widget or a chart, is a link to it; answers are folded.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from doctest import Example
from functools import partial
from itertools import zip_longest
from typing import Any

import attention
from attention.practice.sheet import TASKS, source
from attention.practice.steps import STEPS
from docs_ext.copies.markdown import END, FIGURE, FOLD, UNFOLD
from docs_ext.disk_cache import kept
from docs_ext.reading.consoles import examples, imports
from docs_ext.reading.page import Block, load, read
from docs_ext.site.address import directory, public

_ABOUT = """\
{title}

This notebook is the page [{address}]({address}) with its examples as cells. Their outputs are those of the page: change
something and run them again. It needs NumPy and the package of the site, which its first cell installs if it can.

Text and code are under the MIT licence.\
"""
# Another distribution on the Python Package Index is called `attention`, and installs a package of that name.
_INSTALL = """\
def get_package():
    import sys
    from importlib.metadata import distributions

    names = {{distribution.name for distribution in distributions()}}
    if "attention" in names:
        sys.exit(
            "The distribution `attention` has the import name of the package that this needs. Please run\\n"
            "  python -m pip uninstall attention attention-line-by-line\\n"
            "restart, and run this cell again."
        )
    if "attention-line-by-line" not in names:
        {install}


get_package()\
"""
_UNTOLD = """\
sys.exit(
            "The site of this notebook was built without an address to install from. Please run\\n"
            "  python -m pip install .\\n"
            "in a copy of the project, the folder with pyproject.toml."
        )\
"""
_BLANKS = """\
# Write attention yourself

Fill in one function after the other, in the order of [the lessons]({site}learn/the-problem/). The cell after each
function checks it. If you made a common mistake, it names the mistake; if it is another one, it shows the smallest
input on which your function goes wrong. [The page of these steps]({site}practice/write/) says more.

The check runs your functions in this notebook, and not in a process of their own, as
`python -m attention.practice write` does. So nothing limits their time here: if a loop never ends, interrupt the
kernel.

An array with the axes (..., n, d) has n rows of d features; the dots stand for further axes in front, such as the
sentences of a batch, or none. NumPy is all you need, and loops are as good as products of matrices.

Text and code are under the MIT licence.\
"""
_BEGIN = """\
import numpy as np

from attention.practice.notebook import check_step\
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


def blanks(site_url: str | None) -> str:
    """Return the twelve steps of writing attention as a notebook: empty functions, and a check after each."""
    site = directory(public(site_url) or "https://site.example/")
    cells = [_text(_BLANKS.format(site=site)), _code(_INSTALL.format(install=install(site_url))), _code(_BEGIN)]
    cells[1]["metadata"]["jupyter"] = {"source_hidden": True}
    for number, step in enumerate(STEPS, 1):
        page, _, heading = step.see.partition("#")
        lesson = f"[{load(f'learn/{page}.md').title}]({site}learn/{page}/{'#' if heading else ''}{heading})"
        names = " and ".join(f"`{name}`" for name in step.functions)
        cells.append(_text(f"## Step {number}, {names}\n\nRead first: {lesson}"))
        cells += [_code(source(task).rstrip()) for task in TASKS if task.name in step.functions]
        cells.append(_code(f'check_step("{step.name}", globals())'))
    for place, cell in enumerate(cells):
        cell["id"] = f"write-{place}"
    return _written(cells)


def install(site_url: str | None, version: str = attention.__version__) -> str:
    """Return the line that installs the package from the site, or says that the site has no address."""
    site = public(site_url)
    return (
        f"%pip install --quiet {directory(site)}attention_line_by_line-{version}-py3-none-any.whl" if site else _UNTOLD
    )


def brief(markdown: str) -> str:
    """Leave out what only the page can show."""
    return re.sub(f"{FIGURE}.*?{END}\n*", "", markdown, flags=re.DOTALL)


def _made(markdown: str, address: str, name: str, install: str) -> bytes:
    title, _, text = markdown.partition("\n")
    text = text.replace(FOLD, "<details><summary>Show</summary>\n\n").replace(UNFOLD, "\n\n</details>")
    cells = [_text(_ABOUT.format(title=title, address=address)), _code(_INSTALL.format(install=install))]
    cells[1]["metadata"]["jupyter"] = {"source_hidden": True}  # nobody needs to read it; its message shows
    for part in _parts(text):
        cells += [_text(part)] if isinstance(part, str) else _cells(examples(part.text))
    _number(cells, name)
    return _written(cells).encode()


def _written(cells: list[Node]) -> str:
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return f"{json.dumps(notebook, ensure_ascii=False, indent=1)}\n"


def _parts(text: str) -> Iterator[Block | str]:
    """Yield the sections of a text, and its consoles."""
    page, start = read("", text), 1
    for block in page.blocks:
        if block.name == "pycon" or (block.kind == "heading" and len(block.name) <= 3):
            if prose := "\n".join(page.lines[start - 1 : block.line - 1]).strip():
                yield prose
            start = block.line
        if block.name == "pycon":
            yield block
            start = block.end + 1
    if prose := "\n".join(page.lines[start - 1 :]).strip():
        yield prose


def _text(source: str) -> Node:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str, *outputs: Node) -> Node:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "source": source, "outputs": list(outputs)}


def _cells(found: Iterable[Example]) -> Iterator[Node]:
    """Yield a cell for each output."""
    before = list[Example]()
    for example in found:
        before.append(example)
        if example.want:
            yield _cell(before)
            before = []
    if before:
        yield _cell(before)


def _cell(examples: list[Example]) -> Node:
    """Write examples below one another, with an empty line after their imports."""
    lines = ""
    for example, after in zip_longest(examples, examples[1:]):
        lines += _displayed(example)
        if imports(example) and after and not imports(after):
            lines += "\n"
    want, error = examples[-1].want.replace("<BLANKLINE>", ""), examples[-1].exc_msg
    if error:
        kind, _, message = error.strip().partition(": ")
        told = {"ename": kind.rpartition(".")[2], "evalue": message, "traceback": [error.strip()]}
        cell = _code(lines.strip("\n"), {"output_type": "error", **told})
        cell["metadata"]["tags"] = ["raises-exception"]  # the cells below run all the same
        return cell
    printed = {"output_type": "stream", "name": "stdout", "text": want}
    return _code(lines.strip("\n"), *([printed] if want else []))


def _displayed(example: Example) -> str:
    """Wrap in display() the value that a block `with` ends with: the prompt shows it, and Jupyter does not."""
    match ast.parse(example.source).body[-1]:
        case ast.With(body=[*_, ast.Expr(value=value)]) if example.want and "print(" not in example.source:
            code = ast.get_source_segment(example.source, value) or ""
            before, _, after = example.source.rpartition(code)
            return f"{before}display({code}){after}"
    return example.source


def _number(cells: list[Node], name: str) -> None:
    """Give the cells their ids, and the counts of a first run."""
    count = 0
    for place, cell in enumerate(cells):
        cell["id"] = f"{name}-{place}"
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
