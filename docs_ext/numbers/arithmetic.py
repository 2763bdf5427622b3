r"""Arithmetic in TeX: of each equation between numbers, such as \tfrac18 (8, 0) = (1, 0), whether it is true."""

# ruff: noqa: RUF001  (authors write the minus and the dash of print)

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from docs_ext.errors import SpecError

_RELATION = re.compile(
    r"=|\\approx\b|\\simeq\b|\\(?:le|ge|ne|lt|gt|leq|geq|to|mapsto|Rightarrow|in|propto|ll|gg)\b|<|>|\\q?quad\b|;|&="
)
_EQUAL = {"=", "&=", r"\approx", r"\simeq"}
_TOKEN = re.compile(
    r"\s+|\\[,;!: ]|\\left|\\right|&(?==)"
    r"|(?P<mixed>\d+\\tfrac\d\d)|(?P<number>\d{1,3}(?:(?:\{,\}|\\,)\d{3})+|\d+\.\d+|\d+)"
    r"|(?P<begin>\\begin\{[bp]matrix\})|(?P<end>\\end\{[bp]matrix\})"
    r"|(?P<newline>\\\\)|(?P<word>(?:\\[A-Za-z]+|[A-Za-z])(?:_(?:[A-Za-z\d]|\{\w+\}|\{\\text\{\w+\}\}))?)"
    r"|(?P<sign>[-−+*/^(){}\[\],&·×%|])"
)


class Equation(NamedTuple):
    """Two numeric sides next to each other, from where to where they stand, and whether they are equal."""

    start: int
    end: int
    holds: bool


