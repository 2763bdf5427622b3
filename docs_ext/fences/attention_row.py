"""One row of attention, step by step: a lane for every word that answers.

    ```attention-row
    caption: The four steps for ran
    tokens: S5
    x: embed(S5, EARLY5)
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                                   # required here
    query: ran                                 # the word that asks
    unit: {name: doublings, size: np.log(2)}   # of the scores; by default 1
    ```

`query` is a word or an index. Further keys, `key_tokens` and `options`, are as in attention-grid.
"""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from attention import attention_scores
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import still
from docs_ext.spec import head
from docs_ext.spec.errors import SpecError
from docs_ext.spec.expressions import value
from docs_ext.spec.head import read_head
from docs_ext.spec.words import names_of, row_of

REQUIRED = (*head.REQUIRED, "query")
OPTIONAL = (*head.OPTIONAL, "unit")

_LANES = template("""
<thead><tr><th scope="col">word</th><th scope="col" class="key">key</th>
  <th scope="col">score{% if unit %}, {{ unit }}{% endif %}</th>
<th scope="col" class="share">weight</th><th scope="col" class="value">value</th>
<th scope="col" class="output">weight &times; value</th></tr></thead>
<tbody>
{% for word, key, score, weight, allowed, value in lanes %}
<tr><th scope="row">{{ word }}</th><td class="key">{{ key | vector }}</td><td>{{ score | number }}</td>
  {% if allowed %}
  <td class="share" style="--w:{{ weight }}"><span class="bar"></span> {{ weight | share }}</td>
  {% else %}
  <td class="share" data-masked>masked</td>
  {% endif %}
  <td class="value">{{ value | vector }}</td>
  <td class="output">{{ (weight * value) | vector if allowed }}</td></tr>
{% endfor %}
</tbody>
<tfoot><tr><th scope="row">sum</th><td></td><td></td><td class="share">{{ total | share }}</td><td></td>
<td class="output">{{ output | vector }}</td></tr></tfoot>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    one = read_head(spec)
    if one.v is None or one.output is None:
        raise SpecError("lanes need values: v, or x and w_v")
    row, (unit, size) = row_of(spec, "query", one.queries), _unit(spec)
    named = {name: one.options[name] for name in ("scale", "softcap") if name in one.options}
    scores = attention_scores(one.q, one.k, **named)[row] / size  # (n_k,)
    weights = one.weights[row]
    lanes = zip(names_of(one.keys), one.k, scores, weights, one.allowed[row], one.v, strict=True)
    rows = _LANES(lanes=lanes, unit=unit, total=weights.sum(), output=one.output[row])
    return still("attention-row", spec["id"], scrolling_table("lanes", str(spec["caption"]), rows))


def _unit(spec: Mapping[str, Any]) -> tuple[str, float]:
    if "unit" not in spec:
        return "", 1.0
    unit = spec["unit"]
    if not isinstance(unit, dict) or unit.keys() != {"name", "size"}:
        raise SpecError("unit is a mapping, such as {name: doublings, size: np.log(2)}", key="unit")
    return str(unit["name"]), float(value({"unit": unit["size"]}, "unit"))
