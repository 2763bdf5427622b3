"""The head switch: two heads side by side or averaged, for each of two word orders.

    ```head-switch
    caption: What a word receives from two heads
    sentences: [S5, T5]   # the second is the first with two words swapped
    positions: EARLY5     # of attention.example, whose words these are
    w_q: [W_Q1, W_Q2]     # of the two heads
    w_k: W_K              # which they share here
    w_v: W_V
    w_o: W_O
    asks: [the first noun, the last noun]
    selected: chased      # word or index of who asks first; else the last
    ```

Without JavaScript there are the first sentence with the heads side by side and a table of all four cases.

The HTML holds the numbers in its data- attributes, from which the script computes the rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import attention_weights, project
from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.html.grid_table import live_table
from docs_ext.html.numbers import vector
from docs_ext.html.tables import folded, table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import array, value
from docs_ext.reading.words import names_of, row_of, sentences_of, words_of

REQUIRED = ("caption", "sentences", "positions", "w_q", "w_k", "w_v", "w_o", "asks")
OPTIONAL = ("selected",)
HOW = ("side by side", "averaged")

Floats = NDArray[np.float64]

_LEGEND = Markup('<span class="legend"><span class="swatch"></span> stronger = more weight</span>')
_QUESTION = template("""
average the weights of the two heads, then swap <em>{{ pair[0] }}</em> and <em>{{ pair[1] }}</em>. Does what
  <em>{{ word }}</em> receives change?
""")
_ANSWER = template("""
It receives {{ first.blends[2] | vector }}, and {{ second.blends[2] | vector }} after the swap. Side by side, and joined
  by W<sub>O</sub>, it is {{ first.joined | vector }} and {{ second.joined | vector }}.
""")
_ROWS = template("""
<thead><tr><td></td>
  {% for word in words %}
  <th scope="col" class="key">{{ word }}</th>
  {% endfor %}
  <th scope="col" class="output">receives</th></tr></thead>
<tbody>
{% for name, weights, blend in rows %}
<tr{{ " hidden" if name == "average" }}><th scope="row" class="query">{{ name }}</th>
  {% for weight in weights %}
  <td data-weight="{{ weight }}" style="--w:{{ weight }}">{{ weight | share }}</td>
  {% endfor %}
  <td class="output">{{ blend | vector }}</td></tr>
{% endfor %}
</tbody>
<tfoot><tr><th scope="row">handed on</th>
  <td colspan="{{ words | length }}">{{ long_row }} times W<sub>O</sub></td>
  <td class="output">{{ joined | vector }}</td></tr></tfoot>
""")


class Case(NamedTuple):
    """A sentence, the projections of two heads, and the matrix that joins them."""

    words: Sequence[str]
    q: Floats  # (2, n, d_k)
    k: Floats  # (n, d_k)
    v: Floats  # (n, d_v)
    w_o: Floats  # (2 * d_v, d_out)


class Row(NamedTuple):
    """What one word receives: weights and blends of head 1, head 2 and their average; the long row times W_O."""

    weights: Floats  # (3, n)
    blends: Floats  # (3, d_v)
    joined: Floats  # (d_out,)


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    cases, asks = _cases(spec), _asks(spec)
    row = row_of(spec, "selected", cases[0].words)
    shown, swapped = (receive(case, row) for case in cases)
    names = (*(f"head {n}: {ask}" for n, ask in enumerate(asks, 1)), "average")
    rows = _ROWS(
        words=names_of(cases[0].words),
        rows=zip(names, shown.weights, shown.blends, strict=True),
        long_row=long_row(shown),
        joined=shown.joined,
    )
    word = cases[0].words[row]
    all_cases = table(_records(cases, row), f"What {word} receives")
    return widget(
        "head-switch",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=_QUESTION(pair=_pair(cases), word=word),
        answer=_ANSWER(first=shown, second=swapped),
        body=live_table(str(spec["caption"]), rows, _LEGEND) + "\n" + folded("All four cases", all_cases),
        says=statement(cases, 0, 0, row),
        words=[names_of(case.words) for case in cases],
        q=[case.q.tolist() for case in cases],
        k=[case.k.tolist() for case in cases],
        v=[case.v.tolist() for case in cases],
        w_o=cases[0].w_o.tolist(),
        row=row,
    )


def receive(case: Case, row: int) -> Row:
    """Let one word ask through both heads."""
    weights = attention_weights(case.q[:, [row]], case.k)[:, 0]
    weights = np.vstack([weights, weights.mean(axis=0)])
    blends = weights @ case.v
    return Row(weights, blends, blends[:2].ravel() @ case.w_o)


def statement(cases: Sequence[Case], order: int, how: int, row: int) -> str:
    """Say what a word receives in one order, and what the word at its place receives in the other."""
    here, there = (receive(case, row) for case in (cases[order], cases[1 - order]))
    words, others = names_of(cases[order].words), names_of(cases[1 - order].words)
    first, second = (vector(blend) for blend in here.blends[:2])
    results = [vector(one.blends[2] if how else one.joined) for one in (here, there)]
    receives = results[0] if how else f"{first} and {second}, which the output matrix makes {results[0]}"
    return (
        f"{' '.join(words)}, heads {HOW[how]}: {words[row]} receives {receives}. "
        f"With {' and '.join(_pair(cases))} swapped, {others[row]} {'receives' if how else 'ends with'} {results[1]}."
    )


def long_row(row: Row) -> str:
    """Write the concatenation: [5, 2 | 2, 5]."""
    first, second = (vector(blend)[1:-1] for blend in row.blends[:2])
    return f"[{first} | {second}]"


def _cases(spec: Mapping[str, Any]) -> list[Case]:
    matrices = value(spec, "w_q")
    if not isinstance(matrices, list) or len(matrices) != 2:
        raise SpecError("w_q are the matrices of two heads: [W_Q1, W_Q2]", key="w_q")
    w_k, w_v, w_o = (array(spec, key) for key in ("w_k", "w_v", "w_o"))
    if len(w_o) != 2 * w_v.shape[1]:
        raise SpecError(f"w_o must have a row for each of 2 heads * {w_v.shape[1]} features: {w_o.shape}", key="w_o")
    early, cases = value(spec, "positions"), []
    for words in sentences_of(spec):
        x = embed(list(words), early)
        q = np.stack([project(x, matrix) for matrix in matrices])
        cases.append(Case(words, q, project(x, w_k), project(x, w_v), w_o))
    return cases


def _asks(spec: Mapping[str, Any]) -> Sequence[str]:
    asks = words_of(spec, "asks")
    if len(asks) != 2:
        raise SpecError("asks are two, what each head asks", key="asks")
    return asks


def _pair(cases: Sequence[Case]) -> list[str]:
    return [word for word, other in zip(cases[0].words, cases[1].words, strict=True) if word != other]


def _records(cases: Sequence[Case], row: int) -> list[dict[str, str]]:
    records = []
    for case in cases:
        one = receive(case, row)
        side, mean = vector(one.joined), vector(one.blends[2])
        records.append({"sentence": " ".join(case.words), HOW[0]: long_row(one), "joined by W_O": side, HOW[1]: mean})
    return records
