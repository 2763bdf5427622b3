"""Attention grids as tables: who attends to whom, and how much.

Two kinds share their cells and their sentence: `figure`, whose rows are chosen without a script, and the grid whose
cells a script fills (`head_row`, `body_row`).
"""

import json
from collections.abc import Sequence
from html import escape

import numpy as np

from docs_ext.html.numbers import decimal, fraction, share, vector
from docs_ext.spec.head import Head
from docs_ext.spec.words import names_of, rank_of

LEGEND = (
    '<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>; '
    '<span class="swatch"></span> stronger = more weight; <span class="swatch masked"></span> forbidden</span>'
)


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


def head_row(words: Sequence[str], before_output: str = "") -> str:
    """Write the header of the grid; `before_output` is the header cell of a further column."""
    keys = "".join(f'<th scope="col" class="key">{word}</th>' for word in words)
    return f'<thead><tr><td></td>{keys}{before_output}<th scope="col" class="output">output</th></tr></thead>'


def body_row(one: Head, row: int, word: str, chosen: bool, before_output: str = "") -> str:
    """Write one row of the grid, as scripts fill it later."""
    assert one.output is not None
    cells = "".join(map(_script_cell, one.weights[row], one.allowed[row])) + before_output
    output = f'<td class="output">{vector(one.output[row])}</td>'
    return f'<tr{" data-chosen" if chosen else ""}><th scope="row" class="query">{word}</th>{cells}{output}</tr>\n'


def _script_cell(weight: float, allowed: bool) -> str:
    if not allowed:
        return '<td data-weight="0.0" data-masked><span>&ndash;</span></td>'
    exact, weight = fraction(weight), float(weight)
    more = f' <span class="decimal">{decimal(weight)}</span>' if exact and "/" in exact else ""
    return f'<td data-weight="{weight!r}" style="--w:{weight!r}"><span>{share(weight)}</span>{more}</td>'
