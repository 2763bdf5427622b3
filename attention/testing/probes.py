"""Probes: where the numbers of a wrong kernel come from.

A kernel is called again with changed inputs, and what it answers shows which
values, keys and rows its numbers hold, whatever the mistake is called. What
is said here holds in every number that it speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.calls import Kernel
from attention.testing.cases import FAR, loudness
from attention.testing.exchanged import (
    TILES,
    fits,
    moved,
    sums,
    table,
    taken,
    where,
)
from attention.testing.places import run
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Trial

Array = NDArray[Any]
Probe = Callable[[Kernel, list[Trial], list[Trial]], Iterator[Finding]]
CALLS = 90  # for the keys of one case


def probed(kernel: Kernel, trials: list[Trial], varies: bool) -> list[Finding]:
    """Say where numbers come from, by the first probe that shows it."""
    trials = [t for t in trials if not t.probe and t.case.name not in FAR]
    wrong = [t for t in trials if t.is_wrong]
    probes: tuple[Probe, ...] = (moved,)
    of_output = [
        t for t in wrong if "output" in t.verdicts
        and not t.verdicts["output"].is_right
    ]  # fmt: skip
    if of_output:
        probes = (
            _stale, moved, _features, _foreign, _given, taken, sums, _unread,
        )  # fmt: skip
        wrong = of_output
    for probe in probes[: 1 if varies else None] if wrong else ():
        with np.errstate(all="ignore"):
            found = list(probe(kernel, trials, wrong))
        if found:
            return found
    return []


def _output(kernel: Kernel, trial: Trial, **changes: Any) -> Array | None:
    """Call a kernel with a changed case; None if no numbers come back."""
    shapes = {name: x.shape for name, x in trial.answer.results.items()}
    case = replace(trial.case, **changes)
    found = kernel(case, shapes).results.get("output")
    return None if found is None or not np.isfinite(found).all() else found


# --- what an earlier call left -----------------------------------------------


def _stale(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Let other calls go before, and look for their numbers."""
    for trial in wrong:
        if trial.case.grad_output is not None:
            return
        before: Array | None = None
        for number in (3.0, 5.0):
            for other in trials[:6]:
                value = np.full_like(other.case.value, number)
                _output(kernel, other, value=value)
            got = _output(kernel, trial)
            if got is None:
                return
            if before is not None:
                moved = (got != before).any(axis=-1)
                back = ((got == 5) & (before == 3)).any(axis=-1)
                empty = np.broadcast_to(
                    trial.right.empty()[..., 0], moved.shape
                )
                if not moved.any() or (moved & ~empty & ~back).any():
                    return
                which = "Rows that may see no key"
                which = "Rows" if (moved & ~empty).any() else which
                what = "differ from call to call"
                if (back | ~moved).all():
                    what = "hold numbers that an earlier call left there"
                yield Finding(
                    f"{which} are not written: they {what} "
                    f"({trial.case.name}).",
                    "rows-not-written",
                )
                return
            before = got


