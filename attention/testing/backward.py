"""What wrong gradients show: factors, known mistakes, who gives what.

Each result is compared by itself, and what explains most of them comes first.
Gradients are linear in grad_output, so a part of it shows what rows, heads and
sequences give, and a loud row shows the weights of the backward pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing import mistakes
from attention.testing.calls import Kernel
from attention.testing.cases import FAR, loudness
from attention.testing.errors import PRECISION, judge
from attention.testing.mistakes import Mistake
from attention.testing.places import run
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Trial
from attention.testing.weights import (
    Recovered,
    example,
    hints,
    sentences,
)

Array = NDArray[Any]
Wrong = dict[str, list[Trial]]  # by result
_ENOUGH = 0.03  # of what is wrong may be left unexplained
_MOST = 1e8  # weights of mistakes that may miss some cases
_MANY = 48  # calls for rows, or heads, of one case


def named(kernel: Kernel, trials: list[Trial]) -> Iterator[Finding]:
    """Say what is wrong with gradients: the plainest cause first."""
    plain = [t for t in trials if not t.probe and t.case.name not in FAR]
    plain = plain if any(t.is_wrong for t in plain) else trials
    plain.sort(key=lambda t: t.right.weights.size)
    wrong: Wrong = {}
    for name in plain[0].rules.names:
        some = [t for t in plain if not t.verdicts[name].is_right]
        wrong |= {name: some} if some else {}
    with np.errstate(all="ignore"):
        found = list(_factors(plain, wrong))
        for rounds, most in ((False, 0), (True, 0), (False, 3)):
            found += _known(plain, wrong, rounds, most) if wrong else []
        for say in (_given, _weights, _averages) if wrong else ():
            found += say(kernel, wrong)
    yield from found


def _all(names: Any) -> str:
    """Write names of results."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else str(last)


# --- constant factors --------------------------------------------------------

_OF: dict[str, Callable[[Steps], Any]] = {
    "1": lambda a: 1,
    "scale": lambda a: a.scale(),
    "log₂ e": lambda a: np.log2(np.e),
    "groups": lambda a: a.n_heads / a.case.key.shape[1],
    "√d_k": lambda a: a.d_k**0.5,
    "√heads": lambda a: a.n_heads**0.5,
    "batch": lambda a: a.batch,
    "heads": lambda a: a.n_heads,
    "n_k": lambda a: a.n_keys,
    "n_q": lambda a: a.n_queries,
    "√d_v": lambda a: a.d_v**0.5,
    "d_k": lambda a: a.d_k,
    "softcap": lambda a: a.options.get("softcap", np.nan),
    "2": lambda a: 2,
    "kv_heads": lambda a: a.case.key.shape[1],
}
_READ = {  # a formula: what it says, and a name
    "-1": ("the sign is wrong", "sign-wrong"),
    "1 / scale": ("the scale is missing", "scale-missing"),
    "scale": ("the scale is applied twice", "scale-twice"),
    "log₂ e": ("the factor for powers of 2 is left in", "log2-left"),
    "1 / log₂ e": ("it is ln 2, of powers of 2", "ln2-left"),
    "1 / groups": ("a mean over the query heads that share a head of keys,"
                   " not a sum", "group-averaged"),
    "1 / (scale √d_k)": ("the scale is 1/√d_k, not the scale asked for",
                         "scale-ignored"),
}  # fmt: skip


Number = Callable[[Steps], float]


def _powers(n: int, f: Number, i: int, g: Number, j: int) -> Number:
    """Return n fⁱ gʲ."""
    return lambda a: n * f(a) ** i * g(a) ** j


def _formulas() -> list[tuple[str, Number]]:
    """Return every number that a factor may be, the plainest first."""
    found = list[tuple[str, Number]]()
    for (p, f), (q, g) in product(_OF.items(), _OF.items()):
        both = " ".join(one for one in (p, q) if one != "1") or "1"
        below = f"({both})" if " " in both.replace("log₂ e", "") else both
        for n, s in ((1, ""), (-1, "-")):
            found += [
                (s + both, _powers(n, f, 1, g, 1)),
                (f"{s}1 / {below}", _powers(n, f, -1, g, -1)),
                (f"{s}{p} / {q}", _powers(n, f, 1, g, -1)),
            ]
    return sorted(found, key=lambda x: (x[0] not in _READ, len(x[0].split())))


