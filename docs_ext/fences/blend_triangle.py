"""The blend triangle: three weights move one point among three values.

    ```blend-triangle
    caption: Three weights move one point
    names: [cats, dogs, both]
    values: [[8, 0], [0, 8], [8, 8]]
    axes: [pages on cats, pages on dogs]
    shares: [2, 4, 10]   # whole numbers, 0 to 16; a weight is a share of all
    ```

The drawing is computed while the page is being built. The script moves the point to the blend of the three corners, as
the output is the blend of the three values.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from docs_ext.errors import SpecError
from docs_ext.html.numbers import share, vector
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import array, value
from docs_ext.reading.words import words_of

REQUIRED = ("caption", "names", "values", "axes", "shares")
OPTIONAL = ()
MOST = 16  # a share; dragging moves the point in sixteenths
SIDE = 240  # of the drawing, in its own units

Floats = NDArray[np.float64]

_ROWS = template("""
<thead>
<tr><th scope="col">name</th><th scope="col" class="value">value</th><th scope="col">share</th>
  <th scope="col">weight</th><th scope="col" class="output">weight &times; value</th></tr>
</thead>
<tbody>
{% for name, value, share, weight in rows %}
<tr><th scope="row">{{ name }}</th><td class="value">{{ value | vector }}</td>
  <td class="score">{{ share | number }}</td><td class="weight">{{ weight | share }}</td>
  <td class="output">{{ (weight * value) | vector }}</td></tr>
{% endfor %}
</tbody>
<tfoot>
<tr><th scope="row">sum</th><td></td><td class="total">{{ total | number }}</td><td>1</td>
  <td class="output">{{ blend | vector }}</td></tr>
</tfoot>
""")
_FIGURE = template("""
<svg class="triangle" viewBox="-45 {{ (top - 30) | g }} {{ (right + 90) | g }} {{ (80 - top) | g }}" role="img"
  aria-labelledby="{{ ident }}-drawing" aria-describedby="{{ ident }}-desc">
<title id="{{ ident }}-drawing">{{ caption }}</title>
<desc id="{{ ident }}-desc">{{ says }}</desc>
<path class="axes" d="M0 {{ top | g }} V0 H{{ right | g }}"/>
<text class="axis" x="{{ (right / 2) | g }}" y="42">{{ axes[0] }}</text>
<text class="axis" transform="translate(-14 {{ (top / 2) | g }}) rotate(-90)">{{ axes[1] }}</text>
<polygon points="{% for x, y in corners %}{{ x | g }},{{ y | g }}{{ " " if not loop.last }}{% endfor %}"/>
{% for (x, y), weight in zip(corners, weights) %}
<line class="pull" x1="{{ x | g }}" y1="{{ y | g }}" x2="{{ blend[0] | g }}" y2="{{ blend[1] | g }}"
  style="--w:{{ weight }}"/>
{% endfor %}
{% for (x, y), name, value in zip(corners, names, values) %}
<circle class="corner" cx="{{ x | g }}" cy="{{ y | g }}" r="5"/>
  <text x="{{ x | g }}" y="{{ (y + (20 if y > middle else -12)) | g }}">{{ name }} {{ value | vector }}</text>
{% endfor %}
<g class="blend" transform="translate({{ blend[0] | g }} {{ blend[1] | g }})">
  <circle r="24"/><rect x="-7" y="-7" width="14" height="14"/></g>
</svg>
{{ table }}
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    names, axes = _words(spec, "names", 3), _words(spec, "axes", 2)
    values, shares = _values(spec), _shares(spec)
    weights = shares / shares.sum()
    ident, caption, says = str(spec["id"]), str(spec["caption"]), statement(weights, values)
    corners = _to_drawing(values)
    rows = _ROWS(rows=zip(names, values, shares, weights, strict=True), total=shares.sum(), blend=weights @ values)
    body = _FIGURE(
        table=scrolling_table("steps", caption, rows),
        ident=ident,
        caption=caption,
        says=says,
        names=names,
        values=values,
        axes=axes,
        corners=corners,
        weights=weights,
        blend=weights @ corners,
        right=corners[:, 0].max(),
        top=corners[:, 1].min(),
        middle=corners[:, 1].mean(),
    )
    return widget(
        "blend-triangle",
        ident,
        title=caption,
        question="can three weights bring the point out of the triangle?",
        answer="No. Weights are never negative and add up to 1, so the blend lies between the values: inside, or on an "
        "edge if a weight is 0, or at a corner if two are.",
        body=body,
        says=says,
        names=names,
        values=values.tolist(),
        shares=shares.astype(int).tolist(),
        corners=corners.tolist(),
        most=MOST,
    )


def statement(weights: Floats, values: Floats) -> str:
    """Say the blend as a sum: '1/8 (8, 0) + 1/4 (0, 8) + 5/8 (8, 8) = (6, 7)'."""
    parts = (f"{share(w)} {vector(v)}" for w, v in zip(weights, values, strict=True))
    return f"{' + '.join(parts)} = {vector(weights @ values)}"


def _words(spec: Mapping[str, Any], key: str, n: int) -> Sequence[str]:
    words = words_of(spec, key)
    if len(words) != n:
        raise SpecError(f"{key} must hold {n} words: {len(words)}", key=key)
    return words


def _values(spec: Mapping[str, Any]) -> Floats:
    values = array(spec, "values")
    if values.shape != (3, 2):
        raise SpecError(f"values must be three points of a plane: shape {values.shape}", key="values")
    if np.linalg.matrix_rank(values[1:] - values[0]) < 2:
        raise SpecError(f"values must form a triangle, not lie on a line: {values.tolist()}", key="values")
    return values


def _shares(spec: Mapping[str, Any]) -> Floats:
    shares = np.asarray(value(spec, "shares"))
    if shares.shape != (3,) or not np.isin(shares, np.arange(MOST + 1)).all() or not shares.any():
        raise SpecError(
            f"shares must be three whole numbers from 0 to {MOST}, not all 0: {spec['shares']}", key="shares"
        )
    return shares.astype(float)


def _to_drawing(values: Floats) -> Floats:
    """Place the values in the drawing: the smallest of each feature at 0, the second feature upwards."""
    placed: Floats = (values - values.min(axis=0)) * SIDE / np.ptp(values, axis=0).max()
    return placed * [1.0, -1.0] + 0.0  # no -0
