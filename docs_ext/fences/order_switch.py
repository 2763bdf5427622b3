"""The order switch: one attention grid for each of two word orders, with positions and without.

    ```order-switch
    caption: Who listens to whom
    sentences: [S7, T7]   # the second is the first with two words swapped
    positions: EARLY7     # of attention.example, whose words these are
    w_q: W_Q7
    w_k: W_K
    w_v: W_V
    parts: [cat, dog]     # what the columns of the values stand for
    selected: ran         # whose output is told, word or index; else the last
    ```

Without JavaScript there are the first sentence with positions and a table of all four.

The HTML, which the script relies on (ID is the id of the fence):

    order-switch.widget#ID
      div.widget-head, to which the script adds Reset
      div.widget-controls > label > input[type=checkbox][name=swap], and one [name=positions]
      div.attention-grid, as docs_ext/html/grid_table.py writes it
      output > span
      details > table
      template[data-swap][data-positions], four times, with the div and the span of that case
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.html.grid_table import figure
from docs_ext.html.tables import folded, table
from docs_ext.html.template import template
from docs_ext.html.widget import head
from docs_ext.reading.expressions import value
from docs_ext.reading.head import Head, read_head
from docs_ext.reading.words import row_of, sentences_of, words_of

REQUIRED = ("caption", "sentences", "positions", "w_q", "w_k", "w_v", "parts")
OPTIONAL = ("selected",)

_SWITCH = template("""
<div>
<order-switch class="widget" id="{{ ident }}" role="group" aria-labelledby="{{ ident }}-title" data-search-exclude>
{{ head }}
<div class="widget-controls">
<label><input type="checkbox" name="swap"> <span>Swap <em>{{ pair[0] }}</em> and <em>{{ pair[1] }}</em></span></label>
<label><input type="checkbox" name="positions" checked> <span>Words know their positions</span></label>
</div>
{{ grid }}
<output>{{ says }}</output>
{{ all_cases }}
{% for case, grid, says in templates %}
<template data-swap="{{ case.swapped | json }}" data-positions="{{ case.positions | json }}">{{ grid }}
  {{ says }}</template>
{% endfor %}
</order-switch>
</div>
""")
_SAYS = template("""
<span><em>{{ words | join(" ") }}</em>, {{ "with" if case.positions else "without" }} positions:
  <em>{{ words[row] }}</em> now carries <strong>
  {% for x, part in zip(case.received, parts) %}
  {{ x | number }} parts {{ part }}{{ " and " if not loop.last }}
  {% endfor %}</strong>.</span>
""")


class Case(NamedTuple):
    """One setting of the two switches, and what comes out."""

    swapped: bool
    positions: bool
    head: Head
    received: list[float]  # the output of the selected word


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    sentences, parts = sentences_of(spec), words_of(spec, "parts")
    row, ident, caption = row_of(spec, "selected", sentences[0]), str(spec["id"]), str(spec["caption"])
    cases = _cases(spec, sentences, row)
    if len(cases[0].received) != len(parts):
        raise SpecError("parts must name every column of the values", key="parts")
    title = f"What {sentences[0][row]} receives, in parts {' and parts '.join(parts)}"
    grids = (figure(case.head, row, caption, f"{ident}-grid-{n}", within=ident) for n, case in enumerate(cases, 1))
    told = [says(case, row, parts) for case in cases]
    return _SWITCH(
        ident=ident,
        head=head(ident, caption),
        grid=figure(cases[0].head, row, caption, f"{ident}-grid", within=ident),
        pair=[word for word, other in zip(*sentences, strict=True) if word != other],
        says=told[0],
        all_cases=folded("All four cases", table([_record(case, parts) for case in cases], title)),
        templates=zip(cases, grids, told, strict=True),
    )


def _cases(spec: Mapping[str, Any], sentences: list[Sequence[str]], row: int) -> list[Case]:
    """Return the four cases, the default first."""
    weights, early = {key: spec[key] for key in ("w_q", "w_k", "w_v")}, value(spec, "positions")
    cases = []
    for swapped, words in zip((False, True), sentences, strict=True):
        for positions in (True, False):
            x = embed(list(words), early if positions else None)
            one = read_head(weights | {"tokens": words, "x": x})
            assert one.output is not None  # w_v is required
            cases.append(Case(swapped, positions, one, one.output[row].tolist()))
    return cases


def says(case: Case, row: int, parts: Sequence[str]) -> Markup:
    """Tell a case and its result: 'cat chased dog, with positions: dog now carries 5 parts cat and 2 parts dog.'."""
    return _SAYS(case=case, words=case.head.queries, row=row, parts=parts)


def _record(case: Case, parts: Sequence[str]) -> dict[str, Any]:
    setting = {"sentence": " ".join(case.head.queries), "positions": "on" if case.positions else "off"}
    return setting | dict(zip(parts, case.received, strict=True))
