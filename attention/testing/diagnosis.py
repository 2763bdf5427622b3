"""What is wrong with a kernel that is wrong: names first, then sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.cases import FAR
from attention.testing.errors import Verdict, rounded, step_of
from attention.testing.mistakes import (
    MISTAKES,
    OF_LOGSUMEXP,
    ROUNDED,
    Mistake,
    in_formats,
)
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.weights import _run, middle_of, recover, sentences

if TYPE_CHECKING:
    from attention.testing.calls import Kernel
    from attention.testing.checks import Rules, Trial

Array = NDArray[Any]


def findings(
    kernel: Kernel, rules: Rules, trials: list[Trial]
) -> list[Finding]:
    """Say what is wrong, the most telling first."""
    said = {t.answer.wrong.partition("(")[0]: t.answer.wrong for t in trials}
    found = [Finding(text) for text in said.values() if text]
    taken = [t for t in trials if t.output is not None]
    wrong = [t for t in taken if t.output and not t.output.is_right]
    if wrong:
        found = list(_of_output(kernel, rules, taken, wrong)) + found
        found.append(Finding(_where(taken, wrong)))
    if any(t.logsumexp and not t.logsumexp.is_right for t in taken):
        found.append(_of_logsumexp(rules, taken))
    return sorted(found, key=lambda one: not one.name)


def _of_output(
    kernel: Kernel, rules: Rules, taken: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Look for one cause after the other, and stop at the first."""
    first = min(wrong, key=lambda t: t.right.weights.size)
    causes: list[Callable[[], Iterable[Finding]]] = [
        lambda: _calls(kernel, rules, first),
        lambda: named(rules, taken),
        lambda: map(Finding, _numbers(wrong)),
        lambda: map(Finding, _weights(kernel, rules, wrong)),
        lambda: map(Finding, _levels(wrong)),
    ]
    for cause in causes:
        found = list(cause())
        yield from found
        if found:
            break
    if not any(one.name for one in found):
        yield from map(Finding, _options(kernel, rules, wrong))


def _calls(kernel: Kernel, rules: Rules, trial: Trial) -> Iterator[Finding]:
    """Call a wrong case again: as it was, and in the other layout."""
    again, before = kernel(trial.case).output, trial.answer.output
    assert before is not None
    if again is None or not np.array_equal(again, before, equal_nan=True):
        yield Finding(
            "The kernel gives different results for the same arrays "
            f"({trial.case.name}, called twice).",
            "not-deterministic",
        )
        return
    other = "bhnd" if kernel.layout == "bnhd" else "bnhd"
    turned = kernel._replace(layout=other)
    verdict = rules.judged(turned, trial.case).output
    if verdict is not None and verdict.is_right:
        yield Finding(
            f'Heads and tokens are exchanged: with layout="{other}" the '
            f"kernel is right ({trial.case.name}).",
            "layout-exchanged",
        )


def _numbers(wrong: list[Trial]) -> Iterator[str]:
    """Say which rows hold something that is no number."""
    for trial in wrong:
        got = trial.answer.output
        assert got is not None
        bad = np.argwhere(~np.isfinite(got).all(axis=-1))
        if trial.case.probe or not bad.size:
            continue
        b, h, i = (int(n) for n in bad[0])
        what = "nan" if np.isnan(got[b, h, i]).any() else "infinite"
        rows = got.size // got.shape[-1]
        yield (
            f"The output is {what} in {len(bad)} of {rows} rows, the first "
            f"being row {i} of sequence {b}, head {h} ({trial.case.name})."
        )
        return


def _weights(
    kernel: Kernel, rules: Rules, wrong: list[Trial]
) -> Iterator[str]:
    """Recover the weights of a few wrong cases, and say what they show."""
    for trial in _telling(wrong):
        found = recover(kernel, trial.case)
        if found is None:
            continue
        with np.errstate(all="ignore"):
            texts = list(sentences(kernel, found, rules.formats))
        yield from texts
        if texts:
            return


def named(rules: Rules, trials: list[Trial]) -> Iterator[Finding]:
    """Find the known mistake that gives the kernel's results in all cases.

    Small cases come first: most mistakes are excluded there, soon.
    """
    cases = sorted(trials, key=lambda t: t.right.weights.size)
    plain = [t for t in cases if t.case.name not in FAR]
    if any(t.output and not t.output.is_right for t in plain):
        cases = plain  # what overflows there differs from kernel to kernel
    for mistake in (*MISTAKES, *in_formats()):
        if all(_explains(mistake, trial, rules) for trial in cases):
            yield Finding(mistake.says, mistake.name)
            return


def _explains(mistake: Mistake, trial: Trial, rules: Rules) -> bool:
    """Say whether a mistake gives what the kernel gave."""
    got, sigma, right = trial.answer.output, trial.sigma, trial.output
    assert got is not None
    assert right is not None
    try:
        with np.errstate(all="ignore"):
            steps = Steps(trial.case, **mistake.steps)
            if steps.output.shape != trial.right.output.shape:
                return False
            far = np.abs(got - steps.output) / (30 * sigma + np.abs(got) / 99)
            if middle_of(far) > 1:  # at a glance
                return False
            verdict = rules.judge(trial.answer, steps)
    except (ValueError, IndexError, TypeError):  # it does not fit the options
        return False
    if mistake.name in ROUNDED:  # a tie may fall either way
        few = bool(verdict.bad.any(axis=-1).mean() < 0.1)
        return few and (right.is_right or verdict.whole < 0.85 * right.whole)
    if right.is_right:
        return verdict.figure <= 1.2
    return verdict.figure <= min(1, 0.7 * right.figure)


