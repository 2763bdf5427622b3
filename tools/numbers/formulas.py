r"""Formulas with letters, and whether what they say is true of given numbers.

A letter is the name of a number, an array or a function, an index
that of a range. A formula is true if each of its statements is, for every value of the indices that stand in it.

    S_{ij} = \q_i \cdot \k_j        {"S": ..., "q": ..., "k": ..., "i": range(2), "j": range(3)}

Letters side by side are multiplied, arrays as matrices. A sum runs over the range of its index. A statement about a
letter that has no value, such as the second of `a = 2 b, \quad b = c^2`, defines it, one in brackets says when that
before it holds, and one without a relation is compared with the name "result". Words are left out, unless they have a
value: "key _ is hidden" is that of a function which `key j is hidden` calls.
"""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from docs_ext.errors import SpecError
from tools.numbers.tokens import Token, Tokens, cut, end_of, tokens_of, ungrouped

Names = Mapping[str, Any]


@dataclass(frozen=True)
class _Definition:
    indices: tuple[str, ...]
    side: Tokens


def _is_zero(value: Any) -> bool:
    return np.ndim(value) == 0 and value == 0


def _of_all(function: Any) -> Any:
    return lambda *given: function(given if len(given) > 1 else given[0])


_FUNCTIONS = {rf"\{name}": getattr(np, name) for name in ("log", "exp", "tanh", "cos", "sin")}
_FUNCTIONS |= {r"\ln": np.log, r"\max": _of_all(np.max), r"\min": _of_all(np.min)}
_CONSTANTS = {"e": np.e, r"\pi": np.pi, r"\infty": np.inf, "otherwise": True, r"\%": 0.01}
_RELATIONS: dict[str, Any] = {
    "=": lambda a, b: (np.shape(a) == np.shape(b) or _is_zero(b)) and np.allclose(a, b, rtol=1e-6, atol=1e-9),
    r"\approx": lambda a, b: np.allclose(a, b, rtol=0.02),
    r"\le": np.less_equal,
    "<": np.less,
    r"\ge": np.greater_equal,
    ">": np.greater,
    "≠": np.not_equal,
    r"\in": lambda a, b: a in b,
    "∉": lambda a, b: a not in b,
}
_BRACKETS: dict[str, tuple[str, Any]] = {  # what closes them, and what they make of a number or an array
    "(": (")", None),
    "[": ("]", None),
    r"\{": (r"\}", None),
    r"\lfloor": (r"\rfloor", np.floor),
    r"\lvert": (r"\rvert", np.abs),
    r"\lVert": (r"\rVert", lambda value: np.linalg.norm(value, 2)),
}
_BARS = {"|": np.abs, r"\|": _BRACKETS[r"\lVert"][1]}
_PRODUCTS: dict[str, Any] = {
    "beside": lambda a, b: a @ b if np.ndim(a) and np.ndim(b) else a * b,
    r"\cdot": lambda a, b: np.squeeze(np.sum(a * b, axis=-1)) if np.ndim(a) and np.ndim(b) else a * b,
    r"\odot": np.multiply,
    r"\times": np.multiply,
    "/": np.divide,
    "mod": np.mod,
}
_SUMS: dict[str, Any] = {"+": operator.add, "-": operator.sub, r"\oplus": None}  # what this does, a name says
_BEGIN_FACTOR = {"number", "letter", "word", "open", "fraction", "root", "rows", "function", "over", "bar"}
_OVER_INDICES: dict[str, Any] = {r"\sum": sum, r"\max": max, r"\min": min}


def statements_that_fail(tex: str, names: Names) -> list[int]:
    """Return the numbers of the statements that are false; a SpecError says what has no value or cannot be read."""
    known = {**names, **{f"range of {name}": value for name, value in names.items() if isinstance(value, range)}}
    known["read"] = read = set[str]()  # of what a statement defines
    claims = dict[int, tuple[Tokens, Tokens]]()
    for number, statement in enumerate(_statements(tokens_of(tex))):
        statement = _without_words(statement, names)
        name, definition = _definition(statement, names)
        if name:
            known[name] = definition
        elif claims and _is_condition(statement):
            claims[max(claims)] = claims[max(claims)][0], statement
        elif statement:
            claims[number] = statement, ()
    if not claims:
        raise SpecError("nothing is claimed")
    with np.errstate(all="ignore"):  # the case of a formula that does not apply
        false = [n for n, claim in claims.items() if not _is_true_everywhere(*claim, {**known, "statement": n})]
    if not false and (idle := {name for name in known if isinstance(known[name], _Definition)} - read):
        raise SpecError(f"no claim is about {', '.join(sorted(idle))}, which has no value but in this formula")
    return false


