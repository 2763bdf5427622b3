r"""Which numbers are results, and so have to be borne out; the others are names, such as head 2, step 1, 64 features.

A number is taken for a result if it

- has a decimal point, a percent sign, a fraction bar, a power or a minus (but not -2n), or is "two thirds" in words;
- has three digits or more and is not round: neither 100 or 1200 nor a power of two below 10,000;
- stands in brackets with others, as (4, 8), or in a row of three or more;
- comes before "times as" or a unit of what is measured: "twelve times as many", "34 MiB", "8 parts";
- or comes behind a word that states it, as "is 8," and "about 8.", at the end of a clause or before "in all".

What stands in a code span is a name, and so is what a task allows: "(5 minutes)".
"""

import re
from collections.abc import Sequence

from tools.numbers.numerals import Numeral

_FORM = re.compile(r"[.%/^]|frac|percent")
_UNIT = re.compile(
    r"[\s}$]*(?:times (?:as|the|its|an?|more)\b|percent\b|degrees\b|[KMGT]i?B\b|ms\b|µs\b|seconds\b|minutes\b(?!\)))"
)
_STATED = re.compile(
    r"(?:\b(?:is|are|was|becomes?|gives?|gets?|has|have|makes?|leaves?|receives?|comes to|sums? to|adds? up to"
    r"|balances? at|[Aa]bout|nearly|almost|exactly)|≈|\\approx) ?\$?$"
)
_CLAUSE = re.compile(r"\$?(?:[.,;:)](?!\d)|\s*$| and\b| for\b| in all\b| instead of\b)")
_BETWEEN = re.compile(
    r"(?:[\s,;:()\[\]{}$&|*]|\\\\|\b(?:and|then|or|to)\b|\\[,;! ]|\\(?:begin|end)\{[bp]matrix\}|\\left|\\right)*"
)


def is_result(number: Numeral, text: str, row: int) -> bool:
    """Tell whether a number of a text is taken for a result; `row` is how many numbers stand in a row with it."""
    if text.count("`", 0, number.start) % 2:
        return False
    if number.is_word:
        return bool(number.value % 1 and "half" not in number.text.lower()) or bool(_UNIT.match(text, number.end))
    digits = re.sub(r"\D", "", number.text)
    return bool(
        _FORM.search(number.text.strip())
        or (number.value < 0 and not re.match(r"\w", text[number.end :]))  # but -2c
        or (len(digits) >= 3 and not _is_round(number))
        or row >= 3
        or (row == 2 and re.search(r"[(\[]\s*$", text[: number.start]))
        or (row == 2 and re.match(r"\s*[)\]]", text[number.end :]))
        or _UNIT.match(text, number.end)
        or text[number.end :].startswith(" part")
        or (_STATED.search(text, 0, number.start) and _CLAUSE.match(text, number.end))
    )


def _is_round(number: Numeral) -> bool:
    whole = int(number.value)
    return (not whole & (whole - 1) and whole < 10_000) or len(str(whole).rstrip("0")) <= 2


def rows(numbers: Sequence[Numeral], text: str) -> list[list[int]]:
    """Group the numbers between which only a comma, a bracket or an "and" stands, by their places."""
    found = list[list[int]]()
    for i, number in enumerate(numbers):
        if i and _BETWEEN.fullmatch(text, numbers[i - 1].end, number.start):
            found[-1].append(i)
        else:
            found.append([i])
    return found
