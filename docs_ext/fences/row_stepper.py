"""The row stepper: one row of attention in four steps, a figure for each, and with a script one figure at a time.

    ```row-stepper
    caption: One row in four steps
    tokens: S5
    x: embed(S5, EARLY5)
    w_q: W_Q1
    w_k: W_K
    w_v: W_V        # of two features: the last step draws them as a plane
    query: ran      # the word that asks
    features:       # of the rows, of queries and keys, of values
      x: [cat, dog, asks, early]
      key: [noun, early, asks, which]
      value: [cat, dog]
    ```

Scores are counted in doublings, which must be whole here: the third step draws powers of two as blocks.

The HTML holds all four figures, one below the other. Where scripts may run, the style sheet shows the one whose radio
is checked; the script adds Back and Next, the link to a step, and a voice that says it.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from attention import attention_scores
from docs_ext.errors import SpecError
from docs_ext.html.blend_plane import plane
from docs_ext.html.numbers import number, share
from docs_ext.html.strips import strips
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import array
from docs_ext.reading.head import Floats, Head, read_head
from docs_ext.reading.words import names_of, row_of

REQUIRED = ("caption", "tokens", "x", "w_q", "w_k", "w_v", "query", "features")
OPTIONAL = ()
STEPS = ("Project", "Score", "Normalise", "Blend")
MOST = 32  # blocks in the budget bar, which must be told apart on a phone

_QUESTION = template("""
<em>{{ a }}</em> will score {{ gap }} more than <em>{{ b }}</em>. How many times as large will its share be?
""")
_ANSWER = template("""
{{ ratio | number }} times as large: {{ shares[0] | share }} against {{ shares[1] | share }}. A score counts doublings.
""")
_STEPPER = template("""
<fieldset>
<legend class="visually-hidden">Step</legend>
{% for name in names %}
<label><input type="radio" name="{{ ident }}-step" value="{{ loop.index }}"{{ " checked" if loop.first }}>
  <span class="count">{{ loop.index }}</span> {{ name }}</label>
{% endfor %}
</fieldset>
<div class="stage">
{% for name, says, figure in zip(names, says, figures) %}
<figure class="step" data-step="{{ loop.index }}" aria-labelledby="{{ ident }}-step-{{ loop.index }}">
<figcaption id="{{ ident }}-step-{{ loop.index }}"><strong>{{ loop.index }}. {{ name }}.</strong>
{#- #} <span class="says">{{ says }}</span></figcaption>
{{ figure }}
</figure>
{% endfor %}
</div>
""")
_SAYS = (
    template("""
<em>{{ row.word }}</em> is the row {{ row.x | vector }}. Times W<sub>Q</sub> it becomes the query
  {{ row.q | vector }}. Every word, <em>{{ row.word }}</em> too, also makes a key, x W<sub>K</sub>, and a value,
  x W<sub>V</sub>.
"""),
    template("""
Multiply the query with each key, feature by feature, add up, and divide by
  &radic;{{ row.q | length }}&nbsp;=&nbsp;{{ row.root | number }}. The scores are {{ listed(row.keys, row.scores) }}.
"""),
    template("""
Each score says how often to double 1. All the parts together, here {{ row.powers.sum() | number }}, are one budget,
  and every word has its share of it: {{ listed(row.keys, row.weights) }}.
"""),
    template("""
Each value counts with its share. <em>{{ row.word }}</em> receives {{ row.output | vector }}:
  {{ row.output[0] | number }} parts <em>{{ axes[0] }}</em> and {{ row.output[1] | number }} parts
  <em>{{ axes[1] }}</em>.
"""),
)
_PROJECT = template("""
<div class="product">{{ x }}<span class="sign">&times;</span>{{ w_q }}<span class="sign">=</span>{{ q }}</div>
<div class="aligned">{{ rows }}{{ keys }}{{ values }}</div>
""")
_SCORE = template("""
<table class="row-step products">
<thead>
<tr><td></td>
  {% for feature in features %}
  <th scope="col">{{ feature }}</th>
  {% endfor %}
  <th scope="col">sum/{{ row.root | number }} = score</th></tr>
<tr class="asks"><th scope="row">{{ row.word }} asks</th>
  {% for x in row.q %}
  <td class="cell"><span class="query">{{ x | number }}</span></td>
  {% endfor %}
  <td></td></tr>
</thead>
<tbody>
{% for word, key, parts, product, score in lanes %}
<tr><th scope="row">{{ word }}</th>
  {% for x, y, part in zip(row.q, key, parts) %}
  <td class="cell{{ " zero" if not part }}" data-number="{{ part }}" style="--s:{{ (part | abs / most) | g }}">
  <small><span class="query">{{ x | number }}</span>&middot;<span class="key">{{ y | number }}</span></small>
{#- #} <b>{{ part | number }}</b></td>
  {% endfor %}
  <td class="score" data-score="{{ score }}">{{ product | number }}/{{ row.root | number }} =
  <b>{{ score | number }}</b></td></tr>
{% endfor %}
</tbody>
</table>
""")
_NORMALISE = template("""
{% macro blocks(n) %}{% for _ in range(n) %}<i></i>{% endfor %}{% endmacro %}
<table class="row-step shares" style="--total:{{ total | g }}">
<thead><tr><td></td><th scope="col">2<sup>score</sup></th>
  <th scope="col"><span class="visually-hidden">parts</span></th>
  <th scope="col">share</th></tr></thead>
<tbody>
{% for word, score, power, weight in lanes %}
<tr><th scope="row">{{ word }}</th>
  <td class="power">2<sup>{{ score | number }}</sup> = <b data-power="{{ power }}">{{ power | number }}</b></td>
  <td class="bar"><span class="blocks" style="--n:{{ power | g }}">{{ blocks(power | int) }}</span></td>
  <td class="share" data-weight="{{ weight }}">
  {% if shorter(power, total, weight) %}
  <span class="division">{{ power | number }}/{{ total | number }} = </span>
  {% endif %}
  <b>{{ weight | share }}</b></td></tr>
{% endfor %}
</tbody>
<tfoot><tr><th scope="row">budget</th><td class="power"><b>{{ total | number }}</b></td>
  <td class="bar"><span class="budget">
  {% for word, score, power, weight in lanes %}
  <span class="part{{ " narrow" if power < 2 }}" style="--n:{{ power | g }}"><span class="blocks">
  {{ blocks(power | int) }}</span><span class="whose" aria-hidden="true">{{ word }}</span></span>
  {% endfor %}
  </span></td><td class="share"><b>{{ row.weights.sum() | share }}</b></td></tr></tfoot>
</table>
""")
_BLEND = template("""
<div class="blend">
{{ plane }}
<table class="row-step parts">
<thead><tr><td></td><th scope="col">share</th><th scope="col" class="value">value</th>
  <th scope="col">share &times; value</th></tr></thead>
<tbody>
{% for word, weight, value in lanes %}
<tr><th scope="row">{{ word }}</th><td>{{ weight | share }}</td><td class="value">{{ value | vector }}</td>
  <td>{{ (weight * value) | vector }}</td></tr>
{% endfor %}
</tbody>
<tfoot><tr><th scope="row">sum</th><td>{{ row.weights.sum() | share }}</td><td></td>
  <td class="output" data-output="{{ row.output.tolist() | json }}">{{ row.output | vector }}</td></tr></tfoot>
</table>
</div>
""")


class Row(NamedTuple):
    """One word that asks, and what becomes of its question; n_k words answer."""

    word: str
    keys: Sequence[str]
    x: Floats  # (d_model,)
    q: Floats  # (d_k,), counted in doublings
    k: Floats  # (n_k, d_k)
    v: Floats  # (n_k, 2)
    parts: Floats  # (n_k, d_k): the query times each key, feature by feature
    root: float
    scores: Floats  # (n_k,), counted in doublings
    powers: Floats  # (n_k,)
    weights: Floats  # (n_k,)
    output: Floats  # (2,)


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    one = read_head(spec)
    if one.v is None or one.v.shape[1] != 2 or one.v.min() < 0:
        raise SpecError("values must have two features, neither negative: the last step draws them", key="w_v")
    at = row_of(spec, "query", one.queries)
    row, features = _read(spec, one, at), _features(spec, one)
    ident, said = str(spec["id"]), [say(row=row, listed=_listed, axes=features["value"]) for say in _SAYS]
    return widget(
        "row-stepper",
        ident,
        **_prediction(row),
        title=str(spec["caption"]),
        body=_STEPPER(ident=ident, names=STEPS, says=said, figures=_draw(spec, row, features)),
        says=said[0],
    )


def _read(spec: Mapping[str, Any], one: Head, at: int) -> Row:
    assert one.v is not None
    assert one.output is not None
    q = _in_doublings(one.q[at])
    scores = np.round(attention_scores(one.q, one.k)[at] / np.log(2), 12) + 0.0
    powers = np.exp2(scores)
    if scores.min() < 0 or (scores % 1).any() or powers.sum() > MOST:
        raise SpecError(
            f"scores must be whole doublings that make at most {MOST} parts: {scores.tolist()}", key="query"
        )
    word, x, root = names_of(one.queries)[at], array(spec, "x")[at], np.sqrt(len(q))
    answers = (names_of(one.keys), x, q, one.k, one.v, q * one.k, float(root), scores, powers)
    return Row(word, *answers, one.weights[at], one.output[at])


def _in_doublings(query: Floats) -> Floats:
    doublings: Floats = np.round(query / np.log(2), 12) + 0.0  # no -0
    return doublings


def _features(spec: Mapping[str, Any], one: Head) -> Mapping[str, Sequence[str]]:
    assert one.v is not None
    features = spec["features"]
    if not isinstance(features, dict) or features.keys() != {"x", "key", "value"}:
        raise SpecError("features is a mapping: {x: [...], key: [...], value: [...]}", key="features")
    for name, size in (("x", array(spec, "x").shape[1]), ("key", one.k.shape[1]), ("value", 2)):
        if not isinstance(features[name], list) or len(features[name]) != size:
            raise SpecError(f"features: {name} needs {size} names: {features[name]!r}", key="features")
    return features


def _prediction(row: Row) -> dict[str, Markup]:
    """Ask what the gap between the two best scores makes of their shares, and let the package answer."""
    order = np.argsort(-row.scores, kind="stable")
    best = order[0]
    other = next((i for i in order if row.scores[i] < row.scores[best]), None)
    if other is None:
        raise SpecError(f"{row.word} asks nothing: all its scores are equal", key="query")
    shares, gap = row.weights[[best, other]], row.scores[best] - row.scores[other]
    question = _QUESTION(a=row.keys[best], b=row.keys[other], gap=number(gap))
    return {"question": question, "answer": _ANSWER(ratio=shares[0] / shares[1], shares=shares)}


def _draw(spec: Mapping[str, Any], row: Row, features: Mapping[str, Sequence[str]]) -> Sequence[Markup]:
    words, lane = row.keys, partial(zip, row.keys, strict=True)
    x, (of_x, of_key, of_value) = array(spec, "x"), (features[name] for name in ("x", "key", "value"))
    w_q = _in_doublings(array(spec, "w_q"))
    project = _PROJECT(
        x=strips(row.x, name=f"x of {row.word}", words=[row.word], features=of_x),
        w_q=strips(w_q, "query", name=Markup("W<sub>Q</sub>"), words=of_x, features=of_key),
        q=strips(row.q, "query", name="query", features=of_key),
        rows=strips(x, name="x of every word", words=words, features=of_x),
        keys=strips(row.k, "key", name="keys", words=words, features=of_key),
        values=strips(row.v, "value", name="values", words=words, features=of_value),
    )
    products = lane(row.k, row.parts, row.parts.sum(axis=1), row.scores)
    most = float(np.abs(row.parts).max()) or 1.0
    shares = list(lane(row.scores, row.powers, row.weights))
    drawn = plane(row.word, words, row.weights, row.v, of_value, f"{spec['id']}-plane")
    return (
        project,
        _SCORE(row=row, features=of_key, lanes=products, most=most),
        _NORMALISE(row=row, total=row.powers.sum(), lanes=shares, shorter=_shorter),
        _BLEND(row=row, plane=drawn, lanes=lane(row.weights, row.v)),
    )


def _shorter(power: float, total: float, weight: float) -> bool:
    """Tell whether the share has a shorter form: 8/16 has, 1/16 has none."""
    return share(weight) != f"{number(power)}/{number(total)}"


def _listed(words: Sequence[str], numbers: Sequence[float]) -> str:
    """List words with their numbers: 'cat 1/2, that 1/4'."""
    return ", ".join(f"{word} {share(x) if x < 1 else number(x)}" for word, x in zip(words, numbers, strict=True))
