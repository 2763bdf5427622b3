"""Which rows hold no numbers, or zeros: the rule of probes.toml that fits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.probes import LARGEST, Facts, Rule, facts, rules
from attention.testing.report import Finding
from attention.testing.trials import Trial

Array = NDArray[Any]

MOST = 4  # sizes that are listed


class Rows:
    """Rows of a case: those that are bad, and what rules speak of."""

    def __init__(self, trial: Trial, bad: Array, is_zero: bool):
        self.trial, self.bad = trial, bad
        some = trial.answer.results["output"].any(axis=-1)
        self.others = ~bad & some if is_zero else ~bad

    @cached_property
    def facts(self) -> Facts:
        """Return what rules speak of."""
        a = self.trial.right
        sees, scores, known = a.allowed(), a.hidden, facts(a, a.d_v)
        some = sees.any(axis=-1)

        def blocks(m: int) -> Array:
            starts = np.arange(0, a.n_keys, m)
            return ~np.logical_or.reduceat(sees, starts, axis=-1)

        return {
            **known,
            "p": known["i"] + known["o"],
            "first": np.where(some, sees.argmax(axis=-1), np.inf),
            "count": sees.sum(axis=-1),
            "seen": some.any(axis=(1, 2), keepdims=True),
            "top": scores.max(axis=-1),
            "lse": a.exact.logsumexp,
            "blind": lambda m: blocks(m).any(axis=-1),
            "last": lambda m: blocks(m)[..., -1],
        }

    def bounds(self, rule: Rule, m: int) -> tuple[float, float]:
        """Return the least quantity of bad rows, the largest of others."""
        some = rule({**self.facts, "m": m})
        some = np.broadcast_to(some, self.bad.shape).astype(float)
        least = some[self.bad].min(initial=np.inf)
        return float(least), float(some[self.others].max(initial=-np.inf))


def numbers(trials: list[Trial]) -> Iterator[Finding]:
    """Say which rows are nan, infinite or zero, and where that always is.

    It has a name if a rule tells these rows, and all others are right.
    """
    plain = [t for t in trials if not t.probe and "output" in t.verdicts]
    plain.sort(key=lambda t: (not t.is_wrong, t.right.weights.size))
    for kind in (_odd, _zero):
        some = [Rows(t, kind(t), kind is _zero) for t in plain]
        first = next((one for one in some if one.bad.any()), None)
        if first is None:
            continue
        case, got = first.trial.case, first.trial.answer.results["output"]
        b, h, i = (int(n) for n in np.argwhere(first.bad)[0])
        what = "zero" if kind is _zero else "infinite"
        what = "nan" if np.isnan(got[b, h, i]).any() else what
        at = f"row {i} of sequence {b}, head {h}"
        beside = "beside those that should be, " * (kind is _zero)
        where = _where(some)
        if where:
            is_all = not any(
                (one.trial.verdicts["output"].rows > 1)[~one.bad].any()
                for one in some
            )
            yield Finding(
                f"The output is {what} in {where}. Exactly these are {what}, "
                f"{beside}in each of {len(some)} cases, as {at} "
                f"({case.name}).",
                "rows-without-numbers" * (is_all and kind is _odd),
            )
        elif kind is _odd:
            yield Finding(
                f"The output is {what} in {first.bad.sum()} of "
                f"{first.bad.size} rows, first in {at} ({case.name})."
            )
        return


def _odd(trial: Trial) -> Array:
    got = trial.answer.results["output"]
    return np.asarray(~np.isfinite(got).all(axis=-1))


def _zero(trial: Trial) -> Array:
    got, wanted = trial.answer.results["output"], trial.wanted["output"]
    return np.asarray(~got.any(axis=-1) & wanted.any(axis=-1))


def _where(some: list[Rows]) -> str:
    """Return the first rule that tells the bad rows from all others."""
    if all(one.bad.all() for one in some):
        return ""
    for says, rule in rules("numbers").items():
        has_size = "m" in rule.args[0].co_names
        sizes = range(2, LARGEST + 1) if has_size else (0,)
        fit = {m: told for m in sizes if (told := _told(some, rule, m))}
        if not fit:
            continue
        most, least = next(iter(fit.values()))
        keys = f"{most + 1:g} to {least:g}"
        if most + 1 == least:
            keys = f"{least:g}"
        return says.format(
            **{"low": f"{least:.6g}", "high": f"{-least:.6g}", "keys": keys},
            m=" or ".join(map(str, [*fit][:MOST]))
            + " or more" * bool([*fit][MOST:]),
        )
    return ""


def _told(some: list[Rows], rule: Rule, m: int) -> tuple[float, float] | None:
    """Return what is too little for a bad row, and enough, if it tells."""
    least, most = np.inf, -np.inf
    for one in some:
        low, high = one.bounds(rule, m)
        least, most = min(least, low), max(most, high)
        if least <= most:
            return None
    return most, least
