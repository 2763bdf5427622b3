"""Whether an example bears a number out: it holds the number, and would not hold most others in its place."""

import re
from collections.abc import Sequence

from docs_ext.numbers.numerals import Numeral, numerals

_BETWEEN = re.compile(
    r"(?:[\s,;:()\[\]{}$&|*]|\\\\|\b(?:and|then|or|to)\b|\\[,;! ]|\\(?:begin|end)\{[bp]matrix\}|\\left|\\right)*"
)


def shares(numbers: Sequence[Numeral], text: str, example: str) -> list[float]:
    """Return for each number the share of its changes that the example would show; 0 if it lacks the number itself.

    A number that stands in a row of others is looked for with its neighbours.

    >>> text, example = "Of 65,536 rows the first is 8, 4, 1 and the last 2.", "[[8 4 1] [1 2 3]] (65536, 3)"
    >>> shares(list(numerals(text)), text, example)
    [1.0, 1.0, 1.0, 1.0, 0.5555555555555556]
    """
    bare = re.sub(r"[A-Za-z_]\w*", "x", example)
    streams = [_values(bare), _values(re.sub(r"(?<=\d)/(?=\d)", " ", bare))]

    def holds(piece: Sequence[float]) -> bool:
        return any(
            stream[i : i + len(piece)] == piece
            for stream in streams
            for i, value in enumerate(stream)
            if value == piece[0]
        )

    def share(piece: list[float], place: int, number: Numeral) -> float:
        if not holds(piece):
            return 0.0
        others = _changes(number)
        return 1 - sum(holds([*piece[:place], other, *piece[place + 1 :]]) for other in others) / len(others)

    result = [0.0] * len(numbers)
    for run in _runs(numbers, text):
        values = [round(numbers[i].value, 12) for i in run]
        for place, i in enumerate(run):
            pieces = (0, len(run)), (max(0, place - 3), place + 1), (max(0, place - 1), place + 2), (place, place + 1)
            result[i] = max(share(values[a:b], place - a, numbers[i]) for a, b in pieces)
    return result


def _values(text: str) -> list[float]:
    return [round(n.value, 12) for n in numerals(text, skip=False)]


def _runs(numbers: Sequence[Numeral], text: str) -> list[list[int]]:
    """Group numbers between which only a comma, a bracket or an "and" stands."""
    runs = list[list[int]]()
    for i, number in enumerate(numbers):
        if i and _BETWEEN.fullmatch(text, numbers[i - 1].end, number.start):
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def _changes(number: Numeral) -> list[float]:
    """Return what a number becomes when one of its digits changes."""
    digits = [i for i, character in enumerate(number.text) if character.isdigit()]
    changed = {
        value
        for i in digits
        for digit in "0123456789"
        for value in _values(number.text[:i] + digit + number.text[i + 1 :])
    }
    return sorted(changed - {round(number.value, 12)})
