"""A figure in the state that is shown first, as HTML.

It is what docs/assets/js/show.js draws in that state without controls, and a
test compares the two. The script draws every later state.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.show.curves import height, on_stage, text_of, widths

Codes = NDArray[np.int64]  # thousandths; NO is masked
NO = -1
LEVELS = np.array([100, 250, 500, 750])  # from which a square is darker
FAINT = 10  # thousandths, below which no arc is drawn
MOST_SQUARES = 32  # of a small picture each way
FONT = 26  # of a stage
SECOND = "The same head on a second text"

DASH = "\N{EN DASH}"
MASKED = (
    f'<span aria-hidden="true">{DASH}</span>'
    '<span class="visually-hidden">masked</span>'
)
ASKS = (
    '<span class="legend"><span class="role-query">Rows ask</span>, '
    '<span class="role-key">columns answer</span>; '
    'less <span class="swatch"></span> more weight'
)


def still(data: dict[str, Any]) -> str:
    """Return the HTML of the first state."""
    texts, state = data["texts"], data["first"]
    figures = "".join(_figure(data, text, i) for i, text in enumerate(texts))
    said = (statement(text, i, state) for i, text in enumerate(texts))
    at = f"Layer {data['layers'][state['layer']]}, head {state['head']}: "
    says = at * ("map" in data["parts"]) + " On the second text ".join(said)
    return f'<div class="texts">{figures}</div><output>{escape(says)}</output>'


def _figure(data: dict[str, Any], text: dict[str, Any], which: int) -> str:
    state, parts = data["first"], data["parts"]
    layer, head, row = state["layer"], state["head"], state[f"row{which}"]
    codes = text["codes"][layer, head]
    title = SECOND if which else data["title"]
    cells = _table(title, text, codes, row)
    stage = ""
    if "stage" in parts:
        stage = _stage(title, text["keys"], codes[row], state, row)
    if "grid" not in parts:
        cells = f"<details><summary>All weights</summary>{cells}</details>"
    above = f'<p class="widget-title">{escape(title)}</p>' if which else ""
    notes = text["notes"][layer][head]
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return (
        f'<div class="text">{above}{stage}{cells}'
        f'<ul class="notes">{items}</ul></div>'
    )


def _table(title: str, text: dict[str, Any], codes: Codes, row: int) -> str:
    keys = "".join(
        f'<th scope="col" class="key"><span>{_shown(key)}</span></th>'
        for key in text["keys"]
    )
    rows = "".join(
        f"<tr{' data-chosen' * (i == row)}>"
        f'<th scope="row" class="query">{_shown(token)}</th>'
        f"{''.join(map(_cell, codes[i].tolist()))}</tr>"
        for i, token in enumerate(text["queries"])
    )
    masked = '; <span class="swatch masked"></span> masked'
    legend = f"{ASKS}{masked * bool((codes == NO).any())}</span>"
    legend += '<span class="legend">Weights are in thousandths</span>'
    table = (
        f'<table class="weights"><caption><span><span class="title">'
        f"{escape(title)}</span>{legend}</span></caption><thead><tr><td></td>"
        f"{keys}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return f'<div class="attention-grid">{_scrolling(title, table)}</div>'


def _cell(code: int) -> str:
    if code == NO:
        return f'<td data-weight="0" data-masked>{MASKED}</td>'
    w = text_of(code / 1000)
    return f'<td data-weight="{w}" style="--w:{w}">{digits(code)}</td>'


def _stage(
    title: str, keys: Sequence[Any], codes: Codes, state: Any, row: int
) -> str:
    words = [key["label"] for key in keys]
    heard = codes.tolist()
    drawn = [code / 1000 if code >= FAINT else None for code in heard]
    columns = widths(words)
    paths = "".join(
        f'<path d="{arc.d}" pathLength="1" '
        f'stroke-width="{text_of(arc.thickness)}" data-key="{arc.key}"/>'
        for arc in on_stage(words, row, drawn)
    )
    names = "".join(
        f"<span{' data-asks data-chosen' * (i == row)}>{_shown(key)}</span>"
        for i, key in enumerate(keys)
    )
    shares = "".join(
        f"<span{' data-most' * (code == max(heard))}>"
        f"{DASH if code == NO else digits(code) * (code >= FAINT)}</span>"
        for code in heard
    )
    units, high = sum(columns), text_of(height(words))
    fractions = " ".join(f"{column}fr" for column in columns)
    asks = escape(f"The token that asks: {title}")
    stage = (
        f'<div class="stage" style="--units:{units};--high:{high};'
        f'--font:{FONT};--columns:{fractions}">'
        f'<svg viewBox="0 0 {units} {high}" aria-hidden="true">'
        f'<g data-anew="{state["layer"]},{state["head"]},{row}">{paths}</g>'
        "</svg>"
        f'<div class="row words" role="group" aria-label="{asks}">'
        f"{names}</div>"
        f'<div class="shares" aria-hidden="true">{shares}</div></div>'
    )
    return _scrolling(f"Arcs: {title}", stage)


def all_heads(data: dict[str, Any]) -> str:
    """Return a small picture of every head, a row for each layer.

    The script changes nothing in it but which head is marked.
    """
    if "map" not in data["parts"]:
        return ""
    text, at, layers = data["texts"][0], data["first"], data["layers"]
    codes = text["codes"]
    pool = -(-max(codes.shape[-2:]) // MOST_SQUARES)
    high, wide = (-(-n // pool) for n in codes.shape[-2:])
    names = [key["name"] for key in text["keys"]]
    rows = ""
    for i, heads in enumerate(codes):
        rows += f'<tr><th scope="row">{layers[i]}</th>'
        for j, one in enumerate(heads):
            here = (i, j) == (at["layer"], at["head"])
            says = f"layer {layers[i]}, head {j}: {most(names, one)}"
            paths = "".join(
                f'<path class="l{level}" d="{d}"/>'
                for level, d in enumerate(squares(one, pool))
                if d
            )
            current = ' aria-current="true"' * here
            rows += (
                f"<td{current}>"
                f'<svg viewBox="0 0 {wide} {high}" '
                f'shape-rendering="crispEdges" role="img" '
                f'aria-label="{escape(says)}">{paths}</svg></td>'
            )
        rows += "</tr>"
    columns = "".join(
        f'<th scope="col">{j}</th>' for j in range(codes.shape[1])
    )
    table = (
        '<table class="heads"><caption><span>Every head of every layer. In '
        "each picture rows ask and columns answer; the stronger the colour, "
        "the more weight"
        '</span></caption><thead><tr><th scope="col">layer / head</th>'
        f"{columns}</tr></thead><tbody>{rows}</tbody></table>"
    )
    return f'<div class="map">{_scrolling("Map of all heads", table)}</div>'


def squares(codes: Codes, pool: int) -> list[str]:
    """Draw a head as paths of rectangles, one path for each darkness."""
    n_q, n_k = codes.shape
    padded = np.full((-(-n_q // pool) * pool, -(-n_k // pool) * pool), NO)
    padded[:n_q, :n_k] = codes
    largest = padded.reshape(len(padded) // pool, pool, -1, pool)
    level = np.searchsorted(LEVELS, largest.max(axis=(1, 3)), "right") - 1
    drawn = [""] * len(LEVELS)
    for j, column in enumerate(level.T.tolist()):
        start = 0
        for i in range(1, len(column) + 1):
            if i == len(column) or column[i] != column[start]:
                if column[start] >= 0:
                    drawn[column[start]] += f"M{j} {start}h1v{i - start}h-1z"
                start = i
    return drawn


def most(names: Sequence[str], codes: Codes) -> str:
    """Say which token gets most, on average over the rows."""
    received = np.maximum(codes, 0).sum(axis=0)
    key = int(received.argmax())
    hundredths = int(received[key] / len(codes) + 5) // 10
    said = f"{hundredths // 100 or ''}.{hundredths % 100:02}"
    return f"{names[key]} gets most, {said}"


def statement(text: dict[str, Any], which: int, state: Any) -> str:
    """Say a row in words."""
    row = state[f"row{which}"]
    codes = text["codes"][state["layer"], state["head"], row]
    n, name = int((codes != NO).sum()), text["queries"][row]["name"]
    if not n:
        return f"{name} may read nothing."
    top = np.argsort(-codes, kind="stable")[: min(n, 3)]
    given = ", ".join(
        f"{text['keys'][key]['name']} {digits(int(codes[key]))}"
        for i, key in enumerate(top)
        if codes[key] > 0 or i == 0
    )
    return (
        f"{name} gives {given}; an even spread would give each of {n} "
        f"{digits(int(1000 / n + 0.5))}."
    )


def digits(thousandths: int) -> str:
    """Write a weight.

    Examples
    --------
    >>> digits(62), digits(1000)
    ('.062', '1.000')
    """
    return "1.000" if thousandths == 1000 else f".{thousandths:03}"


def _shown(token: dict[str, str]) -> str:
    title = f' title="{escape(token["whole"])}"' if token["whole"] else ""
    return f"<bdi{title}>{escape(token['label'])}</bdi>"


def _scrolling(label: str, content: str) -> str:
    return (
        f'<div class="scroll" tabindex="0" role="region" '
        f'aria-label="{escape(label)}">{content}</div>'
    )
