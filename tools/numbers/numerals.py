"""The numbers that an author wrote, in digits and in words, and how exactly each is meant.

What is no number of the text is passed over: names (float32, GPT-2, Gemma 3), years, the places in a source (§3.2,
eq. (5)), the numbers of equations, addresses, list markers and the indices of symbols.
"""

# ruff: noqa: RUF001, RUF002  (authors write the minus and the dash of print)

import math
import re
from collections.abc import Iterator
from typing import NamedTuple


class Numeral(NamedTuple):
    """A number as written, its value, and half a unit of its last digit: 0 for a whole number or a fraction."""

    text: str
    value: float
    margin: float
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Tell whether it is written without a digit."""
        return not re.search(r"\d", self.text)

    def means(self, value: float, *, rounded: bool = False) -> bool:
        """Tell whether the value, rounded to the digits that are written, is this number."""
        margin = max(self.margin, _unit(self.text) / 2 if rounded else 0)
        if not math.isfinite(self.value):
            return False
        return abs(value - self.value) <= margin + 1e-9 * abs(self.value) + 1e-12 * (self.value == 0)


_NAMES = (
    "Algorithm|Appendix|appendix|Chapter|chapter|chapters|CUDA|[Dd]efinition|Example|Figure|figure|FlashAttention|footnote|Gemma|Keras|Lemma|Llama|Material"
    "|[Hh]eads?|[Ll]ayers?|[Ss]teps?|MkDocs|NumPy|ONNX|opset|page|Phi|Proposition|ProperDocs|Python|PyTorch|Qwen|Section|section|sections|Table|Theorem|Transformers|version|Zensical"
)
_PLACE = r"\(?(?:[A-Z]\.?)?\d+(?:\.\d+)*[a-z]?\)?"
_SKIPPED = re.compile(
    r"<[^<>\n]*>"  # HTML, and <https://...>
    r"|https?://[^\s)]+"
    r"|\]\([^()\s]*(?:\([^()]*\))?[^()\s]*\)|\]\[[^\]\n]*\]"  # where a link leads
    r"|\{:? *[#.][^{}\n]*\}"  # { #anchor .class }
    r"|\{[^{}\n]*=\"[^{}\n]*\}"
    r"|\\tag\{[^}]*\}|\\\\\[[^\]]*\]|\\begin\{array\}\{[^}]*\}|\\h(?:space|skip)\{[^}]*\}"
    r"|\\(?:text|operatorname|mathrm|label)\*?\{[^{}]*\}"
    r"|^[ >]*(?:\*\*)?\d+\.(?= )"  # the marker of a list, or of an exercise
    rf"|(?:§§?|\b(?:[Ee]qs?\.|[Ee]quations?|[Ff]ormulas?|{_NAMES})) *{_PLACE}(?:(?:,| and|, and| or| to|–) {_PLACE})*"
    r"|(?<![$\w)}])\(\d\)(?![$^])"  # equation (2)
    r"|_\d|_\{[\w,]+\}|_\{\w[=+-]1\}"  # the index of a symbol; a sum begins at 1
    r"|(?<![\w\\])(?!\d)\w+-?\d[\w.-]*\w|(?<![\w\\])(?!\d)[^\W_]+-?\d"  # float32, GPT-2
    r"|(?<![\d.,])\b(?:19[4-9]\d|20[0-2]\d)\b(?![.,]?\d)(?!\s*(?:tokens|MiB|words|keys))"  # a year
    r"|(?<=[A-Za-z\d] )\d+(?:\.\d+)?B\b"  # Mistral 7B
    r"|\d+(?:st|nd|rd|th)\b",
    re.MULTILINE,
)
_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10, "sixteenth": 16}
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_PLAIN = r"\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_NUMERAL = re.compile(
    r"(?P<sign>(?<![\w)}\]'!.])[-−])?"
    rf"(?:\\[td]?frac\s*(?:(?P<a>\d)\s*(?P<b>\d)|\{{(?P<c>\d+)\}}\{{(?P<d>\d+)\}})"
    rf"|(?P<over>{_PLAIN})/(?P<under>{_PLAIN})(?![/\d])"
    rf"|(?P<base>{_PLAIN})\^(?:(?P<digit>\d)|\{{(?P<power>[-−]?\d+)\}})"
    rf"|(?P<plain>{_PLAIN}))"
    rf"(?:\s(?P<scale>{'|'.join(_SCALES)})\b)?(?P<percent>\s?\\?%|\spercent\b)?"
    rf"|(?<![\w-])(?:(?P<tens>{'|'.join(_TENS)})(?:-(?P<more>{'|'.join(_ONES[:9])}))?"
    rf"|(?P<ones>{'|'.join(_ONES[1:])})(?:[\s-](?P<parts>{'|'.join(_PARTS)})s)?"
    rf"|(?:an?|one)\s(?P<part>{'|'.join(_PARTS)})(?!\s(?!of)\w)|(?P<half>half)(?=\s(?:of|the|as|its|a)\b))"
    r"(?![\w-])(?P<hundredths>\spercent\b)?",
    re.IGNORECASE,
)


def numerals(text: str, *, skip: bool = True) -> Iterator[Numeral]:
    r"""Yield the numbers of a text in their order.

    >>> [n.value for n in numerals(r"In 2017, \(\tfrac18\) of 65,536 tokens was 12.5% (§3.2), and −2 of float32.")]
    [0.125, 65536.0, 0.125, -2.0]
    >>> [n.value for n in numerals("Twelve times a quarter, twenty-one of 3 million, half of it, two thirds.")]
    [12.0, 0.25, 21.0, 3000000.0, 0.5, 0.6666666666666666]
    """
    if skip:
        text = _SKIPPED.sub(lambda found: re.sub(r"\S", "\0", found[0]), text)
    for found in _NUMERAL.finditer(text):
        yield _numeral(found)


def _numeral(found: re.Match[str]) -> Numeral:
    margin = 0.0
    if over := found["a"] or found["c"] or found["over"]:
        value = _plain(over) / (_plain(found["b"] or found["d"] or found["under"]) or float("nan"))
    elif found["base"]:
        value = _power(_plain(found["base"]), float((found["digit"] or found["power"]).replace("−", "-")))
    elif found["plain"]:
        value = _plain(found["plain"])
        if "." in found["plain"] or "e" in found["plain"].lower():
            margin = _unit(found["plain"]) / 2
        if found["scale"]:
            scale = _SCALES[found["scale"].lower()]
            value, margin = value * scale, (margin or 0.5) * scale
    else:
        value = _said({name: word.lower() for name, word in found.groupdict("").items()})
        margin = 0.02 * value if value % 1 else 0.0  # a third may be 0.33
    if found["percent"] or found["hundredths"]:
        value, margin = value / 100, (margin or 0.5) / 100
    return Numeral(found[0], -value if found["sign"] else value, margin, found.start(), found.end())


def _said(words: dict[str, str]) -> float:
    if words["tens"]:
        return 10.0 * (_TENS.index(words["tens"]) + 2) + (_ONES.index(words["more"]) + 1 if words["more"] else 0)
    count = _ONES.index(words["ones"]) + 1 if words["ones"] else 1
    return count / _PARTS.get(words["parts"] or words["part"] or words["half"], 1)


def _power(base: float, exponent: float) -> float:
    """Return a power, infinity if no float is as large; of 0 none is meant."""
    try:
        return float(base**exponent) if base else float("nan")
    except OverflowError:
        return float("inf")


def _plain(text: str) -> float:
    return float(re.sub(r"[,{}\\]", "", text))


def _unit(text: str) -> float:
    """Return what the last digit that is not a zero of a whole number counts, or the last one of a decimal."""
    percent = 100 if "%" in text or "percent" in text else 1
    found = re.search(rf"{_PLAIN}", text)
    mantissa, _, exponent = re.sub(r"[,{}\\]", "", found[0] if found else "1").lower().partition("e")
    whole, dot, decimals = mantissa.partition(".")
    power = -len(decimals) if dot else len(whole) - len(whole.rstrip("0"))
    return _power(10.0, power + int(exponent or 0)) / percent
