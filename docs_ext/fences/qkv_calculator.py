"""Attention on paper: a few words with their q, k and v, and the four steps for one of them.

    ```qkv-calculator
    caption: Four steps for three words
    tokens: [cat, that, dog]
    x: embed(["cat", "that", "dog"], [2, 1, 0])   # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                                      # required here
    query: that                                   # the word that asks at first
    features: {key: [noun, early, asks, which], value: [cat, dog]}
    ```

Queries are shown in doublings, without the factor ln 2 of the example. So scores count doublings, and a weight is a
power of two, 2 to the score, over the sum of all.

The HTML is the complete calculation. The script turns its numbers into fields; it writes the same texts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from attention import attention_scores, softmax
from docs_ext.errors import SpecError
from docs_ext.html.formula import render as formula
from docs_ext.html.grid_table import statement
from docs_ext.html.numbers import number, share
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading import head
from docs_ext.reading.head import Floats, Head, read_head
from docs_ext.reading.words import names_of, row_of

REQUIRED = (*head.REQUIRED, "query", "features")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")

STEPS = (  # class of the column, its words, its formula
    ("", "product", r"\q_i \cdot \k_j"),
    ("", "score", r"s_{ij} = \dfrac{\q_i \cdot \k_j}{\sqrt{\dk}}"),
    ("", "power of two", r"2^{s_{ij}}"),
    ("share", "weight", r"a_{ij} = \dfrac{2^{s_{ij}}}{\sum_l 2^{s_{il}}}"),
    ("output", Markup("weight &times; value"), r"a_{ij}\, \v_j"),
)
_QUESTION = template("""
the score of <em>{{ last }}</em> rises by one doubling. Which loses the larger part of its weight, <em>{{ a }}</em> or
  <em>{{ b }}</em>?
""")
_ANSWER = template("""
Neither. <em>{{ a }}</em> falls from {{ before[0] | share }} to {{ after[0] | share }}, <em>{{ b }}</em> from
  {{ before[1] | share }} to {{ after[1] | share }}. Both keep {{ (after[0] / before[0]) | number }} of what they had,
  so their ratio stays {{ (before[0] / before[1]) | number }} : 1.
""")
_FIGURE = template("""
<div class="matrices">
{% for role, tex, does, words, features, matrix in matrices %}
<table class="matrix" data-role="{{ role }}">
  <caption><span class="arithmatex">{{ formula(tex) }}</span> {{ does }}</caption>
  <thead><tr><td></td>
  {% for feature in features %}
  <th scope="col">{{ feature }}</th>
  {% endfor %}</tr></thead>
  <tbody>
  {% for word, numbers in zip(words, matrix) %}
  <tr{{ " data-chosen" if role == "query" and loop.index0 == chosen }}><th scope="row">{{ word }}</th>
  {% for x in numbers %}
  <td>{{ x | number }}</td>
  {% endfor %}</tr>
  {% endfor %}
  </tbody></table>
{% endfor %}
</div>
{{ lanes }}
""")
_LANES = template("""
<thead><tr><th scope="col">word</th>
  {% for role, words, tex in steps %}
  <th scope="col" class="{{ role }}">{{ words }}<br><span class="arithmatex">{{ formula(tex) }}</span></th>
  {% endfor %}</tr></thead>
