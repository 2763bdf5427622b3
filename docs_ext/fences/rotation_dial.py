"""The rotation dial: a query and a key, each turned by its position, pair by pair, and their dot product.

    ```rotation-dial
    caption: A query and a key, each turned by its position
    positions: [2, 1]     # of the query and of the key, from 0 to 12
    turns: [90, 15]       # degrees a word, one a pair: steps of 15 up to 180
    query: [1, 0, 1, 0]   # two features a pair, neighbours
    key: [1, 0, 1, 0]
    ```

Angles run from the first feature of a pair to its second, anticlockwise.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import apply_rotary, rotary_tables
from docs_ext.errors import SpecError
from docs_ext.html.numbers import number
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import value

REQUIRED = ("caption", "positions", "turns", "query", "key")
OPTIONAL = ()
LAST = 12
STEP = 15  # degrees

Floats = NDArray[np.float64]

_ROWS = template("""
<thead>
<tr><th scope="col">pair</th><th scope="col">turn a word</th><td></td>
  <th scope="col" class="first">query at <span class="at">{{ m }}</span></th>
  <th scope="col" class="second">key at <span class="at">{{ n }}</span></th><th scope="col">adds</th></tr>
</thead>
<tbody>
{% for turn, query, key, first, second, adds in pairs %}
<tr><th scope="row">{{ loop.index0 }}</th><td class="turn">{{ turn }}°</td>
  <td><svg class="dial" viewBox="-21 -21 42 42" aria-hidden="true"><circle r="19"/><path class="zero" d="M0 0H19"/>
  <path class="first" d="{{ first }}"/><path class="second" d="{{ second }}"/></svg></td>
  <td class="vector">{{ query | vector }}</td><td class="vector">{{ key | vector }}</td>
  <td class="adds">{{ adds | number }}</td></tr>
{% endfor %}
</tbody>
<tfoot>
<tr><th scope="row" colspan="2">dot product</th><td class="total" colspan="4">{{ product | number }}</td></tr>
</tfoot>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    (m, n), turns = _positions(spec), _turns(spec)
    query, key = (_vectors(spec, name, len(turns)) for name in ("query", "key"))
    q, k = turned(query, turns, m), turned(key, turns, n)
    adds = (q * k).sum(axis=1)
    longest = np.hypot(*np.vstack([query, key]).T).max()
    both = (turned(query, turns, m + 1) * turned(key, turns, n + 1)).sum()
    alone = (turned(query, turns, m + 1) * k).sum()
    hands = [[_hand(tip) for tip in tips / longest] for tips in (q, k)]
    rows = _ROWS(m=m, n=n, pairs=zip(turns, q, k, *hands, adds, strict=True), product=adds.sum())
    return widget(
        "rotation-dial",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"with the query at {m} and the key at {n} the dot product is {number(adds.sum())}. First both move "
        "one word on, then only the query does. When does it change?",
        answer=f"Only when one moves alone. At {m + 1} and {n + 1} it is {number(both)}, since both turn by the same "
        f"angle; at {m + 1} and {n} it is {number(alone)}.",
        body=scrolling_table("steps", str(spec["caption"]), rows),
        says=statement(m, n, float(adds.sum())),
        positions=[m, n],
        turns=[turn // STEP for turn in turns],
        query=query.tolist(),
        key=key.tolist(),
        step=STEP,
        last=LAST,
    )


def turned(pairs: Floats, turns: list[int], position: int) -> Floats:
    """Turn pair i, row i, by `position` times turns[i] degrees."""
    cos, sin = rotary_tables(position * np.radians(turns), 2)
    return apply_rotary(pairs, cos, sin, layout="interleaved")


def statement(query: int, key: int, product: float) -> str:
    """Say what the dials show: 'The key stands 1 before the query: the dot product is 0.966, …'."""
    apart = key - query
    where = f"{abs(apart)} {'before' if apart < 0 else 'after'} the query" if apart else "where the query stands"
    return f"The key stands {where}: the dot product is {number(product)}, wherever the two are in the text."


def _positions(spec: Mapping[str, Any]) -> tuple[int, int]:
    given = value(spec, "positions")
    if not isinstance(given, list) or len(given) != 2 or not all(p in range(LAST + 1) for p in given):
        raise SpecError(f"positions are two whole numbers from 0 to {LAST}: {given!r}", key="positions")
    return given[0], given[1]


def _turns(spec: Mapping[str, Any]) -> list[int]:
    given = value(spec, "turns")
    if not isinstance(given, list) or not given or not all(turn in range(0, 181, STEP) for turn in given):
        raise SpecError(f"turns are degrees, 0 to 180 in steps of {STEP}: {given!r}", key="turns")
    return given


def _vectors(spec: Mapping[str, Any], key: str, n_pairs: int) -> Floats:
    given = np.asarray(value(spec, key), float)
    if given.shape != (2 * n_pairs,) or not given.any():
        raise SpecError(f"{key} must hold {2 * n_pairs} numbers, two a pair: shape {given.shape}", key=key)
    return given.reshape(-1, 2)


def _hand(tip: Floats) -> str:
    return f"M0 0L{17 * tip[0]:.3f} {-17 * tip[1]:.3f}"
