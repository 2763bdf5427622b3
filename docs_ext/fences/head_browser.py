"""The head browser: any head of a trained model, on any of the recorded sentences, as arcs and as a grid.

    ```head-browser
    caption: All heads of the model
    sentence: the cat that chased   # its first words
    layer: 5
    head: 11
    selected: ran                   # who asks at first; else the last word
    ```

What stands here without JavaScript is this head on this sentence, and a small picture of every head. The script fetches
the record when a reader uses the browser, and not before. `alone` writes a file that holds the browser and its data.

Weights are counted in thousandths, as they were recorded, and shown in hundredths.

The HTML, which the script fills anew (ID is the id of the fence):

    head-browser#ID[data-texts][data-sentence][data-layer][data-head][data-row]
      .map table > td[data-layer][data-head] > svg > path.l0 to path.l3: weights from 0.1, 0.25, 0.5 and 0.75 on
      .stage > svg > path[data-key]; .words > span, one a token; .shares > span
      .attention-grid table.weights > tbody tr[data-chosen] > td[data-weight]
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from docs_ext.errors import SpecError
from docs_ext.html import standalone as file
from docs_ext.html.arcs import FONT, arcs, height, widths
from docs_ext.html.tables import scrolling, scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import value
from docs_ext.reading.words import names_of, row_of
from docs_ext.records.recorded import recorded

REQUIRED = ("caption", "sentence", "layer", "head")
OPTIONAL = ("selected",)
SHOWN_ON = "../learn/real-model.md#browser"
LEVELS = (100, 250, 500, 750)  # thousandths, from which a cell of a small picture is darker
FAINT = 10  # thousandths, below which no arc is drawn

Thousandths = NDArray[np.int_]

_MAP = template("""
<table class="heads">
<caption><span>All heads on this sentence. Rows ask, columns answer; stronger = more weight</span></caption>
<thead><tr><th scope="col">layer</th>
  {% for head in heads %}
  <th scope="col">{{ head }}</th>
  {% endfor %}</tr></thead>
<tbody>
{% for layer in layers %}
<tr><th scope="row">{{ loop.index0 }}</th>
  {% for one in layer %}
  <td data-layer="{{ one.layer }}" data-head="{{ one.head }}"{% if one.chosen %} aria-current="true"{% endif %}>
  <svg viewBox="0 0 {{ size }} {{ size }}" shape-rendering="crispEdges"
    role="img" aria-label="{{ one.says }}">{{ one.paths }}</svg></td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
</table>
""")
_PATH = template("""
<path class="l{{ level }}" d="{{ d }}"/>
""")
_STAGE = template("""
<div class="stage"
  style="--units:{{ columns | sum }};--high:{{ high | g }};--font:{{ font }};--columns:{{ fractions }}">
<svg viewBox="0 0 {{ columns | sum }} {{ high | g }}" aria-hidden="true">
{% for arc in arcs %}
<path d="{{ arc.path }}" pathLength="1" stroke-width="{{ arc.thickness | g }}" data-key="{{ arc.key }}"/>
{% endfor %}
</svg>
<div class="words">
{% for token in tokens %}
<span{{ " data-chosen" if loop.index0 == row }}>{{ token }}</span>
{% endfor %}
</div>
<div class="shares" aria-hidden="true">
{% for weight in weights %}
<span{{ " data-most" if weight == weights.max() }}>{{ hundredths(weight) }}</span>
{% endfor %}
</div>
</div>
""")
_ROWS = template("""
<thead><tr><td></td>
  {% for token in tokens %}
  <th scope="col" class="key">{{ token }}</th>
  {% endfor %}</tr></thead>
<tbody>
{% for token, row in zip(tokens, weights) %}
<tr{{ " data-chosen" if loop.index0 == chosen }}><th scope="row" class="query">{{ token }}</th>
  {% for weight in row %}
  <td data-weight="{{ weight / 1000 }}" style="--w:{{ weight / 1000 }}">{{ hundredths(weight) }}</td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
""")
_LEGEND = Markup(
    '<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>; '
    '<span class="swatch"></span> stronger = more weight, in hundredths</span>'
)
_BODY = template("""
<div class="map">
{{ map }}
</div>
{{ stage }}
<div class="attention-grid">
{{ grid }}
</div>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    record = recorded()
    one = record.sentence(str(spec["sentence"]))
    weights = np.rint(1000 * one.weights).astype(int)
    layer, head = (_count(spec, key, size) for key, size in zip(("layer", "head"), weights.shape, strict=False))
    start = [sentence.text for sentence in record.sentences].index(one.text)
    row = row_of(spec, "selected", one.tokens)
    to_first = record.sentence(one.text).weights[..., 1:-1, 0].mean(axis=(1, 2))
    return browser(
        str(spec["id"]),
        str(spec["caption"]),
        [sentence.text for sentence in record.sentences],
        one.tokens,
        weights,
        (start, layer, head, row),
        question=f"the first token, {one.tokens[0]}, stands for no word. Where do the words give it more of their "
        "attention, in layer 0 or in layer 4?",
        answer=f"In layer 4, {hundredths(1000 * to_first[4])} of it on average over the heads, as against "
        f"{hundredths(1000 * to_first[0])} in layer 0. The pictures of layer 4 have a full left column.",
    )


