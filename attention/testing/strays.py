"""Numbers that nobody gave, and slots that are read behind the last key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.errors import PRECISION
from attention.testing.places import run
from attention.testing.probes import (
    FEW_KEYS,
    LARGEST,
    block,
    blocks_said,
    rules,
)
from attention.testing.readers import (
    KEYS,
    countable,
    ends_of,
    never_read,
    shares,
)
from attention.testing.report import Finding
from attention.testing.trials import Trial

Array = NDArray[Any]
OTHERS = 6  # cases that are called before the one that may show their numbers
SHORTER = (96, 80, 72, 68, 66)  # 64 more than a power of 2: tell tiles apart
EACH_KIND = 7  # cases, wrong or right, whose slots are counted
WHOLE = 0.25  # how far a count may be from a whole number
SEEN = 0.01  # of a row's weight, before anything is said of it


def stale(trials: list[Trial]) -> Iterator[Finding]:
    """Let other calls go before, and look for their numbers."""
    trial = trials[0]
    threes, fives = (_after(trials, number) for number in (3.0, 5.0))
    differs = (threes != fives).any(axis=-1)
    left = ((threes == 3) & (fives == 5)).any(axis=-1)
    empty = ~trial.sees.any(axis=-1)
    if not differs.any() or (differs & ~empty & ~left).any():
        return
    which = "Rows" if (differs & ~empty).any() else "Rows that may see no key"
    what = "differ from call to call"
    if left[differs].all():
        what = "hold numbers that an earlier call left there"
    yield Finding(
        f"{which} are not written: they {what} ({trial.case.name}).",
        "rows-not-written",
    )


def _after(trials: list[Trial], number: float) -> Array:
    """Call for the first case, after others whose values are one number."""
    for other in trials[:OTHERS]:
        other.again(value=np.full_like(other.case.value, number))
    return trials[0].output()


def given(trials: list[Trial]) -> Iterator[Finding]:
    """Give values of zero alone: what comes back is not the caller's."""
    few = [t for t in trials if t.right.n_keys < FEW_KEYS]
    tried = [x for trial in few for x in _shortened(trial)]
    strange: dict[int, bool] = {}
    for trial in tried:
        n, hears = trial.right.n_keys, bool(trial.silent.any())
        strange[n] = strange.get(n, False) or hears
    if not any(strange.values()):
        return
    at = max(
        tried, key=lambda t: np.abs(t.silent).max() * (t.right.n_keys > 1)
    )
    lost = never_read(trials)
    what = "Numbers that nobody gave"
    if lost:
        what = f"{lost[0].upper()}{lost[1:]}, and in its place {what.lower()}"
    yield Finding(
        f"{what} take part{_where(strange)}: {_share(at)}with all values zero "
        f"the output is up to {np.abs(at.silent).max():.2g} "
        f"({at.case.name}, {at.right.n_keys} keys).",
        "numbers-not-given",
    )


def _where(strange: dict[int, bool]) -> str:
    """Say which numbers of keys are strange: those that leave a block open."""
    m = block(lambda m: all(bool(n % m) == s for n, s in strange.items()))
    if not m or all(strange.values()):
        return ""
    return (
        f" where n_k is not a multiple of {m}, as unused slots of a page, or "
        f"of a block of {m} keys, that are not hidden"
    )


def _share(trial: Trial) -> str:
    """Say how much weight is missing from values of one."""
    share = 1 - trial.heard(np.ones_like(trial.case.value)).min()
    if share <= SEEN:
        return ""
    return f"up to {share:.2g} of a row's weight is theirs, and "


def _shortened(trial: Trial) -> list[Trial]:
    """Give fewer and fewer keys as well, in the plainest case."""
    case, n = trial.case, trial.right.n_keys
    is_plain = n == trial.right.n_queries == 128
    if not is_plain or case.options.keys() & {"mask", "bias"}:
        return [trial]
    return [trial] + [
        trial.rules.tried(
            trial.kernel,
            replace(
                case,
                query=case.query[:, :, :some],
                key=case.key[:, :, :some],
                value=case.value[:, :, :some],
            ),
        )
        for some in SHORTER
    ]


# --- slots behind the last key -----------------------------------------------


class Slots(NamedTuple):
    """What each sequence reads beside the keys that it should read."""

    trial: Trial
    n: Array  # slots of each sequence; inf if they hold no numbers
    keys: Array  # how often it reads (sequence, key) too often
    strays: Array  # how many of the slots hold what nobody gave


class _UnlikeError(Exception):
    """Rows differ in what they read too much, or do not read all keys."""


def behind(trials: list[Trial]) -> Iterator[Finding]:
    """Say which slots behind the last key are read.

    With queries of zero all that is read has the same weight, so that it can
    be counted.
    """
    if "bias" in trials[0].case.options:
        return  # that weighs them otherwise
    try:
        found = [one for t in _both(trials) if (one := _counted(t))]
    except _UnlikeError:
        return
    found.sort(key=lambda one: -one.trial.right.n_keys)
    told = (one for one in found if (np.isfinite(one.n) & (one.n > 0)).any())
    shown = next(told, None)
    if shown is None:
        return
    for says, rule in rules("behind").items():
        some = range(2, LARGEST + 1) if "m" in rule.args[0].co_names else (0,)
        sizes = [m for m in some if all(_fits(one, rule, m) for one in found)]
        if sizes and not _is_other(found, sizes):
            where = says.format(m=blocks_said(sizes))
            also = " Where such a slot holds nan, so does the output." * any(
                np.isinf(one.n).any() for one in found
            )
            says = f"{where} {_holds(shown)}{also}"
            yield Finding(says, "slots-beyond-length")
            return


