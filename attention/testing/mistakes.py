"""Mistakes that kernels have, from mistakes.toml: names, sentences, changes.

A mistake that practice has too, among the mutants or a learner's mistakes, has
the same name and sentence, from `known`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from attention.practice import known
from attention.testing import blocks
from attention.testing.cases import Case
from attention.testing.errors import cut, rounded
from attention.testing.steps import Change

EACH: dict[str, list[Any]] = {
    "blocks": [*blocks.BLOCKS],
    "parts": [-2, -4, -3, -8, *blocks.BLOCKS],  # -2: two parts
    "rounding": [64, 10**6],
    "tiles": [*product((1, 64, 32, 128, 16), (64, 32, 128, 16))],
}
FORMATS = {
    "bfloat16": "bfloat16",
    "tf32": "tf32, or to float16",
    "float16": "float16",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
}


class Mistake(NamedTuple):
    """A name, what it does, and the steps of attention that it changes."""

    name: str
    says: str
    changes: dict[str, Change]
    rounds: bool = False  # what rounding decides may differ in a few rows


def _change(expression: str, **names: Any) -> Change:
    """Make a change of an expression of the table."""
    known_names = {**vars(blocks), "rounded": rounded, **names}
    made: Change = eval(f"lambda a, x, s=None: ({expression})", known_names)
    return made


def _made(name: str, row: dict[str, Any], **names: Any) -> Iterator[Mistake]:
    """Make a mistake of a row of the table, or one for each n."""
    row = dict(row)
    says = row.pop("says", None) or known.mutants(name)
    rounds = row.pop("rounds", False)
    each = row.pop("each", [0])
    for one in EACH[each] if isinstance(each, str) else each:
        m, n = one if isinstance(one, tuple) else (0, one)
        few = isinstance(n, int) and n < 0
        keys = f"the keys, {-n} of them" if few else f"{n} keys"
        text = says.format(m=m, n=n, keys=keys)
        changes = {k: _change(e, m=m, n=n, **names) for k, e in row.items()}
        yield Mistake(name, text, changes, rounds)


def _picked(
    name: str, row: dict[str, Any], of_heads: bool
) -> Iterator[Mistake]:
    """Read keys, values or both in the place of others."""
    pick = row["pick"] if of_heads else f"x[:, :, {row['pick']}]"
    both = {"key": pick, "value": pick}
    for prefix, what in (("", "keys and values"), ("values-", "values"),
                         ("keys-", "keys")):  # fmt: skip
        changes = {k: e for k, e in both.items() if k in what}
        if of_heads:
            changes = {k: f"(lambda x: {e})(a.case.{k})" for k, e in
                       changes.items()}  # fmt: skip
        says = f"The {what} are those of {row['says']}."
        says = says if of_heads else f"The {what} of {row['says']}."
        if not prefix and name in known.NAMES:
            says = known.mutants(name)
        more = {k: v for k, v in row.items() if k == "each"}
        yield from _made(prefix + name, {**changes, **more, "says": says})


def _rounded(name: str, row: dict[str, Any]) -> Iterator[Mistake]:
    """Round in steps that should be exact, or cut where they should round."""
    for format, label in FORMATS.items():
        for read, how in (
            (rounded, "rounded"),
            (cut, "cut off, not rounded,"),
        ):
            says = f"{row['says']} {how} to {label}."
            if read is cut and "float8" in format:
                continue
            suffix = "-in-format" if how == "rounded" else "-cut-off"
            more = {**row, "says": says, "rounds": True}
            r = partial(read, format=format)
            yield from _made(name + suffix, more, r=r)


def _in_backward(mistake: Mistake) -> Iterator[Mistake]:
    """Make a mistake in the backward pass alone.

    It computes its weights again, from the log-sum-exp of the forward pass or
    by a softmax of its own, and takes D from a right output.
    """
    says = f"In the backward pass alone: {mistake.says}"
    average = _change("a.exact.average()")
    weigh = _change("np.exp(a.scores() - a.exact.logsumexp[..., None])")
    changes = {"average": average, **mistake.changes}
    if "weigh" not in changes:
        yield Mistake(mistake.name, says, {"weigh": weigh, **changes})
    yield Mistake(mistake.name, says, changes)


def _read() -> dict[str, list[Mistake]]:
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    make: dict[str, Callable[..., Iterator[Mistake]]]
    make = {
        "heads": partial(_picked, of_heads=True),
        "stale": partial(_picked, of_heads=False),
        "rounding": _rounded,
    }
    groups = {}
    for group, names in tomllib.loads(text).items():
        made: Callable[..., Iterator[Mistake]] = make.get(group, _made)
        groups[group] = [
            mistake
            for name, rows in names.items()
            for row in rows
            for mistake in made(name, row)
        ]
    return groups


GROUPS = _read()
MISTAKES = [one for group in GROUPS.values() for one in group]
_ASKED = ("softcap", "bias", "sink")  # groups for an option of their name
_ALWAYS = ("heads", "stale", "inputs", "blocks", "softmax")


def of(case: Case) -> Iterator[Mistake]:
    """Return the mistakes that a kernel with such options may have."""
    hides = not case.options.keys().isdisjoint({"is_causal", "window", "mask"})
    names = ["scale", *["reach", "mask"] * hides]
    names += [name for name in _ASKED if name in case.options]
    forward = [one for name in (*names, *_ALWAYS) for one in GROUPS[name]]
    if case.grad_output is None:
        yield from (*GROUPS["logsumexp"], *forward, *GROUPS["rounding"])
        return
    yield from (*GROUPS["gradients"], *forward)
    for name in (*names, "heads"):
        for one in GROUPS[name]:
            yield from _in_backward(one)