def equations(tex: str) -> Iterator[Equation]:
    r"""Yield the equations between numbers alone in a formula.

    >>> [equation.holds for equation in equations(r"x = 2 \cdot 3 = 6 < 7 = \tfrac{14}{2} = 8")]
    [True, True, False]
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


def _side(text: str) -> Any:
    """Evaluate a side, or return None if it is not numbers alone; punctuation around it does not count."""
    try:
        return _Parser(re.sub(r"\\tag\{\w+\}", "", text).strip(" .;,\n$&")).whole()
    except (_NotArithmeticError, ValueError, ZeroDivisionError, OverflowError, TypeError, IndexError):
        return None


def _same(left: Any, right: Any, *texts: str) -> bool:
    if np.shape(left) != np.shape(right):
        return False
    digits = [[len(decimals) for decimals in re.findall(r"\.(\d+)", text)] for text in texts]
    results = [max(d) for d, text in zip(digits, texts, strict=True) if d and _is_plain(text)]
    results = results or [max(d) for d in digits if d]
    margin = 0.6 * 10.0 ** -min(results) if results else 0.0  # a little more than half: what goes in was rounded, too
    return bool(np.allclose(left, right, rtol=1e-9, atol=margin + 1e-12))


class _NotArithmeticError(Exception):
    pass


def value(tex: str, names: Mapping[str, Any]) -> Any:
    r"""Return the value of a formula; a symbol is the name that it would have in Python.

    >>> value(r"2^{-8h/H} + \dk a_{12}", {"h": 2, "H": 4, "d_k": 3, "a_12": 5})
    15.0625
    """
    try:
        return _Parser(tex.strip(), names).whole()
    except (_NotArithmeticError, IndexError) as error:
        raise SpecError(f"cannot compute ${tex}$ {error}") from error


_SYMBOLS = {r"\nq": "n_q", r"\nk": "n_k", r"\dk": "d_k", r"\dv": "d_v", r"\dmodel": "d_model"}
_FUNCTIONS = {r"\ln": np.log, r"\log": np.log, r"\exp": np.exp, r"\tanh": np.tanh, r"\cos": np.cos, r"\sin": np.sin}


_JUXTAPOSED = {"(", "{", r"\sqrt", r"\frac", r"\tfrac", r"\dfrac", r"\lfloor", r"\pi", "e", *_FUNCTIONS}
_KNOWN = _JUXTAPOSED | {r"\cdot", r"\times", r"\rfloor"}


class _Parser:
    def __init__(self, text: str, names: Mapping[str, Any] | None = None) -> None:
        self.names = names
        self.tokens, position = list[str](), 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            if not found:
                raise _NotArithmeticError
            position = found.end()
            if found.lastgroup == "word" and names is None and found[0] not in _KNOWN:
                raise _NotArithmeticError
            if found.lastgroup:
                self.tokens.append(found[0])
        self.tokens.append("")
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def take(self, *expected: str) -> bool:
        if self.next in expected:
            self.at += 1
            return True
        return False

    def is_symbol(self, token: str) -> bool:
        return self.names is not None and re.match(r"[A-Za-z]|\\[A-Za-z]", token) is not None and token not in _KNOWN

    def need(self, token: str) -> None:
        if not self.take(token):
            raise _NotArithmeticError

    def whole(self) -> Any:
        value = self.sum()
        if self.next:
            raise _NotArithmeticError
        return value

    def sum(self) -> Any:
        value = self.signed()
        while self.next in ("+", "-", "−"):
            if self.take("+"):
                value = value + self.product()
            else:
                self.at += 1
                value = value - self.product()
        return value

    def signed(self) -> Any:
        if self.take("-", "−"):
            return -self.product()
        self.take("+")
        return self.product()

    def product(self) -> Any:
        value = self.power()
        while True:
            if self.take(r"\cdot", r"\times", "*", "·", "×"):
                value = _times(value, self.power(signed=True))
            elif self.take("/"):
                value = value / self.power()
            elif self.next in _JUXTAPOSED or self.next.startswith(r"\begin") or self.is_symbol(self.next):
                value = _times(value, self.power())
            else:
                return value

    def power(self, signed: bool = False) -> Any:
        if signed and self.take("-", "−"):
            return -self.power()
        value = self.base()
        if self.take("^"):
            value = value ** float(self.group())
        if self.take("%", r"\%"):
            value = value / 100
        return value

    def group(self) -> Any:
        """Read what stands in braces, or the one digit that needs none."""
        if self.take("{"):
            value = self.sum()
            self.need("}")
            return value
        token = self.next
        if token.isdigit() and len(token) > 1:  # \tfrac12
            self.tokens[self.at] = token[1:]
            return float(token[0])
        return self.base()

    def base(self) -> Any:
        token = self.next
        self.at += 1
        if mixed := re.fullmatch(r"(\d+)\\tfrac(\d)(\d)", token):
            return int(mixed[1]) + int(mixed[2]) / int(mixed[3])
        if token[:1].isdigit():
            return float(re.sub(r"[{},\\]", "", token))
        if token in (r"\frac", r"\tfrac", r"\dfrac"):
            return self.group() / self.group()
        if token == r"\sqrt":
            return np.sqrt(self.group())
        if token in _FUNCTIONS:
            return _FUNCTIONS[token](self.power())
        if token == "e":
            return np.e
        if token == r"\pi":
            return np.pi
        if token == r"\lfloor":
            value = self.sum()
            self.need(r"\rfloor")
            return np.floor(value)
        if self.is_symbol(token):
            name = _SYMBOLS.get(token, token.lstrip("\\"))
            name = re.sub(r"_?\{?\\text\{(\w+)\}\}?", r"_\1", name)
            name = re.sub(r"[{}\\,]", "", name)
            if self.names is None or name not in self.names:
                raise _NotArithmeticError(f"(nothing is called {name})")
            return self.names[name]
        if token == "{":
            value = self.sum()
            self.need("}")
            return value
        if token in ("(", "["):
            values = [self.sum()]
            while self.take(","):
                values.append(self.sum())
            self.need({"(": ")", "[": "]"}[token])
            return values[0] if len(values) == 1 else np.array(values)
        if token.startswith(r"\begin"):
            rows = [[self.sum()]]
            while not self.next.startswith(r"\end"):
                if self.take("&"):
                    rows[-1].append(self.sum())
                else:
                    self.need(r"\\")
                    if not self.next.startswith(r"\end"):
                        rows.append([self.sum()])
            self.at += 1
            if self.take("^"):
                raise _NotArithmeticError
            return np.array(rows, float)
        raise _NotArithmeticError


def _times(left: Any, right: Any) -> Any:
    return left @ right if np.ndim(left) and np.ndim(right) else left * right