<tbody>
{% for word, key, product, score, power, weight, value in lanes %}
<tr><th scope="row">{{ word }}</th><td>{{ dot(query, key) }} = {{ product | number }}</td>
  <td>{{ product | number }}/&radic;{{ d_k }} = {{ score | number }}</td>
  <td>2<sup>{{ score | number }}</sup>{{ written(power) }}</td>
  <td class="share" style="--w:{{ weight }}"><span class="bar"></span> <span>{{ quotient(power, total, weight) }}</span>
  </td><td class="output">{{ (weight * value) | vector }}</td></tr>
{% endfor %}
</tbody>
<tfoot><tr><th scope="row">sum</th><td></td><td></td><td>{{ written(total).removeprefix(" = ") }}</td>
<td class="share">1</td><td class="output">{{ output | vector }}</td></tr></tfoot>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    one = read_head(spec)
    if one.v is None:
        raise SpecError("a calculator needs values: v, or x and w_v")
    row, of_keys, of_values = row_of(spec, "query", one.queries), *_features(spec, one.k.shape[1], one.v.shape[1])
    doublings = np.round(one.q / np.log(2), 12)  # q in units of ln 2
    question, answer = _prediction(one, row)
    words = names_of(one.queries)
    matrices = [
        ("query", r"\Q", "asks, in doublings", words, of_keys, doublings),
        ("key", r"\K", "answers", names_of(one.keys), of_keys, one.k),
        ("value", r"\V", "is handed over", names_of(one.keys), of_values, one.v),
    ]
    lanes = scrolling_table("steps lanes", str(spec["caption"]), _lanes(one, doublings, row))
    return widget(
        "qkv-calculator",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=question,
        answer=answer,
        body=_FIGURE(matrices=matrices, chosen=row, lanes=lanes, formula=formula),
        says=statement(one, row),
        words=words,
        q=doublings.tolist(),
        k=one.k.tolist(),
        v=one.v.tolist(),
        query=row,
    )


def _prediction(one: Head, row: int) -> tuple[str, str]:
    """Ask what the other words lose when the score of the last one rises, and let the package answer."""
    if len(one.keys) < 3:
        raise SpecError("a calculator needs three words: one that rises, two that keep their ratio", key="tokens")
    scores = attention_scores(one.q, one.k)[row]
    scores[-1] += np.log(2)
    before, after = one.weights[row], softmax(scores)
    a, b, *_, last = names_of(one.keys)
    return _QUESTION(a=a, b=b, last=last), _ANSWER(a=a, b=b, before=before, after=after)


def _features(spec: Mapping[str, Any], d_k: int, d_v: int) -> tuple[Sequence[str], Sequence[str]]:
    features = spec["features"]
    if not isinstance(features, dict) or features.keys() != {"key", "value"}:
        raise SpecError("features is a mapping: {key: [...], value: [...]}", key="features")
    for name, size in (("key", d_k), ("value", d_v)):
        if not isinstance(features[name], list) or len(features[name]) != size:
            raise SpecError(f"features: {name} needs {size} names: {features[name]!r}", key="features")
    return features["key"], features["value"]


def _lanes(one: Head, doublings: Floats, row: int) -> Markup:
    assert one.v is not None
    assert one.output is not None
    query, d_k = doublings[row], one.k.shape[1]
    products = attention_scores(query[None], one.k, scale=1.0)[0]
    scores = attention_scores(query[None], one.k)[0]
    powers = np.exp2(scores)
    return _LANES(
        steps=STEPS,
        lanes=zip(names_of(one.keys), one.k, products, scores, powers, one.weights[row], one.v, strict=True),
        query=query,
        d_k=d_k,
        total=powers.sum(),
        output=one.output[row],
        formula=formula,
        dot=_dot,
        written=_written,
        quotient=_quotient,
    )


def _dot(a: Floats, b: Floats) -> str:
    """Write a dot product out: 1·2 + 1·0."""
    return " + ".join(f"{_factor(x)}\N{MIDDLE DOT}{_factor(y)}" for x, y in zip(a, b, strict=True))


def _factor(x: float) -> str:
    return f"({number(x)})" if x < 0 else number(x)


def _written(power: float) -> str:
    """Write a power out unless it is too large or too small for that."""
    return f" = {number(power)}" if 0.001 <= power < 1e6 else ""


def _quotient(power: float, total: float, weight: float) -> str:
    """Write a weight with its division if both numbers are whole: 8/14 = 4/7."""
    parts, short = f"{number(power)}/{number(total)}", share(weight)
    whole = all(x == round(x) and _written(x) for x in (power, total))
    return f"{parts} = {short}" if whole and parts != short else short
