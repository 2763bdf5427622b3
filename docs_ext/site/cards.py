"""The picture of a page where somebody shares its address: its question beside the weights of the running example.

It is drawn as SVG and kept as PNG, since the services that show it take no SVG. Its letters are outlines, so the bytes
are the same on every machine. `mkdocs serve` draws none.
"""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from attention.example import EARLY5, S5, W_Q1, W_Q2, attend, embed
from docs_ext.html.disk_cache import kept
from docs_ext.html.lettering import Outline, lines, outline
from docs_ext.html.numbers import fraction
from docs_ext.html.pixels import png
from docs_ext.html.template import template

WIDTH, HEIGHT = 1200, 630
FOLDER = "assets/cards"
ICON = "assets/icon.png"
HEADS: dict[str, tuple[Any, dict[str, Any]]] = {  # of each part of the menu; the first question elsewhere
    "Models": (W_Q2, {}),
    "Engineering": (W_Q1, {"is_causal": True}),
}
_RAMP = ((236, 247, 255), (190, 201, 221), (146, 157, 175), (105, 115, 132), (66, 75, 91), (30, 39, 53))  # weights.css
_SIZES = (76, 64, 54)  # of a heading: the largest at which it has three lines at most
_LEFT, _COLUMN = 72, 590
_CELL, _STEP, _GRID = 73, 76, (772, 160)  # of the picture: a cell's side, from one to the next, and where they begin

_CARD = template("""
<svg xmlns="http://www.w3.org/2000/svg" width="{{ width }}" height="{{ height }}">
<rect width="{{ width }}" height="{{ height }}" fill="#fff"/>
<rect width="{{ width }}" height="12" fill="#3949ab"/>
<g transform="translate({{ left }} 62) scale(2.75)">{{ icon }}</g>
{% for x, y, colour, letters in words %}
<path transform="translate({{ x | g }} {{ y | g }})" fill="{{ colour }}" d="{{ letters.path }}"/>
{% endfor %}
{% for x, y, colour in cells %}
<rect x="{{ x }}" y="{{ y }}" width="{{ cell }}" height="{{ cell }}" fill="{{ colour }}"/>
{% endfor %}
{% for x, y, colour, letters in shares %}
<path transform="translate({{ x | g }} {{ y | g }})" fill="{{ colour }}" d="{{ letters.path }}"/>
{% endfor %}
</svg>
""")


class Word(NamedTuple):
    """Letters, where they begin, and their colour."""

    x: float
    y: float
    colour: str
    letters: Outline


def card_address(page: Page, config: MkDocsConfig) -> str:
    """Return the address of a page's picture, which must be a whole one."""
    return f"{config.site_url}{_name(page)}"


def draw_cards(nav: Navigation, config: MkDocsConfig) -> None:
    """Draw the picture of every page, and the site's icon for screens that take no SVG."""
    site = Path(config.site_dir)
    icon = (Path(config.docs_dir) / "assets/favicon.svg").read_text("utf-8")
    (site / FOLDER).mkdir(parents=True, exist_ok=True)
    for page in nav.pages:
        svg = card(str(page.title), _part(page), config.site_name, icon)
        (site / _name(page)).write_bytes(_kept_png(svg))
    square = icon.replace(' rx="2.5"', "")  # whoever shows it cuts the corners
    (site / ICON).write_bytes(_kept_png(square, 180 / 16))


def card(title: str, part: str, name: str, icon: str) -> str:
    """Write the picture of a page: its question, the engineer's term, the part of the menu."""
    question, _, term = title.rstrip(")").partition(" (")
    size, heading = next(
        (size, broken)
        for size in _SIZES
        if len(broken := lines(question, size, _COLUMN, "Main-Bold")) <= 3 or size == _SIZES[-1]
    )
    y = 315 - 0.6 * size * (len(heading) - 1)
    words = [Word(_LEFT + 62, 95, "#3c4657", outline(name, 32))]
    words += [Word(_LEFT, y + 1.2 * size * n, "#14181f", line) for n, line in enumerate(heading)]
    y += 1.2 * size * (len(heading) - 1)
    words += [Word(_LEFT, y + 62 + 42 * n, "#3c4657", line) for n, line in enumerate(lines(term, 34, _COLUMN))]
    words += [Word(_LEFT, 575, "#3949ab", outline(part, 30))]
    cells, shares = [], []
    w_query, options = HEADS.get(part, (W_Q1, {}))
    weights, _ = attend(embed(S5, EARLY5), w_query, **options)
    left, top = _GRID
    for column, word in enumerate(S5):
        words.append(_centred(word, left + _STEP * column + _CELL / 2, top - 14, 24, "#3c4657"))
    for row, word in enumerate(S5):
        label = outline(word, 24)
        words.append(Word(left - 14 - label.width, top + _STEP * row + _CELL / 2 + 8, "#3c4657", label))
        for column, weight in enumerate(weights[row]):
            x, y = left + _STEP * column, top + _STEP * row
            cells.append((x, y, _colour(weight)))
            if weight:
                ink = "#fff" if weight > 0.5 else "#000"
                shares.append(_centred(fraction(weight) or "", x + _CELL / 2, y + _CELL / 2 + 8, 24, ink))
    drawing = Markup(icon[icon.index(">") + 1 :].replace("</svg>", ""))
    return str(
        _CARD(
            width=WIDTH,
            height=HEIGHT,
            left=_LEFT,
            icon=drawing,
            words=words,
            cells=cells,
            cell=_CELL,
            shares=shares,
        )
    )


def _centred(text: str, x: float, y: float, size: float, colour: str) -> Word:
    letters = outline(text, size)
    return Word(x - letters.width / 2, y, colour, letters)


def _colour(weight: float) -> str:
    """Return the colour of a weight."""
    stop = min(int(weight * 5), 4)
    mixed = (a + (b - a) * (weight * 5 - stop) for a, b in zip(_RAMP[stop], _RAMP[stop + 1], strict=True))
    return f"rgb({', '.join(str(round(channel)) for channel in mixed)})"


def _name(page: Page) -> str:
    return f"{FOLDER}/{page.file.src_uri.removesuffix('.md').replace('/', '-')}.png"


def _part(page: Page) -> str:
    """Return the name of the part of the menu that a page stands in."""
    above = [*page.ancestors]
    return str(above[-1].title) if above else ""


def _kept_png(svg: str, scale: float = 1) -> bytes:
    return kept(partial(png, svg, scale), svg, str(scale), by="vl-convert-python")
