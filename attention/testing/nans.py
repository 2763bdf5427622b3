"""Which rows hold no numbers, or zeros: the rule of probes.toml that fits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.probes import (
    LARGEST,
    Facts,
    Rule,
    blocks_said,
    facts,
    rules,
    up,
)
from attention.testing.report import Finding
from attention.testing.trials import Trial

Array = NDArray[Any]

PARTS = 16  # of the keys, at most


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
        some, e = sees.any(axis=-1), np.exp(np.minimum(scores, 700))

        def blocks(m: int) -> Array:
            starts = np.arange(0, a.n_keys, m)
            return ~np.logical_or.reduceat(sees, starts, axis=-1)

        def sums(m: int) -> Array:
            starts = np.arange(0, a.n_keys, m)
            return np.asarray(np.add.reduceat(e, starts, -1).max(axis=-1))

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
            "block": sums,
            "part": lambda p: sums(up(a.n_keys, p)),
        }

    def bounds(self, rule: Rule, m: int) -> tuple[float, float]:
        """Return the least quantity of bad rows, the largest of others."""
        some = rule({**self.facts, "m": m, "p": m})
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
        name = "rows-without-numbers" * (kind is _odd)
        where = _where(some, "beyond")
        if where and not any(t.is_wrong for t in plain if t.is_plain):
            name = "sum-beyond-format"
        where = where or _where(some, "numbers")
        if where:
            is_all = not any(
                (one.trial.verdicts["output"].rows > 1)[~one.bad].any()
                for one in some
            )
            yield Finding(
                f"The output is {what} in {where}. Exactly these are {what}, "
                f"{beside}in each of {len(some)} cases, as {at} "
                f"({case.name}).",
                name * (is_all or name == "sum-beyond-format"),
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


def _where(some: list[Rows], group: str) -> str:
    """Return the first rule that tells the bad rows from all others."""
    if all(one.bad.all() for one in some):
        return ""
    for says, rule in rules(group).items():
        sizes = range(1)
        for letter, most_of in (("m", LARGEST), ("p", PARTS)):
            if letter in rule.args[0].co_names:
                sizes = range(2, most_of + 1)
        fit = {m: told for m in sizes if (told := _told(some, rule, m))}
        if not fit:
            continue
        most, least = next(iter(fit.values()))
        keys = f"{most + 1:g} to {least:g}"
        if most + 1 == least:
            keys = f"{least:g}"
        return says.format(
            **{"low": f"{least:.6g}", "high": f"{-least:.6g}", "keys": keys},
            **dict.fromkeys("mp", blocks_said([*fit])),
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
