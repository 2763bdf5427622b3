"""What a report says of a kernel that is wrong: names first, then sentences.

The results of a kernel are compared with those of known mistakes. Where none
fits everywhere, one may fit where the kernel is wrong; where none does, the
weights of the kernel are recovered, and say what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing import mistakes
from attention.testing.calls import Kernel
from attention.testing.cases import FAR
from attention.testing.errors import step_of
from attention.testing.mistakes import Mistake
from attention.testing.places import Spots, listed, place
from attention.testing.probes import probed
from attention.testing.report import Finding
from attention.testing.trials import Rules, Trial
from attention.testing.weights import middle_of, recover, sentences

Array = NDArray[Any]
PARTLY = re.compile(r"\. (Only .*|Not everywhere\.|Seen in .* alone\.)$")
ROUNDINGS = 8  # how many are tried in one more case


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
        lambda: map(Finding, _factors(wrong)),
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
    names = [] if calls else list(_names(taken))
    some = any(PARTLY.search(one.says) for one in names)
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


def _names(trials: list[Trial]) -> Iterator[Finding]:
    """Name the mistakes behind all results, or behind each by itself."""
    plain = [t for t in trials if t.case.name not in FAR]
    if any(t.is_wrong for t in plain):
        trials = plain  # what overflows there differs from kernel to kernel
    every = trials[0].rules.names
    found = _named(trials, every)
    if found or len(every) == 1:
        yield from [found] if found else []
        return
    seen: dict[Finding, list[str]] = {}
    for name in every:
        found = _named(trials, (name,))
        if found:
            seen.setdefault(found, []).append(name)
    most = sorted(seen.items(), key=lambda item: -len(item[1]))
    for found, names in most:  # what explains more results first
        where = f" Seen in {' and '.join(names)} alone."
        yield replace(found, says=found.says + where)


def _named(trials: list[Trial], names: tuple[str, ...]) -> Finding | None:
    """Find the mistake that gives a kernel's results, or some of its rows."""
    wrong, right = list[Trial](), list[Trial]()
    for trial in trials:
        is_right = all(trial.verdicts[n].is_right for n in names)
        (right if is_right else wrong).append(trial)
    if not wrong:
        return None
    n_wrong = sum(
        int((trial.verdicts[name].rows > 1).sum())
        for trial in trials
        for name in names
    )
    left = [(mistake, list[Fit]()) for mistake in mistakes.of(wrong[0].case)]
    for trial in wrong:
        left = [
            (mistake, [*fits, fit])
            for mistake, fits in left
            if (fit := _fit(mistake, trial, names)) is not None
        ]
        left = _likely(left, n_wrong)
    best: list[tuple[float, int, str, Mistake]] = []
    for mistake, fits in left:
        for trial in right:
            fit = _fit(mistake, trial, names)
            if fit is None:
                break
            fits.append(fit)
        if len(fits) < len(trials):
            continue  # what is right shows that it is not this one
        spots = [spot for fit in fits for spot in fit.spots]
        n_right = sum(int(spot.right.sum()) for spot in spots)
        unlike = sum(fit.unlike for fit in fits)
        where, rank = "", 0.0
        if mistake.rounds:
            rank = sum(fit.whole for fit in fits[: len(wrong)]) - 1e6
        elif n_right or unlike:
            text, exact = place(spots) if n_right else ("", False)
            exact = exact and not unlike
            where = f" Only {text}." if exact else " Not everywhere."
            share = 1.0 if exact else n_wrong / (n_wrong + n_right)
            if share < 0.5:
                continue
            rank = unlike / max(n_wrong, 1) - share
        else:
            return Finding(mistake.says, mistake.name)
        best.append((rank, len(best), where, mistake))
    if not best:
        return None
    _, _, where, mistake = min(best)
    if where and any(_factors(wrong)):
        return None  # which is plainer than a mistake in some rows
    return Finding(mistake.says + where, mistake.name)


def _likely(
    fitting: list[tuple[Mistake, list[Fit]]], n_wrong: int
) -> list[tuple[Mistake, list[Fit]]]:
    """Drop what leaves too many rows unexplained, and poorer roundings."""
    fitting = [
        one
        for one in fitting
        if sum(fit.unlike for fit in one[1]) <= 0.1 * n_wrong
    ]
    errors = sorted(
        sum(fit.whole for fit in fits) for m, fits in fitting if m.rounds
    )
    most = errors[:ROUNDINGS][-1] if errors else 0.0
    return [
        (m, fits)
        for m, fits in fitting
        if not m.rounds or sum(fit.whole for fit in fits) <= most
    ]


def _fit(mistake: Mistake, trial: Trial, names: tuple[str, ...]) -> Fit | None:
    """Compare a case with a mistake: every row is right, or has it."""
    rules, got = trial.rules, trial.answer.results
    try:
        with np.errstate(all="ignore"):
            steps = rules.steps(trial.case, mistake.changes)
            wanted = rules.wanted(steps)
            if not all(_glance(trial, name, wanted[name]) for name in names):
                return None
            some = {name: got[name] for name in names}
            verdicts = rules.judge(some, steps, trial.wanted)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ):
        return None  # it does not fit the options
    spots, unlike = [], 0
    for name, fit in verdicts.items():
        right = trial.verdicts[name]
        has, has_not = right.rows > 1, np.zeros(right.rows.shape, bool)
        most = 1.2 if right.is_right else min(1, 0.9 * right.figure)
        if mistake.rounds:  # a tie may fall either way
            off = fit.rows > 1
            better = fit.whole < 0.85 * right.whole
            if off.mean() > 0.1 or not (
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


def _glance(trial: Trial, name: str, wanted: Array) -> bool:
    """Say whether a mistake may explain the rows of a case that are wrong."""
    got, verdict = trial.answer.results[name], trial.verdicts[name]
    if wanted.shape != got.shape:
        return False
    if verdict.is_right:
        return True
    far = np.abs(got - wanted) / (30 * trial.sigmas[name] + np.abs(got) / 99)
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    far = np.where(same, 0, np.nan_to_num(far, nan=np.inf))
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


def _factors(wrong: list[Trial]) -> Iterator[str]:
    """Say by which factor a result is off, or that it is cut off."""
    trial = max(wrong, key=lambda t: (not t.probe, _n_wrong(t)))
    for name, verdict in trial.verdicts.items():
        if verdict.is_right:
            continue
        what = f"The {name}".replace("d_", "gradient of the ")
        rows = verdict.rows > 1
        rows |= ~rows.any()
        got, right = trial.answer.results[name][rows], trial.wanted[name][rows]
        with np.errstate(all="ignore"):
            factor = (got * right).sum() / (right**2).sum()
            rest = ((got - factor * right) ** 2).sum() / (got**2).sum()
            step = step_of(right, trial.rules.formats.output)
            gap = (np.abs(right) - np.abs(got)) / step
            less = middle_of(gap[np.abs(gap) < 2])  # steps, not more
            few = (np.abs(gap) < 2).mean() < 0.9
        at = f"({trial.case.name}, {rows.sum()} of {rows.size} rows)"
        if rest**0.5 < 0.2 * abs(factor - 1):
            yield f"{what} is {factor:.6g} times what it should be {at}."
        elif 0.35 < less < 0.65 and not few:
            format = trial.rules.formats.output
            yield f"{what} is cut off, not rounded, to {format} {at}."


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
        if not t.probe
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
