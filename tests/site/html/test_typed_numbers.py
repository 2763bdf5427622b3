"""Numbers that a reader types: read as fractions.Fraction reads them, or refused in words."""

import re
from fractions import Fraction

import numpy as np

from docs_ext.html import renderer

MINUS, DASH, THIN = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{NARROW NO-BREAK SPACE}"
READ = {  # typed: what it means
    "1/2": "1/2",
    "0.5": "1/2",
    ".5": "1/2",
    "5 %": "5/100",
    f"12.5{THIN}%": "1/8",
    "1/2 %": "1/200",
    "-3": "-3",
    f"{MINUS}3": "-3",
    f"{DASH}3": "-3",
    f"{MINUS} 1 / 2": "-1/2",
    "1/-2": "-1/2",
    "  7  ": "7",
    "1e3": "1000",
    "2.5E-1": "1/4",
    "0.5/2": "1/4",
    "(5)": "5",
    "0,5": "1/2",  # a decimal comma where it can mean nothing else
    "-1,25": "-5/4",
    ",5 %": "1/200",
}
VECTORS = {
    "(5, 2)": "5 2",
    "5, 2": "5 2",
    "[5. 2.]": "5 2",
    f"( {MINUS}1/2 ,  .25 )": "-1/2 1/4",
    f"(5, {MINUS} 2)": "5 -2",
    "(50%, 50 %)": "1/2 1/2",
    "(1 / 2 3)": "1/2 3",
    "0,5; 0,25": "1/2 1/4",
}
REFUSED = {  # typed, how many numbers are asked for: the words that say why it cannot be read
    ("", 1): "Type a number, such as 0.5 or 1/2.",
    ("()", 2): r"Type 2 numbers, such as \(5, 2\)\.",
    ("abc", 1): "“abc” cannot be read here. Type a number, such as",
    ("1//2", 1): "cannot be read",
    ("1/", 1): "cannot be read",
    ("2^3", 1): "cannot be read",
    ("Infinity", 1): "cannot be read",
    ("(5", 1): "cannot be read",
    ("(5, 2]", 2): "cannot be read",
    ("1/0", 1): "“1/0” divides by 0",
    ("(5, 1/0.0)", 2): "divides by 0",
    ("1e999", 1): "too large",
    ("1,000", 1): "two ways.*thousands without a comma",
    ("1 000", 1): "“1 000” holds 2 numbers. Type a number",
    ("5", 2): r"“5” holds 1 number\. Type 2 numbers, such as \(5, 2\)\.",
    ("(5, 2, 1)", 2): "holds 3 numbers",
    ("0,5, 0,25", 2): "holds 4 numbers",
}


def read(cases):
    """Let the site's script read texts, each with how many numbers are asked for."""
    return [renderer.call("lib/numbers.js", "readNumbers", *case) for case in cases]


def test_what_is_typed_means_what_python_reads():
    table = {(typed, 1): means for typed, means in READ.items()} | {(typed, 2): m for typed, m in VECTORS.items()}
    for (typed, size), numbers in zip(table, read(table), strict=True):
        assert isinstance(numbers, list), f"{typed!r}: {numbers}"
        assert len(numbers) == size
        expected = [float(Fraction(part)) for part in table[typed, size].split()]
        np.testing.assert_allclose(numbers, expected, rtol=1e-15, err_msg=typed)


def test_what_cannot_be_read_is_refused_in_words():
    for (typed, _), said in zip(REFUSED, read(REFUSED), strict=True):
        assert isinstance(said, str), f"{typed!r} was read as {said}"
        assert re.match(f".*{REFUSED[typed, _]}", said), f"{typed!r}: {said}"
        assert said.endswith(".")
