"""Strips: a vector or a matrix as coloured cells with the numbers in them; rows are words, columns are features.

The class says the role, which gives the colour; a cell is the stronger, the larger its number. A zero has no colour,
and what is negative is hatched and has its minus: nothing is told by colour alone. The style is css/strips.css.
"""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike

from docs_ext.html.template import template

ROLES = ("", "query", "key", "value", "output")  # "": what has no role, such as the row of a word

_STRIPS = template("""
<table class="strips{{ " " + role if role }}">
{% if name %}
<caption>{{ name }}</caption>
{% endif %}
{% if features %}
<thead><tr>{% if words %}<td></td>{% endif %}
  {% for feature in features %}
  <th scope="col">{{ feature }}</th>
  {% endfor %}</tr></thead>
{% endif %}
<tbody>
{% for word, row in rows %}
<tr>{% if words %}<th scope="row">{{ word }}</th>{% endif %}
  {% for number, sign, strength in row %}
  <td data-number="{{ number }}" class="{{ sign }}" style="--s:{{ strength | g }}">{{ number | number }}</td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
</table>
""")


def strips(
    numbers: ArrayLike,
    role: str = "",
    *,
    name: str = "",
    words: Sequence[str] = (),
    features: Sequence[str] = (),
    largest: float | None = None,
) -> Markup:
    """Draw a matrix as a table, a vector as one row of it.

    `name` is the caption, `words` are the headings of the rows and `features` those of the columns; each may be HTML.
    A number as large as `largest` has the full colour, by default the largest one here.
    """
    matrix = np.atleast_2d(np.asarray(numbers, float))
    if role not in ROLES:
        raise ValueError(f"role must be one of {', '.join(ROLES[1:])} or nothing: {role!r}")
    for what, given, axis in (("words", words, 0), ("features", features, 1)):
        if given and len(given) != matrix.shape[axis]:
            raise ValueError(f"{len(given)} {what} for a matrix of shape {matrix.shape}")
    full = largest or float(np.abs(matrix).max()) or 1.0
    rows = [
        (word, [(float(x), _sign(x), min(1.0, abs(x) / full)) for x in row])
        for word, row in zip(words or [""] * len(matrix), matrix, strict=True)
    ]
    return _STRIPS(role=role, name=name, words=words, features=features, rows=rows)


def _sign(x: float) -> str:
    return "zero" if abs(x) < 1e-12 else "negative" if x < 0 else "positive"