def value(tex: str, names: Names) -> Any:
    r"""Return the value of a formula; a symbol is the name that it would have in Python.

    >>> float(value(r"2^{-8h/H} + \dk a_{12}", {"h": 2, "H": 4, "d_k": 3, "a_12": 5}))
    15.0625
    """
    known = {**names, **{rf"\{name}": each for name, each in names.items()}}
    try:
        with np.errstate(all="ignore"):
            return _Reader((), known).evaluate(tokens_of(tex))
    except (SpecError, ValueError, ArithmeticError, TypeError, LookupError) as error:
        raise SpecError(f"cannot compute ${tex}$: {error}") from error


def _is_true_everywhere(claim: Tokens, condition: Tokens, names: Names) -> bool:
    letters = dict.fromkeys(token.text for token in _walk(claim) if token.kind == "letter")
    indices = [name for name in letters if isinstance(names.get(name), range)]
    for at in product(*(names[name] for name in indices)):
        reader = _Reader(claim, {**names, **dict(zip(indices, at, strict=True))})
        if (not condition or reader.evaluate(condition)) and not reader.is_true():
            return False
    return True


def _walk(tokens: Tokens) -> Iterator[Token]:
    """Yield all tokens but the index of a sum, which takes its values there."""
    for token in tokens:
        yield token
        if token.kind != "over":
            yield from _walk(token.below)
        yield from _walk(token.above)
        for part in token.parts:
            for cell in part if token.kind == "rows" else [part]:
                yield from _walk(cell)


# --- statements --------------------------------------------------------------------------------------------------


def _statements(tokens: Tokens) -> Iterator[Tokens]:
    """Cut where there is a gap or a new line; words alone claim nothing."""
    if len(tokens) == 1 and tokens[0].kind == "aligned":
        for row in tokens[0].parts:
            for pair in zip(row[::2], [*row[1::2], ()], strict=False):
                yield from _statements(sum(pair, ()))
        return
    for statement in cut(tokens, "gap"):
        while statement and statement[-1].text in (",", ".", ";"):
            statement = statement[:-1]
        if any(token.kind not in ("word", "comma") for token in statement):
            yield statement


def _definition(statement: Tokens, names: Names) -> tuple[str, _Definition | None]:
    """Tell whether a statement defines a letter, and by what."""
    equals = next((at for at, token in enumerate(statement) if token.text == "="), 0)
    letters = statement[:equals]
    are_one = all(t.kind in ("letter", "word") and not t.above and (t is letters[-1] or not t.below) for t in letters)
    if not letters or not are_one:
        return "", None
    first = replace(letters[-1], text="".join(token.text for token in letters))
    if first.text in names or _full_name(first) in names:
        return "", None
    indices = tuple(token.text for token in first.below if token.kind != "comma")
    if all(isinstance(names.get(index), range) for index in indices):
        return first.text, _Definition(indices, statement[equals + 1 :])
    return _full_name(first), _Definition((), statement[equals + 1 :])


def _is_condition(statement: Tokens) -> bool:
    inner = ungrouped(statement)
    return inner != statement and any(token.kind == "relation" for token in inner)


def _without_words(statement: Tokens, names: Names) -> Tokens:
    """Take away words before a claim, such as "if"; with no relation behind them they claim nothing."""
    if statement[0].kind != "word" or any(name.split(" _")[0] == statement[0].text for name in names):
        return statement
    return statement[1:] if any(token.kind == "relation" for token in statement) else ()


def _full_name(token: Token) -> str:
    below = "".join(part.text for part in token.below)
    return f"{token.text}_{below}" if below else token.text


# --- values ------------------------------------------------------------------------------------------------------


