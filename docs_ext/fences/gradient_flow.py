"""Gradient flow: push one score; which weights move, where the output goes, and how both die in a saturated row.

    ```gradient-flow
    caption: Push one score of ran
    tokens: S5
    scores: [3, 2, 0, 1, 0]                   # scaled, in doublings
    value: project(embed(S5, EARLY5), W_V)    # a row for each word
    push: cat                                 # at first; or an index
    d_k: 4                                    # shown first: 1, 4, 16, 64 or 256
    ```

Without the division, the scores are the root of d_k times as large.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import softmax, softmax_vjp
from docs_ext.errors import SpecError
from docs_ext.html.numbers import number, vector
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import array, value
from docs_ext.reading.words import names_of, row_of, words_of

REQUIRED = ("caption", "tokens", "scores", "value", "d_k")
OPTIONAL = ("push",)
SIZES = [4**n for n in range(5)]

Floats = NDArray[np.float64]


class Flow(NamedTuple):
    """What one push does."""

    doublings: Floats  # (n,)
    weights: Floats  # (n,)
    moves: Floats  # (n,): of each weight, a unit of push
    slopes: Floats  # (n, d_v): of the output, a unit of push of each score
    output: Floats  # (d_v,)


_ROWS = template("""
<thead>
<tr><th scope="col">word</th><th scope="col">score</th><th scope="col">weight</th>
  <th scope="col">the push moves its weight by</th>
  <th scope="col" class="output">if pushed, it moves the output by</th></tr>
</thead>
<tbody>
{% for word, score, weight, move, slope, far in rows %}
<tr{% if loop.index0 == push %} data-pushed{% endif %}><th scope="row">{{ word }}</th>
  <td class="score">{{ score | number }}</td>
  <td class="share weight" style="--w:{{ weight }}">
  <span class="bar"></span> <span class="text">{{ weight | share }}</span></td>
  <td class="share move" data-exact="{{ move | json }}" style="--w:{{ 4 * (move | abs) }}">
  <span class="bar"></span> <span class="text">{{ move | number }}</span></td>
  <td class="share slope" data-exact="{{ slope | json }}" style="--w:{{ far }}">
  <span class="bar"></span> <span class="text">{{ slope | vector }}</span></td></tr>
{% endfor %}
</tbody>
""")
_QUESTION = template("""
at {{ few }} features a push of <em>{{ word }}</em> moves the output by {{ before | vector }}. What is left of that at
  {{ many }} features, if nobody divides by their root?
""")
_ANSWER = template("""
{{ left }} of it. The scores are {{ factor | number }} times as large, <em>{{ best }}</em> has {{ weight | share }}
  of the budget, and a push moves next to nothing. With the division all stays as it was.
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    words = names_of(words_of(spec, "tokens"))
    doublings, values = _doublings(spec, len(words)), _values(spec, len(words))
    push, d_k = row_of({"push": len(words) - 1} | dict(spec), "push", words), _size(spec)
    now = flow(doublings, values, push)
    # no weight moves by more than 1/4, and the output by no more than that of the longest way between two values
    longest = max(np.linalg.norm(one - other) for one in values for other in values)
    far = 4 * np.linalg.norm(now.slopes, axis=1) / longest
    rows = zip(words, doublings, now.weights, now.moves, now.slopes.tolist(), far, strict=True)
    most = SIZES[-2]
    after = flow(doublings * np.sqrt(most), values, push)
    left = np.linalg.norm(after.slopes[push]) / np.linalg.norm(now.slopes[push])
    best = int(after.weights.argmax())
    return widget(
        "gradient-flow",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=_QUESTION(few=d_k, many=most, word=words[push], before=now.slopes[push]),
        answer=_ANSWER(left=f"{left:.1%}", factor=np.sqrt(most), best=words[best], weight=after.weights[best]),
        body=scrolling_table("steps", str(spec["caption"]), _ROWS(rows=rows, push=push)),
        says=says(d_k, words[push], now, push),
        words=words,
        scores=doublings.tolist(),
        value=values.tolist(),
        push=push,
        d_k=d_k,
        sizes=SIZES,
        longest=float(longest),
    )


def flow(doublings: Floats, values: Floats, push: int) -> Flow:
    """Carry a unit back from a weight, and one from each feature of the output: both are what a softmax sends back."""
    weights = softmax(np.log(2) * doublings)
    moves = softmax_vjp(weights, np.eye(len(weights))[push])  # a row of the Jacobian is a column, too
    slopes = softmax_vjp(np.broadcast_to(weights, values.T.shape), values.T).T
    return Flow(doublings, weights, moves, slopes, weights @ values)


def says(d_k: int, word: str, now: Flow, push: int) -> str:
    """Tell a push: 'At 4 features, divided: pushed a little, cat gains 0.25 times the push in weight, …'."""
    move, slope = now.moves[push], now.slopes[push]
    return (
        f"At {d_k} feature{'s' * (d_k != 1)}, divided: pushed a little, {word} gains {number(move)} times the push in "
        f"weight, which the others lose. The output {vector(now.output)} moves by {vector(slope)} times the push, "
        f"a distance of {np.linalg.norm(slope):.6f}."
    )


def _doublings(spec: Mapping[str, Any], n_words: int) -> Floats:
    given = np.asarray(value(spec, "scores"))
    if given.shape != (n_words,) or not np.issubdtype(given.dtype, np.number) or not np.isfinite(given).all():
        raise SpecError(f"scores must be {n_words} numbers, one a word: shape {given.shape}", key="scores")
    return given.astype(float)


def _values(spec: Mapping[str, Any], n_words: int) -> Floats:
    given = array(spec, "value")
    if len(given) != n_words:
        raise SpecError(f"{n_words} words but value has shape {given.shape}", key="value")
    if (given == given[0]).all():
        raise SpecError("values that are all the same move no output: two must differ", key="value")
    return given


def _size(spec: Mapping[str, Any]) -> int:
    d_k = spec["d_k"]
    if d_k not in SIZES or isinstance(d_k, bool):
        raise SpecError(f"d_k must be one of {', '.join(map(str, SIZES))}: {d_k!r}", key="d_k")
    return int(d_k)
