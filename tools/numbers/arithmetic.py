r"""Arithmetic in TeX: of each equation between numbers, such as \tfrac18 (8, 0) = (1, 0), whether it is true."""

# ruff: noqa: RUF001  (authors write the minus and the dash of print)

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from docs_ext.errors import SpecError
from tools.numbers.formulas import value

_RELATION = re.compile(
    r"=|\\approx\b|\\simeq\b|\\(?:le|ge|ne|lt|gt|leq|geq|to|mapsto|Rightarrow|in|propto|ll|gg)\b|<|>|\\q?quad\b|;|&="
)
_EQUAL = {"=", "&=", r"\approx", r"\simeq"}


class Equation(NamedTuple):
    """Two numeric sides next to each other, from where to where they stand, and whether they are equal."""

    start: int
    end: int
    holds: bool


def equations(tex: str) -> Iterator[Equation]:
    r"""Yield the equations between numbers alone in a formula.

    >>> [equation.holds for equation in equations(r"x = 2 \cdot 3 = 6 < 7 = \tfrac{14}{2} = 8")]
    [True, True, False]
    >>> [equation.holds for equation in equations(r"\tfrac23 = 0.67, \quad \tfrac23 = 0.64")]
    [True, False]
    """
    marks = [*_RELATION.finditer(tex)]
    ends = [*(mark.start() for mark in marks), len(tex)]
    sides = [(start, end) for start, end in zip([0, *(mark.end() for mark in marks)], ends, strict=True)]
    for mark, (start, middle), (after, end) in zip(marks, sides, sides[1:], strict=False):
        if mark[0].strip() not in _EQUAL:
            continue
        left, right = _side(tex[start:middle]), _side(tex[after:end])
        if left is None or right is None:
            continue
        if _is_plain(tex[start:middle]) and _is_plain(tex[after:end]):
            continue  # 4 = 4 computes nothing
        yield Equation(start, end, _same(left, right, tex[start:middle], tex[after:end]))


def _is_plain(text: str) -> bool:
    return re.fullmatch(r"[\s\d.$,{}()\\&%−-]*", text) is not None


@cache
def _side(text: str) -> Any:
    """Evaluate a side, or return None if it is not numbers alone; punctuation around it does not count."""
    try:
        return value(re.sub(r"\\tag\{\w+\}", "", text).strip(" .;,\n$&"), {})
    except SpecError:
        return None


def _same(left: Any, right: Any, *texts: str) -> bool:
    if np.shape(left) != np.shape(right):
        return False
    digits = [[len(decimals) for decimals in re.findall(r"\.(\d+)", text)] for text in texts]
    results = [max(d) for d, text in zip(digits, texts, strict=True) if d and _is_plain(text)]
    results = results or [max(d) for d in digits if d]
    margin = 0.6 * 10.0 ** -min(results) if results else 0.0  # a little more than half: what goes in was rounded, too
    return bool(np.allclose(left, right, rtol=1e-9, atol=margin + 1e-12))
