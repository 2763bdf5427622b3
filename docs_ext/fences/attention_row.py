"""One row of attention, step by step: a lane for every word that answers.

    ```attention-row
    caption: The four steps for ran
    tokens: S5
    x: embed(S5, EARLY5)
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                                   # required here
    query: ran                                 # word or index; by default the last
    unit: {name: doublings, size: np.log(2)}   # of the scores; by default 1
    ```

Further keys: `key_tokens`, `options`, `id`, as in attention-grid.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from attention import attention_scores
from docs_ext.html.numbers import number, share, vector
from docs_ext.spec import head
from docs_ext.spec.errors import SpecError
from docs_ext.spec.expressions import value
from docs_ext.spec.head import Head, read_head
from docs_ext.spec.words import names_of, row_of

REQUIRED = (*head.REQUIRED, "query")
OPTIONAL = (*head.OPTIONAL, "unit")


def render(spec: Mapping[str, Any]) -> str:
    """Turn the mapping of a fence into HTML."""
    one = read_head(spec)
    if one.v is None or one.output is None:
        raise SpecError("lanes need values: v, or x and w_v")
    row, (unit, size) = row_of(spec, "query", one.queries), _unit(spec)
    named = {name: one.options[name] for name in ("scale", "softcap") if name in one.options}
    scores = attention_scores(one.q, one.k, **named)[row] / size  # (n_k,)
    caption = escape(str(spec["caption"]))
    lanes = "\n".join(_lane(one, row, key, scores[key]) for key in range(len(one.keys)))
    total = one.weights[row].sum()
    return f"""<div class="attention-row" id="{spec["id"]}" data-search-exclude>
<div class="scroll" tabindex="0" role="region" aria-label="{caption}">
<table class="lanes">
<caption><span>{caption}</span></caption>
<thead><tr><th scope="col">word</th><th scope="col" class="key">key</th><th scope="col">score{unit}</th>
<th scope="col" class="share">weight</th><th scope="col" class="value">value</th>
<th scope="col" class="output">weight &times; value</th></tr></thead>
<tbody>
{lanes}
</tbody>
<tfoot><tr><th scope="row">sum</th><td></td><td></td><td class="share">{share(total)}</td><td></td>
<td class="output">{vector(one.output[row])}</td></tr></tfoot>
</table>
</div>
</div>"""


def _unit(spec: Mapping[str, Any]) -> tuple[str, float]:
    if "unit" not in spec:
        return "", 1.0
    unit = spec["unit"]
    if not isinstance(unit, dict) or unit.keys() != {"name", "size"}:
        raise SpecError("unit is a mapping, such as {name: doublings, size: np.log(2)}", key="unit")
    return f", {escape(str(unit['name']))}", float(value({"unit": unit["size"]}, "unit"))


def _lane(one: Head, row: int, key: int, score: float) -> str:
    weight = float(one.weights[row, key])
    assert one.v is not None
    cells = (
        f'<th scope="row">{escape(names_of(one.keys)[key])}</th><td class="key">{vector(one.k[key])}</td>'
        f"<td>{number(score)}</td>"
    )
    if not one.allowed[row, key]:
        cell, blend = '<td class="share" data-masked>masked</td>', ""
    else:
        cell = f'<td class="share" style="--w:{weight!r}"><span class="bar"></span> {share(weight)}</td>'
        blend = vector(weight * one.v[key])
    return f'<tr>{cells}{cell}<td class="value">{vector(one.v[key])}</td><td class="output">{blend}</td></tr>'
