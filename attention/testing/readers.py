"""Who reads which values: their features, heads, sequences and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.cases import loudness
from attention.testing.places import run
from attention.testing.probes import (
    FEW_KEYS,
    LARGEST,
    Facts,
    Rule,
    facts,
    fits,
    rules,
    said,
    up,
)
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import NoNumbersError, Trial
from attention.testing.weights import NEEDED, fewest_bits

Array = NDArray[Any]
HEADS, KEYS = 1, 2  # axes of values
CASES = 9  # in which each key is read by itself
NOISE, NOISES = 1e-4, 4  # between weights that are alike: own, of a format
MOST_ROWS = 8  # whose weights are compared
MOSTLY = 0.9  # of them are alike; the others are sums of two
MOST_SIZES = 3  # of blocks and parts that are tried in all cases
MOST_RULES = 5  # that are said
CALLS = 20  # for the keys of one case
OTHER_ENTRIES = 9  # by which a table's rows are longer than three times
PARTS = 16  # of the keys, at most


def features(trials: list[Trial]) -> Iterator[Finding]:
    """Write the number of each feature of the values in bits, bit by bit."""
    trial = next((t for t in trials if t.right.n_keys > 1), trials[0])
    value = trial.case.value
    number = np.arange(value.shape[-1]) + 1
    held = np.zeros_like(number)
    for bit in range(number.size.bit_length()):
        bits = np.broadcast_to(number >> bit & 1, value.shape)
        held += trial.heard(bits).any(axis=(0, 1, 2)).astype(int) << bit
    if sorted(held) != number.tolist() or (held == number).all():
        return
    f = int(np.argmax(held != number))
    yield Finding(
        f"Feature {f} of the output is feature {held[f] - 1} of the values; "
        f"features 0 to 3 are {_listed(held[:4] - 1)}.",
        "features-exchanged",
    )


def _listed(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def shares(trial: Trial, axis: int, partly: bool = False) -> Array:
    """Return what each row takes from each head, or key, of each sequence.

    As (batch, heads, n_q, batch, number of heads or of keys): one after the
    other is loud in a feature of its own.
    """
    shape = trial.case.value.shape
    sources, parts = (shape[0], shape[axis]), []
    n = shape[0] * shape[axis]
    for some in np.array_split(np.arange(n), up(n, shape[-1])):
        loud = np.zeros((n, shape[-1]))
        loud[some, np.arange(some.size)] = loudness(trial.case.format)
        loud = np.expand_dims(loud.reshape(*sources, -1), 3 - axis)
        hear = trial.heard_if_finite if partly else trial.heard
        heard = hear(np.broadcast_to(loud, shape))
        parts.append(heard[..., : some.size] / loudness(trial.case.format))
    found = np.concatenate(parts, axis=-1)
    return found.reshape(*found.shape[:3], *sources)


def foreign(trials: list[Trial]) -> Iterator[Finding]:
    """Say which head or sequence is read in the place of another."""
    few = [t for t in trials if t.right.n_keys < FEW_KEYS]
    own, across = list[tuple[Trial, Array]](), list[Trial]()
    for trial in few:
        with suppress(NoNumbersError):  # where some rows are nan
            read = (shares(trial, HEADS, True) != 0).any(axis=2)
            b = np.arange(len(read))
            if _is_finite(trial):
                own.append((trial, read[b, :, b].any(axis=0)))
            read[b, :, b] = False
            across += [trial] if read.any() else []
    if across:
        yield from _sequences(across)
    elif len(own) >= len(few) / 2:
        yield from _heads(own)


def _is_finite(trial: Trial) -> bool:
    return bool(np.isfinite(trial.answer.results["output"]).all())


# --- heads -------------------------------------------------------------------


def _heads(read: list[tuple[Trial, Array]]) -> Iterator[Finding]:
    """Say which heads are read, if not the right ones, and by which rule."""
    strange = [(t, r) for t, r in read if not _is_own(t, r)]
    if not strange:
        return
    trial, of = strange[0]
    own = trial.right.heads()
    several = of.sum(axis=1) != 1
    if several.any():
        h = int(of.sum(axis=1).argmax())
        yield Finding(
            f"Head {h} reads values of {run('head', np.flatnonzero(of[h]))} "
            f"of keys, not of {own[h]} alone ({trial.case.name}).",
            "heads-mixed",
        )
        return
    one = of.argmax(axis=1)
    h = int(np.argmax(one != own))
    yield Finding(
        f"Head {h} reads {_what(read)} of head {one[h]} of keys, not "
        f"{own[h]}; heads 0 to {own.size - 1} read {_listed(one)} "
        f"({trial.case.name}){_rule(read)}.",
        "keys-of-another-head",
    )


def _is_own(trial: Trial, of: Array) -> bool:
    """Say whether each head reads its own head of keys, and no other."""
    others = np.arange(of.shape[1]) != trial.right.heads()[:, None]
    return not (of & others).any()


def _what(read: list[tuple[Trial, Array]]) -> str:
    """Say whether keys are those of the other head as well."""

    def taken(trial: Trial, of: Array, *names: str) -> bool:
        heads = of.argmax(axis=1)
        arrays = {name: getattr(trial.case, name)[:, heads] for name in names}
        return fits(trial, {n: lambda a, x, n=n: arrays[n] for n in names})

    if all(taken(t, of, "key", "value") for t, of in read):
        return "keys and values"
    if all(taken(t, of, "value") for t, of in read):
        return "values, not keys,"
    return "values"


def _rule(read: list[tuple[Trial, Array]]) -> str:
    """Say by which rule of probes.toml heads are read."""
    rule = said(
        "heads",
        read,
        lambda one, rule: np.array_equal(
            one[1].argmax(axis=1),
            np.ravel(rule(facts(one[0].right, 1))),
        ),
    )
    group = facts(read[0][0].right, 1)["g"]
    return rule and f": head {rule}, where it should be h // {group}"


# --- sequences and keys ------------------------------------------------------


class Keys(NamedTuple):
    """Which keys each sequence reads, and which it may not do without."""

    trial: Trial
    read: Array  # of bool, (sequence, sequence of the keys, key)
    needed: Array  # of bool, (sequence, key)
    missed: Array  # likewise: some row needs it, and does not read it
    is_weighed: bool  # whether rows have right weights, of whatever values


def _by_key(trials: list[Trial], partly: bool = False) -> Iterator[Keys]:
    """See which keys are read, in a few cases with few keys."""
    for trial in countable(t for t in trials if t.right.n_keys > 1):
        taken = shares(trial, KEYS, partly)
        read, right = taken != 0, trial.right.weights
        b, needs = np.arange(len(read)), right > NEEDED
        missed = needs & ~read[b, :, :, b]
        three = (read, needs, missed)
        read, needed, missed = (np.any(x, axis=(1, 2)) for x in three)
        is_weighed = _are_weights(taken, trial)
        yield Keys(trial, read, needed, missed, is_weighed)


def _are_weights(taken: Array, trial: Trial) -> bool:
    """Say whether what rows take of values are their right weights."""
    right = trial.right.weights
    rows = np.linspace(0, right.shape[2] - 1, MOST_ROWS).astype(int)
    taken = taken.reshape(*right.shape[:3], -1)[:, :, rows]
    gap = np.abs(taken[..., None] - right[:, :, rows, None])
    most = NOISE + NOISES * 2.0 ** -fewest_bits(trial.rules.formats)
    same = (gap.min(axis=-1) <= most * taken)[taken > NEEDED]
    return bool(same.mean() > MOSTLY) if same.size else False


def countable(trials: Iterable[Trial]) -> list[Trial]:
    """Return a few cases with few keys, wrong ones first."""
    few = [t for t in trials if _n_calls(t) <= CALLS]
    few.sort(key=lambda t: (not t.is_wrong, t.right.batch * t.right.n_keys))
    return few[:CASES]


def _n_calls(trial: Trial) -> int:
    """Return how many calls show who reads which keys."""
    return int(up(trial.right.batch * trial.right.n_keys, trial.right.d_v))


def _sequences(trials: list[Trial]) -> Iterator[Finding]:
    """Say which keys of other sequences are read, and the rule for them."""
    keys = list(_by_key(trials, partly=True))
    shown = next(filter(None, map(_strangers, keys)), "")
    if shown:
        also = (
            " Other rows are nan or infinite, as where slots are read that "
            "hold no key: a row of the block table may be longer than the "
            "kernel takes it for."
        ) * (not all(map(_is_finite, trials)))
        rule = said("sequences", keys, lambda one, rule: rule(_packed(one)))
        yield Finding(
            f"{shown}{': ' * bool(rule)}{rule}.{also}",
            "keys-of-another-sequence",
        )


def _strangers(keys: Keys) -> str:
    """Say what the first sequence that reads another's keys reads."""
    for b, of in enumerate(keys.read):
        others = [o for o in range(len(of)) if o != b and of[o].any()]
        if not others:
            continue
        what = "value" if keys.is_weighed else "key"
        parts = " and ".join(
            f"{run(what, np.flatnonzero(of[o]))} of sequence {o}"
            for o in others
        )
        lost = np.flatnonzero(keys.needed[b] & ~of[b])
        also = "all that it may see of its own too"
        also = f"not its own {run(what, lost)}" if lost.size else also
        if keys.is_weighed:
            also += ": the weights are right, so values alone come from there"
        name = keys.trial.case.name
        return f"Sequence {b} reads {parts}, and {also} ({name})"
    return ""


