"""Right results in other places, and rows that take another row's inputs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.errors import judge
from attention.testing.probes import Rule, facts, fits, said
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Trial

Array = NDArray[Any]
PLACES = {"rows": "row i of head h", "features": "feature f"}


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
