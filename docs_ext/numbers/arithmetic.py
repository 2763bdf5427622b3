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
        return _computed(re.sub(r"\\tag\{\w+\}", "", text).strip(" .;,\n$&"))
    except (_NotArithmeticError, ValueError, ZeroDivisionError, OverflowError, TypeError, IndexError, SyntaxError):
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
        return _computed(tex.strip(), names)
    except (_NotArithmeticError, IndexError, SyntaxError) as error:
        raise SpecError(f"cannot compute ${tex}$ {error}") from error


class _Array(np.ndarray[Any, Any]):
    """A vector or a matrix: next to another one it is their product."""

    def __mul__(self, other: Any) -> Any:
        return self @ other if np.ndim(other) else super().__mul__(other)


def _array(value: Any) -> Any:
    return np.asarray(value).view(_Array) if np.ndim(value) else value


_SYMBOLS = {r"\nq": "n_q", r"\nk": "n_k", r"\dk": "d_k", r"\dv": "d_v", r"\dmodel": "d_model"}
_FUNCTIONS = {name: getattr(np, name[1:]) for name in (r"\log", r"\exp", r"\tanh", r"\cos", r"\sin")} | {r"\ln": np.log}
_OPERATORS = {"−": "-", r"\cdot": "*", r"\times": "*", "·": "*", "×": "*"} | {sign: sign for sign in "+-*/"}
_JUXTAPOSED = {"(", "{", r"\sqrt", r"\frac", r"\tfrac", r"\dfrac", r"\lfloor", r"\pi", "e", *_FUNCTIONS}
_FLOOR_END = r"\rfloor"
_KNOWN = _JUXTAPOSED | {r"\cdot", r"\times", _FLOOR_END}


def _computed(text: str, names: Mapping[str, Any] | None = None) -> Any:
    python = _Translator(text, names).until("")
    known = {"f": _FUNCTIONS, "sqrt": np.sqrt, "floor": np.floor, "e": np.e, "pi": np.pi, "array": _array}
    return eval(python, {"__builtins__": {}, "names": names, **known})


class _Translator:
    """TeX to an expression of Python."""

    def __init__(self, text: str, names: Mapping[str, Any] | None) -> None:
        self.names = names
        self.tokens, position = list[str](), 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            if not found or (found.lastgroup == "word" and names is None and found[0] not in _KNOWN):
                raise _NotArithmeticError
            position = found.end()
            if found.lastgroup:
                self.tokens.append(found[0])
        self.tokens.append("")
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def is_symbol(self, token: str) -> bool:
        return self.names is not None and re.match(r"[A-Za-z]|\\[A-Za-z]", token) is not None and token not in _KNOWN

    def until(self, *ends: str) -> str:
        """Translate up to one of these tokens, and take it."""
        python, is_factor = "", False
        while (token := self.next) not in ends:
            if token in _OPERATORS:
                self.at += 1
                python, is_factor = python + _OPERATORS[token], False
                continue
            if is_factor and not (token in _JUXTAPOSED or token.startswith(r"\begin") or self.is_symbol(token)):
                raise _NotArithmeticError
            python, is_factor = python + "*" * is_factor + self.power(), True
        self.at += 1
        return python

    def power(self) -> str:
        python = self.base()
        if self.next == "^":
            self.at += 1
            python += f"**({self.group()})"
        if self.next in ("%", r"\%"):
            self.at += 1
            python = f"({python}/100)"
        return python

    def group(self) -> str:
        """Translate what stands in braces, or the one digit that needs none."""
        token = self.next
        if token.isdigit() and len(token) > 1:  # \tfrac12
            self.tokens[self.at] = token[1:]
            return token[0]
        return self.base()

    def base(self) -> str:
        token = self.next
        self.at += 1
        if mixed := re.fullmatch(r"(\d+)\\tfrac(\d)(\d)", token):
            return f"({mixed[1]}+{mixed[2]}/{mixed[3]})"
        if token[:1].isdigit():
            return repr(float(re.sub(r"[{},\\]", "", token)))
        if token in (r"\frac", r"\tfrac", r"\dfrac"):
            return f"(({self.group()})/({self.group()}))"
        if token == r"\sqrt":
            return f"sqrt({self.group()})"
        if token in _FUNCTIONS:
            return f"f[{token!r}]({self.power()})"
        if token in ("e", r"\pi"):
            return token.strip("\\")
        if token == r"\lfloor":
            return f"floor({self.until(_FLOOR_END)})"
        if self.is_symbol(token):
            name = re.sub(r"_?\{?\\text\{(\w+)\}\}?", r"_\1", _SYMBOLS.get(token, token.lstrip("\\")))
            name = re.sub(r"[{}\\,]", "", name)
            if self.names is None or name not in self.names:
                raise _NotArithmeticError(f"(nothing is called {name})")
            return f"array(names[{name!r}])"
        if token == "{":
            return f"({self.until('}')})"
        if token in ("(", "["):
            closing = {"(": ")", "[": "]"}[token]
            parts = [self.until(",", closing)]
            while self.tokens[self.at - 1] == ",":
                parts.append(self.until(",", closing))
            return f"({parts[0]})" if len(parts) == 1 else f"array([{','.join(parts)}])"
        if token.startswith(r"\begin"):
            ends = "&", r"\\", token.replace("begin", "end")
            rows = [[self.until(*ends)]]
            while (last := self.tokens[self.at - 1]) != ends[2] and self.next != ends[2]:
                rows += [[]] if last != "&" else []
                rows[-1].append(self.until(*ends))
            self.at += self.next == ends[2]
            if self.next != "^":
                return f"array([{','.join('[' + ','.join(row) + ']' for row in rows)}])"
        raise _NotArithmeticError