def _packed(keys: Keys) -> Facts:
    """Say where keys lie in a batch that is packed without padding."""
    trial, read, needed = keys[:3]
    b, n_keys = np.arange(len(read)), trial.right.n_keys
    lengths = n_keys - needed[:, ::-1].argmax(axis=1)
    packed = np.concatenate([read[:, o, : lengths[o]] for o in b], axis=1)

    def begins(of: Array, key: Array) -> bool:
        """Say whether these keys are read in the place of the first."""
        others = (of != b) | (key > 0)
        at = read[b, of, np.minimum(key, n_keys - 1)]
        first = (read[b, b, 0] & others).any()
        return bool(at.all() and others.any() and not first)

    return {
        **{"b": b, "n": trial.right.n_queries, "L": lengths},
        "lost": needed & ~read[b, b],
        "start": np.cumsum(lengths) - lengths,
        "first": packed.argmax(axis=1),
        "end": packed.shape[1] - packed[:, ::-1].argmax(axis=1),
        **{"begins": begins, "table": partial(_in_table, read, lengths)},
        "N": n_keys,
        "k": np.arange(n_keys),
        "own": needed,
    }


def _in_table(read: Array, ends: Array, at: Array, by: int, m: int) -> bool:
    """Say whether pages are those of a table of some width, from at on.

    What stands in entries that hold no page is not known.
    """
    used = up(ends, m)
    return any(
        _of_width(read, ends, at + by * np.arange(len(at)) * width, width, m)
        for width in range(used.max(), 3 * used.max() + OTHER_ENTRIES)
    )


