"""Formulas as KaTeX reads them, with the notation of the site: its tree becomes a row of tokens."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

from py_mini_racer import JSEvalException, MiniRacer

from docs_ext.errors import SpecError
from docs_ext.html.formula import MACROS, engine, grouped

_TREE = """
const tree = (tex, options) =>
  JSON.stringify(katex.__parse(tex, options), (key, value) => key === "loc" ? undefined : value);
"""


Node = Mapping[str, Any]
_FOR_THE_EYE = {"tag", "styling", "color", "html", "mclass", "sizing"}
_FAMILIES = {"rel": "relation", "bin": "operator", "punct": "comma", "inner": "dots"}
_KINDS = {"/": "operator", "|": "bar", r"\|": "bar", "≠": "relation", "∉": "relation"}
_KINDS |= dict.fromkeys(("(", "[", r"\{", r"\lfloor", r"\lvert", r"\lVert"), "open")  # which \big leaves no family
_KINDS |= dict.fromkeys((")", "]", r"\}", r"\rfloor", r"\rvert", r"\rVert"), "close")


@dataclass(frozen=True)
class Token:
    """A letter, a number, a sign or a fraction, with what stands below and above it."""

    kind: str
    text: str = ""
    parts: tuple[Any, ...] = ()
    below: "Tokens" = ()
    above: "Tokens" = ()


Tokens = tuple[Token, ...]


def tokens_of(tex: str) -> Tokens:
    """Read a formula, with our macros written out."""
    options = {"macros": {macro: grouped(plain) for macro, (plain, _) in MACROS.items()}, "displayMode": True}
    try:
        return _tokens(json.loads(_engine().call("tree", tex, options)))
    except JSEvalException as error:
        raise SpecError(f"KaTeX cannot read {tex!r}") from error


@cache
def _engine() -> MiniRacer:
    engine().eval(_TREE)
    return engine()


def _tokens(nodes: Any) -> Tokens:
    found: list[Token] = []
    for node in nodes if isinstance(nodes, list) else [nodes]:
        for token in _token(node):
            if token.kind == "number" and found and found[-1].kind == "number" and not found[-1].above:
                found[-1] = replace(token, text=found[-1].text + token.text)
            elif token.kind == "assignment":  # W' = W - 1 for W <- W - 1
                found[-1:] = [replace(found[-1], text=f"{found[-1].text}'"), Token("relation", "=")]
            else:
                found.append(token)
    return tuple(found)


def _token(node: Node) -> Iterator[Token]:
    kind = node["type"]
    if kind in _FOR_THE_EYE:
        body = _tokens(node["body"])
        yield from (replace(t, text="small") if kind == "styling" and t.kind == "fraction" else t for t in body)
    elif kind == "ordgroup":
        body = _tokens(node["body"])
        if [token.text for token in body] == [","]:  # 16{,}384
            yield Token("number")
        else:
            yield from body if len(body) < 2 else [Token("open", "("), *body, Token("close", ")")]
    elif kind == "supsub":
        *before, base = _tokens(node["base"]) if node.get("base") else [Token("letter")]
        if base.below or base.above:
            yield from (Token("open", "("), *before, base)
            base = Token("close", ")")
        else:
            yield from before
        below, above = (ungrouped(_tokens(node[side])) if node.get(side) else () for side in ("sub", "sup"))
        primes = sum(token.text == r"\prime" for token in above)
        kind = "over" if base.text in (r"\max", r"\min") and below else base.kind
        above = ungrouped(above[primes:]) if primes else above
        yield replace(base, kind=kind, text=base.text + "'" * primes, below=below, above=above)
    elif kind == "leftright":
        body = _tokens(node["body"])
        if node["left"] == r"\{" and node["right"] == ".":
            yield replace(body[0], text="cases")
        elif body[0].kind == "rows":
            yield from body
        else:
            yield from (Token("open", node["left"]), *body, Token("close", node["right"]))
    elif kind == "delimsizing":
        yield _sign({"text": node["delim"]})
    elif kind == "genfrac":
        above, below = ungrouped(_tokens(node["numer"])), ungrouped(_tokens(node["denom"]))
        if above[0].text == r"\partial":  # a letter called "∂p/∂s"
            yield Token("letter", f"∂{above[1].text}/∂{below[1].text}", below=above[1].below + below[1].below)
        else:
            yield Token("fraction", parts=(above, below))
    elif kind == "sqrt":
        yield Token("root", parts=(_tokens(node["body"]),))
    elif kind == "array":
        rows = tuple(tuple(ungrouped(_tokens(cell)) for cell in row) for row in node["body"])
        yield Token("aligned" if node.get("colSeparationType") in ("align", "gather") else "rows", parts=rows)
    elif kind in ("text", "operatorname"):
        yield Token("word", "".join(part.get("text", " ") for part in node["body"]).strip())
    elif kind == "accent":
        base, *more = _tokens(node["base"])
        if more:  # over a bracket it is a function
            yield from (Token("letter", node["label"][1:]), base, *more)
        else:
            yield replace(base, text=f"{node['label'][1:]} {base.text}")
    elif kind == "font" and node["font"] == "mathbf":
        yield Token("letter", f"bold {node['body']['text']}")
    elif kind == "font" and node["font"] == "mathrm":  # mod
        yield Token("operator", "".join(part["text"] for part in node["body"]["body"]))
    elif kind == "font":
        yield from _tokens(node["body"])
    elif kind == "htmlmathml":
        yield from _tokens(node["mathml"])
    elif kind == "op":
        yield Token("over" if node["name"] == r"\sum" else "function", node["name"])
    elif kind == "kern" and node["dimension"]["unit"] == "em":  # \quad
        yield Token("gap")
    elif kind not in ("kern", "spacing", "internal", "mathchoice"):
        yield _sign(node)


def _sign(node: Node) -> Token:
    text = node["text"]
    if text in (r"\leftarrow", r"\Longrightarrow"):
        return Token("gap" if text == r"\Longrightarrow" else "assignment")
    if text.isdecimal() or text == ".":
        return Token("number", text)
    return Token(_KINDS.get(text) or _FAMILIES.get(node.get("family", ""), "letter"), text)


def ungrouped(row: Tokens) -> Tokens:
    """Take away the brackets that a group in braces was given."""
    return row[1:-1] if len(row) > 1 and row[0].text == "(" and end_of(row, 1) == len(row) - 1 else row


def end_of(row: Tokens, start: int) -> int:
    """Find the bracket that closes what was opened before `start`."""
    return next((at for at in range(start, len(row)) if _depth(row[start : at + 1]) < 0), len(row))


def _depth(row: Tokens) -> int:
    """Count the brackets that are open behind these tokens."""
    return sum((token.kind == "open") - (token.kind == "close") for token in row)


def cut(row: Tokens, kind: str) -> list[Tokens]:
    """Cut at each comma or gap that stands in no brackets."""
    cuts = [at for at, token in enumerate(row) if token.kind == kind and not _depth(row[:at])]
    return [row[start + 1 : end] for start, end in pairwise([-1, *cuts, len(row)])]
