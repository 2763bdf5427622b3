"""Mistakes in some of the keys alone: what is done there, and where that is.

Kernels read keys in several loops: a prefix and what is new, full tiles and
those on the diagonal, the last block. A mistake in one of them gives some
weights of a row and leaves the others right, beside one another. Which ones
is measured, with the recovered weights, for one mistake after another; what
these keys have in common is looked up in regions.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing import blocks, mistakes
from attention.testing.cases import table
from attention.testing.mistakes import Mistake
from attention.testing.places import run
from attention.testing.report import Finding
from attention.testing.sizes import OF_REGIONS, parts_said
from attention.testing.steps import REACH, SCORES, Steps
from attention.testing.trials import Trial, telling
from attention.testing.weights import recover, recoverable

Array = NDArray[Any]
ROWS = 48  # how many wrong rows of a case are read
CASES = 3
LEAST = 1e-12  # a weight below is not compared
CHANCE = 6  # noises between two logarithms that are alike but for rounding
TOPS = 4  # of a row's largest weights, by which its sum is tried
QUANTILES = np.linspace(0, 0.9, 12)  # of its weights, likewise
EXPLAINED = 0.98  # of a row's keys are right or have the mistake
SURE = 5  # keys that have the mistake for each that has another
FEW, SHARE = 3, 0.3  # keys, and of a row's: the fewest that are right
MOST_ROWS = 0.5  # of the rows must have as many
OFF, OFF_UNNAMED = 0.002, 0.02  # of the keys may be on the other side


class Region(NamedTuple):
    """Some of the keys of each row: a description, and when it fits."""

    says: str
    fits: Callable[[Steps], Array]


class Rows(NamedTuple):
    """Some wrong rows of a case: logarithms of their weights."""

    right: Steps
    some: Any  # which rows, an index of (batch, heads, n_q)
    logs: Array
    scores: Array  # right ones
    noise: float

    def of(self, array: Array) -> Array:
        """Return these rows of an array that broadcasts to the weights."""
        shape = self.right.weights.shape
        return np.asarray(np.broadcast_to(array, shape)[self.some])


class Split(NamedTuple):
    """Which keys of each row have a mistake, and which are right."""

    wrong: Array
    right: Array


class Explained(NamedTuple):
    """A case, its scores with a mistake, and which keys have those."""

    read: Rows
    scores: Array
    keys: Split


@cache
def _regions() -> list[Region]:
    return [
        region
        for says, rows in table(__file__).items()
        for row in (rows if isinstance(rows, list) else [rows])
        for region in _made(says, **row)
    ]


def _made(says: str, fits: str, others: str = "") -> Iterator[Region]:
    """Make a region of each size, and that of all other keys."""
    sizes = next((some for name, some in OF_REGIONS if name in says), [0])
    for size in sizes:
        m, n = size if isinstance(size, tuple) else (0, size)
        names = {**vars(blocks), "m": m, "n": n}
        for text, test in ((says, fits), (others, f"~({fits})")):
            if text:
                text = text.format(m=m, n=n, parts=parts_said(m, n))
                yield Region(text, eval(f"lambda a: {test}", names))


def alone(trials: list[Trial]) -> tuple[list[Mistake], list[Finding]]:
    """Make mistakes in some keys alone that the wrong rows may have.

    And show those whose keys have nothing in common that is on the list.
    """
    cases, known = _cases(trials), list[tuple[Any, list[Array]]]()
    limited, shown = list[Mistake](), list[Finding]()
    for mistake in mistakes.alone(telling(trials)) if cases else ():
        found = _explained(mistake, cases)
        if not any(one.keys.right.any() for one in found):
            continue
        same = (
            mistake.changes.keys() & {"value", "shared", "heads"},
            [one.scores for one in found],
        )
        if any(_alike(same, other) for other in known):
            continue
        known.append(same)
        some = [
            region
            for region in _regions()
            if all(_fits(region, one.read, one.keys) for one in found)
        ]
        for region in some:
            limited += _limited(mistake, region)
        if not some and all(map(_is_weighed, found)):
            shown.append(_shown(mistake, found[0]))
    return limited, shown


def _is_weighed(one: Explained) -> bool:
    """Say whether keys are weighed wrongly: what is read is said elsewhere."""
    both = np.isfinite(one.read.scores + one.scores)
    return bool((one.keys.wrong & both).any())


def _explained(mistake: Mistake, cases: list[Rows]) -> list[Explained]:
    """Explain each case by a mistake; or nothing, if that leaves one."""
    found = []
    for read in cases:
        scores = _scores(mistake, read)
        keys = None if scores is None else _changed(scores, read)
        if scores is None or keys is None:
            return []
        found.append(Explained(read, scores, keys))
    return found


def beside(trials: list[Trial]) -> Iterator[Finding]:
    """Say which keys have wrong weights beside those of others in their row.

    Most keys of a row are right then but for one factor, whatever was done to
    the rest.
    """
    found = [
        (read, keys) for read in _cases(trials) if (keys := _beside(read))
    ]
    for region in _regions() if found else ():
        if all(_fits(region, *one, OFF_UNNAMED) for one in found):
            b, h, i, j, factor = _worst(*found[0])
            yield Finding(
                f"Weights are wrong only {region.says}, beside the others: row"
                f" {i} gives key {j} {factor:.4g} times what it should "
                f"({found[0][0].right.case.name}, sequence {b}, head {h})."
            )
            return


def _beside(read: Rows) -> Split | None:
    """Say which keys are wrong if most of their row are right."""
    right, z = read.scores, read.logs
    with np.errstate(all="ignore"):
        seen = np.isfinite(z) & np.isfinite(right)
        some = QUANTILES * seen.sum(axis=-1, keepdims=True)
        order = np.argsort(np.where(seen, -z, np.inf), axis=-1)
        best = np.take_along_axis(order, some.astype(int), -1)
        sums = np.take_along_axis(right - z, best, -1)
        same = _same(right, z, sums, read.noise)
    count = (same & seen[:, None]).sum(axis=-1)
    one = np.arange(len(count)), count.argmax(axis=-1)
    is_right = same[one] & seen
    wrong = seen & ~is_right
    much = is_right.sum(-1) >= np.maximum(FEW, SHARE * seen.sum(-1))
    if not (wrong & much[:, None]).any() or much.mean() < MOST_ROWS:
        return None
    return Split(wrong & much[:, None], is_right & much[:, None])


def _worst(read: Rows, keys: Split) -> tuple[int, int, int, int, float]:
    """Return where a weight is most wrong beside right ones, and a factor."""
    ratio = np.where(np.isfinite(read.logs), read.logs, np.nan) - read.scores
    own = np.nanmedian(np.where(keys.right, ratio, np.nan), -1, keepdims=True)
    off = np.where(keys.wrong, ratio - own, 0)
    row, j = np.unravel_index(np.abs(off).argmax(), off.shape)
    b, h, i = (int(one[row]) for one in read.some)
    return b, h, i, int(j), float(np.exp(off[row, j]))


def _shown(mistake: Mistake, one: Explained) -> Finding:
    """Say for which keys of one row a mistake is made."""
    read, keys = one.read, one.keys
    row = int((keys.wrong.any(-1) & keys.right.any(-1)).argmax())
    has, has_not = (np.flatnonzero(some[row]) for some in keys)
    b, h, i = (int(some[row]) for some in read.some)
    n = read.right.n_keys
    but = f", not for {run('key', has_not)}" if has_not.size else ""
    says = (
        f"{mistake.says} Only for some keys: row {i} has it for "
        f"{run('key', has, n)}{but} ({read.right.case.name}, sequence {b}, "
        f"head {h})."
    )
    return Finding(says, mistake.name, True)


def _cases(trials: list[Trial]) -> list[Rows]:
    """Read the weights of a few wrong cases."""
    some = recoverable(trials)
    some.sort(key=lambda t: -int((t.verdicts["output"].rows > 1).sum()))
    # what is wrong in new keys alone shows only where there are older ones
    some[CASES - 1 :] = sorted(
        some[CASES - 1 :], key=lambda t: bool((t.right.offset() <= 0).all())
    )
    return [read for trial in some[:CASES] if (read := _rows_of(trial))]


def _rows_of(trial: Trial) -> Rows | None:
    """Read the weights of some wrong rows; None if there are none."""
    with np.errstate(all="ignore"):
        found = recover(trial)
        if found is None:
            return None
        places = np.argwhere(found.wrong)
        every = np.linspace(0, len(places) - 1, min(ROWS, len(places)))
        rows = tuple(places[every.astype(int)].T)
        w = found.weights[rows]
        logs = np.where(w > LEAST, np.log(w), -np.inf)
    scores = trial.right.scores()[rows]
    return Rows(trial.right, rows, logs, scores, found.noise)


def _scores(mistake: Mistake, read: Rows) -> Array | None:
    """Return the scores of rows with a mistake; None if they are right."""
    try:
        with np.errstate(all="ignore"):
            steps = Steps(read.right.case, mistake.changes)
            other = read.of(steps.scores())
    except mistakes.UNFIT:
        return None
    return None if np.array_equal(other, read.scores) else other


def _alike(one: Any, other: Any) -> bool:
    return one[0] == other[0] and all(map(np.array_equal, one[1], other[1]))


def _changed(other: Array, read: Rows) -> Split | None:
    """Say which keys have other scores and which not.

    Or None if some have neither. A row's weights are those of its scores but
    for one factor, the sum, which is not known. It is tried with the largest
    weights, right ones or not.
    """
    right, z = read.scores, read.logs
    with np.errstate(all="ignore"):
        best = np.argsort(-z, axis=-1)[:, :TOPS]
        pairs = [np.take_along_axis(s, best, -1) for s in (right, other)]
        sums = np.concatenate(pairs, -1) - np.tile(
            np.take_along_axis(z, best, -1), 2
        )
        both = [_same(s, z, sums, read.noise) for s in (right, other)]
        count = (both[0] | both[1]).sum(axis=-1)
    one = count.argmax(axis=-1)
    least = count[np.arange(len(one)), one] / z.shape[-1]
    if least.min() < EXPLAINED:
        return None
    is_right, is_other = (x[np.arange(len(one)), one] for x in both)
    # what is too small to be read is no evidence
    changed = is_other & ~is_right & (np.isfinite(z) | ~np.isfinite(other))
    neither = (~is_other & ~is_right).sum()
    if changed.sum() <= SURE * neither:
        return None
    return Split(changed, is_right & ~is_other)


def _same(scores: Array, logs: Array, sums: Array, noise: float) -> Array:
    """Compare the logarithms of weights: (rows, sums tried, keys)."""
    wanted = scores[:, None] - sums[..., None]
    wanted = np.where(wanted > np.log(LEAST), wanted, -np.inf)
    z = logs[:, None]
    near = np.abs(z - wanted) < CHANCE * noise
    low = np.maximum(z, wanted) < np.log(LEAST) + 1  # either may be cut off
    return np.asarray(near | low | ((z == wanted) & (z == -np.inf)))


def _fits(region: Region, read: Rows, keys: Split, most: float = OFF) -> bool:
    """Say whether changed keys, and no others, are in a region."""
    try:
        inside = read.of(region.fits(read.right))
    except mistakes.UNFIT:
        return False
    off = (keys.wrong & ~inside).sum() + (keys.right & inside).sum()
    return bool(off <= most * sum(some.sum() for some in keys))


def _limited(mistake: Mistake, region: Region) -> Iterator[Mistake]:
    """Make a mistake in a region alone; or in its weights, not in the sum."""

    def of(a: Steps) -> Steps:
        key = f"{mistake.name} {mistake.says}"
        return a.exact.once(key, lambda: Steps(a.case, mistake.changes))

    def scores(a: Steps, x: Array) -> Array:
        return np.where(region.fits(a), of(a).scores(), x)

    def combine(a: Steps, x: Array) -> Array:
        inside = region.fits(a)
        some = a.weights * inside @ of(a).values
        return np.asarray(some + a.weights * ~inside @ a.values)

    changes: dict[str, Any] = {"scores": scores}
    of_scores = {*SCORES, *REACH, "scores"} - {"shared", "heads"}
    if not mistake.changes.keys() <= of_scores:  # values are others, too
        changes["combine"] = combine
    says = f"{mistake.says} Only {region.says}."
    yield Mistake(mistake.name, says, changes)
    if "scores" in mistake.changes:

        def weigh(a: Steps, x: Array) -> Array:
            factor = np.exp(of(a).scores() - a.exact.hidden)
            return np.where(region.fits(a) & (x > 0), x * factor, x)

        says += " The sum is right."
        yield Mistake(mistake.name, says, {"weigh": weigh})
