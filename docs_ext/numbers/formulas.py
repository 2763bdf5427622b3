r"""Formulas with letters, and whether what they say is true of given numbers.

KaTeX reads a formula, and its tree is walked here. A letter is the name of a number, an array or a function, an index
that of a range. A formula is true if each of its statements is, for every value of the indices that stand in it.

    S_{ij} = \q_i \cdot \k_j        {"S": ..., "q": ..., "k": ..., "i": range(2), "j": range(3)}

Letters side by side are multiplied, arrays as matrices. A sum runs over the range of its index. A statement about a
letter that has no value, such as the second of `a = 2 b, \quad b = c^2`, defines it; one without a relation is compared
with the name "result", and words between the statements are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from docs_ext.errors import SpecError

Node = Mapping[str, Any]
Names = Mapping[str, Any]


@dataclass(frozen=True)
class Token:
    """A letter, a number, a sign or a fraction, with what stands below and above it."""

    kind: str
    text: str = ""
    parts: tuple[Any, ...] = ()
    below: "Tokens" = ()
    above: "Tokens" = ()


Tokens = tuple[Token, ...]


@dataclass(frozen=True)
class _Definition:
    indices: tuple[str, ...]
    side: Tokens


def _of_all(function: Any) -> Any:
    return lambda *given: function(given if len(given) > 1 else given[0])


_FUNCTIONS = {rf"\{name}": getattr(np, name) for name in ("log", "exp", "tanh", "cos", "sin")}
_FUNCTIONS |= {r"\ln": np.log, r"\max": _of_all(np.max), r"\min": _of_all(np.min)}
_CONSTANTS = {"e": np.e, r"\pi": np.pi, r"\infty": np.inf, "otherwise": True}
_RELATIONS: dict[str, Any] = {
    "=": lambda a, b: np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-6, atol=1e-9),
    r"\approx": lambda a, b: np.allclose(a, b, rtol=0.02),
    r"\le": np.less_equal,
    "<": np.less,
    r"\ge": np.greater_equal,
    ">": np.greater,
}
_CLOSING = {"(": ")", "[": "]", r"\lfloor": r"\rfloor", r"\lvert": r"\rvert"}
_PRODUCTS = {r"\cdot", r"\odot", r"\times", "/"}
_BEGIN_FACTOR = {"number", "letter", "word", "open", "fraction", "root", "rows", "function", "sum", "bar"}
_FOR_THE_EYE = {"styling", "color", "html", "mclass", "font", "sizing"}


def statements_that_fail(tree: Sequence[Node], names: Names) -> list[int]:
    """Return the numbers of the statements that are false; a SpecError says what has no value or cannot be read."""
    known = {**names, **{f"range of {name}": value for name, value in names.items() if isinstance(value, range)}}
    claims = dict[int, Tokens]()
    for number, statement in enumerate(_statements(_tokens(tree))):
        name, definition = _definition(statement, names)
        if name:
            known[name] = definition
        else:
            claims[number] = statement
    if not claims:
        raise SpecError("nothing is claimed")
    with np.errstate(all="ignore"):  # the case of a formula that does not apply
        return [n for n, claim in claims.items() if not _is_true_everywhere(claim, {**known, "statement": n})]


def _is_true_everywhere(claim: Tokens, names: Names) -> bool:
    letters = dict.fromkeys(token.text for token in _walk(claim) if token.kind == "letter")
    indices = [name for name in letters if isinstance(names.get(name), range)]
    each = product(*(names[name] for name in indices))
    return all(_Reader(claim, {**names, **dict(zip(indices, at, strict=True))}).is_true() for at in each)


def _walk(tokens: Tokens) -> Iterator[Token]:
    """Yield all tokens but the index of a sum, which takes its values there."""
    for token in tokens:
        yield token
        if token.kind != "sum":
            yield from _walk(token.below)
        yield from _walk(token.above)
        for part in token.parts:
            for cell in part if token.kind == "rows" else [part]:
                yield from _walk(cell)


# --- from KaTeX's tree to tokens ---------------------------------------------------------------------------------


def _tokens(tree: Any) -> Tokens:
    found: list[Token] = []
    for node in tree if isinstance(tree, list) else [tree]:
        for token in _token(node):
            if token.kind == "number" and found and found[-1].kind == "number" and not found[-1].above:
                found[-1] = replace(token, text=found[-1].text + token.text)
            else:
                found.append(token)
    return tuple(found)


def _token(node: Node) -> Iterator[Token]:
    kind, text = node["type"], str(node.get("text", node.get("name", "")))
    if kind in _FOR_THE_EYE:
        yield from _tokens(node["body"])
    elif kind == "ordgroup":
        body = _tokens(node["body"])
        yield from body if len(body) < 2 else [Token("open", "("), *body, Token("close", ")")]
    elif kind == "supsub":
        *before, base = _tokens(node["base"]) if node.get("base") else [Token("letter")]
        yield from before
        below, above = (_tokens(node[side]) if node.get(side) else () for side in ("sub", "sup"))
        primes = [token for token in above if token.text == r"\prime"]
        above = () if primes else _ungrouped(above)
        yield replace(base, text=base.text + "'" * len(primes), below=_ungrouped(below), above=above)
    elif kind == "leftright":
        body = _tokens(node["body"])
        if node["left"] == r"\{" and node["right"] == ".":
            yield replace(body[0], text="cases")
        elif body[0].kind == "rows":
            yield from body
        else:
            yield from (_sign(node["left"]), *body, _sign(node["right"]))
    elif kind == "delimsizing":
        yield _sign(node["delim"])
    elif kind == "genfrac":
        yield Token("fraction", parts=(_tokens(node["numer"]), _tokens(node["denom"])))
    elif kind == "sqrt":
        yield Token("root", parts=(_tokens(node["body"]),))
    elif kind == "array":
        rows = tuple(tuple(_ungrouped(_tokens(cell)) for cell in row) for row in node["body"])
        yield Token("aligned" if node.get("colSeparationType") == "align" else "rows", parts=rows)
    elif kind in ("text", "operatorname"):
        yield Token("word", "".join(part.get("text", " ") for part in node["body"]).strip())
    elif kind == "accent":
        (base,) = _tokens(node["base"])
        yield replace(base, text=f"{node['label'][1:]} {base.text}")
    elif kind == "op":
        yield Token("sum" if text == r"\sum" else "function", text)
    elif kind == "kern" and node["dimension"]["unit"] == "em":  # \quad
        yield Token("gap")
    elif kind not in ("kern", "spacing", "tag", "internal"):
        yield _sign(text)


def _sign(text: str) -> Token:
    if text.isdigit() or text == ".":
        return Token("number", text)
    if text in ("+", "-", *_PRODUCTS):
        return Token("operator", text)
    if text in _RELATIONS or text in (r"\in", r"\to"):
        return Token("relation", text)
    kinds = {
        "open": _CLOSING,
        "close": _CLOSING.values(),
        "comma": (",", ";"),
        "bar": ("|",),
        "dots": (r"\ldots", r"\cdots"),
    }
    return Token(next((kind for kind, signs in kinds.items() if text in signs), "letter"), text)


def _ungrouped(tokens: Tokens) -> Tokens:
    """Take away the brackets that a group in braces was given."""
    return tokens[1:-1] if len(tokens) > 1 and tokens[0].text == "(" and _end(tokens, 1) == len(tokens) - 1 else tokens


def _end(tokens: Tokens, start: int) -> int:
    """Find the bracket that closes what was opened before `start`."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at].kind == "open") - (tokens[at].kind == "close")
        if depth < 0:
            return at
    return len(tokens)


