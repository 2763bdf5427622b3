r"""Marks: where a number comes from that no example prints, in a comment behind its paragraph, list, table or formula.

In a fence it is a comment of YAML, `# check: ...`, over several lines if each is a comment.

    The first weight is 1/2, and the two largest take 88% of the budget. The scores take $2 n^2 \dk$ operations.
    <!-- check: 1/2 = weights[0]; 88% = np.sort(weights)[-2:].sum();
         $2 n^2 \dk$ = attention_flops(n, n, d_k, 0) for n, d_k in [(3, 5)] -->

Marks are separated by semicolons. Each is one of three:

- `numbers = expression`, the numbers as the text has them, one after the other. `~3000` is any value from 2500 to 3500.
- `$formula$ = expression`, a formula as the text has it. Its symbols are names, `\dk` is d_k; a `for` behind it gives
  them values.
- `given 500: reason`, for a number that somebody chose.

Expressions know what those of fences know, and the names that the page's consoles define. Where several define a name,
the nearest in the section counts. In a quiz they know what its proof defines, in other fences its keys.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import evaluate
from tools.numbers import formulas
from tools.numbers.numerals import Numeral, numerals


class Mark(NamedTuple):
    """What one mark says: numbers or a formula, and the expression that they come from, or "given"."""

    numbers: Sequence[tuple[Numeral, bool]]  # and whether it is rounded
    formula: str
    expression: str


def parse(text: str) -> Mark:
    """Read one mark."""
    left, equals, right = text.partition(" = ")
    if left.startswith("given "):
        numbers, colon, reason = text.removeprefix("given ").partition(": ")
        if not colon or not reason:
            raise SpecError(f"a given number has a reason, as in 'given 500: an example': {text!r}")
        return Mark([(number, False) for number in numerals(numbers)], "", "")
    if not equals:
        raise SpecError(f"a mark reads 'numbers = expression': {text!r}")
    if "__" in right:
        raise SpecError(f"a mark names what the page's consoles or the package define, and nothing with __: {text!r}")
    if left.startswith("$"):
        return Mark([], left.strip("$ "), right)
    written = [(number, left[: number.start].endswith("~")) for number in numerals(left)]
    if not written:
        raise SpecError(f"a mark has numbers to the left of its '=': {text!r}")
    if not any(isinstance(node, ast.Name) for node in ast.walk(_tree(right))):
        raise SpecError(f"{right} is typed in once more: compute it from names, or let an example print it")
    return Mark(written, "", right)


def compare_numbers(mark: Mark, names: Mapping[str, Any]) -> None:
    """Refuse numbers that are not what their expression gives."""
    if not mark.expression:
        return
    found = list(flat(evaluate(mark.expression, names)))
    got = ", ".join(f"{value:.6g}" for value in found)
    if len(found) != len(mark.numbers):
        raise SpecError(f"{len(mark.numbers)} numbers are written, and {mark.expression} gives {len(found)}: {got}")
    for (number, rounded), value in zip(mark.numbers, found, strict=True):
        if not number.means(value, rounded=rounded):
            raise SpecError(f"{number.text.strip()} is written, but {mark.expression} gives {got}")


def compare_formula(mark: Mark, names: Mapping[str, Any]) -> None:
    """Refuse a formula that is not what its expression gives."""
    expression, loop, cases = mark.expression.partition(" for ")
    if loop:
        symbols = ", ".join(f"{name}={name}" for name in re.findall(r"[A-Za-z_]\w*", cases.partition(" in ")[0]))
        pairs = evaluate(f"[(dict({symbols}), {expression}) for {cases}]", names)
    else:
        pairs = [({}, evaluate(expression, names))]
    for symbols, expected in pairs:
        got = formulas.value(mark.formula, {**names, **symbols})
        if np.shape(got) != np.shape(expected) or not np.allclose(got, expected, rtol=1e-9):
            raise SpecError(f"${mark.formula}$ is {got}, but {expression} gives {expected} {symbols or ''}".rstrip())


def compared(holds: str) -> list[str]:
    """Return what an option of a quiz compares with, such as `V.mean()` of `np.allclose(z, V.mean())`."""
    found = list[str]()
    for node in ast.walk(_tree(holds)) if holds else ():
        match node:
            case ast.Call(func=ast.Attribute(attr="allclose" | "isclose" | "array_equal"), args=[_, other, *_]):
                found.append(ast.unparse(other))
            case ast.Compare(comparators=[other]):
                found.append(ast.unparse(other))
    return found


def _tree(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except SyntaxError as error:
        raise SpecError(f"no expression: {expression!r}") from error


def flat(value: Any) -> Iterator[float]:
    """Yield the numbers in a value, one after the other; those in a string too."""
    if isinstance(value, bool | np.bool_):
        raise SpecError("True and False are no numbers")
    if isinstance(value, str):
        yield from (number.value for number in numerals(value))
    elif isinstance(value, np.ndarray):
        yield from map(float, value.ravel())
    elif hasattr(value, "__iter__"):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from flat(item)
    else:
        try:
            yield float(value)
        except (OverflowError, TypeError) as error:  # a whole number of 400 digits, None
            raise SpecError(f"{type(value).__name__}: {error}") from error