def browser(
    ident: str,
    caption: str,
    texts: Sequence[str],
    tokens: Sequence[str],
    weights: Thousandths,
    start: tuple[int, int, int, int],
    *,
    question: str,
    answer: str,
) -> Markup:
    """Write the browser as it stands at first: sentence, layer, head, and the token that asks."""
    sentence, layer, head, row = start
    body = _BODY(
        map=scrolling("All heads", small_pictures(tokens, weights, layer, head)),
        stage=scrolling("Arcs", stage(tokens, weights[layer, head, row], row)),
        grid=scrolling_table(
            "weights",
            caption,
            _ROWS(tokens=tokens, weights=weights[layer, head], chosen=row, hundredths=hundredths),
            _LEGEND,
        ),
    )
    return widget(
        "head-browser",
        ident,
        title=caption,
        question=question,
        answer=answer,
        body=body,
        says=statement(tokens, weights, layer, head, row),
        texts=texts,
        layers=len(weights),
        heads=weights.shape[1],
        sentence=sentence,
        layer=layer,
        head=head,
        row=row,
        tokens=tokens,
    )


def small_pictures(tokens: Sequence[str], weights: Thousandths, layer: int, head: int) -> Markup:
    """Draw every head, a row for each layer."""
    names = names_of(tokens)
    layers = [
        [
            {
                "layer": i,
                "head": j,
                "chosen": (i, j) == (layer, head),
                "paths": paths(one),
                "says": f"layer {i}, head {j}: {_most(names, one)}",
            }
            for j, one in enumerate(heads)
        ]
        for i, heads in enumerate(weights)
    ]
    return _MAP(layers=layers, heads=range(weights.shape[1]), size=len(tokens))


def paths(weights: Thousandths) -> Markup:
    """Draw a grid of weights as at most four paths of rectangles: cells of a column that are alike are one.

    >>> paths(np.array([[740, 260], [510, 1000]]))
    Markup('<path class="l1" d="M1 0h1v1h-1z"/><path class="l2" d="M0 0h1v2h-1z"/><path class="l3" d="M1 1h1v1h-1z"/>')
    """
    drawn = [""] * len(LEVELS)
    for j, column in enumerate(np.digitize(weights.T, LEVELS) - 1):
        i = 0
        for level, cells in groupby(column.tolist()):
            high = len(list(cells))
            if level >= 0:
                drawn[level] += f"M{j} {i}h1v{high}h-1z"
            i += high
    return Markup("").join(_PATH(level=level, d=d) for level, d in enumerate(drawn) if d)


def stage(tokens: Sequence[str], weights: Thousandths, row: int) -> Markup:
    """Draw the arcs of one token."""
    columns = widths(tokens)
    heard = {key: weight / 1000 for key, weight in enumerate(weights.tolist()) if weight >= FAINT}
    return _STAGE(
        columns=columns,
        high=height(columns),
        font=FONT,
        fractions=" ".join(f"{width}fr" for width in columns),
        arcs=arcs(row, heard, columns),
        tokens=tokens,
        weights=weights,
        row=row,
        hundredths=hundredths,
    )


def hundredths(thousandths: float) -> str:
    """Show a weight with two decimals.

    >>> hundredths(125), hundredths(4), hundredths(1000)
    ('.13', '.00', '1.00')
    """
    rounded = int((thousandths + 5) // 10)
    return f"{rounded // 100 or ''}.{rounded % 100:02}"


def statement(tokens: Sequence[str], weights: Thousandths, layer: int, head: int, row: int) -> str:
    """Say to whom a token gives most, and what the same token gets from all."""
    names, one = names_of(tokens), weights[layer, head]
    first = np.argsort(-one[row], kind="stable")[:3]
    given = ", ".join(f"{names[key]} {hundredths(one[row, key])}" for key in first)
    return (
        f"Layer {layer}, head {head}: {names[row]} gives {given}. "
        f"On average over all {len(tokens)} tokens, {_most(names, one)}."
    )


def _most(names: Sequence[str], weights: Thousandths) -> str:
    received = weights.sum(axis=0)
    key = int(received.argmax())
    return f"{names[key]} gets most, {hundredths(received[key] / len(names))}"


def _count(spec: Mapping[str, Any], key: str, size: int) -> int:
    number = value(spec, key)
    if not isinstance(number, int) or not 0 <= number < size:
        raise SpecError(f"{key} must be a number from 0 to {size - 1}: {number!r}", key=key)
    return number


def alone(text: str, tokens: Sequence[str], weights: NDArray[np.floating[Any]], about: str) -> str:
    """Write a file that shows the heads on one text, by itself: no network, no other file."""
    thousandths = np.rint(1000 * np.asarray(weights)).astype(int)  # (layers, heads, n, n)
    shown = browser(
        "heads",
        "All heads of the model",
        [text],
        tokens,
        thousandths,
        (0, 0, 0, len(tokens) - 1),
        question="which words will find each other, and in which layer?",
        answer="Choose a head and see. Then choose another word in the same head: does it look elsewhere?",
    )
    record = {"sentences": [{"text": text, "tokens": list(tokens), "weights": thousandths.tolist()}]}
    sheets = ("attention-grid", "sentence-arcs", "head-browser")
    return file.alone("head-browser", text, about, shown, "heads-record", record, sheets=sheets)
