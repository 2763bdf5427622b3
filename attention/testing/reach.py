"""Which keys each row reads, measured, and by which rule these end.

A kernel reads the keys of a row from a first one to a last one. Both are
measured, and a rule is looked for among those that loops and masks are made
of: the position of a row, or of its tile's first or last row; the offset of
a sequence, or of another; a side of the window; whole blocks of keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.numerics import softmax
from attention.testing.probes import fits
from attention.testing.report import Finding
from attention.testing.sizes import OF_REACH
from attention.testing.steps import Change, Steps
from attention.testing.trials import Trial
from attention.testing.weights import MOST_KEYS, NEEDED, recover

Array = NDArray[Any]
MOST_CASES = 12  # whose weights are measured
MOST_RULES = 12  # that are tried in all cases
MOST_SIZES = 4  # of each rule
MOST_ODD = 2  # parts of a rule that differ from the right one
FEW_ROWS = 9  # of each case that exclude most rules
ROWS = {
    "own": "its own {end} key",
    "first": "the {end} key of its tile's first row",
    "last": "the {end} key of its tile's last row",
    "full": "the {end} key of its tile's last row",  # as if it were full
}
OFFSETS = {
    "own": "",
    "zero": "taken with offset 0",
    "first": "taken with the offset of the first sequence",
    "largest": "taken with the largest offset of the batch",
    "smallest": "taken with the smallest offset of the batch",
    "last": "taken with the offset of the last sequence",
    "aligned": "taken as if the last query stood at the last key",
    "packed": "taken as if in a packed batch queries and keys began at the "
    "same numbers (cu_seqlens of one for the other)",
}
SIDES = {
    "own": "",
    "none": "without the {side} side of the window",
    "other": "with the {other} side of the window for the {side} one",
}
MORE = {0: "", 1: "one key too far", -1: "one key too short"}
ROUNDS = {
    "": "",
    "up": "rounded up to whole blocks",
    "down": "rounded down to whole blocks",
    "end": "rounded down to whole blocks",  # of which the last ends with n_k
    "full": "rounded down to whole blocks",  # of which none ends after n_k
}
PARTS: list[dict[Any, str]] = [ROWS, ROUNDS, OFFSETS, SIDES, MORE]
NAMES = {"": "reach-wrong", "loop": "loop-bound-wrong", "free": "not-hidden"}
SAYS = {
    "": "What a row sees {begins} with {place}.",
    "loop": "A row's loop over keys {begins} with {place}: {more} keys that "
    "the row may see are not read.",
    "free": "{There} {place}, nothing is hidden from a row, although it may "
    "not see all of these keys.",
}
WORDS = {
    "first": {
        "begins": "begins",
        "more": "earlier",
        "There": "Beginning with",
    },
    "end": {"begins": "ends", "more": "later", "There": "Up to"},
}


class Rule(NamedTuple):
    """How an end is computed; joined says what that end is for."""

    joined: str  # nothing; a loop's end, that loses keys; where no mask is
    row: str = "own"
    rounds: str = ""
    offset: str = "own"
    side: str = "own"
    more: int = 0
    tile: Any = 1  # rows
    block: Any = 1  # keys


RIGHT = {  # the more a rule is like the right one, the plainer it is
    "first": {
        "": Rule(""),
        "loop": Rule("loop", "first", "down"),
        "free": Rule("free", "last", "up"),
    },
    "end": {
        "": Rule(""),
        "loop": Rule("loop", "last", "up"),
        "free": Rule("free", "first", "down"),
    },
}
BOTH = {"first": Rule(""), "end": Rule("")}


class Measured(NamedTuple):
    """A case, and between which keys each row's first and end must lie."""

    trial: Trial
    between: dict[str, tuple[Array, Array]]  # each (batch, n_q)


