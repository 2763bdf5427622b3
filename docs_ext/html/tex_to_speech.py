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
    r"\dfrac": "{0} over {1}",
    r"\tfrac": "{0} over {1}",
    r"\text": "{0}",
    r"\mathbb": "{0}",
    r"\operatorname": "{0}",
    r"\bar": "{0} bar",
    r"\hat": "{0} hat",
} | {f"\\{name}": name for name in ("ln", "log", "exp", "max", "min", "sin", "cos", "alpha", "beta", "theta", "pi")}
_COMMANDS |= {
    r"\times": "times",
    r"\cdot": "times",
    r"\ell": "l",
    r"\infty": "infinity",
    r"\approx": "is about",
    r"\ne": "is not",
    r"\neq": "is not",
    r"\le": "is at most",
    r"\leq": "is at most",
    r"\ge": "is at least",
    r"\geq": "is at least",
    r"\pm": "plus or minus",
    r"\to": "to",
    r"\ldots": "and so on",
    r"\dots": "and so on",
    r"\%": "percent",
}
_COMMANDS |= dict.fromkeys((r"\,", r"\;", r"\:", r"\!", r"\ ", r"\left", r"\right", r"\displaystyle"), "")
_SIGNS = {"+": "plus", "-": "minus", "=": "equals", "<": "is less than", ">": "is more than", "/": "over", "~": ""}
_POWERS = {"2": "squared", "3": "cubed", r"\top": "transposed", "T": "transposed"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]|\S")


def spoken(text: str) -> str:
    r"""Put a text of Markdown with formulas into words; "" if it has none, since such a text speaks for itself.

    >>> spoken(r"$\sqrt{\dk}$"), spoken("they stay"), spoken(r"about $2^{n-1} \cdot K^\T$")
    ('the square root of d sub k', '', 'about 2 to the power of n minus 1 times K transposed')
    """
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
    if token in (r"\text", r"\operatorname", r"\mathbb"):
        return ["".join(_next(tokens))]  # the letters of a word
    arguments = [" ".join(_next(tokens)) for _ in range(words.count("{"))]
    return [words.format(*arguments)]


def _group(tokens: list[str]) -> list[str]:
    words = list[str]()
    while tokens and tokens[0] != "}":
        words += _next(tokens)
    del tokens[:1]
    return words