def _features(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Write the number of each feature of the values in bits, bit by bit."""
    several = [t for t in wrong if t.right.n_keys > 1] or wrong
    trial = min(several, key=lambda t: t.right.weights.size)
    d = trial.case.value.shape[-1]
    held = np.zeros(d, int)
    zeros = np.zeros_like(trial.case.value)
    silent = _output(kernel, trial, value=zeros)
    for bit in range(d.bit_length()):
        is_set = (np.arange(d) + 1 >> bit & 1).astype(float)
        output = _output(kernel, trial, value=zeros + is_set)
        if output is None or silent is None:
            return
        heard = (output != silent).any(axis=(0, 1, 2))
        held += heard.astype(int) << bit
    if not held.all():
        return  # the rows read nothing
    f = int(np.argmax(held != np.arange(d) + 1))
    if held[f] != f + 1 and sorted(held) == [*range(1, d + 1)]:
        yield Finding(
            f"Feature {f} of the output is feature {held[f] - 1} of the "
            f"values; features 0 to 3 are {_listed(held[:4] - 1)}.",
            "features-exchanged",
        )
    elif held[f] != f + 1:
        yield Finding(f"Feature {f} of the output is not that of the values.")


def _listed(numbers: Any) -> str:
    return " ".join(map(str, numbers))


# --- other heads and sequences -----------------------------------------------


def _shares(kernel: Kernel, trial: Trial, of: str) -> Array | None:
    """Return what each row takes from each head, or each key, of a sequence.

    As (batch, heads, n_q, batch, number of heads or of keys).
    """
    b, heads, n, d = trial.case.value.shape
    loud, many = loudness(trial.case.format), heads if of == "heads" else n
    found = np.zeros((*trial.right.weights.shape[:3], b * many))
    silent = _output(kernel, trial, value=np.zeros((b, heads, n, d)))
    if silent is None:
        return None
    for some in np.array_split(np.arange(b * many), -(-b * many // d)):
        value = np.zeros((b, heads, n, d))
        for feature, source in enumerate(some):
            here = np.s_[:, :, None] if of == "heads" else np.s_[:, None, :]
            picked = np.zeros((b, many), bool)
            picked.flat[source] = True
            value[..., feature] = loud * picked[here]
        output = _output(kernel, trial, value=value)
        if output is None:
            return None
        heard = np.where(output == silent, 0, output / loud)
        found[..., some] = heard[..., : some.size]
    return found.reshape(*found.shape[:3], b, many)


def _foreign(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Say which head or sequence is read in the place of another."""
    heads: list[tuple[Trial, Array]] = []
    across: list[tuple[Trial, bool]] = []
    for trial in (t for t in trials if t.right.n_keys < 600):
        shares = _shares(kernel, trial, "heads")
        if shares is None:  # it answers nan
            continue
        read = (shares != 0).any(axis=2)
        b = np.arange(len(read))
        heads.append((trial, read[b, :, b].any(axis=0)))
        read[b, :, b] = False
        across.append((trial, bool(read.any())))
    if any(foreign for _, foreign in across):
        yield from _sequences(kernel, across)
        return
    if len(heads) < len(trials) / 2:
        return
    kv_heads = trials[0].case.key.shape[1]
    strange = [
        (t, read)
        for t, read in heads
        if (
            read & (np.arange(read.shape[1]) != t.right.heads()[:, None])
        ).any()
    ]
    if not strange:
        return
    trial, read = strange[0]
    own = trial.right.heads()
    h = int(np.argmax(read[np.arange(own.size), own] == 0))
    if (read.sum(axis=1) != 1).any():
        many = int(read.sum(axis=1).argmax())
        yield Finding(
            f"Head {many} reads values of "
            f"{run('head', np.flatnonzero(read[many]))} of keys, not of "
            f"{own[many]} alone ({trial.case.name}).",
            "heads-mixed",
        )
        return
    what = "values"
    for keys in (True, False):
        if all(fits(t, _headed(t, r.argmax(axis=1), keys)) for t, r in heads):
            what = "keys and values" if keys else "values, not keys,"
            break
    rule = ""
    for text, test in table("heads").items():
        pairs = [(r.argmax(axis=1), where(test, t.right, t.case.query.shape))
                 for t, r in heads]  # fmt: skip
        if all(np.array_equal(m, np.ravel(w)) for m, w in pairs):
            group = own.size // kv_heads
            rule = f": head {text}, where it should be h // {group}"
            break
    listed = _listed(read.argmax(axis=1))
    yield Finding(
        f"Head {h} reads {what} of head {read[h].argmax()} of keys, not "
        f"{own[h]}; heads 0 to {own.size - 1} read {listed} "
        f"({trial.case.name}){rule}.",
        "keys-of-another-head",
    )


def _headed(trial: Trial, heads: Array, keys: bool) -> Steps:
    """Read keys and values, or values alone, of such heads."""
    case = trial.case
    changes = {"value": lambda a, x: case.value[:, heads]}
    if keys:
        changes["key"] = lambda a, x: case.key[:, heads]
    return Steps(case, changes)


def _sequences(
    kernel: Kernel, across: list[tuple[Trial, bool]]
) -> Iterator[Finding]:
    """Say which keys of another sequence are read, and the rule for them."""
    few = sorted(
        (-(-t.case.value[:, 0, :, 0].size // t.case.value.shape[-1]), k)
        for k, (t, foreign) in enumerate(across)
        if foreign and t.right.n_keys > 1
    )
    shown, rules = "", list[set[str]]()
    for n_calls, k in few[:3]:
        trial = across[k][0]
        shares = _shares(kernel, trial, "keys") if n_calls <= CALLS else None
        if shares is None:
            continue
        read = np.asarray(
            (shares != 0).any(axis=(1, 2))
        )  # sequence, sequence, key
        needed = np.asarray((trial.right.weights > 1e-5).any(axis=(1, 2)))
        for b, of in enumerate(read):
            others = [o for o in range(len(read)) if o != b and of[o].any()]
            if not others or shown:
                continue
            parts = " and ".join(
                f"{run('key', np.flatnonzero(of[o]))} of sequence {o}"
                for o in others
            )
            lost = np.flatnonzero(needed[b] & ~of[b])
            also = "all that it may see of its own too"
            also = f"not its own {run('key', lost)}" if lost.size else also
            flat = np.sort(shares.reshape(*shares.shape[:3], -1))
            w = np.sort(trial.right.weights)
            same = np.allclose(flat[..., -w.shape[-1] :], w, 1e-2, 1e-4)
            what = "values, though its weights are right, of " * bool(same)
            shown = (
                f"Sequence {b} reads {what}{parts}, and {also} "
                f"({trial.case.name})"
            )
        rules.append(_packed(trial, read, needed))
    if not shown:
        return
    rule = min(set.intersection(*rules), default="")
    yield Finding(f"{shown}{rule}.", "keys-of-another-sequence")


def _packed(trial: Trial, read: Array, needed: Array) -> set[str]:
    """Say by which rules keys would lie so in a batch without padding."""
    n_k, n_q = trial.right.n_keys, trial.right.n_queries
    lengths = n_k - needed[:, ::-1].argmax(axis=1)
    starts = np.cumsum(lengths) - lengths
    packed = np.concatenate([of[:, :n] for of, n in zip(
        np.moveaxis(read, 1, 0), lengths, strict=True)], axis=1)  # fmt: skip
    first = packed.argmax(axis=1)
    end = packed.shape[1] - packed[:, ::-1].argmax(axis=1)
    b = np.arange(len(read))
    found = set()
    if (first == b * n_q).all():
        found.add(
            ": in the packed batch its keys begin at b * n_q, where its "
            "queries begin, not where its keys do"
        )
    for m in TILES:
        last = -(-lengths // m) * m + starts
        if (first == starts).all() and (
            end == np.minimum(last, end.max())
        ).all():
            found.add(
                f": the last block of {m} keys is read to its end, which is "
                "not cut off where the sequence ends"
            )
        lost = needed & ~read[b, b]
        for k in (2, 4):
            page = np.arange(n_k) // m % k
            if lost[:, page > 0].any() and not lost[:, page == 0].any():
                found.add(
                    f": of every {k} pages of {m} keys the first is right, as "
                    "if the others lay behind it in the pool, wherever the "
                    "block table says that they are"
                )
        row = b * (-(-lengths // m))
        stride = -(-lengths.max() // m)
        at = read[b, row // stride, np.minimum(row % stride * m, n_k - 1)]
        other = row != b * stride
        if at.all() and other.any() and not read[b, b, 0][other].any():
            found.add(
                ": its keys begin at b times its own number of pages, as if "
                "no row of the block table were longer"
            )
    return found


# --- what nobody gave, and what nobody reads ---------------------------------


def _given(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Give values of zero alone: what comes back is not the caller's."""
    strange, most, at = dict[int, bool](), 0.0, trials[0]
    for trial in (t for t in trials if t.right.n_keys < 600):
        for n in _lengths(trial):
            less = _cut(trial, n)
            got = _output(kernel, less, value=np.zeros_like(less.case.value))
            if got is None:
                return
            strange[n] = strange.get(n, False) or bool((got != 0).any())
            if np.abs(got).max() > most and n > 1:
                most, at = float(np.abs(got).max()), less
    if not any(strange.values()):
        return
    m = next((m for m in range(2, 129) if all(
        bool(n % m) == bad for n, bad in strange.items())), 0)  # fmt: skip
    m = 0 if all(strange.values()) else m
    some = (
        f" where n_k is not a multiple of {m}, as unused slots of a page, or "
        f"of a block of {m} keys, that are not hidden"
    ) * bool(m)
    zeros = np.zeros_like(at.case.value)
    one, none = (_output(kernel, at, value=zeros + x) for x in (1, 0))
    weight = ""
    if one is not None and none is not None:
        share = (1 - one + none).max()
        weight = f"up to {share:.2g} of a row's weight is theirs, and "
        weight *= bool(share > 0.01)
    text = (
        f"numbers that nobody gave take part{some}: {weight}with all values "
        f"zero the output is up to {most:.2g} ({at.case.name}, "
        f"{at.right.n_keys} keys)."
    )
    lost = _unread_of(kernel, trials)
    text = f"{lost}, and in its place {text}" if lost else text
    yield Finding(f"{text[0].upper()}{text[1:]}", "numbers-not-given")


def _lengths(trial: Trial) -> list[int]:
    """Return how many keys to give: all, and multiples of fewer and fewer."""
    n = trial.right.n_keys
    plain = n == trial.right.n_queries == 128
    asked = plain and trial.case.options.keys().isdisjoint({"mask", "bias"})
    return [n, *(64 + m for m in (32, 16, 8, 4, 2))] if asked else [n]


def _cut(trial: Trial, n: int) -> Trial:
    """Leave out what comes after so many queries and keys, if it is fewer."""
    case = trial.case
    if n == trial.right.n_keys:
        return trial
    q, k, v = (x[:, :, :n] for x in (case.query, case.key, case.value))
    some = replace(case, query=q, key=k, value=v)
    right = trial.rules.steps(some)
    got = {name: x[:, :, :n] for name, x in trial.answer.results.items()}
    answer = trial.answer._replace(results=got)
    return replace(trial, case=some, answer=answer, right=right)


def _unread_of(kernel: Kernel, trials: list[Trial]) -> str:
    """Say which keys at the end no row reads, if that is all that is lost."""
    lost: dict[tuple[int, int], int] = {}  # of n_k keys, of which some count
    small = [t for t in trials if t.right.n_keys > 1]
    small.sort(key=lambda t: (not t.is_wrong, t.case.value[:, 0, :, 0].size))
    for trial in small[:9]:
        n_k, d = trial.case.value.shape[-2:]
        shares = None
        if trial.case.value[:, 0, :, 0].size <= 20 * d:
            shares = _shares(kernel, trial, "keys")
        if shares is None:
            continue
        for b in range(len(shares)):
            read = shares[b, ..., b, :] != 0
            allowed = np.broadcast_to(
                trial.right.allowed(), trial.right.weights.shape
            )
            needed = trial.right.weights[b] > 1e-5
            gone = (needed & ~read).any(axis=(0, 1))
            last = n_k - int(allowed[b].any(axis=(0, 1))[::-1].argmax())
            n = int(gone.sum())
            at_end = gone[last - n : last].all()
            if (gone & read.any(axis=(0, 1))).any() or not at_end:
                return ""
            if needed[..., last - 1].any():
                lost[n_k, last] = n
        if len(lost) > 3 and not any(lost.values()):
            break
    if not any(lost.values()):
        return ""
    if set(lost.values()) == {1}:
        return "the last key, the last query's own, is never read"
    listed = ", ".join(
        dict.fromkeys(f"{n} of {k}" for (k, _), n in lost.items() if n)
    )
    for m in range(2, 129):
        if all(
            n == max(0, last - max(k - k % m, k < m))
            for (k, last), n in lost.items()
        ) and all(fits(t, _without_rest(t, m)) for t in trials):
            return (
                f"the last n_k % {m} keys are never read ({listed}), as where "
                f"n_k // {m} is the length of a part or the number of blocks"
            )
    return f"the last keys are never read: {listed}"


def _without_rest(trial: Trial, m: int) -> Steps:
    """Leave out the keys that m does not divide."""
    n = trial.right.n_keys
    changes = {"allowed": lambda a, x: x & (a.keys < max(n - n % m, n < m))}
    return Steps(trial.case, changes)


def _unread(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Say which keys are never read."""
    text = _unread_of(kernel, trials)
    if text:
        yield Finding(f"{text[0].upper()}{text[1:]}.", "keys-never-read")
