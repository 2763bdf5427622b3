"""Where a kernel is wrong: the shortest description that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.steps import Steps

Array = NDArray[Any]


class Spots(NamedTuple):
    """Rows of one result of a case: those wrong, and those right."""

    steps: Steps
    case: str
    name: str  # of the result
    wrong: Array  # of bool, (batch, heads, rows)
    right: Array


def _tests() -> Iterable[tuple[str, Callable[..., Any]]]:
    """Return descriptions of rows, and whether one fits: the plainest first.

    Each takes the steps of a case and the indices of sequence, head and row.
    """
    yield "where there is one query", lambda a, b, h, i: a.n_queries == 1
    yield "where there are several queries", lambda a, b, h, i: a.n_queries > 1
    yield "in the last head", lambda a, b, h, i: h == h.size - 1
    yield "in the first head", lambda a, b, h, i: h == 0
    yield "in the first sequence", lambda a, b, h, i: b == 0
    yield "in the last sequence", lambda a, b, h, i: b == b.size - 1
    yield "in sequences after the first", lambda a, b, h, i: b > 0
    yield "in heads after the first", lambda a, b, h, i: h > 0
    yield "in the last row", lambda a, b, h, i: i == i.size - 1
    yield "in the first row", lambda a, b, h, i: i == 0
    yield "in rows after the first", lambda a, b, h, i: i > 0
    yield (
        "in rows that may see no key",
        lambda a, b, h, i: (
            i.size == a.n_queries
            and h.size == a.n_heads
            and ~a.allowed().any(axis=-1)
        ),
    )
    yield "in odd heads", lambda a, b, h, i: h % 2 == 1
    yield "in odd rows", lambda a, b, h, i: i % 2 == 1
    yield (
        "where there are more queries than keys",
        lambda a, b, h, i: a.n_queries > a.n_keys,
    )
    yield (
        "where there are more keys than queries",
        lambda a, b, h, i: a.n_queries < a.n_keys,
    )
    for name, size in (
        ("keys", lambda a: a.n_keys), ("queries", lambda a: a.n_queries),
        ("features", lambda a: a.d_k), ("features of values", lambda a: a.d_v),
    ):  # fmt: skip
        for n in (64, 32, 16, 8, 128):
            yield (
                f"where {n} does not divide the number of {name}",
                lambda a, b, h, i, n=n, size=size: size(a) % n > 0,
            )
            yield (
                f"where {n} divides the number of {name}",
                lambda a, b, h, i, n=n, size=size: size(a) % n == 0,
            )
            yield (
                f"where there are more than {n} {name}",
                lambda a, b, h, i, n=n, size=size: size(a) > n,
            )
    for n in (64, 32, 16, 128):
        yield (
            f"in the last block of {n} rows, if it is not full",
            lambda a, b, h, i, n=n: i >= i.size // n * n,
        )
        for k in range(1, n // 16 if n > 16 else 0):
            yield (
                f"in rows {16 * k} to {16 * k + 15} of every {n}",
                lambda a, b, h, i, n=n, k=k: i % n // 16 == k,
            )
        yield f"in rows from {n} on", lambda a, b, h, i, n=n: i >= n
        yield f"in the first {n} rows", lambda a, b, h, i, n=n: i < n
        yield (
            f"in every {n}th row, from 0",
            lambda a, b, h, i, n=n: i % n == 0,
        )
        yield (
            f"in every {n}th row, from {n}",
            lambda a, b, h, i, n=n: (i % n == 0) & (i > 0),
        )
        yield (
            f"in every {n}th row, from {n - 1}",
            lambda a, b, h, i, n=n: i % n == n - 1,
        )


TESTS = list(_tests())


def place(spots: list[Spots]) -> tuple[str, bool]:
    """Describe where it is wrong, and say whether all is wrong there."""
    spots = [one for one in spots if one.wrong.ndim == 3]
    if not any(one.right.any() for one in spots):
        return "", True
    best, fewest = "", float("inf")
    n_wrong = sum(int(one.wrong.sum()) for one in spots)
    for text, test in TESTS:
        others = 0
        for one in spots:
            b, h, i = np.ogrid[tuple(slice(n) for n in one.wrong.shape)]
            inside = np.broadcast_to(test(one.steps, b, h, i), one.wrong.shape)
            if (one.wrong & ~inside).any():
                break
            others += int((one.right & inside).sum())
        else:
            if others < fewest:
                best, fewest = text, others
    if fewest <= n_wrong:
        return best, fewest == 0
    return "", False


def listed(spots: list[Spots]) -> str:
    """Name sequences, heads and rows of the first case that is wrong."""
    one = next(one for one in spots if one.wrong.any())
    parts = []
    for axis, what in enumerate(("sequence", "head", "row")[: one.wrong.ndim]):
        others = tuple(k for k in range(one.wrong.ndim) if k != axis)
        some = np.flatnonzero(one.wrong.any(axis=others))
        if some.size < one.wrong.shape[axis]:
            parts.append(run(what, some, one.wrong.shape[axis]))
    of = "" if one.name == "output" else f" of {one.name}"
    return f"In {one.case!r} it is in {', '.join(parts)}{of}." * bool(parts)


def run(what: str, numbers: Array, n: int) -> str:
    """Write a list of indices shortly."""
    first, last = int(numbers[0]), int(numbers[-1])
    if first == last:
        return f"{what} {first} of {n}"
    some = f"{numbers.size} of the " * (last - first + 1 != numbers.size)
    return f"{some}{what}s {first} to {last} of {n}"
