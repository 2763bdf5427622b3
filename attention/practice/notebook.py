"""Check the steps in a notebook, where a learner's functions already run.

There is no process of its own: nothing limits the time of a function here, or
what it does. An endless loop ends when the kernel is interrupted.
"""

from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from attention.practice.learner import Counter, checked, names_in
from attention.practice.sheet import calls_of
from attention.practice.steps import NAMES, STEPS, Step
from attention.practice.write import as_lines


def check_step(name: str, names: Mapping[str, Any]) -> None:
    """Say whether a step is right, of the functions among the names.

    `check_step("softmax", globals())` takes those of a notebook. The steps
    that it uses are checked, too, and replaced by ours if they are wrong.
    """
    if name not in NAMES:
        close = get_close_matches(str(name), NAMES, 1)
        also = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"no step is called {name!r}{also}")
    step = STEPS[NAMES.index(name)]
    module, seed = _copied(names), names.get("SEED", 0)
    used, ours = names_in(module, step.functions), set[str]()
    for earlier in STEPS[: NAMES.index(name)]:
        if used & {*earlier.functions}:
            told = _checked(module, earlier, seed, ours)
            ours |= set() if told["state"] == "right" else {earlier.name}
    told = _checked(module, step, seed, ours)
    print("\n".join(as_lines(told)))


def _checked(
    module: ModuleType, step: Step, seed: int, ours: set[str]
) -> dict[str, Any]:
    code = getattr(getattr(module, step.functions[0], None), "__code__", None)
    cell = Path(code.co_filename if code else "")
    with redirect_stdout(Counter()), redirect_stderr(Counter()):
        return checked(cell, module, step, calls_of(step, seed), ours)


def _copied(names: Mapping[str, Any]) -> ModuleType:
    """Copy functions so that a step can be replaced in the copy alone."""
    module = ModuleType("notebook")
    module.__dict__.update(names)
    for name, one in names.items():
        if isinstance(one, FunctionType) and one.__globals__ is names:
            copy = FunctionType(
                one.__code__,
                module.__dict__,
                one.__name__,
                one.__defaults__,
                one.__closure__,
            )
            copy.__kwdefaults__ = one.__kwdefaults__
            module.__dict__[name] = copy
    return module
