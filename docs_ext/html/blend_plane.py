"""A blend in the plane: the values as points, and arrows that lead to their weighted sum, one for each part."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from docs_ext.html.numbers import share, vector
from docs_ext.html.template import template

SIDE = 240  # of the drawing, in its own units

_PLANE = template("""
<svg class="plane" viewBox="-50 {{ (top - 30) | g }} {{ (right + 115) | g }} {{ (78 - top) | g }}" role="img"
  aria-labelledby="{{ ident }}-title">
<title id="{{ ident }}-title">{{ title }}</title>
<defs><marker id="{{ ident }}-head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="10" markerHeight="10"
  markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
<path class="axes" d="M0 {{ top | g }}V0H{{ right | g }}"/>
{% for tick in ticks %}
<text class="tick" x="{{ (tick * unit) | g }}" y="20">{{ tick | number }}</text>
  <text class="tick" x="-14" y="{{ (5 - tick * unit) | g }}">{{ tick | number }}</text>
{% endfor %}
<text class="axis" x="{{ (right / 2) | g }}" y="41">{{ axes[0] }}</text>
<text class="axis" transform="translate(-34 {{ (top / 2) | g }}) rotate(-90)">{{ axes[1] }}</text>
<path class="drop" d="M{{ end[0] | g }} 0V{{ end[1] | g }}H0"/>
{% for name, x, y in corners %}
<circle class="corner" cx="{{ x | g }}" cy="{{ y | g }}" r="5"/>
  <text class="corner-name" x="{{ (x + 9) | g }}" y="{{ (y - (9 if x or y else 26)) | g }}">{{ name }}</text>
{% endfor %}
{% for name, x1, y1, x2, y2 in arrows %}
{% set flat = y1 == y2 %}
<path class="arrow" d="M{{ x1 | g }} {{ y1 | g }}L{{ x2 | g }} {{ y2 | g }}" marker-end="url(#{{ ident }}-head)"/>
  <text class="arrow-name{{ " above" if flat }}" x="{{ ((x1 + x2) / 2 if flat else [x1, x2] | max + 10) | g }}"
  y="{{ ((y1 + y2) / 2 + (-8 if flat else 6)) | g }}">{{ name }}</text>
{% endfor %}
<g class="end" transform="translate({{ end[0] | g }} {{ end[1] | g }})"><circle r="9"/><circle r="5"/>
  <text y="-17">{{ receives }}</text></g>
</svg>
""")

Floats = NDArray[np.float64]


def plane(word: str, names: Sequence[str], weights: Floats, values: Floats, axes: Sequence[str], ident: str) -> Markup:
    """Draw what a word receives from values of two features, none of them negative."""
    unit = SIDE / (values.max() or 1.0)
    parts = weights[:, None] * values
    stops = np.vstack([[0.0, 0.0], parts.cumsum(axis=0)])  # where each arrow begins, and the end
    place = [unit, -unit]  # the second feature grows upwards
    arrows = [
        (f"{share(weight)} {name}", *begin, *end)
        for name, weight, part, begin, end in zip(
            names, weights, parts, stops[:-1] * place + 0.0, stops[1:] * place + 0.0, strict=True
        )
        if part.any()
    ]
    at: dict[tuple[float, ...], list[str]] = {}  # words that hand over the same share a point
    for name, value in zip(names, values, strict=True):
        at.setdefault(tuple(value * place + 0.0), []).append(name)
    return _PLANE(
        ident=ident,
        title=f"Values as points, and the way to {vector(stops[-1])}",
        unit=unit,
        top=-SIDE,
        right=SIDE,
        axes=axes,
        ticks=np.linspace(0, values.max(), 5),
        corners=[(", ".join(words), *point) for point, words in at.items()],
        arrows=arrows,
        end=stops[-1] * place + 0.0,
        receives=f"{word} {vector(stops[-1])}",
    )
