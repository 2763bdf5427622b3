"""What wrong gradients show by themselves, where no known mistake fits.

Gradients are linear in grad_output, so a part of it shows what sequences,
heads and rows give, and a loud row shows the weights of the backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.cases import loudness
from attention.testing.factors import rms
from attention.testing.mistakes import FLOWS
from attention.testing.places import run
from attention.testing.probes import CLOSE, LARGEST, Rule, rules
from attention.testing.report import Finding
from attention.testing.sizes import OF_REACH
from attention.testing.steps import Steps
from attention.testing.trials import AXES, Trial
from attention.testing.weights import (
    NEEDED,
    compared,
    example,
    fewest_bits,
    hints,
    sentences,
)

Array = NDArray[Any]
_MOST = 72  # sequences, heads or rows that are tried one by one
_CALLS = 96  # the most for the weights of one case
_WRONG = 0.02  # relative error of what a part gives
_MUCH_LESS = 0.1  # of that: what else is right
_SILENT = 1e-6  # of the whole: it gives nothing
_TRIED = 9  # sizes of each rule, the usual ones first
_CASES = 3  # in which it is measured where loops begin
_SIZES = np.arange(1, LARGEST + 1)
_CHANCE = 4  # noises between two numbers that are alike but for rounding
_OF_SCORES = 1e-6  # of a score's size: how far a logarithm may be off
_LEFT = 0.06  # of an error may be left when D explains it


def read(wrong: dict[str, list[Trial]]) -> Iterator[Finding]:
    """Say of each result what parts of grad_output, weights and D show."""
    trials = {name: _small(some) for name, some in wrong.items()}
    for name, trial in trials.items():
        yield from map(Finding, _given(trial, name))
    if "d_value" in trials:
        yield from map(Finding, _weights(trials["d_value"]))
    elif "d_query" in trials:
        yield from map(Finding, _averages(trials["d_query"]))


def _small(trials: list[Trial]) -> Trial:
    """Choose a case of several rows with few numbers."""
    return min(trials, key=lambda t: (t.right.n_queries < 4,
                                      t.right.weights.size))  # fmt: skip


# --- what a sequence, a head or a row of grad_output gives -------------------


class Part(NamedTuple):
    """What a part of grad_output gives, and what it should give."""

    got: Array
    wanted: Array

    @property
    def error(self) -> float:
        """Return the relative error."""
        gap = rms(self.got - self.wanted)
        return float(gap / rms(self.wanted) if gap else 0)


def _given(trial: Trial, name: str) -> Iterator[str]:
    """Say which sequences, heads or rows give nothing, or what is wrong."""
    for axis, n in enumerate(trial.case.query.shape[:3]):
        what = AXES[axis]
        if not 1 < n <= _MOST or (what, name) == ("row", "d_query"):
            continue
        parts = [_part(trial, name, axis, i) for i in range(n)]
        if any(part is None for part in parts):
            return
        some = [part for part in parts if part is not None]
        shares = what == "head" and name in ("d_key", "d_value")
        text = _heads(some, trial) if shares else ""
        if text := text or _lost(some, what, rms(trial.wanted[name])):
            yield f"{name}: {text} ({trial.case.name})."
            return


def _part(trial: Trial, name: str, axis: int, i: int) -> Part | None:
    """Give grad_output at one place alone."""
    assert trial.case.grad_output is not None
    grad = np.zeros_like(trial.case.grad_output)
    one, all_ = np.moveaxis(grad, axis, 0), trial.case.grad_output
    one[i] = np.moveaxis(all_, axis, 0)[i]
    got = trial.again(grad_output=grad).get(name)
    if got is None:
        return None
    case = replace(trial.case, grad_output=grad)
    return Part(got, trial.rules.wanted(Steps(case))[name])


def _heads(parts: list[Part], trial: Trial) -> str:
    """Say to which heads of keys the query heads give, if to wrong ones."""
    gives = np.array([np.any(p.got, axis=(0, 2, 3)) for p in parts])
    to, own = gives.argmax(axis=1), trial.right.heads()
    if (gives.sum(axis=1) != 1).any() or (to == own).all():
        return ""
    return (
        f"what query heads 0 to {len(to) - 1} give is added to heads "
        f"{' '.join(map(str, to))} of keys, not to {' '.join(map(str, own))}"
    )


def _lost(parts: list[Part], what: str, size: float) -> str:
    """Say which parts give nothing, or alone something wrong."""
    errors = np.array([part.error for part in parts])
    silent = [rms(part.got) <= _SILENT * size for part in parts]
    lost = np.array(silent) & (errors > _WRONG)
    how = "nothing"
    if not lost.any():
        lost, how = errors > _WRONG, "something wrong"
    right = errors <= np.minimum(
        _WRONG, _MUCH_LESS * errors[lost].min(initial=1)
    )
    if not (lost.any() and right.any() and (lost | right).all()):
        return ""
    gives = "gives" if lost.sum() == 1 else "give"
    some = run(what, np.flatnonzero(lost), len(parts))
    return f"grad_output of {some} {gives} {how}, and all others are right"


# --- the weights of the backward pass ----------------------------------------


def _weights(trial: Trial) -> Iterator[str]:
    """Recover the weights of the backward pass from the gradient of values."""
    w, right = backward_weights(trial), trial.right
    if w is None:
        return
    noise = 2.0 ** (1 - fewest_bits(trial.rules.formats))
    noise += _OF_SCORES * float(right.score_sizes().max())
    off = np.abs(w - right.weights) > _CHANCE * noise * right.weights.max()
    rows = off.any(axis=-1)
    if not rows.any():
        return
    found = compared(right, w, rows, noise)
    for text in [*sentences(found)] or [*hints(found)] or [*example(found)]:
        yield f"Weights of the backward pass, from d_value: {text}"


def backward_weights(trial: Trial) -> Array | None:
    """Make a row of grad_output loud in each feature, row after row."""
    case, right = trial.case, trial.right
    groups = right.n_heads // case.key.shape[1]
    w = np.zeros(right.weights.shape)
    jobs = [(g, i) for g in range(groups) for i in range(right.n_queries)]
    if len(jobs) > _CALLS * right.d_v:
        return None
    loud = min(loudness(case.format), 2.0**20)
    for start in range(0, len(jobs), right.d_v):
        some = list(enumerate(jobs[start : start + right.d_v]))
        grad = np.zeros((*w.shape[:3], right.d_v))
        for feature, (g, i) in some:
            grad[:, g::groups, i, feature] = loud
        got = trial.again(grad_output=grad)
        if "d_value" not in got:
            return None
        for feature, (g, i) in some:
            w[:, g::groups, i] = got["d_value"][..., feature] / loud
    return w


# --- where loops over queries begin ------------------------------------------


def begins(trials: list[Trial], wrong: dict[str, Any]) -> Iterator[Finding]:
    """Say by which rule the loop over queries begins, if all follows."""
    some = [t for t in trials if t.is_wrong and t.right.n_queries > 3]
    some = sorted(some, key=lambda t: t.right.weights.size)[:_CASES]
    asked = trials[0].case.options.keys() & {"is_causal", "window"}
    if "d_value" not in wrong or not some or not asked:
        return
    ends = [_begin(trial) for trial in some]
    if any(one is None for one in ends):
        return
    between = [one for one in ends if one is not None]
    for says, rule in rules("begins").items():
        fit: list[tuple[int, int]] = []
        for n in range(1, LARGEST + 1):
            fits: Any = True
            for trial, (least, most) in zip(some, between, strict=True):
                start = _start(trial.right, rule, _SIZES[:, None, None], n)
                fits = fits & ((least <= start) & (start <= most)).all((1, 2))
            fit += [(int(m), n) for m in _SIZES[fits]]
        for m, n in sorted(fit, key=_is_unusual)[:_TRIED]:
            visits = partial(_visits, rule=rule, m=m, n=n)
            changes = dict.fromkeys(FLOWS["visits"][1], visits)
            if all(_is_given(t, changes) for t in trials):
                yield Finding(
                    f"The loop over queries begins {says.format(m=m, n=n)}, "
                    "so that rows before are left out of all gradients, "
                    "although they may see those keys.",
                    "loop-start-wrong",
                )
                wrong.clear()
                return


def _is_unusual(sizes: tuple[int, int]) -> tuple[int, ...]:
    """Say how unusual sizes of tiles and blocks are."""
    usual = sum(size in OF_REACH for size in sizes)
    return -usual, *sizes


def _begin(trial: Trial) -> tuple[Array, Array] | None:
    """Return the first row that may begin a loop, and the last, by key."""
    w, a = backward_weights(trial), trial.right
    if w is None or not np.isfinite(w).all():
        return None
    known = a.weights > NEEDED
    lost = (known & (w == 0)).any(axis=1)
    read = (known & (w != 0)).any(axis=1)
    least = np.where(lost, a.rows + 1, 0).max(axis=1)
    most = np.where(read, a.rows, a.n_queries + LARGEST).min(axis=1)
    return least, most


def _start(a: Steps, rule: Rule, m: Any, n: int) -> Array:
    """Return the row where a loop begins, by (sequence, key)."""
    o, keys = a.offset()[:, 0, 0], a.keys // n * n
    start = rule({"K": keys, "o": o, "m": m, "n": n})
    return np.asarray(start + 0 * o)


def _visits(a: Steps, x: Array, rule: Rule, m: int, n: int) -> Array:
    return x * (a.rows >= _start(a, rule, m, n)[:, None, None])


def _is_given(trial: Trial, changes: dict[str, Any]) -> bool:
    """Say whether a change gives all gradients of a case."""
    steps = trial.rules.steps(trial.case, changes)
    some = trial.rules.judge(trial.answer.results, steps).values()
    return all(one.figure <= CLOSE for one in some)


def _averages(trial: Trial) -> Iterator[str]:
    """Recover D, if it alone is wrong, from the gradient of the query."""
    a, got = trial.right, trial.answer.results["d_query"]
    slope = a.slope(a.scaled())
    flow = a.scale() * a.weights * (1 if slope is None else slope)
    by = flow @ a.key()
    gap = (flow * a.d_weights()) @ a.key() - got
    average = (gap * by).sum(-1, keepdims=True)
    average /= (by**2).sum(-1, keepdims=True)
    rest = rms(np.nan_to_num(gap - average * by))
    if rest > _LEFT * rms(got - trial.wanted["d_query"]):
        return
    off = np.abs(average - a.average()) > 0.01 * np.abs(a.average()) + 1e-3
    rows = np.argwhere(off & np.isfinite(average))
    if rows.size:
        b, h, i, _ = rows[-1]
        yield (
            "All is right but D, the average that a row subtracts: it is "
            f"{average[b, h, i, 0]:.5g}, not {a.average()[b, h, i, 0]:.5g}, "
            f"in row {i} ({trial.case.name}, sequence {b}, head {h})."
        )
