"""One call of a kernel, and how its results compare with the package's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.calls import Answer, Kernel
from attention.testing.cases import FAR, Case
from attention.testing.errors import (
    Formats,
    Verdict,
    deviation,
    deviation_of_sums,
    deviations_of_gradients,
    freedom,
    judge,
)
from attention.testing.steps import Change, Steps

Array = NDArray[Any]
AXES = ("sequence", "head", "row", "feature")


class Rules(NamedTuple):
    """What a kernel promises, and how exact it is meant to be."""

    formats: Formats
    names: tuple[str, ...]  # of its results
    base: float = 1.0  # the logarithm of the base of its log-sum-exp
    sink_in_logsumexp: bool = True
    empty_rows: bool = True

    def steps(
        self, case: Case, changes: dict[str, Change] | None = None
    ) -> Steps:
        """Return the steps of a case, right or with a mistake."""
        changes = changes or {}
        if not self.sink_in_logsumexp:
            changes = {"summed": lambda a, _: a.scores(), **changes}
        return Steps(case, changes)

    def wanted(self, steps: Steps) -> dict[str, Array]:
        """Return what a kernel that takes these steps returns."""
        if steps.case.grad_output is not None:
            return steps.gradients(self.names)
        found = {"output": steps.output}
        if "log-sum-exp" in self.names:
            found["log-sum-exp"] = steps.logsumexp[..., None] / self.base
        if not self.empty_rows:
            empty = steps.exact.empty()
            found = {name: np.where(empty, 0, x) for name, x in found.items()}
        return found

    def expected(self, steps: Steps) -> dict[str, tuple[Array, Array, float]]:
        """Return each result's deviation, its freedom, and the margin."""
        return steps.once("expected", lambda: self._expected(steps))

    def _expected(self, steps: Steps) -> dict[str, tuple[Array, Array, float]]:
        kinds, margin = self.formats, self.formats.margin
        found: dict[str, tuple[Array, Array, float]]
        if steps.case.grad_output is None:
            found = {
                "output": (deviation(steps, kinds), freedom(steps), margin)
            }
            if "log-sum-exp" in self.names:
                sums = deviation_of_sums(steps, kinds)[..., None]
                ones = np.ones(sums.shape[:-1])
                found["log-sum-exp"] = sums, ones, margin
            return found
        found = {}
        for name, sigma in deviations_of_gradients(steps, kinds).items():
            alike = name in ("d_bias", "d_sink")  # errors have one sign
            free = 1.0 if alike else sigma.shape[-1] ** 0.5
            # a sum may be kept in the format, too
            found[name] = sigma, np.full(sigma.shape[:-1], free), 1.3 * margin
        return found

    def judge(self, got: dict[str, Array], steps: Steps) -> dict[str, Verdict]:
        """Compare results with those of attention, or of a mistake."""
        wanted, expected = self.wanted(steps), self.expected(steps)
        seen: Any = True
        if not self.empty_rows and "output" in got:
            seen = ~steps.exact.empty()
        found = {}
        for name, x in got.items():
            sigma, free, margin = expected[name]
            x = np.where(seen, x, 0)
            found[name] = judge(x, wanted[name], sigma, free, margin)
        return found

    def tried(self, kernel: Kernel, case: Case, probe: bool = False) -> Trial:
        """Call a kernel with a case, and compare."""
        right = self.steps(case)
        shapes = {name: x.shape for name, x in self.wanted(right).items()}
        answer = kernel(case, shapes)
        verdicts = self.judge(answer.results, right)
        return Trial(self, kernel, case, answer, right, verdicts, probe)


class NoNumbersError(Exception):
    """A kernel that is called again returns no output, or nan in it."""