def _both(trials: list[Trial]) -> Iterator[Trial]:
    """Give a few cases of each kind, wrong and right."""
    for is_wrong in (True, False):
        some = (t for t in trials if t.is_wrong == is_wrong)
        yield from countable(some)[:EACH_KIND]


def _counted(trial: Trial) -> Slots | None:
    """Count what is read too much; None if rounding may hide a slot."""
    zero = replace(trial.case, query=np.zeros_like(trial.case.query))
    flat = replace(trial, case=zero, right=trial.rules.steps(zero))
    b, sees = np.arange(trial.right.batch), trial.sees
    known = np.isfinite(flat.hushed).all(axis=-1)
    some, strange = sees.any(axis=-1) & known, sees.any(axis=-1) & ~known
    read = shares(flat, KEYS, partly=True)
    own = read[b, :, :, b]
    if (sees & (own <= 0))[some].any():
        raise _UnlikeError
    ends = ends_of(trial)[:, None, None, None]
    if ((own > 0) & ~sees & (trial.right.keys < ends))[some].any():
        raise _UnlikeError  # what is hidden elsewhere
    unit = np.where(sees, own, np.inf).min(axis=-1, initial=1)
    times = read / np.where(some, unit, np.inf)[..., None, None]
    keys = np.rint(times)
    total = keys.sum(axis=(-2, -1))
    strays = _strays(flat, total)
    if np.abs(times - keys).max() > WHOLE or (
        np.abs(strays - np.rint(strays))[some].max(initial=0) > WHOLE
    ):
        raise _UnlikeError
    bits = PRECISION[trial.rules.formats.weights][0]
    if total.max() > WHOLE * 2**bits:
        return None
    keys[b, :, :, b] -= sees
    n = keys.sum(axis=(-2, -1)) + np.rint(strays)
    n = np.where(some, n, np.where(strange, np.inf, np.nan))
    one = n[:, :1, -1:]  # the last row of the first head
    if not ((n == one) | np.isnan(n)).all():
        raise _UnlikeError
    if trial.right.n_queries > 1 and trial.right.ends()[1] is not None:
        one = np.where(one == 0, np.nan, one)  # hidden behind its position
    if trial.right.n_keys == 1:  # which has all weight, once or twice
        one = np.where(one == 0, np.nan, one)
    last = keys[:, 0, -1], np.rint(strays)[:, 0, -1]
    return Slots(trial, one[:, 0, 0], *last)


def _strays(flat: Trial, total: Array) -> Array:
    """Count what nobody gave, by the weight that is missing."""
    value = flat.case.value
    loud = 1 + np.arange(value.shape[-1]) % 64 / 64  # to round otherwise
    heard = flat.heard_if_finite(np.broadcast_to(loud, value.shape))
    share = (heard / loud).mean(axis=-1)
    sink = flat.right.sink()
    also = 0 if sink is None else np.exp(sink[..., 0])
    some = share > 0
    count = total / np.where(some, share, 1) - total - also
    return np.asarray(np.where(some, count, 0))


def _fits(one: Slots, rule: Any, m: int) -> bool:
    """Say whether a rule tells how many slots each sequence reads."""
    n = rule({"L": ends_of(one.trial), "m": m}) + 0 * one.n
    odd = np.isinf(one.n) & (n > 0)
    return bool((odd | np.isnan(one.n) | (one.n == n)).all())


def _own(one: Slots) -> Array:
    """Return how often each sequence reads its own keys too often."""
    b = np.arange(len(one.n))
    return np.asarray(one.keys[b, b])


def _is_other(found: list[Slots], sizes: list[int]) -> bool:
    """Say whether keys that are read again may have another cause.

    As where the first key, or the last, counts twice, or the last block is
    moved back to be full.
    """
    places, moved = set[tuple[int, int]](), set[int]()
    for one in found:
        if one.strays.any() or (one.keys.sum((1, 2)) > _own(one).sum(1)).any():
            return False
        for end, own in zip(ends_of(one.trial), _own(one), strict=True):
            again = np.flatnonzero(own)
            places |= {(int(k), int(end - k)) for k in again}
            moved |= {
                m for m in sizes
                if m and again.size > 1 and again[0] == end - m
                and again[-1] == end // m * m - 1
            }  # fmt: skip
    first, last = ({at[i] for at in places} for i in (0, 1))
    return bool(moved) or (
        bool(places) and 1 in (len(first), len(last)) and 0 in sizes
    )


def _holds(one: Slots) -> str:
    """Say what stands in the slots of the first sequence that reads some."""
    b = int((np.isfinite(one.n) & (one.n > 0)).argmax())
    end = ends_of(one.trial)[b]
    parts = [
        f"{run('key', np.flatnonzero(keys))} of sequence {o}"
        + " again" * bool(o == b and not keys[end:].any())
        for o, keys in enumerate(one.keys[b])
        if keys.any()
    ]
    if one.strays[b]:
        parts.append("what nobody gave")
    number = "it holds" if one.n[b] == 1 else f"the {one.n[b]:.0f} slots hold"
    return (
        f"Behind key {end - 1}, the last of sequence {b}, {number} "
        f"{' and '.join(parts)} ({one.trial.case.name})."
    )
