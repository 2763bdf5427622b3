"""The explorer of sinusoidal encodings: two positions, a hand for every pair of columns, and their dot product.

    ```pe-explorer
    caption: Two positions, each read from the hands of a clock
    positions: [1, 4]   # from 0 to 31
    d_model: 4          # 4, 8 or 16
    ```

A hand is a pair of columns: its sine says how far to the right the tip is, its cosine how far up.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import sinusoidal_encoding
from docs_ext.errors import SpecError
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import value

REQUIRED = ("caption", "positions", "d_model")
OPTIONAL = ()
LAST = 31
SIZES = (4, 8, 16)

Floats = NDArray[np.float64]

_ROWS = template("""
<thead>
<tr><th scope="col" rowspan="2">hand</th><th scope="col" rowspan="2">turn a word,<br>radians</th><td rowspan="2"></td>
  <th scope="colgroup" colspan="2" class="first">position <span class="at">{{ first }}</span></th>
  <th scope="colgroup" colspan="2" class="second">position <span class="at">{{ second }}</span></th>
  <th scope="col" rowspan="2">adds</th></tr>
<tr><th scope="col">sin</th><th scope="col">cos</th><th scope="col">sin</th><th scope="col">cos</th></tr>
</thead>
<tbody>
{% for turn, readings, adds in hands %}
<tr><th scope="row">{{ loop.index0 }}</th><td class="turn">{{ "%.3g" | format(turn) }}</td>
  <td><svg class="dial" viewBox="-20 -20 40 40" aria-hidden="true"
  style="--first:{{ turn * first }}rad;--second:{{ turn * second }}rad"><circle r="18"/>
  <path class="second" d="M0 0V-17"/><path class="first" d="M0 0V-12"/></svg></td>
  {% for x in readings %}
  <td class="signed" style="--v:{{ x }}">{{ short(x) }}</td>
  {% endfor %}
  <td class="adds">{{ short(adds) }}</td></tr>
{% endfor %}
</tbody>
<tfoot>
<tr><th scope="row" colspan="2">dot product</th><td class="total" colspan="6">{{ short(product) }}</td></tr>
</tfoot>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    (first, second), d_model = _positions(spec), _size(spec)
    encoding = sinusoidal_encoding(LAST + 2, d_model)
    turns = np.arctan2(encoding[1, ::2], encoding[1, 1::2])  # where position 1 points: none is above 1 radian
    readings = np.hstack([encoding[at].reshape(-1, 2) for at in (first, second)])  # (d_model / 2, 4)
    adds = (readings[:, :2] * readings[:, 2:]).sum(axis=1)
    here, further = (encoding[a] @ encoding[b] for a, b in ((first, second), (first + 1, second + 1)))
    hands = zip(turns, readings, adds, strict=True)
    rows = _ROWS(first=first, second=second, hands=hands, product=here, short=_short)
    return widget(
        "pe-explorer",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"the dot product of positions {first} and {second} is {_short(here)}. Both move one word on. Does it "
        "grow, shrink or stay?",
        answer=f"It stays: positions {first + 1} and {second + 1} give {_short(further)}. Both readings of a hand turn "
        "by the same angle, so the angle between them stays, and its cosine is what the pair adds.",
        body=scrolling_table("steps", str(spec["caption"]), rows),
        says=statement(first, second, here),
        positions=[first, second],
        d_model=d_model,
        sizes=SIZES,
        last=LAST,
    )


def statement(first: int, second: int, product: float) -> str:
    """Say what the hands show: 'Positions 1 and 4 are 3 apart: their dot product is 0.00956, ...'."""
    apart = abs(first - second)
    return (
        f"Positions {first} and {second} are {apart} apart: their dot product is {_short(product)}, "
        f"and so it is for any two positions {apart} apart."
    )


def _positions(spec: Mapping[str, Any]) -> tuple[int, int]:
    given = value(spec, "positions")
    if not isinstance(given, list) or len(given) != 2 or not all(p in range(LAST + 1) for p in given):
        raise SpecError(f"positions are two whole numbers from 0 to {LAST}: {given!r}", key="positions")
    return given[0], given[1]


def _size(spec: Mapping[str, Any]) -> int:
    if spec["d_model"] not in SIZES:
        raise SpecError(f"d_model must be one of {', '.join(map(str, SIZES))}: {spec['d_model']!r}", key="d_model")
    return int(spec["d_model"])


def _short(x: float) -> str:
    """Write five decimals, and no minus before zero."""
    text = f"{x:.5f}".replace("-", "\N{MINUS SIGN}")
    return text if round(float(x), 5) else "0.00000"
