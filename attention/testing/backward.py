"""Which known mistakes explain wrong gradients.

Each result is compared by itself, and what explains most of them comes first:
factors, then mistakes that fit everywhere, roundings, and what fits in some
cases alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing import mistakes, parts
from attention.testing.errors import PRECISION, judge
from attention.testing.factors import factor_of, rms
from attention.testing.mistakes import Mistake
from attention.testing.places import Spots, place
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Trial, telling

Array = NDArray[Any]
Wrong = dict[str, list[Trial]]  # by result
Errors = dict[tuple[int, str, str], float | None]  # by mistake, case, result
_LEFT = 0.03  # of what is wrong a mistake may leave unexplained
_BETTER = 0.7  # of what is wrong: with more left, it is another mistake
_LUCK = 1.2  # of what is allowed, once more for the mistake's own rounding
_BETTER_ROUNDED = 0.8  # of an error: the same, where something is rounded
_NEAR = 1.5  # times the least error: as good, but for luck
_NEAR_ROUNDED = 1.03  # the same, where something is rounded
_CLEAR = 2  # of what is allowed: with less, any mistake may be behind it
_GROSS = 99  # of what is allowed: no rounding of something small
_STRANGE = 1e-3  # of a result: a mistake that moves it so much would show
_FIRST = 3  # wrong cases in which that is looked for
_SMALL = 0.2  # of a result: more is no rounding
_FAR = 50  # expected errors: a right result is not so far from a mistake
_SAID = 20.0  # the most that an error counts when mistakes are compared
_NONE = 1e-12  # of a result: a mistake that moves it so little changes nothing
_NOTHING = 10  # expected errors: a result within them says little
_FAINT = 1e-6  # of an expected error: rows that should be zero may have it
_HUGE = 1e30  # a number that may overflow on the way in float32
_ROUNDINGS = 24  # how many are tried in one more case
_BUDGET = 6e8  # how many numbers all mistakes may cost in a case, if any miss
_LARGE = 5e4  # numbers of a case: what it spares is not looked for
_FEW = 2500  # numbers of a case that hardly tells mistakes apart


def named(trials: list[Trial]) -> Iterator[Finding]:
    """Say what is wrong with gradients: the plainest cause first."""
    plain = [t for t in trials if t.is_plain]
    plain = plain if any(t.is_wrong for t in plain) else trials
    plain.sort(key=_size)
    wrong: Wrong = {}
    for name in plain[0].rules.names:
        some = [t for t in plain if not t.verdicts[name].is_right]
        wrong |= {name: some} if some else {}
    with np.errstate(all="ignore"):
        found = list(_factors(plain, wrong))
        every, errors = list(mistakes.of(telling(plain))), Errors()
        for search in _SEARCHES:
            found += _mistakes(plain, wrong, search, every, errors)
        found += parts.begins(plain, wrong)
        found += parts.read(wrong)
    yield from found


def _size(trial: Trial) -> int:
    """Return how many numbers a mistake costs in a case."""
    results = [x.size for x in trial.wanted.values()]
    return max(trial.right.weights.size, *results)


def _all(names: Any) -> str:
    """Write names of results."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else str(last)


# --- constant factors --------------------------------------------------------

_READ = {  # a formula: what it says, and a name
    "-1": ("the sign is wrong", "sign-wrong"),
    "1 / scale": ("the scale is missing", "scale-missing"),
    "scale": ("the scale is applied twice", "scale-twice"),
    "log₂ e": ("the factor for powers of 2 is left in", "log2-left"),
    "1 / log₂ e": ("it is ln 2, of powers of 2", "ln2-left"),
    "1 / groups": ("a mean over the query heads that share a head of keys,"
                   " not a sum", "group-averaged"),
    "1 / (scale √d_k)": ("the scale is 1/√d_k, not the scale asked for",
                         "scale-ignored"),
}  # fmt: skip
_READ_UNSCALED = _READ | {  # of gradients that the scale does not act on
    "scale": ("the scale does not act on it", "scale-applied"),
    "1 / scale": ("the scale does not act on it", "scale-applied"),
}


