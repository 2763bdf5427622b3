"""Numbers in words and digits, as the entries of the glossary and the descriptions of drawings name them."""

import re
from typing import Any, NamedTuple

import numpy as np

_COUNTS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "sixteenth": 16}
_TENS = {
    word: 10 * n
    for n, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_ONES = ["one", *_COUNTS[:8]]
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_SAID = re.compile(
    r"(?<![\w.])(?P<digits>\d{1,3}(?:(?:,|\{,\})\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<power>e[+-]?\d+)?(?![\w]|\.\d)"
    r"(?:\s*(?P<slash>/)\s*(?P<below>[1-9]\d*)\b)?(?:\s(?P<scale>thousand|million|billion)\b)?(?P<percent>\s?%|\spercent\b)?"
    rf"|(?<!powers of )(?<![\w-])(?P<count>{'|'.join(_COUNTS)})(?:\s(?P<parts>{'|'.join(_PARTS)})s?)?\b"
    rf"|\b(?P<tens>{'|'.join(_TENS)})(?:-(?P<ones>{'|'.join(_ONES)}))?\b(?!-)"
    rf"|\b(?:an?|one)\s(?P<part>{'|'.join(_PARTS)})\b",
    re.IGNORECASE,
)


class Said(NamedTuple):
    """One number as it is written, its value without a sign, and how far from it a value may be to be written so."""

    text: str
    value: float
    margin: float


def said(text: str) -> list[Said]:
    """Return the numbers of a text.

    >>> [(number.text, number.value) for number in said("Two of 1,024 are 0.2 %, a quarter or 3/8 of 5 thousand")]
    [('Two', 2.0), ('1,024', 1024.0), ('0.2 %', 0.002), ('a quarter', 0.25), ('3/8', 0.375), ('5 thousand', 5000.0)]
    """
    return [_number(found) for found in _SAID.finditer(text)]


def _number(found: re.Match[str]) -> Said:
    if found["count"]:
        value = float(_COUNTS.index(found["count"].lower()) + 2)
        part = _PARTS.get((found["parts"] or "").lower(), 1)
        return Said(found[0], value / part, 0.02 * value / part if part > 1 else 1e-9)
    if found["tens"]:
        ones = _ONES.index(found["ones"].lower()) + 1 if found["ones"] else 0
        return Said(found[0], float(_TENS[found["tens"].lower()] + ones), 1e-9)
    if found["part"]:
        value = 1 / _PARTS[found["part"].lower()]
        return Said(found[0], value, 0.02 * value)
    digits = re.sub(r"[,{}]", "", found["digits"])
    unit = _SCALES.get(found["scale"] or "", 1.0) / (100 if found["percent"] else 1) * float(f"1{found['power'] or ''}")
    if found["slash"]:
        return Said(found[0], float(digits) / int(found["below"]), 1e-9)
    value, last = float(digits) * unit, 10.0 ** -len(digits.partition(".")[2]) * unit
    margin = last / 2 if "." in digits or value >= 20 * last else value * 0.003  # 4 may be 4.001, and not 4.4
    return Said(found[0], value, margin + 1e-9 * last)


def in_order(key: str, text: str, computed: Any) -> None:
    """Refuse a text whose numbers are not the computed ones, one after the other; signs do not count.

    >>> in_order("title", "The three rows hold 1, 2 and 0.33.", [3, [1, 2, 1 / 3]])
    """
    wanted, found = [abs(float(x)) for x in _flat(computed)], said(text)
    for number, value in zip(found, wanted, strict=False):
        if abs(value - number.value) > number.margin:
            raise AssertionError(f"{key} says {number.text!r}, and {value:.6g} is computed")
    if len(found) != len(wanted):
        texts = ", ".join(number.text for number in found)
        raise AssertionError(f"{key} names {len(found)} numbers ({texts}), and {len(wanted)} are computed")


def _flat(item: Any) -> list[Any]:
    return [part for inner in item for part in _flat(inner)] if isinstance(item, list) or np.ndim(item) else [item]
