"""The decode stepper: a causal head that writes one token at a time, with its cache.

    ```decode-stepper
    caption: One token at a time
    tokens: S5
    x: embed(S5, EARLY5)   # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V
    window: 2              # what the second choice keeps
    step: 3                # shown first, counted from 1
    ```

Scores are shown in doublings. Without JavaScript there are the first step and a table of all steps.

The HTML holds the numbers in its data- attributes, from which the script computes the steps.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import KVCache, attention_scores, attention_weights, causal_mask
from docs_ext.errors import SpecError
from docs_ext.html.numbers import share, vector
from docs_ext.html.tables import folded, scrolling_table, table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading import head
from docs_ext.reading.head import Head, read_head
from docs_ext.reading.words import names_of

REQUIRED = (*head.REQUIRED, "window", "step")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")
SEES = ("all", "window", "first")  # everything, the last tokens, or by mistake the first alone

Floats = NDArray[np.float64]

_QUESTION = template("""
in step {{ at }} <em>{{ word }}</em> is new. How many keys must be computed in this step, and how many in all {{ n }}
  steps?
""")
_ROWS = template("""
<thead>
<tr><th scope="col">token</th><th scope="col">state</th><th scope="col" class="key">key</th>
  <th scope="col">score</th><th scope="col">weight</th><th scope="col" class="value">value</th>
  <th scope="col" class="output">weight &times; value</th></tr>
</thead>
<tbody>
{% for word in words %}
{% set j = loop.index0 %}
{% if j < step.t %}
{% set weight = step.weights[j] %}
{% set state = "new" if j == step.t - 1 else "cached" %}
<tr data-state="{{ state }}"><th scope="row">{{ word }}</th><td class="state">{{ state }}</td>
  <td class="key">{{ one.k[j] | vector }}</td><td class="score">{{ step.scores[j] | number }}</td>
  <td class="weight" data-weight="{{ weight }}">{{ weight | share }}</td><td class="value">{{ one.v[j] | vector }}</td>
  <td class="output">{{ (weight * one.v[j]) | vector }}</td></tr>
{% else %}
<tr data-state="to come"><th scope="row">{{ word }}</th><td class="state">to come</td>
  <td class="key"></td><td></td><td></td><td class="value"></td><td class="output"></td></tr>
{% endif %}
{% endfor %}
</tbody>
<tfoot>
<tr><th scope="row">sum</th><td></td><td></td><td></td><td>{{ step.weights.sum() | share }}</td><td></td>
  <td class="output">{{ step.output | vector }}</td></tr>
</tfoot>
""")


class Step(NamedTuple):
    """Token t of the text is new."""

    t: int  # counted from 1
    first: int  # the first key that the cache returns, counted from 0
    kept: int
    scores: Floats  # in doublings, of the keys from `first` on
    weights: Floats
    allowed: NDArray[np.bool_]
    output: Floats


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    one = read_head(spec)
    if one.v is None:
        raise SpecError("a step has an output: give v, or x and w_v")
    n, window, at = len(one.queries), _count(spec, "window", len(one.queries)), _count(spec, "step", len(one.queries))
    words, steps = names_of(one.queries), run(one, "all", window)
    step = steps[at - 1]
    shown = scrolling_table("steps", str(spec["caption"]), _ROWS(one=one, words=words, step=step))
    every = table([_record(words, step) for step in steps], "All steps, with the whole cache")
    return widget(
        "decode-stepper",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=_QUESTION(at=at, word=words[at - 1], n=n),
        answer=f"One in each step, {n} in all: the others are in the cache. Without a cache step {at} computes {at} "
        f"keys, and all steps together {n * (n + 1) // 2}.",
        body=shown + folded("All steps", every),
        says=statement(words, step, "all"),
        words=words,
        q=one.q.tolist(),
        k=one.k.tolist(),
        v=one.v.tolist(),
        window=window,
        step=at,
    )


def run(one: Head, sees: str, window: int) -> list[Step]:
    """Write all tokens, one at a time, with a cache of the package."""
    assert one.v is not None
    cache, steps = KVCache(window=window if sees == "window" else None), []
    for t in range(1, len(one.q) + 1):
        new = slice(t - 1, t)
        keys, values = cache.append(one.k[new], one.v[new])
        mask = causal_mask(1, len(keys), offset=0 if sees == "first" else len(keys) - 1)
        weights = attention_weights(one.q[new], keys, mask=mask)
        scores = attention_scores(one.q[new], keys)[0] / np.log(2)
        steps.append(Step(t, t - len(keys), len(cache), scores, weights[0], mask[0], (weights @ values)[0]))
    return steps


def statement(words: list[str], step: Step, sees: str) -> str:
    """Say a step: 'Step 2, that: cat 2/3, that 1/3; output (20/3, 4/3). Keys computed so far: 2, without ...'."""
    shares = zip(words[step.first : step.t], step.weights, step.allowed, strict=True)
    seen = ", ".join(f"{word} {share(weight)}" for word, weight, allowed in shares if allowed)
    wrong = ", wrongly under a top-left mask" if sees == "first" else ""
    return (
        f"Step {step.t}, {words[step.t - 1]}{wrong}: {seen}; output {vector(step.output)}. "
        f"Keys computed so far: {step.t}, without a cache {step.t * (step.t + 1) // 2}. Keys kept: {step.kept}."
    )


def _count(spec: Mapping[str, Any], key: str, most: int) -> int:
    if isinstance(spec[key], bool) or spec[key] not in range(1, most + 1):
        raise SpecError(f"{key} must be a whole number from 1 to {most}: {spec[key]!r}", key=key)
    return int(spec[key])


def _record(words: list[str], step: Step) -> dict[str, Any]:
    return {
        "step": step.t,
        "new": words[step.t - 1],
        "output": vector(step.output),
        "keys, with": 1,
        "keys, without": step.t,
        "scores, with": step.t,
        "scores, without": step.t**2,
    }