def bounds(trials: list[Trial]) -> Iterator[Finding]:
    """Say by which rule keys begin or end, if nothing else is wrong."""
    wrong = [t for t in trials if t.is_wrong]
    asked = trials[0].case.options.keys() & {"is_causal", "window"}
    if not asked or all(t.right.n_queries == 1 for t in wrong):
        return
    some = [*wrong, *(t for t in trials if not t.is_wrong)]
    some = [t for t in some if 1 < t.right.n_keys <= MOST_KEYS][:MOST_CASES]
    cases = list[Measured]()
    for trial in some:
        case = _measured(trial)
        if case is None:
            return
        cases.append(case)
    for end in RIGHT:
        for rule, sizes in islice(_rules(cases, end), MOST_RULES):
            for k, (tile, block) in enumerate(sizes[:MOST_SIZES]):
                one = rule._replace(tile=tile, block=block)
                if all(fits(t, _within(end, one)) for t in trials):
                    says = _sentence(end, rule, sizes[k:])
                    yield Finding(says, NAMES[rule.joined])
                    return


def _measured(trial: Trial) -> Measured | None:
    """Measure where the keys of each row begin and end; None if in parts."""
    found = recover(trial)
    if found is None or not np.isfinite(found.weights).all():
        return None
    a, mask = trial.right, trial.right.mask()
    known = np.broadcast_to(softmax(a.full()) > NEEDED, a.weights.shape)
    known = known if mask is None else known & mask
    read, silent = known & (found.weights > 0), known & (found.weights == 0)
    some, n = read.any(axis=-1), a.n_keys
    first, end = read.argmax(axis=-1), n - read[..., ::-1].argmax(axis=-1)
    before = silent & (a.keys < first[..., None])
    after = silent & (a.keys >= end[..., None])
    if (silent & ~before & ~after)[some].any():
        return None  # keys between others are left out
    least = np.where(before.any(-1), n - before[..., ::-1].argmax(-1), 0)
    most = np.where(after.any(axis=-1), after.argmax(axis=-1), n)
    # a row that reads nothing: its end comes before what it should read
    lost = known & a.allowed()
    lost_first = np.where(lost.any(-1), lost.argmax(axis=-1), n)
    lost_last = np.where(lost.any(-1), n - lost[..., ::-1].argmax(-1), 0)
    between = {
        "first": (np.where(some, least, lost_last), np.where(some, first, n)),
        "end": (np.where(some, end, 0), np.where(some, most, lost_first)),
    }
    return Measured(trial, {
        name: (low.max(axis=1), high.min(axis=1))
        for name, (low, high) in between.items()
    })  # fmt: skip


def _place(a: Steps, rule: Rule, end: str, row: Any = None) -> Array:
    """Return the first key of some or all rows, or the end: (b, rows)."""
    row = np.arange(a.n_queries) if row is None else row
    start = row // rule.tile * rule.tile
    last = start + rule.tile - 1
    at = {"own": row, "first": start, "full": last,
          "last": np.minimum(last, a.n_queries - 1)}[rule.row]  # fmt: skip
    at = at + a.once("offsets", lambda: _offsets(a))[rule.offset]
    side, other = _sides(a, end)
    far = {"own": side, "none": 0, "other": other}[rule.side]
    if side is None or far is None:
        place = np.full(at.shape, 0 if end == "first" else 2**30)
    elif end == "first":
        place = at - far - rule.more
    else:
        place = at + far + 1 + rule.more
    if rule.rounds:
        up = (rule.block - 1) * (rule.rounds == "up")
        most = a.n_keys if rule.rounds == "full" else np.inf
        whole = (np.minimum(place, most) + up) // rule.block * rule.block
        at_end = (rule.rounds == "end") & (place >= a.n_keys)
        place = np.where(at_end, place, whole)
    if rule.joined:
        right = _place(a, Rule(""), end, row)
        less = (rule.joined == "loop") == (end == "end")
        place = (np.minimum if less else np.maximum)(place, right)
    return np.clip(place, 0, a.n_keys)


def _sides(a: Steps, end: str) -> tuple[int | None, int | None]:
    """Return the side of the window at an end, and the other one."""
    left, right = a.window() or (None, None)
    right = 0 if a.is_causal() else right
    return (left, right) if end == "first" else (right, left)


