"""Where a kernel is wrong: the plainest place of places.toml that fits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.cases import table
from attention.testing.sizes import OF_RULES
from attention.testing.steps import Steps

Array = NDArray[Any]


class Spots(NamedTuple):
    """Rows of one result of a case: those wrong, and those right."""

    steps: Steps
    case: str
    name: str  # of the result
    wrong: Array  # of bool, (batch, heads, rows)
    right: Array


@cache
def _tests() -> dict[str, Callable[..., Any]]:
    return {
        says.format(n=n): eval(
            f"lambda a, b, h, i: {fits}", {"n": n, "shares": shares}
        )
        for says, fits in table(__file__).items()
        for n in (OF_RULES if "{n}" in says else (0,))
    }


def shares(a: Steps, name: str, axis: int, so: bool = True) -> bool:
    """Say whether there is one mask or bias along an axis, or several."""
    n = np.shape(a.options[name])[axis] if name in a.options else 0
    return n > 0 and (n == 1) == so and a.weights.shape[axis] > 1


def place(spots: list[Spots]) -> tuple[str, bool]:
    """Describe where it is wrong, and say whether all is wrong there."""
    spots = [one for one in spots if one.wrong.ndim == 3]
    if not any(one.right.any() for one in spots):
        return "", True
    n_wrong = sum(int(one.wrong.sum()) for one in spots)
    best, fewest = "", n_wrong / 5 + 1
    for text, test in _tests().items():
        others = elsewhere = 0
        for one in spots:
            b, h, i = np.ogrid[tuple(slice(n) for n in one.wrong.shape)]
            fits = np.asarray(test(one.steps, b, h, i), bool)
            inside = np.broadcast_to(fits, one.wrong.shape)
            if (one.wrong & ~inside).any():
                break
            others += int((one.right & inside).sum())
            elsewhere += int((one.right & ~inside).sum())
        else:
            if others < fewest and elsewhere:  # it tells rows apart
                best, fewest = text, others
    return best, bool(best) and fewest == 0


def listed(spots: list[Spots]) -> str:
    """Name sequences, heads and rows of the first case that is wrong."""
    every = [one for one in spots if one.wrong.any()]
    one = next((x for x in every if x.wrong.shape[-1] > 8), every[0])
    parts = []
    for axis, what in enumerate(("sequence", "head", "row")[: one.wrong.ndim]):
        others = tuple(k for k in range(one.wrong.ndim) if k != axis)
        some = np.flatnonzero(one.wrong.any(axis=others))
        if some.size < one.wrong.shape[axis]:
            parts.append(run(what, some, one.wrong.shape[axis]))
    of = "" if one.name == "output" else f" of {one.name}"
    return f"In {one.case!r} it is in {', '.join(parts)}{of}." * bool(parts)


def run(what: str, numbers: Array, n: int = 0) -> str:
    """Write a list of indices shortly, of n if that is given."""
    first, last, of = int(numbers[0]), int(numbers[-1]), f" of {n}" * bool(n)
    if first == last:
        return f"{what} {first}{of}"
    some = f"{numbers.size} of the " * (last - first + 1 != numbers.size)
    return f"{some}{what}s {first} to {last}{of}"
