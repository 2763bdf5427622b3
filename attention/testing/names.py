"""Known mistakes: which of them gives the results of a kernel, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing import mistakes
from attention.testing.cases import FAR, Case
from attention.testing.errors import Verdict
from attention.testing.mistakes import Mistake
from attention.testing.places import Spots, place
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Trial, telling
from attention.testing.weights import (
    first_few,
    recover,
    recoverable,
    starts_of_parts,
)

Array = NDArray[Any]
ALIKE = 1.03  # times the least error: as good, but for luck
ALIKE_ROUNDED = 1.2  # the same, where a tie may fall either way
LUCK = 1.2  # of the error allowed: a right result may have it by a mistake
BETTER = 0.9  # of a result's error: with more left, it is another mistake
BETTER_ROW = 0.8  # the same, of a row
BETTER_ROUNDED = 0.85  # the same, of a result that is rounded
MUCH_BETTER = 0.2  # of its median row: some rows may then be off
FEW_ROUNDED = 0.1  # of the rows may be off when something is rounded
SIGMAS, SHARE = 30, 1 / 99  # what is further than both is far off at a glance
WORTH = 8  # times as large a case may come first if it is wrong
ROUNDINGS = 8  # how many are tried in one more case
# long lists, not tried for some rows
EVERYWHERE = ("some", "lazy", "thresholds", "turns")
LAST_KEYS = (  # what calls with other sizes alone would tell apart
    "keys-bounded-by-queries", "last-block-dropped",
    "last-block-of-sequence-dropped", "last-key-of-block-dropped",
)  # fmt: skip
MOST_PARTED = 6  # cases, whose weights are recovered
MISSES = 5  # how many wrong cases a partial mistake may leave unexplained
UNLIKE = 0.1  # of the wrong rows may have another mistake
LEAST = 0.5  # of the rows that could have it must, or a place must fit
BUDGET = 1e8  # how many weights all mistakes together may have in a case


class Fit(NamedTuple):
    """How the results of a mistake fit those of a kernel in one case."""

    spots: list[Spots]  # rows that have the mistake, and those that have not
    unlike: int  # how many rows have another one
    whole: float

    @property
    def is_everywhere(self) -> bool:
        """Say whether the mistake gives every row, or nearly."""
        wrong = sum(int(one.wrong.sum()) for one in self.spots)
        return self.unlike <= wrong / 20 and not any(
            one.right.any() for one in self.spots
        )


Seen = dict[tuple[float, ...], Fit | None]  # by a mixture of each result


def plain(trials: list[Trial]) -> list[Trial]:
    """Leave out what differs from kernel to kernel: overflow, and one key."""
    for odd in ((*FAR, "one key"), FAR):
        plain = [t for t in trials if t.case.name not in odd]
        if any(t.is_wrong for t in plain):
            return plain
    return trials


def exact(
    trials: list[Trial],
    names: tuple[str, ...],
    some: Iterable[Mistake] | None = None,
) -> Finding | None:
    """Find a mistake, of some or all, that gives all results of a kernel."""
    alone = some is not None  # what is the same in some keys says little
    some = _known(telling(trials), names) if some is None else some
    every = [(m, 0.0) for m in some]
    left = [one for one in every if not one[0].rounds]
    for trial in sorted(trials, key=lambda t: _cost(t, names)):
        left = _left(left, trial, names)
    if left:
        return _said(left, alone)
    left = [one for one in every if one[0].rounds]
    for trial in sorted(
        trials, key=lambda t: (not _is_wrong(t, names), t.right.weights.size)
    ):
        left = _left(left, trial, names)
        if _is_wrong(trial, names):
            most = sorted(error for _, error in left)[:ROUNDINGS][-1:]
            left = [one for one in left if [one[1]] <= most]
    return _said(left, alone) if left else None


def _known(case: Case, names: tuple[str, ...]) -> Iterator[Mistake]:
    """Return the mistakes that some of these results may have."""
    alone = {"total", "summed"}  # what changes the log-sum-exp alone
    for one in mistakes.of(case):
        if "log-sum-exp" in names or not one.changes.keys() <= alone:
            yield one


def odd(trials: list[Trial]) -> Iterator[Mistake]:
    """Return the mistakes in blocks of sizes that few kernels have."""
    return mistakes.of(telling(trials), "odd")


def of_parts(trials: list[Trial]) -> Iterator[Finding]:
    """Name what is done to parts of the keys that begin where none should."""
    some = []
    for trial in recoverable(trials)[:MOST_PARTED]:
        recovered = recover(trial)
        starts = None if recovered is None else starts_of_parts(recovered)
        if starts is not None:
            some.append((trial, starts))
    if not some:
        return
    for trial, starts in some:  # now, since few cases are kept at once
        Steps(trial.case).exact.done["starts"] = [0, *starts]
    every, (first, starts) = trials[0].rules.names, some[0]
    measured = mistakes.of(telling(trials), "measured")
    found = exact([trial for trial, _ in some], every, measured)
    if found:
        yield Finding(
            f"{found.says} New ones begin at key {first_few(starts)} of "
            f"{first.right.n_keys} ({first.case.name}).",
            found.name,
        )


def _cost(trial: Trial, names: tuple[str, ...]) -> float:
    """Put small cases first, and wrong ones, which exclude most mistakes."""
    size = trial.right.weights.size
    return size / WORTH if _is_wrong(trial, names) else size


def _is_wrong(trial: Trial, names: tuple[str, ...]) -> bool:
    return not set(names).isdisjoint(trial.wrong)


def _left(
    some: list[tuple[Mistake, float]], trial: Trial, names: tuple[str, ...]
) -> list[tuple[Mistake, float]]:
    """Keep the mistakes that give a case, and add their errors up."""
    known: Seen = {}
    return [
        (mistake, error + fit.whole)
        for mistake, error in some
        if (fit := _fit(mistake, trial, names, known, not mistake.rounds))
        and fit.is_everywhere
    ]


def _said(left: list[tuple[Mistake, float]], alone: bool) -> Finding:
    """Say the closest mistake, and another that gives the same numbers."""
    least = min(error for _, error in left)
    first, least = next(one for one in left if one[1] <= ALIKE * least)
    same = {
        _stem(m): m
        for m, error in left[::-1]
        # if only one has blocks, they are as large as all keys
        if error == least and bool(m.each) == bool(first.each)
    }
    same.pop(_stem(first), None)
    others = [
        f" Or, which gives the same numbers here: {m.name}: {m.says}"
        for m in [*same.values()][:-2:-1]
        if not alone
    ]
    most = ALIKE_ROUNDED if first.rounds else ALIKE
    fit = [one for one, error in left if error <= most * least]
    return Finding(first.of_sizes(fit) + "".join(others), first.name)


def _stem(mistake: Mistake) -> str:
    return "-".join(mistake.name.split("-")[:3])


def partial(
    trials: list[Trial],
    names: tuple[str, ...],
    some: Iterable[Mistake] | None = None,
) -> Finding | None:
    """Find the mistake that some rows of a kernel have, and say which."""
    some = _known(telling(trials), names) if some is None else some
    n_wrong = sum(_n_wrong(trial, names) for trial in trials)
    best: dict[float, list[tuple[Mistake, str]]] = {}
    for mistake, fits in _left_in_part(trials, names, some, n_wrong):
        spots = [spot for fit in fits for spot in fit.spots]
        n_right = sum(int(spot.right.sum()) for spot in spots)
        others = sum(fit.unlike for fit in fits)
        text, exact = place(spots) if n_right else ("", False)
        exact = exact and not others
        share = 1.0 if exact else n_wrong / (n_wrong + n_right)
        if share >= LEAST:
            where = f" Only {text}." if exact else " Not everywhere."
            best.setdefault(others / max(n_wrong, 1) - share, []).append(
                (mistake, where)
            )
    if not best:
        return None
    same = best[min(best)]
    first, where = same[0]
    says = first.of_sizes(one for one, _ in same) + where
    return Finding(says, first.name, True)


def _n_wrong(trial: Trial, names: tuple[str, ...]) -> int:
    """Return how many rows of some results are wrong."""
    return sum(int((trial.verdicts[n].rows > 1).sum()) for n in names)


def _left_in_part(
    trials: list[Trial],
    names: tuple[str, ...],
    some: Iterable[Mistake],
    n_wrong: int,
) -> list[tuple[Mistake, list[Fit]]]:
    """Keep the mistakes that nearly all wrong rows have, and how they fit."""
    trials = sorted(trials, key=lambda t: not _is_wrong(t, names))
    size = next(t.right.weights.size for t in trials)
    every = [one for one in some if not (one.rounds or one.each in EVERYWHERE)]
    left = [(one, dict[int, Fit]()) for one in every[: int(BUDGET / size)]]
    bad = [_n_wrong(trial, names) for trial in trials]
    most = UNLIKE * n_wrong

    def cost(i: int) -> float:
        """Put first what excludes most mistakes for its size."""
        if not _is_wrong(trials[i], names):
            return np.inf
        # a case without one wrong row must be explained as a whole
        share = min(1, max(bad[i] / most, 1 / MISSES)) if bad[i] else 1
        return trials[i].right.weights.size / share

    for i in sorted(range(len(trials)), key=cost):
        known: Seen = {}
        unlike = Fit([], bad[i], np.inf) if bad[i] else None  # all of them
        left = [
            (mistake, {**fits, i: fit})
            for mistake, fits in left
            if (fit := _fit(mistake, trials[i], names, known) or unlike)
        ]
        left = [
            (mistake, fits)
            for mistake, fits in left
            if sum(fit.unlike for fit in fits.values()) <= most
            and sum(fit.whole == np.inf for fit in fits.values()) < MISSES
        ]
    return [(m, [fits[i] for i in sorted(fits)]) for m, fits in left]


def _fit(
    mistake: Mistake,
    trial: Trial,
    names: tuple[str, ...],
    known: Seen,
    everywhere: bool = False,
) -> Fit | None:
    """Compare a case with a mistake: every row is right, or has it.

    Or every row has it, which is soon decided.
    """
    try:
        with np.errstate(all="ignore"):
            steps = trial.rules.steps(trial.case, mistake.changes)
            wanted: dict[str, Array] = {}
            for name in sorted(names, key=lambda n: n not in trial.wrong):
                one = trial.rules._replace(names=(name,)).wanted(steps)
                if name == "output":
                    one[name] = _like(one[name], trial.answer.results[name])
                if np.array_equal(one[name], trial.wanted[name]):
                    if name in trial.wrong:
                        return None  # it changes nothing here
                elif not _glance(trial, name, one[name], everywhere):
                    return None
                wanted |= one
            same = tuple(_mixture(wanted[name]) for name in names)
            if same not in known:
                known[same] = _judged(
                    mistake.rounds, trial, names, steps, wanted
                )
            return known[same]
    except mistakes.UNFIT:
        return None


def _like(wanted: Array, got: Array) -> Array:
    """Let what is no number be nan or infinite as it is in a kernel."""
    both = ~np.isfinite(wanted) & ~np.isfinite(got)
    return np.where(both, got, wanted) if both.any() else wanted


def _mixture(array: Array) -> float:
    """Return a number that other arrays hardly have."""
    return float(array.ravel() @ _waves(array.size))


@lru_cache(64)
def _waves(n: int) -> Array:
    return np.cos(np.arange(n))


def _judged(
    rounds: bool,
    trial: Trial,
    names: tuple[str, ...],
    steps: Steps,
    wanted: dict[str, Array],
) -> Fit | None:
    """Compare the results of a mistake with a kernel's."""
    if all(
        np.array_equal(wanted[n], trial.wanted[n], equal_nan=True)
        for n in names
    ):
        verdicts = {name: trial.verdicts[name] for name in names}
    else:
        some = {name: trial.answer.results[name] for name in names}
        verdicts = trial.rules.judge(some, steps)
    spots, unlike = [], 0
    for name, fit in verdicts.items():
        right = trial.verdicts[name]
        has, has_not = right.rows > 1, np.zeros(right.rows.shape, bool)
        most = LUCK if right.is_right else min(1, BETTER * right.figure)
        if rounds:
            if not _is_rounded(fit, right):
                return None
        elif fit.figure > most:
            if trial.right.n_keys > 1:
                has_not = ~has & (fit.rows > 1)
            if not right.is_right and not has.any():
                return None
            off = fit.rows[has] > np.minimum(1, BETTER_ROW * right.rows[has])
            unlike += int(off.sum())
        spots.append(Spots(trial.right, trial.case.name, name, has, has_not))
    return Fit(spots, unlike, sum(fit.whole for fit in verdicts.values()))


def _is_rounded(fit: Verdict, right: Verdict) -> bool:
    """Say whether a rounding explains a result; a tie may fall either way."""
    off, n_wrong = fit.rows > 1, (right.rows > 1).sum()
    much = np.median(fit.rows) < MUCH_BETTER * np.median(right.rows)
    if off.mean() > FEW_ROUNDED and not much:
        return False
    better = fit.whole < BETTER_ROUNDED * right.whole
    few = off.sum() < FEW_ROUNDED * n_wrong
    return bool(right.is_right or better or few)


def _glance(trial: Trial, name: str, wanted: Array, everywhere: bool) -> bool:
    """Say whether a mistake may explain the rows of a case that are wrong."""
    got, is_right = trial.answer.results[name], name not in trial.wrong
    if wanted.shape != got.shape:
        return False
    if is_right and not everywhere:
        return True
    most = SIGMAS * trial.sigmas[name] + SHARE * np.abs(got)
    rows = trial.verdicts[name].rows > 1
    if rows.any():  # it is wrong
        got, wanted, most = got[rows], wanted[rows], most[rows]
    near = np.abs(got - wanted) / most <= 1
    near |= (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    return bool(near.all() if is_right else near.mean() > 0.5)
