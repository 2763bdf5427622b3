r"""Formulas in words, as one reads them aloud: ``\sqrt 8`` is "the square root of 8".

Only what options of questions use; any other command is refused, so that nothing is announced as TeX.
"""

import re

from docs_ext.errors import SpecError
from docs_ext.html.formula import standard_tex

# A command -> its words; of its arguments {0} is the first.
_COMMANDS = {
    r"\sqrt": "the square root of {0}",
    r"\frac": "{0} over {1}",
    r"\text": "{0}",
    r"\operatorname": "{0}",
    r"\times": "times",
    r"\cdot": "times",
    r"\ell": "l",
    r"\approx": "is about",
    r"\le": "is at most",
    r"\%": "percent",
}
_SIGNS = {"+": "plus", "-": "minus", "=": "equals", "<": "is less than", ">": "is more than", "/": "over", "~": ""}
_POWERS = {"2": "squared", "3": "cubed", r"\top": "transposed", "T": "transposed"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]|\S")


def spoken(text: str) -> str:
    """Put a text of Markdown with formulas into words; "" if it has none, since such a text speaks for itself."""
    parts = re.split(r"\$([^$]+)\$", text)
    if len(parts) == 1:
        return ""
    parts[::2] = [re.sub(r"[*_`]|\{[^}]*\}", "", part) for part in parts[::2]]
    parts[1::2] = [_formula(part) for part in parts[1::2]]
    return " ".join("".join(parts).split())


def _formula(tex: str) -> str:
    tokens = _TOKEN.findall(standard_tex(tex))
    words = list[str]()
    while tokens:
        words += _next(tokens)
    return re.sub(r"(?<=[(\[|]) | (?=[)\],.|:;!])", "", " ".join(filter(None, words)))


def _next(tokens: list[str]) -> list[str]:
    """Take the next thing from the tokens and return its words."""
    token = tokens.pop(0)
    if token == "{":
        return _group(tokens)
    if token == "_":
        return ["sub", *_next(tokens)]
    if token == "^":
        if tokens[0] in _POWERS:
            return [_POWERS[tokens.pop(0)]]
        return ["to the power of", *_next(tokens)]
    if not token.startswith("\\"):
        return [_SIGNS.get(token, token)]
    if token not in _COMMANDS:
        raise SpecError(f"no words for {token} in a formula: docs_ext/html/tex_to_speech.py has those it knows")
    words = _COMMANDS[token]
    if token in (r"\text", r"\operatorname"):
        return ["".join(_next(tokens))]  # the letters of a word
    arguments = [" ".join(_next(tokens)) for _ in range(words.count("{"))]
    return [words.format(*arguments)]


def _group(tokens: list[str]) -> list[str]:
    words = list[str]()
    while tokens and tokens[0] != "}":
        words += _next(tokens)
    del tokens[:1]
    return words