def _factors(trials: list[Trial], wrong: Wrong) -> Iterator[Finding]:
    """Say which results are off by a factor, and what number it is."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for name in wrong:
        if factor := factor_of(trials, name):
            scaled = name in ("d_query", "d_key")
            read = _READ if scaled else _READ_UNSCALED
            says, slug = read.get(factor.formula, ("", "constant-factor"))
            found.setdefault((str(factor), says, slug), []).append(name)
    for (figure, says, slug), names in found.items():
        are, they = ("are", "they") if names[1:] else ("is", "it")
        says = f": {says}" * bool(says)
        yield Finding(
            f"{_all(names)} {are} {figure} times what {they} should be{says}.",
            slug + _suffix(names),
        )
        for name in names:
            wrong.pop(name)


def _suffix(names: list[str]) -> str:
    """Write results as the end of a name; all that a group shares is none."""
    if names == ["d_key", "d_value"]:
        return ""
    both = "both" if names == ["d_query", "d_key"] else "-and-".join(names)
    return f"-in-{both}".replace("d_", "")


# --- known mistakes ----------------------------------------------------------


class Search(NamedTuple):
    """Which mistakes are looked for, and what they may leave open."""

    rounds: bool = False
    misses: int = 0  # how many wrong cases a mistake may leave unexplained
    spares: bool = False  # whether a case may be right all the same


_SEARCHES = (Search(), Search(rounds=True), Search(misses=3, spares=True))


class Fit(NamedTuple):
    """How a mistake fits one result, in the cases so far."""

    error: float = 0.0
    missed: tuple[str, ...] = ()  # wrong, and not by this mistake
    spared: tuple[str, ...] = ()  # right, although not by this mistake


class Candidate(NamedTuple):
    """A mistake, and the results that it fits."""

    mistake: Mistake
    fits: dict[str, Fit]

    def cases(self, *kinds: str) -> list[str]:
        """Return the cases that are missed, or spared, in any result."""
        every = [getattr(f, k) for f in self.fits.values() for k in kinds]
        return list(dict.fromkeys(case for cases in every for case in cases))

    @property
    def error(self) -> float:
        """Add the errors of all results up."""
        return sum(fit.error for fit in self.fits.values())


def _mistakes(
    trials: list[Trial],
    wrong: Wrong,
    search: Search,
    every: list[Mistake],
    errors: Errors,
) -> Iterator[Finding]:
    """Name the mistakes that explain most results, until none is left."""
    left = _left(trials, wrong, search, every, errors) if wrong else []
    while left:
        best = _best(left, trials, search)
        same = [x.mistake for x in left if _is_same(x, best)]
        yield _said(best, wrong, trials, same)
        for name in best.fits:
            wrong.pop(name)
        left = [
            Candidate(
                mistake, {n: fit for n, fit in fits.items() if n in wrong}
            )
            for mistake, fits in left
        ]
        left = [one for one in left if one.fits]


def _left(
    trials: list[Trial],
    wrong: Wrong,
    search: Search,
    every: list[Mistake],
    errors: Errors,
) -> list[Candidate]:
    """Compare mistakes with case after case, and keep those that fit."""
    names = [n for n in wrong if not search.rounds or _is_near(wrong[n], n)]
    fits = {name: Fit() for name in names}
    left = [
        Candidate(mistake, fits)
        for mistake in every
        if fits and mistake.rounds == search.rounds
    ]
    trials = sorted(trials, key=lambda t: (not t.is_wrong, _size(t) < _FEW))
    half = {name: (len(some) - 1) // 2 for name, some in wrong.items()}
    for index, trial in enumerate(trials):
        if search.misses and len(left) * _size(trial) > _BUDGET:
            return []
        costly = search.rounds or (search.spares and _size(trial) > _LARGE)
        if costly and not trial.is_wrong:
            continue
        most = min(search.misses, (1 + index) // 2)
        may_miss = {name: min(most, n) for name, n in half.items()}
        left = [
            _compared(one, trial, may_miss, search, errors) for one in left
        ]
        left = [one for one in left if one.fits]
        if search.rounds:
            left = sorted(left, key=_closeness)[:_ROUNDINGS]
    return left


def _closeness(one: Candidate) -> tuple[int, float]:
    return -len(one.fits), one.error


def _is_near(some: list[Trial], name: str) -> bool:
    """Say whether a result is nearly right, as if rounded, in most cases."""
    off = [
        rms(t.answer.results[name] - t.wanted[name])
        < _SMALL * rms(t.wanted[name])
        for t in some
    ]
    return bool(sum(off) > len(off) / 2)


def _compared(
    one: Candidate,
    trial: Trial,
    may_miss: dict[str, int],
    search: Search,
    errors: Errors,
) -> Candidate:
    """Compare with one more case."""
    found = {}
    try:
        steps: Steps | None = None
        for name, fit in one.fits.items():
            key = id(one.mistake), trial.case.name, name
            if key not in errors:
                steps = steps or trial.rules.steps(
                    trial.case, one.mistake.changes
                )
                errors[key] = _error(one.mistake, trial, steps, name)
            error = errors[key]
            right = name not in trial.wrong
            if error is not None:
                found[name] = fit._replace(error=fit.error + error)
            elif right and search.spares:
                spared = *fit.spared, trial.case.name
                found[name] = fit._replace(spared=spared)
            elif not right and len(fit.missed) < may_miss[name]:
                missed = *fit.missed, trial.case.name
                found[name] = fit._replace(missed=missed)
    except mistakes.UNFIT:
        return Candidate(one.mistake, {})
    return Candidate(one.mistake, found)


def _error(
    one: Mistake, trial: Trial, steps: Steps, name: str
) -> float | None:
    """Return how far a mistake is from a result; None if it is another."""
    got, right = trial.answer.results[name], trial.wanted[name]
    verdict, is_right = trial.verdicts[name], name not in trial.wrong
    if one.rounds and is_right:
        return 0.0  # rounding need not show
    wanted = _wanted(steps, name, got)
    moved = rms(wanted - right)
    sigma, free, margin = trial.rules.expected(trial.right)[name]
    size, spread, off = trial.right.once(
        f"sizes of {name}",
        lambda: (rms(right), rms(sigma), _gap(got, right)),
    )
    if moved <= _NONE * size:
        return 0.0 if is_right else None
    gap = 0.0
    if is_right:
        if not moved < _FAR * spread:
            return None
    else:
        gap = _gap(got, wanted)
        if gap == np.inf or (gap > _BETTER * off and verdict.figure > _CLEAR):
            return 1.0 if _says_nothing(trial, name) else None
    sigma = np.hypot(sigma, _rounding(wanted - right, trial))
    sigma += _FAINT * rms(sigma)
    fit = judge(got, wanted, sigma, free, margin)
    if one.rounds:
        is_better = fit.whole < _BETTER_ROUNDED * verdict.whole
        return fit.whole if is_better else None
    if is_right:
        return 0.0 if fit.figure <= _LUCK else None
    if fit.figure <= 1:
        return fit.whole
    return min(fit.whole, _SAID) if gap < _LEFT * off else None


def _wanted(steps: Steps, name: str, got: Array) -> Array:
    """Return the result of a mistake, which may overflow as the kernel's."""
    wanted = np.broadcast_to(getattr(steps, name)(), got.shape)
    if np.isfinite(got).all():
        return wanted
    overflows = (np.abs(wanted) > _HUGE) & ~np.isfinite(got)
    return np.where(overflows, got, wanted)