def _factors(trials: list[Trial], wrong: Wrong) -> Iterator[Finding]:
    """Say which results are off by a factor, and what number it is."""
    same: dict[str, list[str]] = {}
    all_of: dict[str, list[float]] = {}
    for name, some in wrong.items():
        each = [_factor(t, name) for t in some]
        factors = [f for f in each if f is not None]
        if len(factors) < len(each):
            continue
        still = [
            t
            for t in trials
            if t not in some
            and np.abs(t.wanted[name] / t.sigmas[name]).max() > 40
        ]
        numbers = factors + [1.0] * len(still)
        named = (
            text
            for text, formula in _formulas()
            if np.allclose(
                numbers, [formula(t.right) for t in some + still], rtol=4e-3
            )
        )
        text = next(named, "")
        if not text and np.ptp(numbers) > 4e-3 * abs(numbers[0]):
            continue
        same.setdefault(text, []).append(name)
        all_of[text] = factors
    for text, names in sorted(same.items(), key=lambda one: -len(one[1])):
        low, high = min(all_of[text]), max(all_of[text])
        varies = high - low > 4e-3 * abs(low)
        figure = f"{low:.5g}" + f" to {high:.5g}" * varies
        figure += f" = {text}" * (text not in ("", figure))
        reading, slug = _READ.get(text, ("", "constant-factor"))
        what = "both" if names == ["d_query", "d_key"] else "-and-".join(names)
        slug = f"{slug}-in-{what}".replace("d_", "")
        if names == ["d_key", "d_value"]:
            slug = slug.removesuffix("-in-key-and-value")
        are, they = ("are", "they") if names[1:] else ("is", "it")
        yield Finding(
            f"{_all(names)} {are} {figure} times what {they} should be"
            f"{f': {reading}' * bool(reading)}.",
            slug,
        )
        for name in names:
            wrong.pop(name)


def _factor(trial: Trial, name: str) -> float | None:
    """Return by which factor a result of a case is off, if by one."""
    got, right = trial.answer.results[name], trial.wanted[name]
    factor = float((got * right).sum() / (right**2).sum())
    rest = _size(got - factor * right)
    off = _size(got - right)
    return factor if rest < 1.7 * _ENOUGH * off else None


def _size(array: Array) -> Any:
    return np.sqrt(np.square(array).mean())


# --- known mistakes ----------------------------------------------------------


class Left(NamedTuple):
    """A mistake that is left, and how it fits so far."""

    mistake: Mistake
    names: tuple[str, ...]  # of the results that it explains
    error: float
    missed: tuple[str, ...]  # cases that it does not explain


