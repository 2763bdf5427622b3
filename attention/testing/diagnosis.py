"""What is wrong with a kernel that is wrong: names first, then sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.errors import Verdict
from attention.testing.mistakes import (
    MISTAKES,
    Mistake,
    in_formats,
)
from attention.testing.report import Finding
from attention.testing.steps import Steps

if TYPE_CHECKING:
    from attention.testing.calls import Kernel
    from attention.testing.checks import Rules, Trial

Array = NDArray[Any]


def findings(
    kernel: Kernel, rules: Rules, trials: list[Trial]
) -> list[Finding]:
    """Say what is wrong, the most telling first."""
    said = dict.fromkeys(t.answer.wrong for t in trials if t.answer.wrong)
    found = [Finding(text) for text in said]
    taken = [t for t in trials if t.output is not None]
    if any(not t.output.is_right for t in taken if t.output):
        found += named(rules, taken)
    return found


def named(rules: Rules, trials: list[Trial]) -> list[Finding]:
    """Find the known mistakes that give the kernel's results in all cases."""
    cases = sorted(
        trials, key=lambda t: (t.output.is_right, t.answer.output.size)
    )
    for mistake in (*MISTAKES, *in_formats()):
        if all(_explains(mistake, trial, rules) for trial in cases):
            return [Finding(mistake.says, mistake.name)]
    return []


def _explains(mistake: Mistake, trial: Trial, rules: Rules) -> bool:
    """Say whether a mistake gives what the kernel gave."""
    try:
        with np.errstate(all="ignore"):
            steps = Steps(trial.case, **mistake.steps)
            if steps.output.shape != trial.right.output.shape:
                return False
            return rules.judge(trial.answer, steps).figure <= 1.3
    except (ValueError, IndexError, TypeError):  # it does not fit the options
        return False


def first_wrong(right: Steps, got: Array, verdict: Verdict) -> str:
    """Write the first number that is wrong, and what it should be."""
    place = np.argwhere(verdict.bad)
    where = tuple(place[0]) if place.size else verdict.worst
    b, h, i, f = (int(n) for n in where)
    return (
        f"sequence {b}, head {h}, row {i}, feature {f}: "
        f"{got[where]:.6g}, not {right.output[where]:.6g}"
    )