# --- statements --------------------------------------------------------------------------------------------------


def _statements(tokens: Tokens) -> Iterator[Tokens]:
    """Cut where there is a gap or a new line; words alone, and the range of an index, claim nothing."""
    if len(tokens) == 1 and tokens[0].kind == "aligned":
        for row in tokens[0].parts:
            for pair in zip(row[::2], [*row[1::2], ()], strict=False):
                yield from _statements(sum(pair, ()))
        return
    gaps = [-1, *(at for at, token in enumerate(tokens) if token.kind == "gap"), len(tokens)]
    for start, end in pairwise(gaps):
        statement = tokens[start + 1 : end]
        while statement and statement[-1].text in (",", ".", ";"):
            statement = statement[:-1]
        depth = [sum((t.kind == "open") - (t.kind == "close") for t in statement[:at]) for at in range(len(statement))]
        is_range = any(token.kind == "dots" and not inside for token, inside in zip(statement, depth, strict=True))
        if any(token.kind not in ("word", "comma") for token in statement) and not is_range:
            yield statement


def _definition(statement: Tokens, names: Names) -> tuple[str, _Definition | None]:
    """Tell whether a statement defines a letter, and by what."""
    equals = next((at for at, token in enumerate(statement) if token.text == "="), 0)
    letters = statement[:equals]
    if not letters or any(t.kind not in ("letter", "word") or (t.below and t is not letters[-1]) for t in letters):
        return "", None
    first = replace(letters[-1], text="".join(token.text for token in letters))
    if first.text in names or _full_name(first) in names or isinstance(names.get(first.text), range):
        return "", None
    indices = tuple(token.text for token in first.below if token.kind != "comma")
    are_indices = all(isinstance(names.get(index), range) for index in indices)
    return (first.text if are_indices else _full_name(first)), _Definition(
        indices if are_indices else (), statement[equals + 1 :]
    )


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
        while self.next().text in ("+", "-"):
            sign = self.take().text
            term = self.term()
            value = value + term if sign == "+" else value - term
        return value

    def term(self) -> Any:
        value = self.factor()
        while (token := self.next()).text in _PRODUCTS or token.kind in _BEGIN_FACTOR:
            if token.kind == "bar" and self.is_closing:
                break
            sign = self.take().text if token.text in _PRODUCTS else ""
            factor = self.factor()
            if sign == "/":
                value = value / factor
            elif sign == r"\odot" or not (np.ndim(value) and np.ndim(factor)):
                value = value * factor
            else:
                value = value @ factor
        return value

    is_closing = False  # within bars, where the next one closes

    def rest_of_term(self) -> Tokens:
        """Take what a function without brackets, or a sum, is of: up to the next plus, minus, relation or bracket."""
        start, end = self.at, self.at
        while end < len(self.tokens):
            token = self.tokens[end]
            if token.kind in ("relation", "close", "comma") or token.text in ("+", "-"):
                break
            end = _end(self.tokens, end + 1) + 1 if token.kind == "open" else end + 1
        self.at = end
        return self.tokens[start:end]

    def factor(self) -> Any:
        token = self.take()
        if token.text == "-":
            return -self.factor()
        if token.kind == "number":
            return self.raised(float(token.text), token)
        if token.kind == "open":
            parts, closing = self.group(token)
            return self.scripted(_joined(token.text, parts), closing)
        if token.kind == "bar":
            self.is_closing = True
            value = np.abs(self.expression())
            self.is_closing = False
            self.take()
            return value
        if token.kind == "fraction":
            return self.evaluate(token.parts[0]) / self.evaluate(token.parts[1])
        if token.kind == "root":
            return self.raised(np.sqrt(self.evaluate(token.parts[0])), token)
        if token.kind == "rows":
            return self.rows(token)
        if token.kind == "sum":
            index, values = self.range(token)
            rest = self.rest_of_term()
            return sum(self.evaluate(rest, **{index: value}) for value in values)
        if token.kind in ("letter", "word", "function"):
            value = self.named(token)
            return self.called(value) if callable(value) else value
        raise SpecError(f"cannot be read from {token.text!r} on")

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
        if closing.text != _CLOSING[opening.text]:
            raise SpecError(f"{opening.text!r} is closed by {closing.text!r}")
        return parts, closing

    def called(self, function: Any) -> Any:
        if self.next().kind == "open" and self.next().text == "(":
            parts, closing = self.group(self.take())
            return self.scripted(function(*parts), closing)
        return function(self.evaluate(self.rest_of_term()))

    def named(self, token: Token) -> Any:
        """Look a letter up: with what stands below it as one name, or as its index; letters may make one name."""
        text = token.text
        while not token.below and text not in self.names and f"{text}{self.next().text}" in self.names:
            token = self.take()
            text += token.text
        named = replace(token, text=text)
        full = _full_name(named)
        if token.above and token.above[0].text == "(":  # W^{(i)}, one of several
            return np.asarray(self.names[f"{full}^()"])[int(self.evaluate(token.above))]
        if isinstance(self.names.get(full), dict):  # L_P, for each P
            return self.raised(self.names[full][self.names[token.below[0].text]], token)
        if full in self.names:
            return self.raised(self.value_of(full, ()), token)
        known = self.names if text in self.names else {**_FUNCTIONS, **_CONSTANTS}
        if text not in known:
            raise SpecError(f"nothing is called {full}")
        if isinstance(known[text], _Definition):
            return self.raised(self.value_of(text, self.indices(token)), token)
        return self.scripted(known[text], token)

    def value_of(self, name: str, indices: tuple[Any, ...]) -> Any:
        value = self.names[name]
        if not isinstance(value, _Definition):
            return value
        given, left = dict(zip(value.indices, indices, strict=False)), value.indices[len(indices) :]
        each = [self.names[f"range of {index}"] for index in left]
        values = [self.evaluate(value.side, **given, **dict(zip(left, at, strict=True))) for at in product(*each)]
        whole = np.array(values).reshape((*map(len, each), *np.shape(values[0])))
        return whole[indices[len(value.indices) :]]

    def indices(self, token: Token) -> tuple[Any, ...]:
        """Read i, j or ij below a letter."""
        cuts = [-1, *(at for at, part in enumerate(token.below) if part.kind == "comma"), len(token.below)]
        pieces = [token.below[start + 1 : end] for start, end in pairwise(cuts)]
        if len(pieces) == 1 and all(part.kind in ("letter", "number") for part in token.below):
            pieces = [(part,) for part in token.below]
        return tuple(int(self.evaluate(piece)) for piece in pieces)

    def scripted(self, value: Any, token: Token) -> Any:
        """Apply what stands below, an index, and above, a power or a transpose."""
        return self.raised(np.asarray(value)[self.indices(token)] if token.below else value, token)

    def raised(self, value: Any, token: Token) -> Any:
        if not token.above:
            return value
        if token.above[0].text == r"\top":
            return np.swapaxes(value, -1, -2)
        return value ** self.evaluate(token.above)

    def range(self, token: Token) -> tuple[str, Any]:
        """Read which values the index of a sum takes: j, j in P, or from i = 1 to n."""
        index, *more = token.below
        if not more:
            return index.text, self.names[f"range of {index.text}"]
        if more[0].text == r"\in":
            return index.text, self.names[more[1].text]
        first, last = self.evaluate(tuple(more[1:])), self.evaluate(token.above)
        return index.text, range(int(first), int(last) + 1)

    def rows(self, token: Token) -> Any:
        """Read a matrix, or cases: the first whose condition holds."""
        if token.text != "cases":
            return np.array([[self.evaluate(cell) for cell in row] for row in token.parts])
        return next(self.evaluate(value) for value, condition in token.parts if np.all(self.evaluate(condition)))


def _joined(opening: str, parts: list[Any]) -> Any:
    """Brackets: a product's order, a row of numbers, arrays side by side, 1 for what holds, or rounding down."""
    if opening == r"\lfloor":
        return np.floor(parts[0])
    if opening == r"\lvert":
        return np.abs(parts[0])
    if len(parts) == 1:
        return float(parts[0]) if isinstance(parts[0], bool | np.bool_) else parts[0]
    return np.concatenate(parts, axis=-1) if np.ndim(parts[0]) else np.array(parts)