def _known(
    trials: list[Trial], wrong: Wrong, rounds: bool, most: int
) -> Iterator[Finding]:
    """Name mistakes, each by the results that it explains in most cases."""
    names = tuple(wrong)
    if rounds:  # which makes small errors
        names = tuple(
            name
            for name, some in wrong.items()
            if sum(_near(t, name) for t in some) > len(some) / 2
        )
    left = [
        Left(one, names, 0.0, ())
        for one in mistakes.of(trials[0].case)
        if names and one.rounds == rounds
    ]
    if most:  # two cases that are wrong screen out nearly all
        trials = sorted(
            trials,
            key=lambda t: (
                not t.is_wrong,
                t.right.weights.size < 200,
                t.right.weights.size,
            ),
        )
    for index, trial in enumerate(trials):
        if not left or (most and len(left) * trial.right.weights.size > _MOST):
            return
        if rounds and all(trial.verdicts[name].is_right for name in wrong):
            continue
        expected = trial.rules.expected(trial.right)
        tried = [
            _tried(x, trial, expected, min(most, 1 + index // 2)) for x in left
        ]
        left = [one for one in tried if one is not None]
    left = [
        one
        for one in left
        if all(
            sum(t.case.name not in one.missed for t in wrong[name])
            > len(wrong[name]) / 2
            for name in one.names
        )
    ]
    while left and wrong:
        n = max(len(one.names) for one in left)
        fewest = min(len(one.missed) for one in left if len(one.names) == n)
        best = [x for x in left if len(x.names) == n]
        best = [x for x in best if len(x.missed) == fewest]
        least = min(one.error for one in best)
        near = (1.03 if rounds else 1.5) * least + 1 - rounds
        best = [one for one in best if one.error <= near]
        first = min(best, key=lambda one: _strange(trials, one))
        others = [name for name in wrong if name not in first.names]
        where = f" It explains {_all(first.names)}" * bool(others)
        where += f", not {_all(others)}." if others else ""
        if not others and _strange(trials, first):
            where = f" Seen in {_all(first.names)} alone."
        if first.missed:
            some = " and ".join(map(repr, first.missed))
            where += f" Not all of {some} is explained by it."
        yield Finding(first.mistake.says + where, first.mistake.name)
        for name in first.names:
            wrong.pop(name)
        left = [
            one._replace(names=tuple(n for n in one.names if n in wrong))
            for one in left
        ]
        left = [one for one in left if one.names]


def _near(trial: Trial, name: str) -> bool:
    """Say whether a result is nearly right."""
    got, right = trial.answer.results[name], trial.wanted[name]
    return bool(_size(got - right) < 0.2 * _size(right))


def _tried(one: Left, trial: Trial, expected: Any, most: int) -> Left | None:
    """Compare with one more case."""
    mistake, names, error, missed = one
    try:
        steps = trial.rules.steps(trial.case, mistake.changes)
        errors = {n: _error(mistake, trial, expected, steps, n) for n in names}
    except mistakes.UNFIT:
        return None
    fits = tuple(n for n in names if errors[n] is not None)
    if len(fits) < len(names) and len(missed) < most:
        return one._replace(missed=(*missed, trial.case.name))
    error += sum(e or 0 for e in errors.values())
    return Left(mistake, fits, error, missed) if fits else None


def _error(
    one: Mistake, trial: Trial, expected: Any, steps: Steps, name: str
) -> float | None:
    """Return how far a mistake is from a result; None if it is another."""
    got, right = trial.answer.results[name], trial.wanted[name]
    verdict = trial.verdicts[name]
    if one.rounds and verdict.is_right:
        return 0.0
    wanted = np.asarray(getattr(steps, name)())
    if wanted is right or np.array_equal(wanted, right):
        return 0.0 if verdict.is_right else None
    if wanted.shape != got.shape:
        wanted = np.broadcast_to(wanted, got.shape)
    sigma, free, margin = expected[name]
    gap, off = _size(got - wanted), _size(got - right)
    if verdict.is_right:
        if not _size((wanted - right) / sigma) < 50:
            return None
    elif gap > 0.7 * off and verdict.figure > 2:
        least = 10 * _size(sigma)
        nothing = _size(right) < least and (
            verdict.figure < 99 or _size(got) < least
        )
        return 1.0 if nothing else None  # the case says nothing
    grown = max(1.0, _size(wanted) / _size(right))
    fit = judge(got, wanted, sigma * np.nan_to_num(grown, nan=1), free, margin)
    if one.rounds:
        return fit.whole if fit.whole < 0.8 * verdict.whole else None
    if verdict.is_right:
        return 0.0 if fit.figure <= 1.2 else None
    if fit.figure <= 1 < 1.1 * verdict.figure:
        return fit.whole
    return min(fit.whole, 20.0) if gap < _ENOUGH * off else None


def _strange(trials: list[Trial], one: Left) -> bool:
    """Say whether a right result should be wrong by a mistake."""
    for trial in [t for t in trials if t.is_wrong][:3]:
        steps = trial.rules.steps(trial.case, one.mistake.changes)
        for name in set(trial.rules.names) - set(one.names):
            wanted, right = getattr(steps, name)(), trial.wanted[name]
            if trial.verdicts[name].is_right and not np.allclose(
                wanted, right, rtol=1e-3, atol=1e-3 * _size(right)
            ):
                return True
    return False


# --- what parts of grad_output give ------------------------------------------


def _small(wrong: Wrong, name: str) -> Trial:
    """Choose a wrong case: one with several rows, and few numbers."""
    return min(wrong[name], key=lambda t: (t.right.n_queries < 4,
                                           t.right.weights.size))  # fmt: skip


def _part(kernel: Kernel, trial: Trial, some: Any) -> Any:
    """Give grad_output at some places alone; return results and right ones."""
    assert trial.case.grad_output is not None
    grad = np.zeros_like(trial.case.grad_output)
    grad[some] = trial.case.grad_output[some]
    case = replace(trial.case, grad_output=grad)
    shapes = {name: x.shape for name, x in trial.answer.results.items()}
    return kernel(case, shapes).results, trial.rules.wanted(Steps(case))


def _given(kernel: Kernel, wrong: Wrong) -> Iterator[Finding]:
    """Say which sequences, heads and rows give nothing, or what is wrong."""
    for name in wrong:
        trial = _small(wrong, name)
        b, h, n_q, _ = trial.case.query.shape
        for axis, n in enumerate((b, h, n_q)):
            what = ("sequence", "head", "row")[axis]
            if not 1 < n < 1.5 * _MANY or (what, name) == ("row", "d_query"):
                continue
            zero, right = np.zeros(n, bool), np.zeros(n, bool)
            to = np.zeros((n, *trial.wanted[name].shape[:2]))
            for i in range(n):
                parts = _part(kernel, trial, (slice(None),) * axis + (i,))
                got, wanted = (x.get(name) for x in parts)
                if got is None:
                    return
                least = 1e-6 * _size(trial.wanted[name])
                right[i] = _size(got - wanted) <= 0.02 * _size(wanted) + least
                zero[i] = _size(got) <= least and not right[i]
                if got.ndim == 4:
                    to[i] = np.square(got).sum(axis=(2, 3)) > 0
            if (axis == 1 and name in ("d_key", "d_value")
                    and not right.all() and not zero.any()):  # fmt: skip
                heads = to.any(axis=1)
                own = trial.right.heads()
                if (heads.sum(axis=1) == 1).all() and (
                    heads.argmax(axis=1) != own
                ).any():
                    listed = " ".join(map(str, heads.argmax(axis=1)))
                    yield Finding(
                        f"{name}: what query heads 0 to {n - 1} give is added "
                        f"to heads {listed} of keys, not to "
                        f"{' '.join(map(str, own))} ({trial.case.name})."
                    )
                    break
            if not zero.any() and not (right.any() and not right.all()):
                continue
            lost = zero if zero.any() else ~right
            how = "give nothing" if zero.any() else "give something wrong"
            rest = "so do others"
            if (lost | right).all():
                rest = "all others are right"
            some = run(what, np.flatnonzero(lost), n)
            how = how.replace("give", "gives") if lost.sum() == 1 else how
            yield Finding(
                f"{name}: grad_output of {some} {how}, and {rest} "
                f"({trial.case.name})."
            )
            break


def _weights(kernel: Kernel, wrong: Wrong) -> Iterator[Finding]:
    """Recover the weights of the backward pass from the gradient of values."""
    if "d_value" not in wrong:
        return
    trial = _small(wrong, "d_value")
    w, some = backward_weights(kernel, trial), trial.rules.formats
    if w is None:
        return
    right = trial.right
    bits = min(PRECISION[k][0] for k in (some.weights, some.output, some.sums))
    noise = 2.0 ** (1 - bits) + 1e-6 * float(right.score_sizes().max())
    allowed = np.broadcast_to(right.allowed(), w.shape)
    off = np.abs(w - right.weights) > 4 * noise * right.weights.max()
    rows = off.any(axis=-1)
    if not rows.any():
        return
    seen = allowed & (w > 0) & (right.weights > 1e-30) & np.isfinite(w)
    ratio = np.where(seen, np.log(w / right.weights), np.nan)[rows]
    found = Recovered(right, w, allowed, rows, ratio, noise)
    said = [*sentences(found)] or [*hints(found)] or [*example(found)]
    for text in said:
        yield Finding(f"Weights of the backward pass, from d_value: {text}")


def backward_weights(kernel: Kernel, trial: Trial) -> Array | None:
    """Make a row of grad_output loud in each feature, row after row."""
    case, right = trial.case, trial.right
    shapes = {name: x.shape for name, x in trial.answer.results.items()}
    groups = right.n_heads // case.key.shape[1]
    w = np.zeros(right.weights.shape)
    jobs = [(g, i) for g in range(groups) for i in range(right.n_queries)]
    parts = np.array_split(np.arange(len(jobs)), -(-len(jobs) // right.d_v))
    if len(parts) > 2 * _MANY:
        return None
    loud = min(loudness(case.format), 2.0**20)
    for part in parts:
        grad = np.zeros((*w.shape[:3], right.d_v))
        for feature, job in enumerate(part):
            g, i = jobs[job]
            grad[:, g::groups, i, feature] = loud
        got = kernel(replace(case, grad_output=grad), shapes).results
        if "d_value" not in got:
            return None
        for feature, job in enumerate(part):
            g, i = jobs[job]
            w[:, g::groups, i] = got["d_value"][..., feature] / loud
    return w


def _averages(kernel: Kernel, wrong: Wrong) -> Iterator[Finding]:
    """Recover D, if it alone is wrong, from the gradient of the query."""
    if "d_query" not in wrong or "d_value" in wrong:
        return
    trial = _small(wrong, "d_query")
    a, got = trial.right, trial.answer.results["d_query"]
    slope = a.slope(a.scaled())
    flow = a.scale() * a.weights * (1 if slope is None else slope)
    by = flow @ a.key()
    gap = (flow * a.d_weights()) @ a.key() - got
    average = (gap * by).sum(-1, keepdims=True)
    average /= (by**2).sum(-1, keepdims=True)
    rest = _size(np.nan_to_num(gap - average * by))
    if rest > 2 * _ENOUGH * _size(got - trial.wanted["d_query"]):
        return
    off = np.abs(average - a.average()) > 0.01 * np.abs(a.average()) + 1e-3
    rows = np.argwhere(off & np.isfinite(average))
    if not rows.size:
        return
    b, h, i, _ = rows[-1]
    yield Finding(
        "All is right but D, the average that a row subtracts: it is "
        f"{average[b, h, i, 0]:.5g}, not {a.average()[b, h, i, 0]:.5g}, in "
        f"row {i} ({trial.case.name}, sequence {b}, head {h})."
    )
