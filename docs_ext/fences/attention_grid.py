"""The attention grid: who attends to whom, and how much, as a table that works without JavaScript.

    ```attention-grid
    caption: Who attends to whom
    tokens: S5                      # words, or an expression
    x: embed(S5, EARLY5)            # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                        # without values there is no output column
    options: {is_causal: true}      # of attention_weights; strings are expressions
    selected: ran                   # word or index of the row chosen at first; by default the last
    ```

Further keys: `key_tokens` (cross attention), `show: weights` (no output column), `id`.

The HTML, which scripts may rely on (ID is the id of the fence):

    div.attention-grid#ID > attention-grid[data-state=ID]
      div.scroll > table > caption
        thead   th[scope=col].key for each key; th.output if there are values
        tbody   tr > th[scope=row] > label > input[type=radio][name=ID-row][value=ROW][aria-describedby=ID-says-ROW]
                   > td[data-weight=EXACT][style="--w:EXACT"], td[data-masked] for a key that is not allowed,
                     td.output[data-output=JSON]
      div.statements > p#ID-says-ROW, one a row, of which CSS shows the chosen row's; attention-grid.js puts a live
                       output in their place
"""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from docs_ext import head
from docs_ext.expressions import SpecError
from docs_ext.head import Head, names_of, rank_of, read_head, row_of, vector
from docs_ext.numbers import decimal, fraction

REQUIRED = head.REQUIRED
OPTIONAL = (*head.OPTIONAL, "selected", "show")


def render(spec: Mapping[str, Any]) -> str:
    """Turn the mapping of a fence into HTML."""
    grid = read_grid(spec)
    ident = str(spec["id"])
    return figure(grid, row_of(spec, "selected", grid.queries), escape(str(spec["caption"])), ident, state=ident)


def figure(grid: Head, chosen: int, caption: str, ident: str, *, state: str) -> str:
    """Write a grid; `state` is the id under which a script keeps the chosen row in the address."""
    rows = "\n".join(_row(grid, row, ident, row == chosen) for row in range(len(grid.queries)))
    says = "\n".join(
        f'<p id="{ident}-says-{row}">{escape(statement(grid, row))}</p>' for row in range(len(grid.queries))
    )
    return f"""<div class="attention-grid" id="{ident}" data-search-exclude>
<attention-grid data-state="{state}">
<div class="scroll" tabindex="0" role="region" aria-label="{caption}">
<table class="weights">
<caption><span>{caption} {_legend(grid)}</span></caption>
{_head(grid)}
<tbody>
{rows}
</tbody>
</table>
</div>
<div class="statements">
{says}
</div>
</attention-grid>
</div>"""


def read_grid(spec: Mapping[str, Any]) -> Head:
    """Return the head to show, without its output if only weights are asked for."""
    grid = read_head(spec)
    return grid._replace(output=None) if _only_weights(spec) else grid


def _only_weights(spec: Mapping[str, Any]) -> bool:
    if spec.get("show", "weights") != "weights":
        raise SpecError(f"show can be 'weights' only: {spec['show']!r}", key="show")
    return "show" in spec


def statement(grid: Head, row: int) -> str:
    """Say a row in words: 'ran: cat 1/2, that 1/4, dog 1/8, chased 1/16, ran 1/16; sum 1; output (5, 2)'."""
    weights, allowed, names = grid.weights[row], grid.allowed[row], names_of(grid.keys)
    by_weight = sorted(np.flatnonzero(allowed), key=lambda key: -round(weights[key], 12))  # stable: ties keep order
    parts = [", ".join(f"{names[key]} {fraction(weights[key]) or decimal(weights[key])}" for key in by_weight)]
    if not by_weight:
        parts = ["no key to attend to"]
    if not allowed.all():
        parts.append("masked: " + ", ".join(names[key] for key in np.flatnonzero(~allowed)))
    total = float(weights.sum())
    parts.append(f"sum {fraction(total) or decimal(total)}")
    if grid.options.get("sink") is not None:
        parts.append(f"the sink takes {fraction(1 - total) or decimal(1 - total)}")
    if grid.output is not None:
        parts.append(f"output {vector(grid.output[row])}")
    return f"{names_of(grid.queries)[row]}: {'; '.join(parts)}"


def _hidden(text: str) -> str:
    return f'<span class="visually-hidden">{text}</span>' if text else ""


def _word(words: Sequence[str], position: int) -> str:
    return escape(words[position]) + _hidden(rank_of(words, position))


def _legend(grid: Head) -> str:
    masked = "" if grid.allowed.all() else '; <span class="swatch masked"></span> masked'
    return (
        '<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>; '
        f'<span class="swatch"></span> stronger = more weight{masked}</span>'
    )


def _head(grid: Head) -> str:
    keys = "".join(f'<th scope="col" class="key">{_word(grid.keys, key)}</th>' for key in range(len(grid.keys)))
    output = '<th scope="col" class="output">output</th>' if grid.output is not None else ""
    return f"<thead><tr><td></td>{keys}{output}</tr></thead>"


def _row(grid: Head, row: int, ident: str, chosen: bool) -> str:
    radio = (
        f'<input type="radio" name="{ident}-row" id="{ident}-row-{row}" value="{row}" '
        f'aria-describedby="{ident}-says-{row}"{" checked" if chosen else ""}>'
    )
    cells = "".join(map(_cell, grid.weights[row], grid.allowed[row]))
    output = ""
    if grid.output is not None:
        exact = escape(json.dumps(grid.output[row].tolist()))
        output = f'<td class="output" data-output="{exact}">{vector(grid.output[row])}</td>'
    header = f'<th scope="row" class="query"><label>{radio} <span>{_word(grid.queries, row)}</span></label></th>'
    return f"<tr>{header}{cells}{output}</tr>"


def _cell(weight: float, allowed: bool) -> str:
    if not allowed:
        return f'<td data-weight="0.0" data-masked><span aria-hidden="true">&ndash;</span>{_hidden("masked")}</td>'
    exact = fraction(weight)
    text = decimal(weight)
    if exact:
        text = f"<span>{exact}</span>"
        if "/" in exact:
            text += f' <span class="decimal">{decimal(weight)}</span>'
    weight = float(weight)
    return f'<td data-weight="{weight!r}" style="--w:{weight!r}">{text}</td>'
