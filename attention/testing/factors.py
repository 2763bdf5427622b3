"""Constant factors by which a result is off, and which numbers they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.steps import Steps
from attention.testing.trials import Trial

Number = Callable[[Steps], float]
_NEAR = 4e-3  # of a factor: as far as bfloat16 may move it
_REST = 0.1  # of the error may be left when the factor is taken out
_CLEAR = 40  # so many expected errors are far from rounding
_NUMBERS: dict[str, Number] = {  # the plainest first
    "1": lambda a: 1,
    "scale": lambda a: a.scale(),
    "log₂ e": lambda a: float(np.log2(np.e)),
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


class Factor(NamedTuple):
    """A factor: its number in the cases, and a formula for it, or ""."""

    figure: str
    formula: str

    def __str__(self) -> str:
        """Write the number, and the formula if it says more."""
        same = self.formula in ("", self.figure)
        return self.figure + f" = {self.formula}" * (not same)


def factor_of(trials: list[Trial], name: str) -> Factor | None:
    """Find the factor by which a result is off wherever it is wrong.

    Where it is right, and would not be with the factor, that must be 1.
    """
    wrong = [t for t in trials if not t.verdicts[name].is_right]
    off = [_factor(t, name) for t in wrong]
    if not wrong or None in off:
        return None
    right = [t for t in trials if t not in wrong and _is_clear(t, name)]
    numbers = np.array(off + [1.0] * len(right), float)
    steps = [t.right for t in wrong + right]
    formula = next(
        (text for text, number in _formulas()
         if np.allclose(numbers, [number(a) for a in steps], rtol=_NEAR)), "",
    )  # fmt: skip
    if not formula and np.ptp(numbers) > _NEAR * abs(numbers[0]):
        return None
    low, high = min(numbers[: len(wrong)]), max(numbers[: len(wrong)])
    varies = bool(high - low > _NEAR * abs(low))
    return Factor(f"{low:.5g}" + f" to {high:.5g}" * varies, formula)


def _factor(trial: Trial, name: str) -> float | None:
    """Return by which factor a result of a case is off, if by one."""
    got, right = trial.answer.results[name], trial.wanted[name]
    with np.errstate(all="ignore"):
        factor = float((got * right).sum() / (right**2).sum())
        rest = rms(got - factor * right)
        return factor if rest < _REST * rms(got - right) else None


def _is_clear(trial: Trial, name: str) -> bool:
    """Say whether a factor would show."""
    size = np.abs(trial.wanted[name] / trial.sigmas[name])
    return bool(size.max(initial=0) > _CLEAR)


@cache
def _formulas() -> list[tuple[str, Number]]:
    """Return every number that a factor may be, the plainest first."""
    found: list[tuple[int, str, Number]] = []
    for (p, f), (q, g) in product(_NUMBERS.items(), _NUMBERS.items()):
        for i, j in ((1, 1), (-1, -1), (1, -1)):
            for sign in (1, -1):
                text = "-" * (sign < 0) + _quotient(p, i, q, j)
                number = _powers(sign, f, i, g, j)
                found.append(((p != "1") + (q != "1"), text, number))
    found.sort(key=lambda one: one[0])
    return [(text, number) for _, text, number in found]


def _powers(sign: int, f: Number, i: int, g: Number, j: int) -> Number:
    """Return sign * fⁱ gʲ."""
    return lambda a: sign * f(a) ** i * g(a) ** j


def _quotient(p: str, i: int, q: str, j: int) -> str:
    """Write pⁱ qʲ."""
    above = [x for x, n in ((p, i), (q, j)) if n > 0 and x != "1"]
    below = [x for x, n in ((p, i), (q, j)) if n < 0 and x != "1"]
    text = " ".join(above) or "1"
    if not below:
        return text
    return f"{text} / " + (f"({' '.join(below)})" if below[1:] else below[0])


def rms(array: NDArray[Any]) -> Any:
    """Return the root of the mean square."""
    return np.sqrt(np.square(array).mean())
