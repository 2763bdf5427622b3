"""Every learn page as a notebook: its text, and its examples as cells whose outputs are there before they run.

It is made from the Markdown of the page (docs_ext/site/markdown.py), cut where a console begins. A cell ends where the
page shows an output, so that a run shows all of them; tests run every notebook and compare. What only the page can
show, a widget or a chart, is a link to it; answers are folded.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from doctest import DocTestParser, Example
from itertools import zip_longest

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from docs_ext.site.downloads import shown
from docs_ext.site.guard import guard, install
from docs_ext.site.markdown import END, FIGURE, FOLD, UNFOLD

_PART = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=indent)```$|^(?P<heading>#{1,3} [^\n]*)$",
    re.MULTILINE | re.DOTALL,
)
_ABOUT = """\
{title}

This notebook is the page [{address}]({address}) with its examples as cells. Their outputs are those of the page: change
something and run them again. It needs NumPy and the package of the site, so install that first if the next cell asks
for it:

    {install}

Text and code are under the MIT licence.\
"""
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def as_notebook(markdown: str, address: str, name: str, site_url: str | None) -> str | None:
    """Return the page as a notebook, or None if it has no examples."""
    title, _, text = brief(markdown).partition("\n")
    text = text.replace(FOLD, "<details><summary>Show</summary>\n\n").replace(UNFOLD, "\n\n</details>")
    parts = list(_parts(text))
    if not any(isinstance(part, list) for part in parts):
        return None
    about = _ABOUT.format(title=title, address=address, install=install(site_url))
    cells = [new_markdown_cell(about), new_code_cell(guard(site_url).strip())]
    functions = dict[str, str]()
    for part in parts:
        cells += _code_cells(part, functions) if isinstance(part, list) else [new_markdown_cell(part)]
    _number(cells, name)
    notebook = new_notebook(cells=cells, metadata={"kernelspec": _KERNEL, "language_info": {"name": "python"}})
    return nbformat.writes(notebook) + "\n"


def brief(markdown: str) -> str:
    """Leave out what only the page can show."""
    return re.sub(f"{FIGURE}.*?{END}\n*", "", markdown, flags=re.DOTALL)


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


def _code_cells(examples: Iterable[Example], functions: dict[str, str]) -> Iterator[nbformat.NotebookNode]:
    """Yield a cell for each output; `functions` are those defined so far, and their code."""
    before = list[Example]()
    for example in examples:
        before.append(example)
        functions |= {f.name: ast.unparse(f) for f in ast.walk(ast.parse(example.source)) if isinstance(f, ast.FunctionDef)}
        if example.want:
            yield _code_cell(before, functions)
            before = []
    if before:
        yield _code_cell(before, functions)


def _code_cell(examples: list[Example], functions: dict[str, str]) -> nbformat.NotebookNode:
    lines = ""
    for example, after in zip_longest(examples, examples[1:]):
        lines += shown(example.source, by="display") if _shows_inside(example) else example.source
        lines += "\n" * bool(after and _is_import(example) and not _is_import(after))
    cell = new_code_cell(lines.strip("\n"), outputs=list(_outputs(examples[-1], functions)))
    if examples[-1].exc_msg:
        cell.metadata["tags"] = ["raises-exception"]  # the cells below run all the same
    return cell


def _is_import(example: Example) -> bool:
    return isinstance(ast.parse(example.source).body[0], ast.Import | ast.ImportFrom)


def _shows_inside(example: Example) -> bool:
    """Say whether a value comes from inside a block, `with` for example: the prompt shows it, and Jupyter does not."""
    inside = not isinstance(ast.parse(example.source).body[-1], ast.Expr)
    return bool(inside and example.want and not example.exc_msg and "print(" not in example.source)


def _outputs(example: Example, functions: dict[str, str]) -> Iterator[nbformat.NotebookNode]:
    """Yield what Jupyter records where the prompt prints this."""
    want = example.want.replace("<BLANKLINE>", "")
    printed, value = "", want
    if example.exc_msg:
        error = example.exc_msg.strip()
        name, _, message = error.partition(": ")
        yield new_output("error", ename=name.rpartition(".")[2], evalue=message, traceback=[error])
        return
    if _shows_inside(example):
        yield new_output("display_data", {"text/plain": want.rstrip("\n")})
        return
    match ast.parse(example.source).body[-1]:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if "print(" in functions.get(name, "") + f"{name}(":
            lines = want.splitlines(keepends=True)
            values = 1 if "return " in functions.get(name, "") else 0  # its last line
            printed, value = "".join(lines[: len(lines) - values]), "".join(lines[len(lines) - values :])
        case statement if not isinstance(statement, ast.Expr):
            printed, value = want, ""
    if printed:
        yield new_output("stream", text=printed)
    if value:
        yield new_output("execute_result", {"text/plain": value.rstrip("\n")})


def _number(cells: list[nbformat.NotebookNode], name: str) -> None:
    """Give the cells their ids, and the counts of a first run."""
    count = 0
    for place, cell in enumerate(cells):
        cell.id = f"{name}-{place}"
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
