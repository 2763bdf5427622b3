"""Attention grids as tables: who attends to whom, and how much.

Two kinds share their sentence: `figure`, whose rows are chosen without a script, and `live_grid`, whose cells a script
fills.
"""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from docs_ext.html.numbers import share, vector
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import head
from docs_ext.reading.head import Head
from docs_ext.reading.words import names_of, rank_of

_LEGEND = template("""
<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>;
  <span class="swatch"></span> stronger = more weight
  {%- if masked %}; <span class="swatch masked"></span> {{ masked }}{% endif %}</span>
""")
_FIGURE = template("""
<div class="attention-grid" id="{{ ident }}" data-search-exclude>
<attention-grid data-state="{{ state }}"
  {%- if head %} class="widget" role="group" aria-labelledby="{{ ident }}-title"{% endif %}>
{{ head }}
{{ table }}
<div class="statements">
{% for says in statements %}
<p id="{{ ident }}-says-{{ loop.index0 }}">{{ says }}</p>
{% endfor %}
</div>
</attention-grid>
</div>
""")
_FIGURE_ROWS = template("""
{% macro ranked(word, rank) %}
{{ word }}{% if rank %}<span class="visually-hidden">{{ rank }}</span>{% endif %}
{% endmacro %}
<thead><tr><td></td>
  {% for word, rank in keys %}
  <th scope="col" class="key">{{ ranked(word, rank) }}</th>
  {% endfor %}
  {% if grid.output is not none %}
  <th scope="col" class="output">output</th>
  {% endif %}</tr></thead>
<tbody>
{% for word, rank in queries %}
{% set row = loop.index0 %}
<tr><th scope="row" class="query"><label>
  <input type="radio" name="{{ ident }}-row" id="{{ ident }}-row-{{ row }}" value="{{ row }}"
  aria-describedby="{{ ident }}-says-{{ row }}"{{ " checked" if row == chosen }}> <span>{{ ranked(word, rank) }}</span>
  </label></th>
  {% for weight, allowed in zip(grid.weights[row], grid.allowed[row]) %}
  {% set exact = weight | fraction %}
  {% if not allowed %}
  <td data-weight="0.0" data-masked><span aria-hidden="true">&ndash;</span>
  <span class="visually-hidden">masked</span></td>
  {% elif not exact %}
  <td data-weight="{{ weight }}" style="--w:{{ weight }}">{{ weight | decimal }}</td>
  {% else %}
  <td data-weight="{{ weight }}" style="--w:{{ weight }}"><span>{{ exact }}</span>
  {% if "/" in exact %} <span class="decimal">{{ weight | decimal }}</span>{% endif %}
  </td>
  {% endif %}
  {% endfor %}
  {% if grid.output is not none %}
  <td class="output" data-output="{{ grid.output[row].tolist() | json }}">{{ grid.output[row] | vector }}</td>
  {% endif %}</tr>
{% endfor %}
</tbody>
""")
_LIVE_GRID = template("""
<div class="attention-grid">
{{ table }}
</div>
""")
_LIVE_ROWS = template("""
<thead><tr><td></td>
  {% for word in words %}
  <th scope="col" class="key">{{ word }}</th>
  {% endfor %}
  {% if sink %}
  <th scope="col" class="sink">sink</th>
  {% endif %}
  <th scope="col" class="output">output</th></tr></thead>
<tbody>
{% for word in words %}
{% set row = loop.index0 %}
<tr{{ " data-chosen" if row == chosen }}><th scope="row" class="query">{{ word }}</th>
  {% for weight, allowed in zip(one.weights[row], one.allowed[row]) %}
  {% if not allowed %}
  <td data-weight="0.0" data-masked><span>&ndash;</span></td>
  {% else %}
  <td data-weight="{{ weight }}" style="--w:{{ weight }}"><span>{{ weight | share }}</span>
  {% if "/" in weight | share %} <span class="decimal">{{ weight | decimal }}</span>{% endif %}
  </td>
  {% endif %}
  {% endfor %}
  {% if sink %}
  <td class="sink"><span>none</span> <span class="decimal"></span></td>
  {% endif %}
  <td class="output">{{ one.output[row] | vector }}</td></tr>
{% endfor %}
</tbody>
""")


def figure(grid: Head, chosen: int, caption: str, ident: str, *, within: str = "") -> Markup:
    """Write a grid, in a frame of its own or `within` the widget of that id, under which the address keeps its row."""
    queries, keys = _ranked(grid.queries), _ranked(grid.keys)
    rows = _FIGURE_ROWS(grid=grid, queries=queries, keys=keys, ident=ident, chosen=chosen)
    legend = _LEGEND(masked="" if grid.allowed.all() else "masked")
    statements = [statement(grid, row) for row in range(len(grid.queries))]
    table = scrolling_table("weights", caption, rows, legend)
    frame = "" if within else head(ident, caption)
    return _FIGURE(ident=ident, state=within or ident, head=frame, table=table, statements=statements)


def live_grid(one: Head, chosen: int, caption: str, *, sink: bool = False) -> Markup:
    """Write the grid as a script fills it later, with a column for a sink or without."""
    rows = _LIVE_ROWS(one=one, words=names_of(one.queries), chosen=chosen, sink=sink)
    return live_table(caption, rows, _LEGEND(masked="forbidden"))


def live_table(caption: str, rows: Markup, legend: str) -> Markup:
    """Write the frame of such a grid around its rows."""
    return _LIVE_GRID(table=scrolling_table("weights", caption, rows, legend))


def statement(grid: Head, row: int) -> str:
    """Say a row in words: 'ran: cat 1/2, that 1/4, dog 1/8, chased 1/16, ran 1/16; sum 1; output (5, 2)'."""
    weights, allowed, names = grid.weights[row], grid.allowed[row], names_of(grid.keys)
    by_weight = sorted(np.flatnonzero(allowed), key=lambda key: -round(weights[key], 12))  # stable: ties keep order
    parts = [", ".join(f"{names[key]} {share(weights[key])}" for key in by_weight)]
    if not by_weight:
        parts = ["no key to attend to"]
    if not allowed.all():
        parts.append("masked: " + ", ".join(names[key] for key in np.flatnonzero(~allowed)))
    total = float(weights.sum())
    parts.append(f"sum {share(total)}")
    if grid.options.get("sink") is not None:
        parts.append(f"the sink takes {share(1 - total)}")
    if grid.output is not None:
        parts.append(f"output {vector(grid.output[row])}")
    return f"{names_of(grid.queries)[row]}: {'; '.join(parts)}"


def _ranked(words: Sequence[str]) -> list[tuple[str, str]]:
    return [(word, rank_of(words, position)) for position, word in enumerate(words)]
