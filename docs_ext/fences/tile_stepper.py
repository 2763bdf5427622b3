"""The tile stepper: one query reads its keys tile by tile and keeps three registers, m, l and o.

    ```tile-stepper
    caption: ran reads its keys tile by tile
    tokens: S5
    x: embed(S5, EARLY5)   # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V               # required here
    selected: ran          # whose row is computed; by default the last
    tile: 2                # words in a tile at first
    ```

Without JavaScript there is the whole trace, first to last. Scores and m count doublings, so the scores of this row
must be whole ones. The script adds the size of the tiles, their order, and the steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import PartialAttention, attention_scores, merge_partials, partial_attention
from docs_ext.errors import SpecError
from docs_ext.html.numbers import number, vector
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.words import names_of, row_of

REQUIRED = head.REQUIRED
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected", "tile")
ELL = "\N{SCRIPT SMALL L}"
ORDERS = ("first to last", "last to first", "from the middle")

Floats = NDArray[np.float64]

_ROWS = template("""
<thead>
<tr><th scope="col">step</th><th scope="col">tile</th><th scope="col" class="key">scores</th>
  <th scope="col">old registers</th><th scope="col">m</th><th scope="col">&ell;</th>
  <th scope="col" class="value">o</th><th scope="col" class="output">o / &ell;</th></tr>
</thead>
<tbody>
{% for step in steps %}
<tr><th scope="row">{{ loop.index }}</th>
  <td>{% for key in step.tile %}{{ words[key] }}{{ ", " if not loop.last }}{% endfor %}</td>
  <td class="key">{% for key in step.tile %}{{ doublings[key] | number }}{{ ", " if not loop.last }}{% endfor %}</td>
  <td>{% if step.rescale is none %}none{% else %}&times; {{ step.rescale | number }}{% endif %}</td>
  <td>{{ step.m | number }}</td><td>{{ step.l | number }}</td>
  <td class="value">{{ step.o | vector }}</td><td class="output">{{ step.so_far | vector }}</td></tr>
{% endfor %}
</tbody>
""")


class Step(NamedTuple):
    """A tile of keys, and the registers after it."""

    tile: list[int]
    rescale: float | None  # of what was there before; None at the first tile
    m: float  # the largest score so far, in doublings
    l: float  # the sum of the exponentials, each relative to m
    o: Floats  # the values, weighted by the same
    so_far: Floats  # o / l: attention over the keys read so far


def tiles_of(n_keys: int, size: int, order: str) -> list[list[int]]:
    """Cut the keys into tiles of `size`, the last may be shorter, and put them into one of the orders.

    >>> tiles_of(5, 2, "last to first"), tiles_of(5, 2, "from the middle")
    ([[4], [2, 3], [0, 1]], [[2, 3], [0, 1], [4]])
    """
    tiles = [list(range(first, min(first + size, n_keys))) for first in range(0, n_keys, size)]
    middle = (len(tiles) - 1) / 2
    keys = {
        "first to last": lambda i: i,
        "last to first": lambda i: -i,
        "from the middle": lambda i: abs(i - middle),
    }
    return [tiles[i] for i in sorted(range(len(tiles)), key=keys[order])]


def trace(query: Floats, key: Floats, value: Floats, tiles: Sequence[list[int]]) -> Iterator[Step]:
    """Yield the registers after every tile; the package computes and merges the parts."""
    doublings = attention_scores(query, key)[0] / np.log(2)
    so_far: PartialAttention | None = None
    m = -np.inf
    for tile in tiles:
        part = partial_attention(query, key[tile], value[tile])
        before, m = m, max(m, float(doublings[tile].max()))
        rescale = None if so_far is None else float(2 ** (before - m))
        so_far = part if so_far is None else merge_partials(so_far, part)
        l = float(np.exp(so_far.logsumexp[0] - m * np.log(2)))
        yield Step(tile, rescale, m, l, so_far.output[0] * l, so_far.output[0])


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    one = read_head(spec)
    if one.v is None:
        raise SpecError("the registers hold blended values: give v, or x and w_v")
    row, size = row_of(spec, "selected", one.queries), _size(spec, len(one.keys))
    query = one.q[[row]]
    doublings = attention_scores(query, one.k)[0] / np.log(2)
    if not np.allclose(doublings, np.round(doublings)):
        raise SpecError(f"the scores of this row must be whole doublings: {doublings.tolist()}")
    words = names_of(one.keys)
    first, other = (list(trace(query, one.k, one.v, tiles_of(len(words), size, order))) for order in ORDERS[:2])
    rows = _ROWS(steps=first, words=words, doublings=doublings)
    caption = f"{spec['caption']}; scores and m in doublings"
    return widget(
        "tile-stepper",
        str(spec["id"]),
        title=caption,
        question="the same tiles come in the reverse order. What do the registers hold after the first step, "
        "and what is the result?",
        answer=f"After the first step they hold {_registers(other[0])} instead of {_registers(first[0])}. At the end "
        f"they hold {_registers(other[-1])} both times, and the result is {vector(other[-1].so_far)}.",
        body=scrolling_table("steps", caption, rows),
        says=says(first, len(first), ORDERS[0], size),
        words=words,
        scores=np.round(doublings).astype(int).tolist(),
        v=one.v.tolist(),
        size=size,
        orders=ORDERS,
    )


def _size(spec: Mapping[str, Any], n_keys: int) -> int:
    size = spec.get("tile", 2)
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= n_keys:
        raise SpecError(f"tile must be a number of words from 1 to {n_keys}: {size!r}", key="tile")
    return size


def _registers(step: Step) -> str:
    return f"m = {number(step.m)}, {ELL} = {number(step.l)}, o = {vector(step.o)}"


def says(steps: Sequence[Step], shown: int, order: str, size: int) -> str:
    """Tell what the table shows: 'Tiles of 2, first to last. After step 1 of 3: m = 3, l = 1.5, ...'."""
    step = steps[shown - 1]
    so_far = "the result" if shown == len(steps) else "so far"
    return (
        f"Tiles of {size}, {order}. After step {shown} of {len(steps)}: {_registers(step)}; "
        f"o / {ELL} = {vector(step.so_far)}, {so_far}."
    )