def _of_logsumexp(rules: Rules, trials: list[Trial]) -> Finding:
    """Find what was returned in place of the log-sum-exp."""
    some = [t for t in trials if t.logsumexp is not None]
    plain = [t for t in some if t.case.name not in FAR]
    if any(t.logsumexp and not t.logsumexp.is_right for t in plain):
        some = plain
    for name, (says, what) in OF_LOGSUMEXP.items():
        if all(
            rules.judge_logsumexp(t.answer, t.right, what(t.right)).is_right
            for t in some
        ):
            return Finding(says, name)
    for format in ("bfloat16", "float16"):
        if all(_is_rounded(rules, t, format) for t in some):
            says = f"The log-sum-exp is right, but rounded to {format}."
            return Finding(says, "logsumexp-in-format")
    return Finding("The log-sum-exp is wrong.")


def _is_rounded(rules: Rules, trial: Trial, format: str) -> bool:
    got, wanted = trial.answer.logsumexp, rules.logsumexp_of(trial.right)
    assert got is not None
    seen = np.broadcast_to(trial.right.allowed().any(axis=-1), got.shape)
    got, wanted = got[seen], wanted[seen]
    near = np.abs(got - wanted) <= 0.51 * step_of(wanted, format) + 1e-6
    return bool(np.array_equal(rounded(got, format), got) and near.all())


def _telling(wrong: list[Trial]) -> list[Trial]:
    """Choose the cases whose weights are worth recovering."""
    plain = [
        t
        for t in wrong
        if not t.case.probe
        and 1 < t.case.n_keys <= 330
        and t.case.name not in FAR
    ]
    return plain[:3]


def _options(
    kernel: Kernel, rules: Rules, wrong: list[Trial]
) -> Iterator[str]:
    """Say without which option the kernel is right."""
    case = next((t.case for t in wrong if not t.case.probe), wrong[0].case)
    for name in case.options:
        if name in ("offset", "enable_gqa"):
            continue
        fewer = {k: o for k, o in case.options.items() if k != name}
        if not fewer.keys() & {"is_causal", "window"}:
            fewer.pop("offset", None)
        trial = rules.judged(kernel, replace(case, options=fewer))
        if trial.output is not None and not trial.is_wrong:
            yield f"Without {name} it is right ({case.name})."


def _levels(wrong: list[Trial]) -> Iterator[str]:
    """Say what happens to rows whose scores are all large, or all small."""
    if any(t.case.name == "ordinary" for t in wrong):
        return
    for trial in wrong:
        if trial.case.name != "levels" or trial.output is None:
            continue
        tops = trial.right.scores().max(axis=-1)
        bad = trial.output.bad.any(axis=-1)
        if bad.all():
            return
        low, high = tops[~bad].min(), tops[~bad].max()
        for side, what, edge in (
            (bad & (tops > high), "above {:.0f} overflow", high),
            (bad & (tops < low), "below {:.0f} underflow", low),
        ):
            if side.any():
                yield (
                    f"Rows whose largest score is {what.format(edge)}: their "
                    "own maximum is not what is subtracted before exp."
                )


def _where(taken: list[Trial], wrong: list[Trial]) -> str:
    """Say in which cases, and in which part of one, the errors lie."""
    names = list(dict.fromkeys(t.case.name for t in wrong))
    right = list(dict.fromkeys(t.case.name for t in taken if t not in wrong))
    right = [name for name in right if name not in names]
    trial = wrong[0]
    assert trial.output is not None
    bad, parts = trial.output.bad, []
    for axis, what in enumerate(("sequence", "head", "row", "feature")):
        others = tuple(i for i in range(4) if i != axis)
        some = np.flatnonzero(bad.any(axis=others))
        if 0 < some.size < bad.shape[axis]:
            parts.append(_run(what, some, bad.shape[axis]))
    place = f" In {names[0]!r} it is in {', '.join(parts)}." * bool(parts)
    if not right:
        return f"All cases are wrong, the first being {names[0]!r}.{place}"
    if len(names) <= len(right):
        shown = ", ".join(map(repr, names))
        return f"Only these cases are wrong: {shown}.{place}"
    return (
        f"{len(names)} of {len(names) + len(right)} cases are wrong, the "
        f"first being {names[0]!r}.{place}"
    )


def first_wrong(right: Steps, got: Array, verdict: Verdict) -> str:
    """Write the first number that is wrong, and what it should be."""
    place = np.argwhere(verdict.bad)
    where = tuple(place[0]) if place.size else verdict.worst
    b, h, i, f = (int(n) for n in where)
    return (
        f"sequence {b}, head {h}, row {i}, feature {f}: "
        f"{got[where]:.6g}, not {right.output[where]:.6g}"
    )