@dataclass(frozen=True)
class Trial:
    """A case, what the kernel answered, and how that compares."""

    rules: Rules
    kernel: Kernel
    case: Case
    answer: Answer
    right: Steps
    verdicts: dict[str, Verdict]
    probe: bool  # whether its values tell which key was read

    @cached_property
    def wrong(self) -> list[str]:
        """Return the names of the results that are wrong."""
        return [n for n, one in self.verdicts.items() if not one.is_right]

    @property
    def is_plain(self) -> bool:
        """Say whether it is no probe, and its scores are not far too large."""
        return not self.probe and self.case.name not in FAR

    @cached_property
    def is_wrong(self) -> bool:
        """Say whether anything is wrong with the answer."""
        return bool(self.answer.wrong or self.wrong)

    @cached_property
    def figure(self) -> float:
        """Return the worst error, where 1 is the most allowed."""
        if self.answer.refused:
            return 0.0
        figures = [one.figure for one in self.verdicts.values()]
        return max(figures, default=float("inf"))

    @cached_property
    def wanted(self) -> dict[str, Array]:
        """Return the right results."""
        return self.rules.wanted(self.right)

    @cached_property
    def sigmas(self) -> dict[str, Array]:
        """Return the expected errors of right results."""
        expected = self.rules.expected(self.right)
        return {name: expected[name][0] for name in self.verdicts}

    @cached_property
    def sees(self) -> Array:
        """Say which keys each row may see: (batch, heads, n_q, n_k)."""
        shape = self.right.weights.shape
        return np.broadcast_to(self.right.allowed(), shape)

    def again(self, **changes: Any) -> dict[str, Array]:
        """Call the kernel once more, with a changed case."""
        shapes = {name: x.shape for name, x in self.answer.results.items()}
        return self.kernel(replace(self.case, **changes), shapes).results

    def output(self, **changes: Any) -> Array:
        """Return the output for a changed case, if it is all numbers."""
        found = self.again(**changes).get("output")
        if found is None or not np.isfinite(found).all():
            raise NoNumbersError
        return found

    @cached_property
    def silent(self) -> Array:
        """Return the output for values of zero: what nobody gave."""
        if not np.isfinite(self.hushed).all():
            raise NoNumbersError
        return self.hushed

    def heard(self, value: Array) -> Array:
        """Return what such values add to the output."""
        return self.output(value=value) - self.silent

    @cached_property
    def hushed(self) -> Array:
        """Return the output for values of zero, which may hold nan."""
        found = self.again(value=np.zeros_like(self.case.value)).get("output")
        if found is None:
            raise NoNumbersError
        return found

    def heard_if_finite(self, value: Array) -> Array:
        """Return what values add, and 0 where the output is no number."""
        found = self.again(value=value).get("output")
        if found is None:
            raise NoNumbersError
        with np.errstate(invalid="ignore"):
            gap = found - self.hushed
        return np.where(np.isfinite(gap), gap, 0)

    def detail(self) -> str:
        """Write the first number that is wrong, and what it should be."""
        for name, verdict in self.verdicts.items():
            if verdict.is_right:
                continue
            bad = [tuple(one) for one in np.argwhere(verdict.bad)[:1]]
            place = bad[0] if bad else verdict.worst
            got, wanted = self.answer.results[name], self.wanted[name]
            axes = AXES if len(place) > 1 else ("head",)  # of d_sink
            at = ", ".join(
                f"{axis} {int(i)}"
                for axis, i in zip(axes, place, strict=False)
            )
            what = "" if name == "output" else f"{name}, "
            read = "keys read, " * self.probe
            return (
                f"{read}{what}{at}: {got[place]:.6g}, not {wanted[place]:.6g}"
            )
        return self.answer.wrong or self.answer.refused


def telling(trials: list[Trial]) -> Case:
    """Return a wrong case; one whose heads share keys, if there is one."""

    def group(trial: Trial) -> tuple[bool, float]:
        case = trial.case
        return trial.is_wrong, case.query.shape[1] / case.key.shape[1]

    return max(trials, key=group).case


def base_of(logsumexp: str | None) -> float:
    """Return the natural logarithm of the base that was asked for."""
    return log(2) if logsumexp == "2" else 1.0
