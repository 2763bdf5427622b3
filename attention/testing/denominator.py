"""Rows that are right but for their sum: what it holds too often."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.errors import judge
from attention.testing.probes import Facts, Rule, block, said, up
from attention.testing.readers import ends_of
from attention.testing.report import Finding
from attention.testing.trials import Trial

Array = NDArray[Any]
SIGMAS = 5  # how far a measured sum may be off by chance
SURE = 0.2  # a count is known if it may be off by so little
UNKNOWN = 0.5  # and may be anything if it may be off by so much
PARTS = range(2, 33)  # of which some may begin behind the last key
ENOUGH = 10  # rows with a count, before anything is said


class Excess(NamedTuple):
    """By how much each row's sum is too large, where 1 is the right sum."""

    trial: Trial
    of: Array  # (batch, heads, n_q)
    error: Array  # how far that may be off by chance


class Count(NamedTuple):
    """How often each row's sum holds something that it should not."""

    trial: Trial
    times: Array  # whole numbers, (batch, heads, n_q)
    sure: Array  # of bool


def sums(trials: list[Trial]) -> Iterator[Finding]:
    """Say what the denominator holds too often, if that is all."""
    measured = [_excess(trial) for trial in trials]
    some = [one for one in measured if one]
    for logarithm, say in ((_of_one, _ones), (_of_sink, _sinks)):
        counts = [c for one in some if (c := _count(one, logarithm(one)))]
        n_sure = sum(int((c.sure & (c.times != 0)).sum()) for c in counts)
        if len(counts) == len(measured) and n_sure >= ENOUGH:
            yield say(counts)
            return


def _excess(trial: Trial) -> Excess | None:
    """Measure sums, if each row is the right one times a number."""
    got, right = trial.answer.results["output"], trial.wanted["output"]
    sigma, margin = trial.sigmas["output"], trial.rules.formats.margin
    size = np.square(right).sum(-1)
    some = (size > 0) & np.isfinite(got).all(-1)
    size = np.where(some, size, 1)
    factor = np.where(some, (got * right).sum(-1) / size, 1)
    c, free = factor[..., None], np.ones(factor.shape)
    fit = judge(got, c * right, sigma * np.maximum(c, 1), free, margin)
    if not fit.is_right or (factor <= 0).any():
        return None
    error = SIGMAS * np.sqrt(np.square(sigma).sum(-1) / size) / factor**2
    return Excess(trial, 1 / factor - 1, np.where(some, error, np.inf))


def _of_one(one: Excess) -> Array:
    return np.zeros(1)


def _of_sink(one: Excess) -> Array | None:
    sink = one.trial.right.sink()
    return None if sink is None else sink[..., 0]


def _count(one: Excess, logarithm: Array | None) -> Count | None:
    """Measure in units of a number, if each row has a whole number of them."""
    if logarithm is None:
        return None
    total = one.trial.right.exact.logsumexp
    size = np.exp(np.minimum(total - logarithm, 700))  # more would overflow
    n, off = one.of * size, one.error * size
    times = np.rint(np.nan_to_num(n, posinf=0, neginf=0))
    whole = ~(off <= UNKNOWN) | (np.abs(n - times) <= off)
    sure = off < SURE
    is_count = whole.all() and (times[sure] >= 0).all()
    return Count(one.trial, times, sure) if is_count else None


def _by_keys(counts: list[Count]) -> dict[int, set[int]]:
    """Return the counts that are sure, by the number of keys."""
    found: dict[int, set[int]] = {}
    for trial, times, sure in counts:
        if sure.any():
            some = found.setdefault(trial.right.n_keys, set())
            some.update(times[sure].astype(int).tolist())
    return dict(sorted(found.items()))


def _listed(by_keys: dict[int, set[int]], more: int = 0) -> str:
    """Write the largest count of each number of keys."""
    most: dict[int, int] = {}
    for n_keys, counts in by_keys.items():
        most.setdefault(max(counts), n_keys)
    return ", ".join(
        f"{n + more} times at {n_keys} keys"
        for n, n_keys in sorted(most.items())
        if n
    )


def _sinks(counts: list[Count]) -> Finding:
    """Write how often the sink is counted."""
    by_keys = _by_keys(counts)
    alike = ", in all rows alike" * all(len(n) == 1 for n in by_keys.values())
    return Finding(
        f"The denominator holds the sink too often{alike}: "
        f"{_listed(by_keys, 1)}, as where each part of the keys adds it.",
        "sink-counted-again",
    )


def _ones(counts: list[Count]) -> Finding:
    """Write how often exp(0) is counted, and what has as many."""
    by_keys, why = _by_keys(counts), ""
    m = block(lambda m: all(n == {-k % m} for k, n in by_keys.items()))
    if m:
        why = f": as many as fill the last block of {m} keys"
    elif p := block(
        lambda p: all(_is_behind(c, partial(_empty, p)) for c in counts)
    ):
        why = (
            f": once for each of {p} parts that begins behind the last key, "
            "as if the log-sum-exp of a part without keys were 0, not minus "
            "infinity"
        )
    elif all(map(_is_of_parts, counts)):
        why = (
            ": once for each part of the keys in which its row sees none, as "
            "if the log-sum-exp of such a part were 0, not minus infinity"
        )
    else:
        rule = said("behind", counts, _is_behind)
        why = f". {rule[:-1]}" * bool(rule)
    listed = _listed(by_keys)
    if any(len(n) > 1 for n in by_keys.values()):
        most = max(max(n) for n in by_keys.values())
        at = next(k for k, n in by_keys.items() if most in n)
        listed = f"up to {most} times, at {at} keys"
    return Finding(
        f"The denominator holds exp(0), that is 1, too often, {listed}{why}.",
        "ones-in-denominator",
    )


def _is_behind(count: Count, rule: Rule) -> bool:
    """Say whether a row's count is that of slots behind the last key.

    Where a row ends with its own position, these may be hidden.
    """
    a, ends = count.trial.right, ends_of(count.trial)
    n = rule({"L": ends, "N": a.n_keys}).reshape(-1, 1, 1) + 0 * count.times
    hidden = a.n_queries > 1 and a.ends()[1] is not None
    same = (n == count.times) | (hidden & (count.times == 0))
    return bool(same[count.sure].all())


def _empty(p: int, facts: Facts) -> Any:
    """Return how many of p parts of one size begin behind the last key."""
    return p - up(facts["L"], up(facts["N"], p))


def _is_of_parts(count: Count) -> bool:
    """Say whether a row's count is that of parts in which it sees no key."""
    n_keys = count.trial.right.n_keys
    for m in range(1, n_keys + 1):
        starts = np.arange(0, n_keys, m)
        seen = np.add.reduceat(count.trial.sees, starts, axis=-1)
        blind = (seen == 0).sum(-1)
        for p in (starts.size, *(p for p in PARTS if up(n_keys, p) == m)):
            if (blind + p - starts.size == count.times)[count.sure].all():
                return True
    return False
