"""Drawn formulas in words, from their MathML: as one types them into a search, or reads them aloud.

A search finds no words in what is drawn, and a screen reader may find none in a label.
"""

import re
from collections.abc import Mapping
from html.entities import codepoint2name
from unicodedata import normalize

from docs_ext.html.tree import Node, content, formulas

_UNSEEN = {"annotation", "mspace"}
_SIGNS = {"\u2212": "-", "\u22a4": "T", "\u2211": "sum", "\u22c5": "\u00b7", "\u2223": "|", "{": ""}
TYPED = {"msqrt": "sqrt({})", "mfrac": "{}/{}", "sub": "{}_{}", "sup": "{}^{}"}
SPOKEN = {"msqrt": "the square root of {}", "mfrac": "{} over {}", "sub": "{} sub {}", "sup": "{} to the power of {}"}
SPOKEN |= {"^2": "{} squared", "^3": "{} cubed", "^T": "{} transposed", "%": "percent", "/": "over"}
SPOKEN |= {"+": "plus", "-": "minus", "\u00b7": "times", "\u00d7": "times", "=": "equals", "\u2248": "is about"}
SPOKEN |= {"<": "is less than", ">": "is more than", "\u2264": "is at most", "\u2265": "is at least"}
_SPACES = (  # between signs that belong together; U+2061 applies a function
    (r"[\s\u2063]*\u2061[\s\u2063]*(?=\()", ""),
    (r"[\s\u2061\u2063]+", " "),
    (r"(?<=[(\[|/]) | (?=[)\],;%!|/])", ""),
    (r"(?:(?<=[=,;(\[<>\u2264\u2265\u2248\u00b7] -)|(?<=\(-)|(?<=^-)) ", ""),
)


def in_words(formula: Node, forms: Mapping[str, str] = TYPED) -> str:
    r"""Write a formula that KaTeX has drawn.

    >>> from docs_ext.html.formula import render
    >>> tex = r"\softmax\left(\frac{\Q\K^\T}{\sqrt\dk}\right) \V \ge -\tfrac12 e^{s_{ij} / \tau}, 2 \cdot 3"
    >>> in_words(content(render(tex)))
    'softmax((Q K^T)/sqrt(d_k)) V ≥ -1/2 e^(s_ij/tau), 2 · 3'
    >>> in_words(content(render(r"\frac{1}{\sqrt 8} \cdot \K^\T")), SPOKEN)
    '1 over the square root of 8 times K transposed'
    """
    words = _words(formula.css_first("math"), forms)
    for pattern, space in _SPACES:
        words = re.sub(pattern, space, words)
    return words.strip()


def spoken(html: str) -> str:
    """Put HTML with formulas into words; "" if it has none, since it speaks for itself."""
    tree = content(html)
    for formula in (found := formulas(tree)):
        formula.replace_with(in_words(formula, SPOKEN))
    return " ".join(tree.text().split()) if found else ""


def _words(node: Node, forms: Mapping[str, str]) -> str:
    parts = [_words(part, forms) for part in node.iter() if part.tag not in _UNSEEN]
    match node.tag, parts:
        case _, []:
            return _sign(node.text(), forms)
        case "mtable", _:
            return parts[0] if "width" in node.attributes else "; ".join(parts)  # a formula with its number has one row
        case "mtr", [_, formula, *_] if "width" in node.parent.attributes:
            return formula
        case "msub" | "munder", [base, below]:
            return _scripted("sub", base, below, forms)
        case "msup" | "mover", [base, above]:
            return _scripted("sup", base, above, forms)
        case "msubsup" | "munderover", [base, below, above]:
            return _scripted("sup", _scripted("sub", base, below, forms), above, forms)
        case "mfrac", _:
            return forms["mfrac"].format(*(_whole(part, forms) for part in parts))
        case "msqrt", _:
            return forms["msqrt"].format(" ".join(parts))
    return " ".join(filter(None, parts))


def _scripted(place: str, base: str, script: str, forms: Mapping[str, str]) -> str:
    base = base.rstrip(" \u2061")
    if set(script) <= set("\u2032^~"):  # primes and accents
        return base + script.replace("\u2032", "'").strip("^~")
    if re.fullmatch(r"\w\w?( \w)*", script):  # i j, of a matrix
        script = script.replace(" ", "")
    known = forms.get(f"^{script}") if place == "sup" else None
    return (known or forms[place]).format(base, _whole(script, forms))


def _whole(part: str, forms: Mapping[str, str]) -> str:
    """Put what has several parts in brackets, unless it is spoken."""
    return part if forms is SPOKEN or re.fullmatch(r"[^\W_]*|sqrt\([^()]*\)", part) else f"({part})"


def _sign(text: str, forms: Mapping[str, str]) -> str:
    """Return a letter, a number or a sign; a Greek letter has its name."""
    plain = normalize("NFKC", text)
    if "\u0370" < plain < "\u0400":
        return codepoint2name[ord(plain)]
    word = _SIGNS.get(text, plain if plain.isalpha() else text)
    return forms.get(word, word)
