"""The attention grid: who attends to whom, and how much, as a table that works without JavaScript.

    ```attention-grid
    caption: Who attends to whom
    tokens: S5                   # words, or an expression
    x: embed(S5, EARLY5)         # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                     # without values there is no output column
    options: {is_causal: true}   # of attention_weights; may be expressions
    selected: ran                # the row chosen at first; else the last
    ```

`selected` is a word or an index. Further keys: `key_tokens` (cross attention), `show: weights` (no output column).

The HTML, which scripts may rely on (ID is the id of the fence):

    div.attention-grid#ID > attention-grid.widget[data-state=ID]
      div.widget-head > p.widget-title, where attention-grid.js puts Reset
      div.scroll > table > caption
        thead   th[scope=col].key for each key; th.output if there are values
        tbody   tr > th[scope=row] > label > input[type=radio][name=ID-row][value=ROW][aria-describedby=ID-says-ROW]
                   > td[data-weight=EXACT][style="--w:EXACT"], td[data-masked] for a key that is not allowed,
                     td.output[data-output=JSON]
      div.statements > p#ID-says-ROW, one a row, of which CSS shows the chosen row's; attention-grid.js puts a live
                       output in their place
"""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from docs_ext.errors import SpecError
from docs_ext.html.grid_table import figure
from docs_ext.reading import head
from docs_ext.reading.head import Head, read_head
from docs_ext.reading.words import row_of

REQUIRED = head.REQUIRED
OPTIONAL = (*head.OPTIONAL, "selected", "show")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    grid = read_grid(spec)
    return figure(grid, row_of(spec, "selected", grid.queries), str(spec["caption"]), str(spec["id"]))


def read_grid(spec: Mapping[str, Any]) -> Head:
    """Return the head to show, without its output if only weights are asked for."""
    grid = read_head(spec)
    return grid._replace(output=None) if _only_weights(spec) else grid


def _only_weights(spec: Mapping[str, Any]) -> bool:
    if spec.get("show", "weights") != "weights":
        raise SpecError(f"show can be 'weights' only: {spec['show']!r}", key="show")
    return "show" in spec