def _rounding(gap: Array, trial: Trial) -> Array:
    """Return how far rounding moves what a mistake adds to each row."""
    step = 2.0 ** (1 - PRECISION[trial.rules.formats.weights][0])
    size = np.sqrt(np.square(gap).mean(axis=-1, keepdims=True))
    return np.asarray(np.nan_to_num(step * size, posinf=0))


def _gap(one: Array, other: Array) -> float:
    """Return how far two results are apart; infinite if one is no number."""
    gap = rms(one - other)
    if not np.isfinite(gap):
        both = np.isnan(one) & np.isnan(other)
        gap = rms(np.where((one == other) | both, 0, one - other))
    return float(np.nan_to_num(gap, nan=np.inf))


def _says_nothing(trial: Trial, name: str) -> bool:
    """Say whether a result should be zero, and little else is there."""
    least = _NOTHING * rms(trial.sigmas[name])
    small = rms(trial.answer.results[name]) < least
    return bool(
        rms(trial.wanted[name]) < least
        and (trial.verdicts[name].figure < _GROSS or small)
    )


def _best(
    left: list[Candidate], trials: list[Trial], search: Search
) -> Candidate:
    """Choose what fits most results in most cases, and the first of those."""

    def left_open(one: Candidate) -> tuple[int, int, int]:
        missed, spared = one.cases("missed"), one.cases("spared")
        return -len(one.fits), len(missed), len(spared)

    fewest = min(map(left_open, left))
    best = [one for one in left if left_open(one) == fewest]
    least = min(one.error for one in best)
    near = _NEAR_ROUNDED * least if search.rounds else _NEAR * least + 1
    best = [one for one in best if one.error <= near]
    return min(best, key=lambda one: _is_strange(one, trials))


