"""The training replay: the grid of a head at some steps of its training, with what it guesses at each.

    ```training-replay
    caption: Whom the closing tags look at while the head learns
    tokens: ["0 <b>", "1 </?>"]   # the keys, or an expression
    asks: [1]                     # the rows to show, by index
    answers: [b]                  # what each of them should say
    checkpoints: >-               # a list, from first to last
      [{"step": 0, "weights": [[0.5, 0.5]], "guesses": "s", "accuracy": 0.25},
       {"step": 50, "weights": [[0.7, 0.3]], "guesses": "b", "accuracy": 0.5},
       {"step": 100, "weights": [[1, 0]], "guesses": "b", "accuracy": 1.0}]
    ```

The weights have a row for each that asks. `page("training").run` in an expression is what the consoles of a page
define, so the steps can be those of the very run that stands there. The first and the last step must be there, and the
one half-way.

Without JavaScript the grids stand below one another; the script puts a slider in their place.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from docs_ext.errors import SpecError
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import value
from docs_ext.reading.words import words_of

REQUIRED = ("caption", "tokens", "asks", "answers", "checkpoints")
OPTIONAL = ()

_ROWS = template("""
<thead><tr><td></td>
  {% for word in words %}
  <th scope="col" class="key">{{ word }}</th>
  {% endfor %}
  <th scope="col" class="output">says</th></tr></thead>
<tbody>
{% for ask, weights, guess, answer in rows %}
<tr><th scope="row" class="query">{{ words[ask] }}</th>
  {% for weight in weights %}
  {% if loop.index0 > ask %}
  <td data-weight="0.0" data-masked><span>&ndash;</span></td>
  {% else %}
  <td data-weight="{{ weight }}" style="--w:{{ "%.4f" | format(weight) }}">
  {{ ("%.2f" | format(weight)).removeprefix("0") }}</td>
  {% endif %}
  {% endfor %}
  <td class="output">{{ guess }}, {{ "right" if guess == answer else "not " ~ answer }}</td></tr>
{% endfor %}
</tbody>
""")
_CHECKPOINTS = template("""
<div class="attention-grid">
<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>;
  <span class="swatch"></span> stronger = more weight; <span class="swatch masked"></span> masked</span>
{% for says, table in checkpoints %}
<div class="checkpoint">
<p>{{ says }}</p>
{{ table }}
</div>
{% endfor %}
</div>
""")


class Checkpoint(NamedTuple):
    """What the head does after some steps of its training."""

    step: int
    weights: NDArray[np.float64]  # (rows that ask, n_k)
    guesses: Sequence[str]
    accuracy: float  # on held-out data


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    words, answers = words_of(spec, "tokens"), words_of(spec, "answers")
    asks = _asks(spec, len(words), len(answers))
    checkpoints = _checkpoints(spec, (len(asks), len(words)))
    says = [statement(one, answers) for one in checkpoints]
    tables = [
        scrolling_table(
            "weights", f"After {one.step} steps", _ROWS(words=words, rows=zip(asks, *one[1:3], answers, strict=True))
        )
        for one in checkpoints
    ]
    last = checkpoints[-1].step
    counts = [hits(one, answers) for one in checkpoints if one.step in (0, last // 2, last)]
    if len(counts) != 3:
        raise SpecError(f"the steps must hold 0, {last // 2} and {last}", key="checkpoints")
    return widget(
        "training-replay",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"the matrices are random at first. How many of these {len(asks)} names does the head get right "
        "before the first step, half-way, and at the end?",
        answer=f"{counts[0]}, {counts[1]} and {counts[2]}.",
        body=_CHECKPOINTS(checkpoints=zip(says, tables, strict=True)),
        says="",
        steps=[one.step for one in checkpoints],
    )


def hits(one: Checkpoint, answers: Sequence[str]) -> int:
    """Count the right guesses."""
    return sum(guess == answer for guess, answer in zip(one.guesses, answers, strict=True))


def statement(one: Checkpoint, answers: Sequence[str]) -> str:
    """Say what a checkpoint shows: 'After 20 steps: 4 of 6 names are right here, and 64% of all that are held out.'."""
    return (
        f"After {one.step} steps: {hits(one, answers)} of {len(answers)} names are right here, "
        f"and {one.accuracy:.0%} of all that are held out."
    )


def _asks(spec: Mapping[str, Any], n_words: int, n_answers: int) -> list[int]:
    asks = value(spec, "asks")
    if not isinstance(asks, list) or not all(isinstance(row, int) and 0 <= row < n_words for row in asks):
        raise SpecError(f"asks must be a list of rows from 0 to {n_words - 1}: {asks!r}", key="asks")
    if len(asks) != n_answers:
        raise SpecError(f"{len(asks)} rows ask but there are {n_answers} answers", key="answers")
    return asks


def _checkpoints(spec: Mapping[str, Any], shape: tuple[int, int]) -> list[Checkpoint]:
    given = value(spec, "checkpoints")
    if not isinstance(given, list) or not all(isinstance(one, dict) and set(one) == set(_FIELDS) for one in given):
        raise SpecError(f"checkpoints must be a list of mappings with {', '.join(_FIELDS)}", key="checkpoints")
    checkpoints = [
        Checkpoint(int(one["step"]), np.asarray(one["weights"], float), one["guesses"], float(one["accuracy"]))
        for one in given
    ]
    for one in checkpoints:
        if one.weights.shape != shape or len(one.guesses) != shape[0]:
            raise SpecError(
                f"step {one.step} must have weights of shape {shape} and {shape[0]} guesses: "
                f"{one.weights.shape}, {len(one.guesses)}",
                key="checkpoints",
            )
    return checkpoints


_FIELDS = Checkpoint._fields
