"""A sentence and its arcs: whom the chosen word listens to, how much, and the blend that comes out.

    ```sentence-arcs
    caption: Choose the word that listens.
    tokens: S5
    x: embed(S5, EARLY5)
    w_q: W_Q1
    w_k: W_K
    w_v: W_V
    parts: [cat, dog]   # of the values; without it no blend is shown
    selected: ran       # chosen first, a word or its index; else the last
    ```

Further keys, `q`, `k`, `v` and `options`, are as in attention-grid. In place of all of these, `weights` may be a
matrix: those that a model has learned. Words of attention.example can be switched; then, in place of `tokens` and `x`,

    sentences: [S7, T7]   # the second is the first with two words swapped
    positions: EARLY7     # which the other switch takes away

Every state is written here and the style sheet shows one of them, so nothing needs JavaScript.

The HTML, which the script and the style sheet rely on (ID is the id of the fence):

    sentence-arcs#ID
      input[type=radio][name=ID-row], one a word; input[type=checkbox][name=swap] and one [name=positions]
      [data-row=N] is seen while word N is chosen; [data-swap], [data-positions] while the switches stand so
      .shares > [data-weight], .blend[data-output], .statements > p: of one state each
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.html.arcs import FONT, Arc, arcs, height, widths
from docs_ext.html.numbers import share
from docs_ext.html.template import template
from docs_ext.reading import head
from docs_ext.reading.expressions import array, value
from docs_ext.reading.head import read_head
from docs_ext.reading.words import MAX_WORDS, names_of, rank_of, row_of, sentences_of, words_of

REQUIRED = ("caption",)
_GIVEN = tuple(key for key in head.OPTIONAL if key != "key_tokens")  # arcs go from a sentence to itself
OPTIONAL = ("tokens", *_GIVEN, "weights", "sentences", "positions", "parts", "selected")

_FIGURE = template("""
<div data-search-exclude>
<sentence-arcs id="{{ ident }}">
<fieldset>
<legend>{{ caption }}</legend>
<div class="scroll">
<div class="stage" style="--units:{{ width }};--high:{{ high | g }};--font:{{ font }};--columns:{{ columns }}">
<svg viewBox="0 0 {{ width }} {{ high | g }}" aria-hidden="true">
{% for scene in scenes if scene.arcs %}
<g {{ scene.where }}>
  {% for arc in scene.arcs %}
  <path d="{{ arc.path }}" pathLength="1" stroke-width="{{ arc.thickness | g }}" data-key="{{ arc.key }}"/>
  {% endfor %}</g>
{% endfor %}
</svg>
<div class="words">
{% for readings in words %}
<label><input type="radio" name="{{ ident }}-row" value="{{ loop.index0 }}"{{ " checked" if loop.index0 == chosen }}>
  {% for where, word, rank in readings %}
  <span {{ where }}>{{ word }}{% if rank %}<span class="visually-hidden">{{ rank }}</span>{% endif %}</span>
  {% endfor %}</label>
{% endfor %}
</div>
{% for scene in scenes if scene.arcs %}
<div class="shares" aria-hidden="true" {{ scene.where }}>
  {% for weight, allowed in zip(scene.weights, scene.allowed) %}
  <span data-weight="{{ weight }}"{{ " data-most" if weight == scene.weights.max() }}>
    {{- weight | share if allowed else "none" }}</span>
  {% endfor %}</div>
{% endfor %}
{% for scene in scenes if not scene.arcs %}
<p class="silence" aria-hidden="true" {{ scene.where }}><em>{{ scene.word }}</em> asks nothing,<br>
  so every word gets the same share.</p>
{% endfor %}
</div>
</div>
</fieldset>
{% for scene in scenes if scene.bars %}
<div class="blend" aria-hidden="true" data-output="{{ scene.output | json }}" {{ scene.where }}>
<p><em>{{ scene.word }}</em> now carries</p>
{% for bar in scene.bars %}
<span>{{ bar.part }}</span>
<span class="track">
  {% for piece in bar.pieces %}
  <span style="--w:{{ piece.length }}">{{ piece.word }} <b>{{ piece.amount | number }}</b></span>
  {% endfor %}</span>
