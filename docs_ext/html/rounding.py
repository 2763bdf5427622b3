"""Numbers as people read them: fractions where they are exact, a few decimals elsewhere."""

import math
from collections.abc import Iterable
from fractions import Fraction


def fraction(x: float) -> str | None:
    """Return `x` as a fraction with a small denominator, or None if it is not one.

    >>> fraction(0.0625), fraction(0.1234)
    ('1/16', None)
    """
    if not math.isfinite(x):
        return None
    close = Fraction(x).limit_denominator(200)
    return str(close) if math.isclose(x, close, rel_tol=1e-12, abs_tol=1e-12) else None


def number(x: float) -> str:
    """Return a coordinate: 5, 2.4 and 20/3 exactly, anything else to three decimals.

    >>> number(5.0), number(2.4), number(20 / 3), number(0.1234), number(-0.0001)
    ('5', '2.4', '20/3', '0.123', '0.000')
    """
    exact, short = fraction(x), f"{x:.2f}".rstrip("0").rstrip(".")
    if exact and math.isclose(float(short), x, rel_tol=1e-12, abs_tol=1e-12):
        exact = short
    text = exact or f"{x:.3f}"
    return (text.replace("-", "") if text.strip("-0.") == "" else text).replace("-", "\N{MINUS SIGN}")


def vector(row: Iterable[float]) -> str:
    """Return a vector.

    >>> vector([5.0, 2.4])
    '(5, 2.4)'
    """
    return f"({', '.join(map(number, row))})"
