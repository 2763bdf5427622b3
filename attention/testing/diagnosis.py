"""What a report says of a kernel that is wrong: the order of what is tried.

What is certain comes first: a known mistake that gives every number, then what
further calls show. Only if nothing is found are the weights recovered, and
read for causes; where no cause has a name, it is said where the kernel is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing import backward, names
from attention.testing.denominator import sums
from attention.testing.errors import formats, judge, step_of
from attention.testing.exchanged import left, met, moved, taken
from attention.testing.factors import factor_of
from attention.testing.mistakes import Mistake
from attention.testing.nans import numbers
from attention.testing.places import Spots, listed, place
from attention.testing.reach import bounds
from attention.testing.readers import features, foreign, unread
from attention.testing.regions import alone, beside
from attention.testing.report import Finding
from attention.testing.strays import behind, given, stale
from attention.testing.trials import NoNumbersError, Trial
from attention.testing.weights import (
    Recovered,
    example,
    hints,
    middle_of,
    recover,
    recoverable,
    sentences,
)

Array = NDArray[Any]
Probe = Callable[[list[Trial]], Iterator[Finding]]
InKeys = tuple[list[Mistake], list[Finding]]  # of some keys alone
PROBES: tuple[Probe, ...] = (  # what hides others, or looks like them, first
    stale, left, moved, bounds, features, sums, behind, foreign, given, taken,
    unread, met, names.of_parts,
)  # fmt: skip
BLIND = ("one key", "a constant per head")  # what is right there says little
TYPICAL = 1e-3  # of the error allowed: less comes of no such format
RECOVERED = 3  # cases whose weights are recovered, until they say something


def findings(trials: list[Trial]) -> list[Finding]:
    """Say what is wrong, the most telling first."""
    said = {t.answer.wrong.partition("(")[0]: t.answer.wrong for t in trials}
    found = [Finding(text) for text in said.values() if text]
    trials = sorted((t for t in trials if t.verdicts), key=_by_size)
    wrong = [t for t in trials if t.is_wrong]
    if not wrong:
        return found
    why = _causes(trials, wrong)
    if any(one.name for one in why):
        return [*why, *found]
    where = [*_where(trials)]
    if not why:  # where it is wrong says more than one weight
        why = [*beside(trials)] or [*map(Finding, _precision(trials, wrong))]
        why = why or _weights(wrong, hints)
        why += map(Finding, [one for one in where if " only " in one])
        why += _weights(wrong, example)
        where = [one for one in where if " only " not in one]
    why += map(Finding, _options(wrong))
    return [*why, *found, *map(Finding, [*_results(trials), *where])]


def _by_size(trial: Trial) -> tuple[bool, int]:
    """Put small cases first: most mistakes are excluded there, soon."""
    large = trial.right.n_keys > 100 and not trial.is_wrong
    return large, trial.right.weights.size


def _causes(trials: list[Trial], wrong: list[Trial]) -> list[Finding]:
    """Say why it is wrong: the first of these that says anything."""
    first = wrong[0]
    again = _unlike_before(first)
    if again:
        return _probed(trials, (stale,)) or again
    turned = _in_other_layout(wrong)
    if turned:
        return turned
    if first.case.grad_output is not None:
        return list(backward.named(trials))
    rows = [*numbers(trials)]  # that are nan, or zeros
    named, in_keys = _of_all(trials, rows)
    if named:
        sizes = {(t.right.n_queries, t.right.n_keys) for t in trials}
        if len(sizes) == 1 and named[0].name in names.LAST_KEYS:
            return _probed(trials, (unread,)) or named
        if named[0].name == "keys-twice":  # a slot may hold them again
            return _probed(trials, (behind,)) or named
        return named
    return (
        _probed(trials, PROBES)
        or [*_of_some(trials, *in_keys)]
        or rows
        or _weights(wrong)
    )


# --- called again ------------------------------------------------------------


def _unlike_before(trial: Trial) -> list[Finding]:
    """Call a wrong case once more."""
    case, again = trial.case, trial.again()
    for name, array in trial.answer.results.items():
        if not np.array_equal(again.get(name, 0), array, equal_nan=True):
            return [
                Finding(
                    "The kernel gives different results for the same arrays "
                    f"({case.name}, called twice).",
                    "not-deterministic",
                )
            ]
    return []


def _in_other_layout(wrong: list[Trial]) -> list[Finding]:
    """Exchange heads and tokens of a wrong case.

    It has as many queries as keys: else queries and keys would differ in
    heads, and a kernel that checks no bounds would read beyond its arrays.
    """
    square = [t for t in wrong if t.right.n_queries == t.right.n_keys]
    if not square:
        return []
    trial = square[0]
    kernel, case = trial.kernel, trial.case
    other = "bhnd" if kernel.layout == "bnhd" else "bnhd"
    turned = trial.rules.tried(kernel._replace(layout=other), case)
    if turned.is_wrong or not turned.verdicts:
        return []
    return [
        Finding(
            f'Heads and tokens are exchanged: with layout="{other}" the '
            f"kernel is right ({case.name}).",
            "layout-exchanged",
        )
    ]


def _probed(trials: list[Trial], probes: tuple[Probe, ...]) -> list[Finding]:
    """Say where numbers come from, by the first probe that shows it."""
    plain = [t for t in trials if t.is_plain]
    plain.sort(key=lambda t: ("output" not in t.wrong, not t.is_wrong))
    if not plain or not plain[0].is_wrong:
        return []
    if "output" not in plain[0].wrong:
        probes = (moved,)  # the others look at the output
    for probe in probes:
        with suppress(NoNumbersError), np.errstate(all="ignore"):
            found = list(probe(plain))
            if found:
                return found
    return []


# --- known mistakes ----------------------------------------------------------


def _of_all(
    trials: list[Trial], rows: list[Finding]
) -> tuple[list[Finding], InKeys]:
    """Name the mistake behind all results, and those of some keys alone."""
    trials = names.plain(trials)
    every = trials[0].rules.names
    found = names.exact(trials, every)
    if not found and any(one.name for one in rows):
        return rows, ([], [])
    limited, shown = ([], []) if found else alone(trials)
    found = found or (names.exact(trials, every, limited) if limited else None)
    found = found or names.exact(trials, every, names.odd(trials))
    return [found] if found else [], (limited, shown)


def _of_some(
    trials: list[Trial], limited: list[Mistake], shown: list[Finding]
) -> Iterator[Finding]:
    """Name the mistakes behind each result, or behind some rows."""
    trials = names.plain(trials)
    every = trials[0].rules.names
    each = [*_of_each(trials)]
    yield from each
    if each:
        return
    found = names.partial(trials, every)
    if limited and not (found and _is_sharp(found)):
        found = names.partial(trials, every, limited) or found
    if not found or (shown and not _is_sharp(found)):
        yield from shown[:1]
    yield from [found] if found else []


def _of_each(trials: list[Trial]) -> Iterator[Finding]:
    """Name the mistakes behind each result by itself, and factors."""
    every = trials[0].rules.names
    wrong = [name for name in every if any(name in t.wrong for t in trials)]
    seen: dict[Finding, list[str]] = {}
    for name in wrong if len(every) > 1 else []:
        found = names.exact(trials, (name,))
        if found:
            seen.setdefault(found, []).append(name)
    for found, some in sorted(seen.items(), key=lambda x: -len(x[1])):
        others = [name for name in wrong if name not in some]
        where = f" Seen in {' and '.join(some)} alone."
        if others:
            where = f" It does not explain the {' and '.join(others)}."
        yield Finding(found.says + where, found.name, True)
        wrong = [name for name in wrong if name not in some]
    yield from map(Finding, _factors(trials, wrong))


def _is_sharp(finding: Finding) -> bool:
    """Say whether it is known in which rows a mistake is."""
    return not finding.says.endswith("everywhere.")


def _factors(trials: list[Trial], names: list[str]) -> Iterator[str]:
    """Say by which factor a result is off, or that it is cut off."""
    for name in names:
        wrong = [t for t in trials if not t.probe and name in t.wrong]
        factor = factor_of([t for t in trials if not t.probe], name)
        if factor:
            yield (
                f"The {name} is {factor} times what it should be "
                f"({wrong[0].case.name} and {len(wrong) - 1} other cases)."
            )
        elif wrong and all(_is_cut(t, name) for t in wrong):
            format = trials[0].rules.formats.output
            yield f"The {name} is cut off, not rounded, to {format}."


def _is_cut(trial: Trial, name: str) -> bool:
    """Say whether a result is cut off, not rounded."""
    rows = trial.verdicts[name].rows > 1
    rows |= ~rows.any()
    got, right = trial.answer.results[name][rows], trial.wanted[name][rows]
    with np.errstate(all="ignore"):
        step = step_of(right, trial.rules.formats.output)
        less = (np.abs(right) - np.abs(got)) / step
    near = middle_of(np.abs(less)) < 1
    return bool(near and 0.35 < middle_of(less) < 0.65)


# --- what can be said without a name -----------------------------------------


def _weights(
    wrong: list[Trial],
    said: Callable[[Recovered], Iterator[str]] = sentences,
) -> list[Finding]:
    """Recover the weights of a few wrong cases, and say what they show."""
    most = sorted(recoverable(wrong), key=_n_wrong)[::-1]
    for trial in most[:RECOVERED]:
        with np.errstate(all="ignore"):
            found = recover(trial)
            texts = [] if found is None else list(said(found))
        if texts:
            return [*map(Finding, texts)]
    return []


def _precision(trials: list[Trial], wrong: list[Trial]) -> Iterator[str]:
    """Say that results are as coarse as float32, or sums as they grow."""
    yield from _as_float32(trials)
    some = sorted(recoverable(wrong), key=lambda t: -t.figure)[:RECOVERED]
    with np.errstate(all="ignore"):
        if some and all(map(_is_summed_coarsely, some)):
            yield (
                "Each weight is right, but what they add up to is not: as "
                "where the running output is rounded each time that values "
                "are added to it, so that the error grows with the number of "
                f"keys ({some[0].case.name})."
            )


def _is_summed_coarsely(trial: Trial) -> bool:
    """Say whether an output is not that of its weights, which are right."""
    found = recover(trial)
    if found is None:
        return False
    summed, sigma = found.weights @ trial.right.values, trial.sigmas["output"]
    free, margin = trial.rules.expected(trial.right)["output"][1:]
    got, wanted = trial.answer.results["output"], trial.wanted["output"]
    own = judge(summed, wanted, 2 * sigma, free, margin)
    return (
        own.is_right
        and not judge(got, summed, 2 * sigma, free, margin).is_right
    )


def _as_float32(trials: list[Trial]) -> Iterator[str]:
    """Say whether a kernel of float64 is as exact as one of float32."""
    rules, plain = trials[0].rules, [t for t in trials if t.is_plain]
    if rules.formats.output != "float64":
        return
    single = rules._replace(formats=formats("float32", None, None))
    figures = []
    for trial in plain:
        right = single.steps(trial.case)
        verdicts = single.judge(trial.answer.results, right)
        figures += [verdicts[name].figure for name in trial.wrong]
    if figures and TYPICAL < np.median(figures) <= max(figures) <= 1:
        yield (
            "The errors are those of a kernel of float32, which would pass "
            f"(the largest is {max(figures):.2g} of what is allowed there): "
            "scores, weights or sums are held in float32 on the way."
        )


def _n_wrong(trial: Trial) -> int:
    return sum(int((one.rows > 1).sum()) for one in trial.verdicts.values())


def _options(wrong: list[Trial]) -> Iterator[str]:
    """Say without which option the kernel is right."""
    first = next((t for t in wrong if not t.probe), wrong[0])
    case, rules = first.case, first.rules
    for name in case.options:
        if name in ("offset", "enable_gqa") or f"d_{name}" in rules.names:
            continue
        fewer = {k: o for k, o in case.options.items() if k != name}
        if not fewer.keys() & {"is_causal", "window"}:
            fewer.pop("offset", None)
        trial = rules.tried(first.kernel, replace(case, options=fewer))
        if trial.verdicts and not trial.is_wrong:
            yield f"Without {name} it is right ({case.name})."


def _results(trials: list[Trial]) -> Iterator[str]:
    """Say which results are wrong, if others are right, or several wrong."""
    every = trials[0].rules.names
    bad = [name for name in every if any(name in t.wrong for t in trials)]
    good = [name for name in every if name not in bad]
    if good or len(bad) > 1:
        also = f"; right: {', '.join(good)}" * bool(good)
        yield f"Wrong: {', '.join(bad)}{also}."


def _where(trials: list[Trial]) -> Iterator[str]:
    """Say in which cases it is wrong, and in which rows."""
    bad = {name for t in trials for name in t.wrong}
    spots = [
        Spots(t.right, t.case.name, name, one.rows > 1, one.rows <= 1)
        for t in trials
        if not t.probe
        and (t.is_wrong or (t.right.n_keys > 1 and t.case.name not in BLIND))
        for name, one in t.verdicts.items()
        if name in bad
    ]
    if not any(one.wrong.any() for one in spots):
        return
    where, whole = place(spots)
    if where:
        yield f"It is wrong only {where}{', and always there' * whole}."
    cases = dict.fromkeys(t.case.name for t in trials)
    wrong = {t.case.name for t in trials if t.is_wrong}
    if len(wrong) <= len(cases) / 2:
        shown = ", ".join(repr(name) for name in cases if name in wrong)
        yield f"Only these cases are wrong: {shown}. {listed(spots)}".rstrip()
    elif not where and listed(spots):
        yield listed(spots)
