"""Right results in other places, and rows that take another row's inputs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.errors import judge
from attention.testing.places import run
from attention.testing.probes import Rule, facts, fits, said
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Trial
from attention.testing.weights import NEEDED, recover, recoverable

Array = NDArray[Any]
PLACES = {"rows": "row i of head h", "features": "feature f"}
MOST_ROWS = 24  # that may see no key, of a case, whose numbers are looked for
SURE = 0.2  # from a whole number: how far a measured one may be
MOST_CASES = 3  # whose weights are recovered
MOST_RUNS = 3  # of keys, that are listed
NEAR = 10  # expected errors between numbers that are alike


def moved(trials: list[Trial]) -> Iterator[Finding]:
    """Say whether right rows, or right features, stand in other places."""
    for name in trials[0].rules.names:
        if not any(name in t.wrong for t in trials):
            continue
        for group, what in PLACES.items():
            place = said(group, trials, partial(_stands, name, group))
            if place:
                yield Finding(
                    f"The {name} is right, but stands in other places: "
                    f"{what} holds what should be in {place}.",
                    f"{group}-exchanged",
                )


def _stands(name: str, group: str, trial: Trial, rule: Rule) -> bool:
    """Say whether each number is that of the place to which a rule points."""
    got, right = trial.answer.results[name], trial.wanted[name]
    place = rule(facts(trial.right, got.shape[-1]))
    index = (..., place) if group == "features" else place
    wanted, sigma = right[index], trial.sigmas[name][index]
    free, margin = np.ones(got.shape[:-1]), trial.rules.formats.margin
    return judge(got, wanted, sigma, free, margin).is_right


def left(trials: list[Trial]) -> Iterator[Finding]:
    """Say whether rows that may see no key hold what other rows should."""
    says = ""
    for trial in [t for t in trials if t.is_wrong]:
        bad = trial.verdicts["output"].rows > 1
        if (bad & trial.sees.any(axis=-1)).any() or not bad.any():
            return
        got, right = trial.answer.results["output"], trial.wanted["output"]
        sigma = trial.sigmas["output"]
        for row in map(tuple, np.argwhere(bad)[:MOST_ROWS]):
            same = np.abs(right - got[row]) <= NEAR * sigma
            found = np.argwhere(same.all(axis=-1) & right.any(axis=-1))
            if not found.size:
                return
            says = says or (
                f"{_row(row)} holds what {_row(found[0])} should hold "
                f"({trial.case.name})"
            )
    if says:
        yield Finding(
            "Rows that may see no key are not zeros, but hold numbers of "
            f"others: {says}, as where nothing is written for them and a "
            "buffer still holds another tile.",
            "rows-not-written",
        )


def _row(place: Any) -> str:
    b, h, i = place
    return f"row {i} of sequence {b}, head {h},"


def taken(trials: list[Trial]) -> Iterator[Finding]:
    """Say whether rows take the query, the bias or the mask of other rows."""
    options = trials[0].case.options
    for name in ("query", "bias", "mask"):
        if name != "query" and name not in options:
            continue
        row = said("inputs", trials, partial(_takes, name))
        if row:
            says = f"Row i of head h takes the {name} of row {row}."
            yield Finding(says, f"{name}-of-another-row")
            return
    if options.keys().isdisjoint({"is_causal", "window"}):
        return
    position = said("positions", trials, _is_at)
    if position:
        says = "Row i of head h is masked as if its position were"
        yield Finding(f"{says} {position}.", "position-of-another-row")


def met(trials: list[Trial]) -> Iterator[Finding]:
    """Say whether right weights meet the values of other keys."""
    some = [t for t in recoverable(trials) if _has_rows(t)][:MOST_CASES]
    values = [_values_met(trial) for trial in some]
    if not values or any(one is None for one in values):
        return
    own, other = some[0].right.keys, np.asarray(values[0])
    gap = np.where(other < 0, -own.size, other - own)
    starts = np.flatnonzero(np.diff(gap, prepend=0))
    runs = [
        f"that of {run('key', keys)} the value of {run('key', other[keys])}"
        if other[keys[0]] >= 0
        else f"that of {run('key', keys)} none"
        for keys in np.split(own, starts)
        if keys.size and other[keys[0]] != keys[0]
    ]
    more = ", ..." * (len(runs) > MOST_RUNS)
    yield Finding(
        "Weights are right, but meet the values of other keys: "
        f"{', '.join(runs[:MOST_RUNS])}{more} ({some[0].case.name}, "
        f"{own.size} keys).",
        "values-of-other-keys",
    )


def _has_rows(trial: Trial) -> bool:
    """Say whether there are enough rows to solve for all keys."""
    return bool(trial.right.weights[..., 0].size >= 2 * trial.right.n_keys)


def _values_met(trial: Trial) -> Array | None:
    """Say which value each key's weight meets, or -1; None if several."""
    found = recover(trial)
    if found is None or not np.isfinite(found.weights).all():
        return None
    right = trial.right.weights.reshape(-1, trial.right.n_keys)
    got = found.weights.reshape(right.shape)
    matrix = np.linalg.lstsq(right, got, rcond=None)[0]
    known = right.max(axis=0) > NEEDED
    matrix[~known] = np.eye(len(matrix))[~known]
    whole = np.round(matrix)
    count = whole.sum(axis=1)
    if np.abs(matrix - whole).max() > SURE or (whole < 0).any():
        return None
    if count.max() > 1 or not count.any():
        return None
    values = np.where(count, whole.argmax(axis=1), -1)
    return None if (values == trial.right.keys).all() else values


def _takes(name: str, trial: Trial, rule: Rule) -> bool:
    """Say whether each row takes an input of the row that a rule says."""

    def change(a: Steps, x: Array) -> Array:
        full = np.broadcast_to(x, (*a.exact.weights.shape[:3], x.shape[-1]))
        return np.asarray(full[rule(facts(a, 1))])

    return fits(trial, {name: change})


def _is_at(trial: Trial, rule: Rule) -> bool:
    """Say whether each row is masked as if it had the position of a rule."""

    def change(a: Steps, x: Array) -> Array:
        place = np.broadcast_to(rule(facts(a, 1)), a.exact.weights.shape[:3])
        return np.asarray(place[..., None])

    return fits(trial, {"positions": change})
