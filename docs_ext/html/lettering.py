"""Letters as outlines: a drawing that becomes pixels looks the same whatever fonts the machine has.

The fonts are those of the formulas, which the site brings along: they have roots and Greek letters too.
"""

import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docs_ext.errors import SpecError

FONTS = Path(__file__).parents[2] / "docs/assets/katex/fonts"
_SMALL = {"<sub>": (0.7, -0.2), "<super>": (0.7, 0.4)}  # size and rise of a raised or lowered letter, in em


class Outline(NamedTuple):
    """A line of text: the `d` of an SVG path whose first letter stands at 0, and how wide it is."""

    path: str
    width: float


@cache
def outline(text: str, size: float, font: str = "Main-Regular") -> Outline:
    """Draw a line of text.

    >>> outline("I", 100).width == outline("II", 100).width / 2
    True
    """
    from fontTools.pens.svgPathPen import SVGPathPen  # type: ignore[import-untyped]
    from fontTools.pens.transformPen import TransformPen  # type: ignore[import-untyped]

    glyphs, characters, em = _font(font)
    pen, x = SVGPathPen(glyphs, ntos="{:.4g}".format), 0.0
    for letter, small, rise in _letters(text):
        if ord(letter) not in characters:
            raise SpecError(f"no font of the site draws {letter!r}, which {text!r} has")
        glyph, scale = glyphs[characters[ord(letter)]], size * small / em
        glyph.draw(TransformPen(pen, (scale, 0, 0, -scale, x, -rise * size)))
        x += glyph.width * scale
    return Outline(pen.getCommands(), x)


def lines(text: str, size: float, width: float, font: str = "Main-Regular") -> list[Outline]:
    """Break a text between words so that no line is wider than `width`."""
    broken = [""]
    for word in text.split():
        longer = f"{broken[-1]} {word}".strip()
        if broken[-1] and outline(longer, size, font).width > width:
            broken.append(word)
        else:
            broken[-1] = longer
    return [outline(line, size, font) for line in broken]


def _letters(text: str) -> Iterator[tuple[str, float, float]]:
    """Yield each letter, its size and its rise: ₖ is a small k."""
    for letter in text:
        kind, _, plain = unicodedata.decomposition(letter).partition(" ")
        yield (chr(int(plain, 16)), *_SMALL[kind]) if kind in _SMALL else (letter, 1.0, 0.0)


@cache
def _font(name: str) -> tuple[Any, dict[int, str], int]:
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    font = TTFont(FONTS / f"KaTeX_{name}.woff2")
    return font.getGlyphSet(), font.getBestCmap(), font["head"].unitsPerEm
