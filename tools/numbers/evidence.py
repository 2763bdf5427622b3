"""Whether an example bears a number out: it holds the number, in the row of numbers in which the text has it."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from attention import attention_scores
from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_Q2, W_V, attend, embed
from tools.numbers.numerals import Numeral, numerals
from tools.numbers.results import rows

ENOUGH = 0.65  # of the changes of a number must show, if only a piece of its row is there


class Evidence:
    """The numbers of some examples, in their order."""

    def __init__(self, example: str) -> None:
        bare = re.sub(r"(?<![\\A-Za-z_])[A-Za-z_]\w*", "x", example)  # but \frac12
        apart = re.sub(r"(?<=\d)/(?=\d)", " ", bare)  # 1/2 is one number, and two
        text = f"{bare}\n{apart}" if apart != bare else bare
        self._numbers = [*numerals(text, skip=False)]
        pairs = zip(self._numbers, self._numbers[1:], strict=False)
        goes_on = [bool(re.fullmatch(r"[ ,&$]*", text[one.end : other.start])) for one, other in pairs]
        self._begins = {i for i, before in enumerate([False, *goes_on]) if not before}
        self._ends = {i for i, after in enumerate([*goes_on, False]) if not after}
        self._found = dict[tuple[float, float], set[int]]()

    def _places(self, number: Numeral) -> set[int]:
        """Return where this number stands, with more digits too."""
        key = number.value, number.margin
        if key not in self._found:
            fraction = not number.margin and number.value % 1  # 1/3 may be printed as 0.33
            self._found[key] = {
                i
                for i, other in enumerate(self._numbers)
                if number.means(other.value) or (fraction and other.margin < 0.006 and other.means(number.value))
            }
        return self._found[key]

    def holds(self, row: Sequence[Numeral]) -> bool:
        """Tell whether these numbers stand there one after the other."""
        return bool(self._rows(row))

    def holds_whole(self, row: Sequence[Numeral]) -> bool:
        """Tell whether they do and no others stand beside them, if they are several."""
        return any(len(row) == 1 or (i in self._begins and i + len(row) - 1 in self._ends) for i in self._rows(row))

    def _rows(self, row: Sequence[Numeral]) -> list[int]:
        first, *others = map(self._places, row)
        return [i for i in first if all(i + k in places for k, places in enumerate(others, 1))]

    def bears_out(self, numbers: Sequence[Numeral], text: str) -> list[bool]:
        """Tell for each number of a text whether it is there: with its whole row, or in a piece hard to mistake.

        >>> text = "Of 65,536 rows the first is 8, 4, 1 and the last is 3, 1, 0, which is 12%."
        >>> example = Evidence("[[8 4 1] [1 2 3]] (65536, 3) 0.1204")
        >>> example.bears_out(list(numerals(text)), text)
        [True, True, True, True, False, False, False, True]
        """
        result = [False] * len(numbers)
        for row in rows(numbers, text):
            for place, i in enumerate(row):
                result[i] = self.holds_whole([numbers[j] for j in row]) or any(
                    self._share([numbers[j] for j in row[start : place + after]], place - start) >= ENOUGH
                    for start, after in ((max(0, place - 3), 1), (max(0, place - 1), 2), (place, 1))
                )
        return result

    def _share(self, row: list[Numeral], place: int) -> float:
        """Return the share of the changes of one number in a piece of a row that would show."""
        if not self.holds(row):
            return 0.0
        others = list(changes(row[place]))
        return 1 - sum(self.holds([*row[:place], other, *row[place + 1 :]]) for other in others) / len(others)


def changes(number: Numeral) -> Iterator[Numeral]:
    """Yield what a number becomes when one of its digits changes, or its word."""
    digits = [i for i, character in enumerate(number.text) if character.isdigit()]
    texts = [number.text[:i] + digit + number.text[i + 1 :] for i in digits for digit in "0123456789"]
    for text in texts or ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "a quarter"):
        yield from (other for other in numerals(text, skip=False) if not number.means(other.value))


@cache
def running_example() -> Evidence:
    """Return the tables of the running example, which every page may quote."""
    x = embed(SENTENCE, EARLY)
    tables = [x, W_K, W_V, x @ W_K, x @ W_V]
    for w_query in (W_Q1, W_Q2):
        scores = attention_scores(x @ w_query, x @ W_K) / np.log(2)
        tables += [w_query / np.log(2), x @ w_query / np.log(2), scores, np.exp2(scores), *attend(x, w_query)]
    rows_of_all = [row for table in tables for row in table.round(9).tolist()]
    return Evidence("; 1e99; ".join(" ".join(map(repr, row)) for row in rows_of_all))  # no row goes on in the next
