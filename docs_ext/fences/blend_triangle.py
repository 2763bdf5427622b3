"""The blend triangle: three weights move one point among three values.

    ```blend-triangle
    caption: Three weights move one point
    names: [cats, dogs, both]
    values: [[8, 0], [0, 8], [8, 8]]
    axes: [pages on cats, pages on dogs]
    shares: [2, 4, 10]     # whole numbers from 0 to 16; the weights are shares of their sum
    ```

The drawing is computed here. The script moves the point to the blend of the three corners, as the output is the blend
of the three values.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docs_ext.html.numbers import share, vector
from docs_ext.html.tables import scrolling_table
from docs_ext.html.widget import widget
from docs_ext.spec.errors import SpecError
from docs_ext.spec.expressions import array, value
from docs_ext.spec.words import words_of

REQUIRED = ("caption", "names", "values", "axes", "shares")
OPTIONAL = ()
MOST = 16  # a share; dragging moves the point in sixteenths
SIDE = 240  # of the drawing, in its own units

Floats = NDArray[np.float64]


def render(spec: Mapping[str, Any]) -> str:
    """Turn the mapping of a fence into HTML."""
    names, axes = _words(spec, "names", 3), _words(spec, "axes", 2)
    values, shares = _values(spec), _shares(spec)
    weights = shares / shares.sum()
    ident, caption, says = str(spec["id"]), str(spec["caption"]), statement(weights, values)
    corners = _to_drawing(values)
    rows = "\n".join(map(_row, names, values, shares, weights))
    head = (
        '<tr><th scope="col">name</th><th scope="col" class="value">value</th><th scope="col">share</th>'
        '<th scope="col">weight</th><th scope="col" class="output">weight &times; value</th></tr>'
    )
    foot = (
        f'<tr><th scope="row">sum</th><td></td><td class="total">{shares.sum():.0f}</td><td>1</td>'
        f'<td class="output">{vector(weights @ values)}</td></tr>'
    )
    return widget(
        "blend-triangle",
        ident,
        question="can three weights bring the point out of the triangle?",
        answer="No. Weights are never negative and add up to 1, so the blend lies between the values: inside, or on an "
        "edge if a weight is 0, or at a corner if two are.",
        body=_drawing(ident, caption, says, [*map(_label, names, values)], axes, corners, weights)
        + scrolling_table(caption, head, rows, foot),
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


def _label(name: str, held: Floats) -> str:
    return f"{name} {vector(held)}"


def _row(name: str, held: Floats, part: float, weight: float) -> str:
    return (
        f'<tr><th scope="row">{escape(name)}</th><td class="value">{vector(held)}</td>'
        f'<td class="score">{part:.0f}</td><td class="weight">{share(weight)}</td>'
        f'<td class="output">{vector(weight * held)}</td></tr>'
    )


def _to_drawing(values: Floats) -> Floats:
    """Place the values in the drawing: the smallest of each feature at 0, the second feature upwards."""
    placed: Floats = (values - values.min(axis=0)) * SIDE / np.ptp(values, axis=0).max()
    return placed * [1.0, -1.0] + 0.0  # no -0


def _drawing(
    ident: str,
    caption: str,
    says: str,
    labels: Sequence[str],
    axes: Sequence[str],
    corners: Floats,
    weights: Floats,
) -> str:
    """Draw the triangle, its corners, the axes, and the blend with a line to each corner."""
    right, top = corners[:, 0].max(), corners[:, 1].min()
    x, y = weights @ corners
    points = " ".join(f"{cx:g},{cy:g}" for cx, cy in corners)
    middle = corners[:, 1].mean()
    marks = "\n".join(
        f'<circle class="corner" cx="{cx:g}" cy="{cy:g}" r="5"/>'
        f'<text x="{cx:g}" y="{cy + (20 if cy > middle else -12):g}">{escape(label)}</text>'
        for label, (cx, cy) in zip(labels, corners, strict=True)
    )
    pulls = "\n".join(
        f'<line class="pull" x1="{cx:g}" y1="{cy:g}" x2="{x:g}" y2="{y:g}" style="--w:{float(w)!r}"/>'
        for w, (cx, cy) in zip(weights, corners, strict=True)
    )
    return f"""<svg class="triangle" viewBox="-45 {top - 30:g} {right + 90:g} {80 - top:g}" role="img" \
aria-labelledby="{ident}-title" aria-describedby="{ident}-desc">
<title id="{ident}-title">{escape(caption)}</title>
<desc id="{ident}-desc">{escape(says)}</desc>
<path class="axes" d="M0 {top:g} V0 H{right:g}"/>
<text class="axis" x="{right / 2:g}" y="42">{escape(axes[0])}</text>
<text class="axis" transform="translate(-14 {top / 2:g}) rotate(-90)">{escape(axes[1])}</text>
<polygon points="{points}"/>
{pulls}
{marks}
<g class="blend" transform="translate({x:g} {y:g})"><circle r="24"/><rect x="-7" y="-7" width="14" height="14"/></g>
</svg>
"""
