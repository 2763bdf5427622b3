"""The functions that a reader writes, as they stand in the file of `python -m attention.practice write --start`.

`<!-- writing -->` becomes each of them as code, with ruled lines below it to write on. Its example loses its prompts,
since no doctest of the page can run it.
"""

from collections.abc import Iterator
from textwrap import indent

from attention.practice.sheet import TASKS, Task, source, worked

_FEW, _MANY = 6, 11  # lines to write on
_LONG = {"attend", "positions", "multi_head_attention", "transformer_block", "generate"}


def ruled() -> list[str]:
    """Write all of them as Markdown."""
    return [line for task in TASKS for line in _task(task)]


def unprompted(task: Task) -> str:
    """Return a function without prompts in its example, whose output is a comment."""
    code, _, _ = source(task).rpartition("\n    ...\n")
    printed = indent(worked(task.name, 0).printed, "    ")
    return code.replace(printed, indent(worked(task.name, 0).printed, "    # ")).replace("    >>> ", "    ")


def _task(task: Task) -> Iterator[str]:
    n_lines = _MANY if task.name in _LONG else _FEW
    yield from ('<div class="to-write" markdown>', "", "```python", *unprompted(task).split("\n"), "```", "")
    yield from (f'<div class="ruled">{"<i></i>" * n_lines}</div>', "", "</div>", "")