def _is_same(one: Candidate, best: Candidate) -> bool:
    """Say whether mistakes of one name cannot be told apart."""
    return (
        one.mistake.name == best.mistake.name
        and one.fits.keys() == best.fits.keys()
        and one.cases("missed", "spared") == best.cases("missed", "spared")
        and abs(one.error - best.error) < 1e-6 * best.error + 1e-9
    )


def _is_strange(one: Candidate, trials: list[Trial]) -> bool:
    """Say whether a right result should be wrong by a mistake."""
    for trial in [t for t in trials if t.is_wrong][:_FIRST]:
        steps = trial.rules.steps(trial.case, one.mistake.changes)
        for name in set(trial.rules.names) - set(one.fits):
            wanted, right = getattr(steps, name)(), trial.wanted[name]
            if trial.verdicts[name].is_right and not np.allclose(
                wanted, right, rtol=_STRANGE, atol=_STRANGE * rms(right)
            ):
                return True
    return False


def _said(
    one: Candidate, wrong: Wrong, trials: list[Trial], same: list[Mistake]
) -> Finding:
    """Say a mistake, which results it explains, and in which cases."""
    others = [name for name in wrong if name not in one.fits]
    mistake = one.mistake
    if [*one.fits] == ["d_query"]:
        mistake = mistake.alone_in_query
        same = [other.alone_in_query for other in same]
    text = mistake.of_sizes(same)
    if others:
        text += f" It explains {_all(one.fits)}, not {_all(others)}."
    elif _is_strange(one, trials):
        text += f" Seen in {_all(one.fits)} alone."
    if missed := one.cases("missed"):
        cases = " and ".join(map(repr, missed))
        text += f" Not all of {cases} is explained by it."
    if spared := one.cases("spared"):
        some = [t for n in one.fits for t in wrong[n]]
        text += _place(trials, some, spared)
    return Finding(text, mistake.name)


def _place(trials: list[Trial], wrong: list[Trial], spared: list[str]) -> str:
    """Say where a mistake is, if some cases that it would change are right."""
    yes, no = np.ones((1, 1, 1), bool), np.zeros((1, 1, 1), bool)
    names = dict.fromkeys(t.case.name for t in wrong)
    spots = [
        Spots(t.right, t.case.name, "", *(yes, no)[:: 1 if is_wrong else -1])
        for t in trials
        for is_wrong in [t.case.name in names]
        if is_wrong or t.case.name in spared
    ]
    text, exact = place(spots)
    return f" Only {text}." if exact else " Not everywhere."