<b>{{ bar.total | number }}</b>
{% endfor %}
</div>
{% endfor %}
{% if pair %}
<div class="switches" role="group" aria-label="The sentence">
<label><input type="checkbox" name="swap"> <span>Swap <em>{{ pair[0] }}</em> and <em>{{ pair[1] }}</em></span></label>
<label><input type="checkbox" name="positions" checked> <span>Words know their positions</span></label>
</div>
{% endif %}
<div class="statements">
{% for scene in scenes %}
<p {{ scene.where }}>{{ scene.says }}</p>
{% endfor %}
</div>
</sentence-arcs>
</div>
""")
_SAYS = template("""
{% if switches %}
<em>{{ words | join(" ") }}</em>, {{ "with" if switches.positions else "without" }} positions:{{ " " }}
{% endif %}
<em>{{ word }}</em>{{ " " }}
{% if asks %}
gives {{ given }}.
{% else %}
asks nothing, so every word gets the same share, {{ weights[0] | share }}.
{% endif %}
{% if parts %}
 {{ "It" if asks else "So it" }} now carries <strong>
  {% for x, part in zip(output, parts) %}
  {{ x | number }} part{{ "s" if x != 1 }} {{ part }}{{ " and " if not loop.last }}
  {% endfor %}</strong>{{ "" if asks else ", the plain average" }}.
{% endif %}
""")


class Case(NamedTuple):
    """A sentence, in one setting of the switches if there are any."""

    switches: Mapping[str, bool]
    words: Sequence[str]
    weights: NDArray[np.float64]  # (n, n)
    allowed: NDArray[np.bool_]  # (n, n)
    asks: Sequence[bool]  # whose query is not zero
    values: NDArray[np.float64] | None  # (n, parts)


class Piece(NamedTuple):
    """What one word gives to a part of the blend."""

    word: str
    amount: float
    length: float  # as a share of the longest bar that could be


class Bar(NamedTuple):
    """One part of the blend."""

    part: str
    pieces: list[Piece]
    total: float


class Scene(NamedTuple):
    """What is seen while one word is chosen in one case."""

    where: Markup
    word: str
    weights: NDArray[np.float64]
    allowed: NDArray[np.bool_]
    arcs: list[Arc]  # none for a word that asks nothing: seven equal ones would say that they matter
    output: list[float]
    bars: list[Bar]
    says: Markup


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    cases = list(_cases(spec))
    words, parts = cases[0].words, words_of(spec, "parts") if "parts" in spec else []
    if len(words) > MAX_WORDS:
        raise SpecError(f"a sentence may have {MAX_WORDS} words: {len(words)}", key="sentences")
    row = row_of(spec, "selected", words)
    if parts and (cases[0].values is None or cases[0].values.shape[1] != len(parts)):
        raise SpecError("parts must name every column of the values", key="parts")
    columns = widths([max(both, key=len) for both in zip(*(case.words for case in cases), strict=True)])
    return _FIGURE(
        ident=spec["id"],
        caption=str(spec["caption"]),
        width=sum(columns),
        high=height(columns),
        font=FONT,
        columns=" ".join(f"{width}fr" for width in columns),
        words=[_readings(cases, i) for i in range(len(words))],
        chosen=row,
        pair=[word for word, other in zip(words, cases[-1].words, strict=True) if word != other],
        scenes=[_scene(case, i, parts, columns, i == row) for case in cases for i in range(len(words))],
    )


def _cases(spec: Mapping[str, Any]) -> Iterator[Case]:
    """Yield the case of a sentence that cannot be switched, or all four, the default first."""
    given = {key: spec[key] for key in _GIVEN if key in spec}
    if "sentences" not in spec:
        if "tokens" not in spec:
            raise SpecError("the key 'tokens' is missing; or give sentences and positions")
        yield _case({}, given | {"tokens": words_of(spec, "tokens")}, spec)
        return
    if clash := [key for key in ("tokens", "x", "weights") if key in spec]:
        raise SpecError(f"give either sentences and positions or {clash[0]}", key=clash[0])
    if "positions" not in spec:
        raise SpecError("the key 'positions' is missing")
    early = value(spec, "positions")
    for swap, words in zip((False, True), sentences_of(spec), strict=True):
        for positions in (True, False):
            x = embed(list(words), early if positions else None)
            yield _case({"swap": swap, "positions": positions}, given | {"tokens": words, "x": x}, spec)


def _case(switches: dict[str, bool], one: dict[str, Any], spec: Mapping[str, Any]) -> Case:
    if "weights" in spec:
        weights, n = array(spec, "weights"), len(one["tokens"])
        if weights.shape != (n, n):
            raise SpecError(f"{n} words but the weights have shape {weights.shape}", key="weights")
        return Case(switches, one["tokens"], weights, np.ones_like(weights, bool), [True] * n, None)
    found = read_head(one)
    return Case(
        switches, found.queries, found.weights, found.allowed, [bool(query.any()) for query in found.q], found.v
    )


def _scene(case: Case, row: int, parts: Sequence[str], columns: Sequence[int], first: bool) -> Scene:
    weights, allowed, word = case.weights[row], case.allowed[row], case.words[row]
    listens_to = {int(key): float(weights[key]) for key in np.flatnonzero(allowed)} if case.asks[row] else {}
    output = (weights @ case.values).tolist() if parts and case.values is not None else []
    says = _SAYS(
        switches=case.switches,
        words=case.words,
        word=word,
        asks=case.asks[row],
        weights=weights,
        given=_given(weights, names_of(case.words), allowed),
        output=output,
        parts=parts,
    )
    where = _where({"row": row, **case.switches} | ({"first": True} if first and _is_default(case) else {}))
    bars = _bars(case, row, parts) if parts else []
    return Scene(where, word, weights, allowed, arcs(row, listens_to, columns), output, bars, says)


def _is_default(case: Case) -> bool:
    return not case.switches.get("swap") and case.switches.get("positions", True)


def _bars(case: Case, row: int, parts: Sequence[str]) -> list[Bar]:
    """Split every part of the blend into what the words give."""
    assert case.values is not None
    gifts = case.weights[row, :, None] * case.values  # (n, parts)
    if gifts.min() < 0:
        raise SpecError("bars need values that are not negative", key="parts")
    names, longest = names_of(case.words), case.values.max()
    return [
        Bar(part, [Piece(names[i], x, x / longest) for i, x in enumerate(column) if x > 0], float(column.sum()))
        for part, column in zip(parts, gifts.T, strict=True)
    ]


def _given(weights: NDArray[np.float64], names: list[str], allowed: NDArray[np.bool_]) -> str:
    """Say a row, the largest first: 'cat 1/2, that 1/4 and 1/8 to each of the other 2'."""

    def rounded(key: int) -> float:
        return -round(float(weights[key]), 12)

    keys = sorted(np.flatnonzero(allowed).tolist(), key=rounded)  # stable: equal ones keep their order
    groups = [list(group) for _, group in groupby(keys, key=rounded)]
    told = [f"{names[key]} {share(weights[key])}" for group in groups for key in group]
    if len(groups) > 1 and len(groups[-1]) > 2:
        told[-len(groups[-1]) :] = [f"{share(weights[keys[-1]])} to each of the other {len(groups[-1])}"]
    return " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def _readings(cases: Sequence[Case], i: int) -> list[tuple[Markup, str, str]]:
    """Return how a word reads before it is swapped and, if that changes it, afterwards."""
    first, last = cases[0].words, cases[-1].words
    if first[i] == last[i]:
        return [(Markup(""), first[i], rank_of(first, i))]
    return [
        (_where({"swap": False, "first": True}), first[i], rank_of(first, i)),
        (_where({"swap": True}), last[i], rank_of(last, i)),
    ]


def _where(state: Mapping[str, int | bool]) -> Markup:
    return Markup(" ").join(Markup('data-{}="{}"').format(name, json.dumps(on)) for name, on in state.items())