def _offsets(a: Steps) -> dict[str, Any]:
    """Return what rules add to a row, by the names of OFFSETS."""
    own = np.broadcast_to(a.offset()[:, 0, 0], (a.batch, 1))
    return {
        "own": own, "zero": 0, "first": own[0], "last": own[-1],
        "largest": own.max(), "smallest": own.min(),
        "aligned": a.n_keys - a.n_queries,
        "packed": own - np.arange(a.batch)[:, None] * (a.n_keys - a.n_queries),
    }  # fmt: skip


def _rules(cases: list[Measured], end: str) -> Iterator[tuple[Rule, Array]]:
    """Give rules that fit every case, and their sizes, plainest first."""
    tries = []
    for joined, plain in RIGHT[end].items():
        for parts in product(*PARTS):
            odd = sum(
                says[x] != says[y]
                for says, x, y in zip(PARTS, parts, plain[1:6], strict=True)
            )
            if odd <= MOST_ODD:
                tries.append((odd, Rule(joined, *parts)))
    sides = [_sides(case.trial.right, end)[0] for case in cases]
    is_open = all(side is None for side in sides)
    for _, rule in sorted(tries, key=lambda one: one[0]):
        if is_open and (end == "first" or rule.rounds != "full"):
            continue  # it is the right one
        tiles = OF_REACH if rule.row != "own" else (1,)
        blocks = OF_REACH if rule.rounds else (1,)
        every = np.array([*product(tiles, blocks)])
        left = every
        for few, case in product((FEW_ROWS, None), cases):
            left = _left(left, case, rule, end, few)
            if not left.size:
                break
        if left.size and any(_differs(c, rule, end, every) for c in cases):
            yield rule, left


def _left(
    sizes: Array, case: Measured, rule: Rule, end: str, few: int | None
) -> Array:
    """Keep the sizes with which a rule fits a few rows of a case, or all."""
    n = case.trial.right.n_queries
    row = np.arange(n)
    if few is not None and few < n:
        row = np.linspace(0, n - 1, few).astype(int)
    low, high = (x[:, row] for x in case.between[end])
    place = _place(case.trial.right, _sized(rule, sizes), end, row)
    fit = ((low <= place) & (place <= high)).all(axis=(-2, -1))
    return sizes[np.broadcast_to(fit, len(sizes))]


def _differs(case: Measured, rule: Rule, end: str, sizes: Array) -> bool:
    """Say whether a rule is not the right one in a case."""
    a = case.trial.right
    place = _place(a, _sized(rule, sizes), end)
    return bool((place != _place(a, Rule(""), end)).any())


def _sized(rule: Rule, sizes: Array) -> Rule:
    """Give a rule many sizes at once."""
    tile, block = sizes.T[..., None, None]
    return rule._replace(tile=tile, block=block)


def _within(end: str, rule: Rule) -> dict[str, Change]:
    """Let a rule say which keys a row may see."""

    def within(a: Steps, x: Array) -> Array:
        first, stop = (
            np.broadcast_to(_place(a, one, name), (a.batch, a.n_queries))
            for name, one in {**BOTH, end: rule}.items()
        )
        keys = (first[..., None] <= a.keys) & (a.keys < stop[..., None])
        return keys[:, None]

    return {"within": within}


def _sentence(end: str, rule: Rule, sizes: Array) -> str:
    """Write a rule, with the sizes of tiles and blocks if they are sure."""
    side, other = ("left", "right")[:: 1 if end == "first" else -1]
    tile, block = (
        f" of {' or '.join(map(str, few))}" * (few.size < 3)
        for few in (np.unique(sizes[:, 0]), np.unique(sizes[:, 1]))
    )
    place = ROWS[rule.row].format(end="first" if end == "first" else "last")
    if rule.row != "own" and tile:
        place += f" (tiles{tile} rows)"
    more = [
        OFFSETS[rule.offset],
        SIDES[rule.side].format(side=side, other=other),
        MORE[rule.more],
        ROUNDS[rule.rounds] + f"{block} keys" * bool(rule.rounds and block),
    ]
    place = ", ".join([place, *filter(None, more)])
    return SAYS[rule.joined].format(place=place, **WORDS[end])