def _of_width(read: Array, ends: Array, at: Array, width: int, m: int) -> bool:
    """Say the same of one width, if some page is another, and known."""
    used = up(ends, m)
    n_others = n_unknown = 0
    for b, start in enumerate(at):
        if not read[b].any():
            continue  # its rows are nan
        left, unknown = read[b].copy(), 0
        for page in range(used[b]):
            row, entry = divmod(int(start) + page, width)
            n = min(m, int(ends[b]) - page * m)
            if not 0 <= row < len(used) or entry >= used[row]:
                unknown += n
                continue
            some = slice(entry * m, min(entry * m + n, int(ends[row])))
            if not read[b, row, some].all():
                return False
            left[row, some] = False
            n_others += (row, entry) != (b, page)
        if left.sum() > unknown:
            return False
        n_unknown += unknown
    return bool(n_others or not n_unknown)


# --- keys that nobody reads --------------------------------------------------


def unread(trials: list[Trial]) -> Iterator[Finding]:
    """Say which keys are never read."""
    text = never_read(trials)
    if text:
        yield Finding(f"{text[0].upper()}{text[1:]}.", "keys-never-read")


class Lost(NamedTuple):
    """How many keys at the end of each sequence no row reads."""

    trial: Trial
    n: Array
    ends: Array  # the last key that a row of it may see, and one
    is_sure: Array  # whether that last key has a weight that would show


def never_read(trials: list[Trial]) -> str:
    """Say which keys at the end no row reads, if that is all that is lost."""
    lost = list[Lost]()
    for trial, read, needed, missed, _ in _by_key(trials):
        ends, n = ends_of(trial), missed.sum(axis=1)
        for b, some in enumerate(missed):
            if (
                not some[ends[b] - n[b] : ends[b]].all()
                or (some & read[b, b]).any()
            ):
                return ""
        sure = needed[np.arange(len(ends)), ends - 1]
        lost.append(Lost(trial, n, ends, sure))
    numbers = {int(n) for one in lost for n in one.n[one.is_sure]}
    keeps_some = any(((one.n > 0) & (one.n < one.ends)).any() for one in lost)
    if not any(numbers) or not keeps_some:
        return ""
    if numbers == {1}:
        return "the last key, the last query's own, is never read"
    listed = ", ".join(
        dict.fromkeys(
            f"{n} of {one.trial.right.n_keys}"
            for one in lost
            for n in one.n[one.is_sure & (one.n > 0)]
        )
    )
    for what, change in LOSES.items():
        found = sorted(_lost_by(lost, trials, change), key=lambda x: x[0])
        if found:
            why = ", or ".join(says for _, says in found[:MOST_RULES])
            return f"{what} ({listed}), as where {why}"
    return f"the last keys are never read ({listed})"