class _Reader:
    """Evaluate tokens from left to right."""

    def __init__(self, tokens: Tokens, names: Names) -> None:
        self.tokens, self.names, self.at = tokens, names, 0

    def next(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else Token("end")

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def evaluate(self, tokens: Tokens, **more: Any) -> Any:
        reader = _Reader(tokens, {**self.names, **more})
        value = reader.relations()
        if reader.next().kind != "end":
            raise SpecError(f"cannot be read from {reader.next().text!r} on")
        return value

    def is_true(self) -> bool:
        first, dots, last = (*cut(self.tokens, "comma"), (), ())[:3]
        if len(first) > 2 and dots and dots[0].kind == "dots":  # i = 0, ..., n - 1
            values = self.names[f"range of {first[0].text}"]
            return first[1].text == "=" and [*map(self.evaluate, (first[2:], last))] == [values[0], values[-1]]
        value = self.expression()
        if self.next().kind == "end":
            result = self.names["result"]
            return bool(_RELATIONS["="](value, result(**self.names) if callable(result) else result))
        self.at = 0
        return bool(self.evaluate(self.tokens))

    def relations(self) -> Any:
        """Read a = b < c: whether all hold; without a relation the value itself."""
        value, holds = self.expression(), []
        while self.next().kind == "relation":
            relation = self.take().text
            if relation not in _RELATIONS:
                raise SpecError(f"what {relation} says is not tested")
            left, value = value, self.expression()
            holds.append(_RELATIONS[relation](left, value))
        return all(np.all(each) for each in holds) if holds else value

    def expression(self) -> Any:
        value = 0 if self.next().text in ("+", "-") else self.term()
        while self.next().text in _SUMS:
            sign = self.take().text
            value = (_SUMS[sign] or self.names[sign])(value, self.term())
        return value

    def term(self) -> Any:
        value = self.factor()
        while (token := self.next()).text in _PRODUCTS or token.kind in _BEGIN_FACTOR:
            if token.kind == "bar" and self.is_closing:
                break
            sign = self.take().text if token.text in _PRODUCTS else "beside"
            value = _PRODUCTS[sign](value, self.factor())
        return value

    is_closing = False  # within bars, where the next one closes

    def rest_of_term(self, *ends: str) -> Tokens:
        """Take what a function without brackets, or a sum, is of: up to the next plus, minus, relation or bracket."""
        start, end = self.at, self.at
        while end < len(self.tokens):
            token = self.tokens[end]
            if token.kind in ("relation", "close", "comma") or token.text in ("+", "-", *ends):
                break
            end = end_of(self.tokens, end + 1) + 1 if token.kind == "open" else end + 1
        self.at = end
        return self.tokens[start:end]

    def factor(self) -> Any:
        token = self.take()
        if token.text == "-":
            return -self.factor()
        if token.kind == "number":
            value = self.raised(float(token.text), token)
            return value + self.factor() if self.next().text == "small" else value  # 6 and two thirds
        if token.kind == "open":
            parts, closing = self.group(token)
            function = _BRACKETS[token.text][1]
            return self.raised(function(parts[0]), closing) if function else self.scripted(_joined(parts), closing)
        if token.kind == "bar":
            self.is_closing = True
            value = _BARS[token.text](self.expression())
            self.is_closing = False
            self.take()
            return value
        if token.kind == "fraction":
            return self.evaluate(token.parts[0]) / self.evaluate(token.parts[1])
        if token.kind == "root":
            return self.raised(np.sqrt(self.evaluate(token.parts[0])), token)
        if token.kind == "rows":
            return self.rows(token)
        if token.kind == "over":
            index, values = self.range(token)
            rest = self.rest_of_term()
            return _OVER_INDICES[token.text](self.evaluate(rest, **{index: value}) for value in values)
        if token.kind == "word" and (sentence := next((n for n in self.names if n.startswith(f"{token.text} _")), "")):
            return self.names[sentence](*self.between(sentence.split("_")))
        if token.kind in ("letter", "word", "function"):
            value = self.named(token)
            return self.called(value) if callable(value) else value
        raise SpecError(f"cannot be read from {token.text!r} on")

    def between(self, words: Sequence[str]) -> Iterator[Any]:
        """Read what stands between the words of a sentence, and behind the last."""
        for word in words[1:]:
            yield self.factor()
            if word.strip() and self.take().text != word.strip():
                raise SpecError(f"expected {word.strip()!r}")

    def group(self, opening: Token) -> tuple[list[Any], Token]:
        """Read what stands in brackets, part by part."""
        first, parts = self.next(), [self.relations()]
        while self.next().kind == "comma":
            self.take()
            if self.next().kind == "dots":  # a_1, ..., a_n
                self.at += 2
                start, end = (self.indices(token)[0] for token in (first, self.next()))
                parts += [np.asarray(self.names[first.text])[k] for k in range(start + 1, end)]
            parts.append(self.relations())
        closing = self.take()
        if closing.text != _BRACKETS[opening.text][0]:
            raise SpecError(f"{opening.text!r} is closed by {closing.text!r}")
        return parts, closing

    def called(self, function: Any) -> Any:
        if self.next().text in ("(", r"\{"):
            parts, closing = self.group(self.take())
            return self.scripted(function(*parts), closing)
        return function(self.evaluate(self.rest_of_term("/", r"\cdot")))

    def named(self, token: Token) -> Any:
        """Look a letter up: with what stands below it as one name, or as its index; letters may make one name."""
        text = token.text
        while not token.below and text not in self.names and self.is_known(text + self.next().text):
            token = self.take()
            text += token.text
        named = replace(token, text=text)
        full = _full_name(named)
        if token.above and token.above[0].text == "(":  # W^{(i)}, one of several
            return np.asarray(self.names[f"{full}^()"])[int(self.evaluate(token.above))]
        above = "".join(part.text for part in token.above)
        if f"{text}^{above}" in self.names:
            return self.scripted(self.names[f"{text}^{above}"], replace(token, above=()))
        first, *more = cut(token.below, "comma")
        if more and (of_several := _full_name(replace(named, below=first))) in self.names:  # W_{UK,i}
            return self.scripted(self.names[of_several], replace(token, below=more[0]))
        if isinstance(self.names.get(full), dict):  # L_P, for each P
            return self.raised(self.names[full][self.names[token.below[0].text]], token)
        if full in self.names:
            return self.raised(self.value_of(full, ()), token)
        known = self.names if text in self.names else {**_FUNCTIONS, **_CONSTANTS}
        if text not in known:
            raise SpecError(f"{full!r} has no value here: give it one, or write the formula without it")
        if isinstance(known[text], _Definition):
            return self.raised(self.value_of(text, self.indices(token)), token)
        return self.scripted(known[text], token)

    def is_known(self, text: str) -> bool:
        return text in self.names or _full_name(replace(self.next(), text=text)) in self.names

    def value_of(self, name: str, indices: tuple[Any, ...]) -> Any:
        value = self.names[name]
        if not isinstance(value, _Definition):
            return value
        self.names["read"].add(name)
        given, left = dict(zip(value.indices, indices, strict=False)), value.indices[len(indices) :]
        each = [self.names[f"range of {index}"] for index in left]
        values = [self.evaluate(value.side, **given, **dict(zip(left, at, strict=True))) for at in product(*each)]
        whole = np.array(values).reshape((*map(len, each), *np.shape(values[0])))
        return whole[indices[len(value.indices) :]]

    def indices(self, token: Token) -> tuple[Any, ...]:
        """Read i, j or ij below a letter."""
        pieces = cut(token.below, "comma")
        if len(pieces) == 1 and all(part.kind in ("letter", "number") for part in token.below):
            pieces = [(part,) for part in token.below]
        return tuple(int(self.evaluate(piece)) for piece in pieces)

    def scripted(self, value: Any, token: Token) -> Any:
        """Apply what stands below, an index, and above, a power or a transpose."""
        if not token.below:
            return self.raised(value, token)
        index = self.indices(token)
        if not isinstance(value, Mapping) and min(index) < 0:
            raise SpecError(f"{token.text} has no {index}")
        return self.raised(value[index] if isinstance(value, Mapping) else np.asarray(value)[index], token)

    def raised(self, value: Any, token: Token) -> Any:
        if not token.above:
            return value
        if token.above[-1].text == r"\top":
            turned = np.swapaxes(value, -1, -2) if np.ndim(value) > 1 else value
            return np.linalg.inv(turned) if token.above[0].text == "-" else turned
        power = self.evaluate(token.above)
        return np.linalg.inv(value) if np.ndim(value) == 2 and power == -1 else value**power

    def range(self, token: Token) -> tuple[str, Any]:
        """Read which values the index of a sum takes: j, j in P, or from i = 1 to n."""
        index, *more = token.below
        if not more:
            return index.text, self.names[f"range of {index.text}"]
        if more[0].text == r"\in":
            return index.text, self.names[more[1].text]
        if more[0].text == r"\le":
            return index.text, range(int(self.evaluate(tuple(more[1:]))) + 1)
        if more[0].text != "=":
            raise SpecError(f"{more[0].text} says no range")
        first, last = self.evaluate(tuple(more[1:])), self.evaluate(token.above)
        return index.text, range(int(first), int(last) + 1)

    def rows(self, token: Token) -> Any:
        """Read a matrix, or cases: the first whose condition holds."""
        if token.text != "cases":
            return np.block([[self.evaluate(cell) for cell in row] for row in token.parts])
        return next(self.evaluate(value) for value, condition in token.parts if np.all(self.evaluate(condition)))


def _joined(parts: list[Any]) -> Any:
    """Brackets: a product's order, a row of numbers, rows one below the other, matrices side by side, 1 for true."""
    if len(parts) == 1:
        return float(parts[0]) if isinstance(parts[0], bool | np.bool_) else parts[0]
    return np.concatenate(parts, axis=-1) if np.ndim(parts[0]) > 1 else np.array(parts)
