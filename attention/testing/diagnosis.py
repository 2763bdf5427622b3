"""What a report says of a kernel that is wrong: names first, then sentences.

The results of a kernel are compared with those of known mistakes. Where none
fits everywhere, one may fit where the kernel is wrong; where none does, the
weights of the kernel are recovered, and say what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing import backward, mistakes
from attention.testing.calls import Kernel
from attention.testing.cases import FAR, Case
from attention.testing.errors import step_of
from attention.testing.mistakes import Mistake
from attention.testing.places import Spots, listed, place
from attention.testing.probes import probed
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Rules, Trial
from attention.testing.weights import middle_of, recover, sentences

Array = NDArray[Any]
ROUNDINGS = 8  # how many are tried in one more case
KNOWN: dict[str, Callable[[Steps], float]] = {  # factors that say a cause
    "-1 (the wrong sign)": lambda a: -1,
    "log₂ e = 1.4427": lambda a: np.log2(np.e),
    "ln 2 = 0.6931": lambda a: np.log(2),
    "the scale": lambda a: a.scale(),
    "1 / the scale": lambda a: 1 / a.scale(),
    "1/√d_k / the scale asked for": lambda a: a.d_k**-0.5 / a.scale(),
    "the number of query heads that share keys": lambda a: (
        a.n_heads / a.case.key.shape[1]
    ),
    "1 / the number of query heads that share keys": lambda a: (
        a.case.key.shape[1] / a.n_heads
    ),
    "1 / the number of sequences": lambda a: 1 / a.batch,
}
BLIND = ("one key", "a constant per head")  # what is right there says little
MISSES = 5  # how many wrong cases a partial mistake may leave unexplained
BUDGET = 1e8  # how many weights all mistakes together may have in a case


def findings(
    kernel: Kernel, rules: Rules, trials: list[Trial]
) -> list[Finding]:
    """Say what is wrong, the most telling first."""
    said = {t.answer.wrong.partition("(")[0]: t.answer.wrong for t in trials}
    found = [Finding(text) for text in said.values() if text]
    taken = sorted((t for t in trials if t.verdicts), key=_by_size)
    wrong = [t for t in taken if t.is_wrong]
    if not wrong:
        return found
    causes: list[Callable[[], Iterable[Finding]]] = [
        lambda: _causes(kernel, rules, taken, wrong[0]),
        lambda: map(Finding, _numbers(wrong)),
        lambda: map(Finding, _weights(kernel, rules, wrong)),
    ]
    why = next((some for some in ([*c()] for c in causes) if some), [])
    if any(one.name for one in why):
        return [*why, *found]
    why += map(Finding, _options(kernel, rules, wrong))
    return [*why, *found, *map(Finding, _where(taken, wrong))]


def _causes(
    kernel: Kernel, rules: Rules, taken: list[Trial], wrong: Trial
) -> Iterator[Finding]:
    """Name what is certain: a mistake everywhere, then what a probe shows."""
    calls = list(_calls(kernel, rules, wrong))
    if wrong.case.grad_output is not None:
        yield from calls or backward.named(kernel, taken)
        return
    names = [] if calls else list(_names(taken))
    some = any(one.is_partial for one in names)
    varies = any(one.name == "not-deterministic" for one in calls)
    exact = list[Finding]()
    if varies or some or not (calls or names):
        exact = probed(kernel, taken, varies)
    yield from exact or calls or names


def _by_size(trial: Trial) -> tuple[bool, int]:
    """Put small cases first: most mistakes are excluded there, soon."""
    large = trial.right.n_keys > 100 and not trial.is_wrong
    return large, trial.right.weights.size


def _calls(kernel: Kernel, rules: Rules, trial: Trial) -> Iterator[Finding]:
    """Call a wrong case again: as it was, and in the other layout."""
    case, before = trial.case, trial.answer.results
    again = rules.tried(kernel, case).answer.results
    for name, array in before.items():
        if not np.array_equal(again.get(name, 0), array, equal_nan=True):
            yield Finding(
                "The kernel gives different results for the same arrays "
                f"({case.name}, called twice).",
                "not-deterministic",
            )
            return
    other = "bhnd" if kernel.layout == "bnhd" else "bnhd"
    turned = rules.tried(kernel._replace(layout=other), case)
    if turned.verdicts and not turned.is_wrong:
        yield Finding(
            f'Heads and tokens are exchanged: with layout="{other}" the '
            f"kernel is right ({case.name}).",
            "layout-exchanged",
        )


# --- known mistakes ----------------------------------------------------------


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


def _names(trials: list[Trial]) -> Iterator[Finding]:
    """Name the mistakes behind all results, or behind each by itself."""
    trials = _plain(trials)
    every = trials[0].rules.names
    wrong = [
        n for n in every if any(not t.verdicts[n].is_right for t in trials)
    ]
    found = _exact(trials, every)
    if found:
        yield found
        return
    seen: dict[Finding, list[str]] = {}
    for name in wrong if len(every) > 1 else []:
        found = _exact(trials, (name,))
        if found:
            seen.setdefault(found, []).append(name)
    for found, names in sorted(seen.items(), key=lambda x: -len(x[1])):
        where = f" Seen in {' and '.join(names)} alone."
        yield Finding(found.says + where, found.name, True)
        wrong = [name for name in wrong if name not in names]
    factors = list(_factors(trials, wrong))
    yield from map(Finding, factors)
    if not seen and not factors:
        found = _partial(trials, every)
        yield from [found] if found else []


def _plain(trials: list[Trial]) -> list[Trial]:
    """Leave out what differs from kernel to kernel: overflow, and one key."""
    for odd in ((*FAR, "one key"), FAR):
        plain = [t for t in trials if t.case.name not in odd]
        if any(t.is_wrong for t in plain):
            return plain
    return trials


def _exact(trials: list[Trial], names: tuple[str, ...]) -> Finding | None:
    """Find a mistake that gives all results of a kernel."""
    every = [(m, 0.0) for m in _known(trials[0].case, names)]
    left = [one for one in every if not one[0].rounds]
    for trial in sorted(trials, key=lambda t: t.right.weights.size):
        left = _left(left, trial, names)
    if left:
        return _said(left)
    left = [one for one in every if one[0].rounds]
    for trial in sorted(
        trials, key=lambda t: (not _is_wrong(t, names), t.right.weights.size)
    ):
        left = _left(left, trial, names)
        if _is_wrong(trial, names):
            most = sorted(error for _, error in left)[:ROUNDINGS][-1:]
            left = [one for one in left if [one[1]] <= most]
    return _said(left) if left else None


def _known(case: Case, names: tuple[str, ...]) -> Iterator[Mistake]:
    """Return the mistakes that some of these results may have."""
    alone = {"total", "summed"}  # what changes the log-sum-exp alone
    for one in mistakes.of(case):
        if "log-sum-exp" in names or not one.changes.keys() <= alone:
            yield one


def _is_wrong(trial: Trial, names: tuple[str, ...]) -> bool:
    return any(not trial.verdicts[name].is_right for name in names)


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


def _said(left: list[tuple[Mistake, float]]) -> Finding:
    """Say the closest mistake, and others that give the same numbers."""
    least = min(error for _, error in left)
    first, least = next(one for one in left if one[1] <= 1.03 * least)
    same = {_stem(m): m for m, error in left[::-1] if error == least}
    same.pop(_stem(first), None)
    others = [f" Or: {m.name}: {m.says}" for m in [*same.values()][:-2:-1]]
    most = 1.2 if first.rounds else 1.03
    fit = [one for one, error in left if error <= most * least]
    return Finding(first.of_sizes(fit) + "".join(others), first.name)


def _stem(mistake: Mistake) -> str:
    return "-".join(mistake.name.split("-")[:3])


def _partial(trials: list[Trial], names: tuple[str, ...]) -> Finding | None:
    """Find the mistake that some rows of a kernel have, and say which."""
    trials = sorted(trials, key=lambda t: not _is_wrong(t, names))
    n_wrong = sum(
        int((trial.verdicts[name].rows > 1).sum())
        for trial in trials
        for name in names
    )
    size = next(t.right.weights.size for t in trials)
    every = [m for m in _known(trials[0].case, names) if not m.rounds]
    left = [(one, list[Fit]()) for one in every[: int(BUDGET / size)]]
    for trial in trials:
        known: Seen = {}
        bad = sum(int((trial.verdicts[n].rows > 1).sum()) for n in names)
        unlike = Fit([], bad, np.inf) if bad else None  # all that is wrong
        left = [
            (mistake, [*fits, fit])
            for mistake, fits in left
            if (fit := _fit(mistake, trial, names, known) or unlike)
        ]
        left = [
            (mistake, fits)
            for mistake, fits in left
            if sum(fit.unlike for fit in fits) <= 0.1 * n_wrong
            and sum(fit.whole == np.inf for fit in fits) < MISSES
        ]
    best: dict[float, list[tuple[Mistake, str]]] = {}
    for mistake, fits in left:
        spots = [spot for fit in fits for spot in fit.spots]
        n_right = sum(int(spot.right.sum()) for spot in spots)
        others = sum(fit.unlike for fit in fits)
        text, exact = place(spots) if n_right else ("", False)
        exact = exact and not others
        share = 1.0 if exact else n_wrong / (n_wrong + n_right)
        if share >= 0.5:
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
            for name in sorted(
                names, key=lambda n: trial.verdicts[n].is_right
            ):
                one = trial.rules._replace(names=(name,)).wanted(steps)
                if name == "output":
                    one[name] = _like(one[name], trial.answer.results[name])
                if np.array_equal(one[name], trial.wanted[name]):
                    if not trial.verdicts[name].is_right:
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
        most = 1.2 if right.is_right else min(1, 0.9 * right.figure)
        if rounds:  # a tie may fall either way
            off = fit.rows > 1
            better = fit.whole < 0.85 * right.whole
            much = np.median(fit.rows) < 0.2 * np.median(right.rows)
            if (off.mean() > 0.1 and not much) or not (
                right.is_right or better or off.sum() < 0.1 * has.sum()
            ):
                return None
        elif fit.figure > most:
            if trial.right.n_keys > 1:
                has_not = ~has & (fit.rows > 1)
            if not right.is_right and not has.any():
                return None
            off = fit.rows[has] > np.minimum(1, 0.8 * right.rows[has])
            unlike += int(off.sum())
        spots.append(Spots(trial.right, trial.case.name, name, has, has_not))
    return Fit(spots, unlike, sum(fit.whole for fit in verdicts.values()))


def _glance(trial: Trial, name: str, wanted: Array, everywhere: bool) -> bool:
    """Say whether a mistake may explain the rows of a case that are wrong."""
    got, verdict = trial.answer.results[name], trial.verdicts[name]
    if wanted.shape != got.shape:
        return False
    if verdict.is_right and not everywhere:
        return True
    far = np.abs(got - wanted) / (30 * trial.sigmas[name] + np.abs(got) / 99)
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    far = np.where(same, 0, np.nan_to_num(far, nan=np.inf))
    if verdict.is_right:
        return bool((far <= 1).all())
    rows = verdict.rows > 1
    return bool(np.median(far[rows] if rows.any() else far) <= 1)


# --- what can be said without a name -----------------------------------------


def _numbers(wrong: list[Trial]) -> Iterator[str]:
    """Say which rows hold something that is no number."""
    for trial in wrong:
        got = trial.answer.results.get("output")
        if got is None or trial.probe:
            continue
        bad = np.argwhere(~np.isfinite(got).all(axis=-1))
        if bad.size:
            b, h, i = (int(n) for n in bad[0])
            what = "nan" if np.isnan(got[b, h, i]).any() else "infinite"
            rows = got.size // got.shape[-1]
            yield (
                f"The output is {what} in {len(bad)} of {rows} rows, first "
                f"in row {i} of sequence {b}, head {h} ({trial.case.name})."
            )
            return


def _factors(trials: list[Trial], names: list[str]) -> Iterator[str]:
    """Say by which factor a result is off, or that it is cut off."""
    for name in names:
        what = f"The {name}"
        wrong = [t for t in trials if not t.probe and _is_wrong(t, (name,))]
        some = [_factor(t, name) for t in wrong]
        factors = [factor for factor, _ in some if factor is not None]
        if wrong and len(factors) == len(wrong):
            at = f"({wrong[0].case.name} and {len(wrong) - 1} other cases)"
            for said, number in KNOWN.items():
                right = [number(trial.right) for trial in wrong]
                if np.allclose(factors, right, rtol=2e-3):
                    yield f"{what} is {said} times what it should be {at}."
                    break
            else:
                if np.ptp(factors) < 0.01 * abs(factors[0]):
                    yield (
                        f"{what} is {factors[0]:.6g} times what it should be "
                        f"{at}."
                    )
        elif wrong and all(is_cut for _, is_cut in some):
            format = trials[0].rules.formats.output
            yield f"{what} is cut off, not rounded, to {format}."


def _factor(trial: Trial, name: str) -> tuple[float | None, bool]:
    """Return by which factor a result is off, and whether it is cut off."""
    rows = trial.verdicts[name].rows > 1
    rows |= ~rows.any()
    got, right = trial.answer.results[name][rows], trial.wanted[name][rows]
    with np.errstate(all="ignore"):
        factor = float((got * right).sum() / (right**2).sum())
        rest = ((got - factor * right) ** 2).sum() / (got**2).sum()
        step = step_of(right, trial.rules.formats.output)
        less = (np.abs(right) - np.abs(got)) / step
    is_cut = 0.35 < middle_of(less) < 0.65 and middle_of(np.abs(less)) < 1
    return factor if rest**0.5 < 0.2 * abs(factor - 1) else None, is_cut


def _n_wrong(trial: Trial) -> int:
    return sum(int((one.rows > 1).sum()) for one in trial.verdicts.values())


def _weights(
    kernel: Kernel, rules: Rules, wrong: list[Trial]
) -> Iterator[str]:
    """Recover the weights of a few wrong cases, and say what they show."""
    if "output" not in rules.names:
        return
    plain = [
        t
        for t in wrong
        if not t.verdicts["output"].is_right
        and not t.probe
        and 1 < t.right.n_keys <= 330
        and t.case.name not in FAR
    ]
    for trial in sorted(plain, key=_n_wrong)[:-4:-1]:
        with np.errstate(all="ignore"):
            found = recover(kernel, trial)
            texts = [] if found is None else list(sentences(found))
        yield from texts
        if texts:
            return


def _options(
    kernel: Kernel, rules: Rules, wrong: list[Trial]
) -> Iterator[str]:
    """Say without which option the kernel is right."""
    case = next((t.case for t in wrong if not t.probe), wrong[0].case)
    for name in case.options:
        if name in ("offset", "enable_gqa") or f"d_{name}" in rules.names:
            continue
        fewer = {k: o for k, o in case.options.items() if k != name}
        if not fewer.keys() & {"is_causal", "window"}:
            fewer.pop("offset", None)
        trial = rules.tried(kernel, replace(case, options=fewer))
        if trial.verdicts and not trial.is_wrong:
            yield f"Without {name} it is right ({case.name})."


def _where(taken: list[Trial], wrong: list[Trial]) -> Iterator[str]:
    """Say which results are wrong, in which cases, and in which rows."""
    names = [
        name
        for name in taken[0].rules.names
        if any(not t.verdicts[name].is_right for t in wrong)
    ]
    good = [name for name in taken[0].rules.names if name not in names]
    if good or len(names) > 1:
        also = f"; right: {', '.join(good)}" * bool(good)
        yield f"Wrong: {', '.join(names)}{also}."
    spots = [
        Spots(t.right, t.case.name, name, one.rows > 1, one.rows <= 1)
        for t in taken
        if not t.probe and (t.is_wrong or t.case.name not in BLIND)
        for name, one in t.verdicts.items()
        if name in names
    ]
    if not any(one.wrong.any() for one in spots):
        return
    where, whole = place(spots)
    if where:
        yield f"It is wrong only {where}{', and always there' * whole}."
    bad = {t.case.name for t in wrong}
    cases = list(dict.fromkeys(t.case.name for t in taken))
    if len(bad) <= len(cases) / 2:
        shown = ", ".join(repr(name) for name in cases if name in bad)
        yield f"Only these cases are wrong: {shown}. {listed(spots)}".rstrip()
    elif not where and listed(spots):
        yield listed(spots)