def ends_of(trial: Trial) -> Array:
    """Return the number of keys of each sequence up to the last one seen."""
    seen = np.asarray(trial.sees.any(axis=(1, 2)))
    last = trial.right.n_keys - seen[:, ::-1].argmax(axis=1)
    return np.where(seen.any(axis=1), last, 0)


def _stale(a: Steps, x: Array, read: Array, m: int) -> Array:
    """Put values of the block before into those that are not read."""
    keys = a.keys[:, None]
    keys = np.where(keys < read, keys, np.maximum(keys - m, 0))
    return np.take_along_axis(x, keys, axis=2)


LOSES: dict[str, tuple[str, Callable[..., Array]]] = {
    "the last keys are never read": (
        "allowed",
        lambda a, x, read, m: x & (a.keys < read.swapaxes(-1, -2)),
    ),
    "the values of the last keys are never read, and those of the block "
    "before stand in their place": ("value", _stale),
    "the values of the last keys are never read, and count as zero, although "
    "the keys have their weights": (
        "value",
        lambda a, x, read, m: x * (a.keys[:, None] < read),
    ),
}


def _lost_by(
    lost: list[Lost],
    trials: list[Trial],
    change: tuple[str, Callable[..., Array]],
) -> Iterator[tuple[bool, str]]:
    """Give the rules of probes.toml by which keys may be lost in a way.

    And whether the size of its blocks is odd: no power of two.
    """
    step, lose = change
    known: dict[bytes, bool] = {}
    ends = {t.case: ends_of(t) for t in trials}
    is_one_size = len({t.right.n_keys for t in trials}) == 1
    for says, rule in rules("lost").items():
        if is_one_size and "{p}" in says:
            continue  # too many would fit
        reads = {t.case: _read(t.right, ends[t.case], rule) for t in trials}
        some = _sizes_that_fit(lost, reads)
        for first in some[:MOST_SIZES]:

            def changed(
                a: Steps, x: Array, at: Any = first, reads: Any = reads
            ) -> Array:
                read = reads[a.case][at].reshape(-1, 1, 1, 1)
                return lose(a, x, read, at[0] + 2)

            these = [read[first] for read in reads.values()]
            key = np.concatenate(these).tobytes() + bytes([first[0]])
            if key not in known:
                known[key] = all(
                    fits(t, {step: changed})
                    if (reads[t.case][first] < ends[t.case]).any()
                    else "output" not in t.wrong
                    for t in trials
                )
            if known[key]:
                text = _with_sizes(says, first, some, [*reads.values()])
                yield from [(_is_odd(*first), text)] if text else []
                break


def _sizes_that_fit(lost: list[Lost], reads: dict[Any, Array]) -> list[Any]:
    """Return where in tables of sizes as many keys are lost as are."""
    fit: Any = True
    for one in lost:
        right = one.ends - reads[one.trial.case] == one.n
        fit = fit & (right | ~one.is_sure).all(axis=-1)
    return sorted(
        zip(*np.nonzero(fit), strict=True),
        key=lambda at: (_is_odd(*at), at[1]),
    )


def _with_sizes(
    says: str, first: Any, some: list[Any], reads: list[Array]
) -> str:
    """Write all sizes that lose the same keys; nothing if they are many."""
    same = [at for at in some if all((x[at] == x[first]).all() for x in reads)]
    if "{p}" in says and "{m}" in says:  # their product is sure
        most = max(_twos(*at) for at in same)
        same = [at for at in same if _twos(*at) == most]
    if len(same) > MOST_SIZES and "{p}" in says:
        return ""
    m, p = (dict.fromkeys(n + 2 for n in x) for x in zip(*same, strict=True))
    return says.format(m=_or(m), p=_or(p))


def _is_odd(m: int, p: int) -> bool:
    """Say whether blocks of such a number in the tables are no power of 2."""
    return bool((m + 2) & (m + 1))


def _twos(m: int, p: int) -> int:
    """Return the largest power of 2 in the size of such a block."""
    return int((m + 2) & -(m + 2))


def _or(numbers: Iterable[int]) -> str:
    return " or ".join(map(str, numbers))


def _read(a: Steps, ends: Array, rule: Rule) -> Array:
    """Return how many keys a sequence reads, by sizes: (m, p, batch)."""
    m, p = np.ix_(np.arange(2, LARGEST + 1), np.arange(2, PARTS + 1))
    last = a.offset().ravel() + a.n_queries + 0 * ends
    left, right = a.window() or (0, 0)
    known = {"N": a.n_keys, "n": a.n_queries, "L": ends, "E": last}
    known |= {"W": (left or 0) + (right or 0) + 1}
    read = rule({**known, "m": m[..., None], "p": p[..., None]})
    return np.asarray(np.clip(read + np.zeros((1, 1, ends.size)), 0, ends))
