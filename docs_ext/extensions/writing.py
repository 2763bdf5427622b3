"""The functions that a reader writes, as they stand in the file of `python -m attention.practice write --start`.

`<!-- writing -->` becomes each of them as code, with ruled lines below it to write on.
"""

from collections.abc import Iterator

from attention.practice.sheet import TASKS, Task, source

_FEW, _MANY = 6, 11  # lines to write on
_LONG = {"attend", "positions", "multi_head_attention", "transformer_block", "generate"}


def ruled() -> list[str]:
    """Write all of them as Markdown."""
    return [line for task in TASKS for line in _task(task)]


def _task(task: Task) -> Iterator[str]:
    code, _, _ = source(task).rpartition("    ...\n")
    n_lines = _MANY if task.name in _LONG else _FEW
    yield from ('<div class="to-write" markdown>', "", "```python", *code.rstrip().split("\n"), "```", "")
    yield from (f'<div class="ruled">{"<i></i>" * n_lines}</div>', "", "</div>", "")
