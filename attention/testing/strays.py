"""Numbers in an output that nobody gave: of earlier calls, or of padding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.probes import FEW_KEYS, block
from attention.testing.readers import never_read
from attention.testing.report import Finding
from attention.testing.trials import Trial

Array = NDArray[Any]
OTHERS = 6  # cases that are called before the one that may show their numbers
SHORTER = (96, 80, 72, 68, 66)  # 64 more than a power of 2: tell tiles apart
SEEN = 0.01  # of a row's weight, before anything is said of it


def stale(trials: list[Trial]) -> Iterator[Finding]:
    """Let other calls go before, and look for their numbers."""
    trial = trials[0]
    threes, fives = (_after(trials, number) for number in (3.0, 5.0))
    differs = (threes != fives).any(axis=-1)
    left = ((threes == 3) & (fives == 5)).any(axis=-1)
    empty = ~trial.sees.any(axis=-1)
    if not differs.any() or (differs & ~empty & ~left).any():
        return
    which = "Rows" if (differs & ~empty).any() else "Rows that may see no key"
    what = "differ from call to call"
    if left[differs].all():
        what = "hold numbers that an earlier call left there"
    yield Finding(
        f"{which} are not written: they {what} ({trial.case.name}).",
        "rows-not-written",
    )


def _after(trials: list[Trial], number: float) -> Array:
    """Call for the first case, after others whose values are one number."""
    for other in trials[:OTHERS]:
        other.again(value=np.full_like(other.case.value, number))
    return trials[0].output()


def given(trials: list[Trial]) -> Iterator[Finding]:
    """Give values of zero alone: what comes back is not the caller's."""
    few = [t for t in trials if t.right.n_keys < FEW_KEYS]
    tried = [x for trial in few for x in _shortened(trial)]
    strange: dict[int, bool] = {}
    for trial in tried:
        n, hears = trial.right.n_keys, bool(trial.silent.any())
        strange[n] = strange.get(n, False) or hears
    if not any(strange.values()):
        return
    at = max(
        tried, key=lambda t: np.abs(t.silent).max() * (t.right.n_keys > 1)
    )
    lost = never_read(trials)
    what = "Numbers that nobody gave"
    if lost:
        what = f"{lost[0].upper()}{lost[1:]}, and in its place {what.lower()}"
    yield Finding(
        f"{what} take part{_where(strange)}: {_share(at)}with all values zero "
        f"the output is up to {np.abs(at.silent).max():.2g} "
        f"({at.case.name}, {at.right.n_keys} keys).",
        "numbers-not-given",
    )


def _where(strange: dict[int, bool]) -> str:
    """Say which numbers of keys are strange: those that leave a block open."""
    m = block(lambda m: all(bool(n % m) == s for n, s in strange.items()))
    if not m or all(strange.values()):
        return ""
    return (
        f" where n_k is not a multiple of {m}, as unused slots of a page, or "
        f"of a block of {m} keys, that are not hidden"
    )


def _share(trial: Trial) -> str:
    """Say how much weight is missing from values of one."""
    share = 1 - trial.heard(np.ones_like(trial.case.value)).min()
    if share <= SEEN:
        return ""
    return f"up to {share:.2g} of a row's weight is theirs, and "


def _shortened(trial: Trial) -> list[Trial]:
    """Give fewer and fewer keys as well, in the plainest case."""
    case, n = trial.case, trial.right.n_keys
    is_plain = n == trial.right.n_queries == 128
    if not is_plain or case.options.keys() & {"mask", "bias"}:
        return [trial]
    return [trial] + [
        trial.rules.tried(
            trial.kernel,
            replace(
                case,
                query=case.query[:, :, :some],
                key=case.key[:, :, :some],
                value=case.value[:, :, :some],
            ),
        )
        for some in SHORTER
    ]
