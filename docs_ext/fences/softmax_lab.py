"""The softmax lab: change scores or sizes, and see what the softmax makes of them.

One row of scores, counted in doublings, with a temperature and a number format:

    ```softmax-lab
    mode: scores
    caption: The five scores of ran, and its budget
    tokens: S5
    scores: [3, 2, 0, 1, 0]   # doublings, or an expression
    ```

Two keys one standard deviation apart, with and without the division by the square root of d_k:

    ```softmax-lab
    mode: scaling
    caption: Two keys, one standard deviation apart
    d_k: 64   # shown first: 1, 2, 4 ... 128
    ```

The arithmetic of the number formats is NumPy's, at build time; the script rounds as they do.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import softmax
from docs_ext.errors import SpecError
from docs_ext.html.numbers import number
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import value
from docs_ext.reading.words import words_of

REQUIRED = ("mode", "caption")
OPTIONAL = ("tokens", "scores", "d_k")
MOST = 8  # doublings that a slider reaches
SIZES = [2**n for n in range(8)]
_KEYS = {"scores": ("tokens", "scores"), "scaling": ("d_k",)}

Floats = NDArray[np.float64]


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    if spec["mode"] not in _KEYS:
        raise SpecError(f"mode must be 'scores' or 'scaling': {spec['mode']!r}", key="mode")
    keys = _KEYS[spec["mode"]]
    for key in keys:
        if spec.get(key) is None:
            raise SpecError(f"mode {spec['mode']!r} needs the key {key!r}", key="mode")
    for key in OPTIONAL:
        if key in spec and key not in keys:
            raise SpecError(f"mode {spec['mode']!r} has no key {key!r}", key=key)
    return _scores(spec) if spec["mode"] == "scores" else _scaling(spec)


# scores


def number_formats() -> dict[str, dict[str, float]]:
    """Ask NumPy where every format ends, and for the first whole score whose exponential is beyond that."""
    formats = {}
    for dtype in (np.float16, np.float32, np.float64):
        with np.errstate(over="ignore"):
            powers = np.exp(np.arange(1000, dtype=dtype))
        formats[dtype.__name__] = {"largest": float(np.finfo(dtype).max), "first": int(np.isinf(powers).argmax())}
    return formats


_SCORES = template("""
<thead>
<tr><th scope="col">word</th><th scope="col">score, doublings</th><th scope="col">2<sup>score</sup></th>
  <th scope="col" class="share">weight</th></tr>
</thead>
<tbody>
{% for word, score, weight, share in rows %}
<tr><th scope="row">{{ word }}</th><td class="score">{{ score | number }}</td>
  <td class="power">{{ (2**score) | number }}</td>
  <td class="share" style="--w:{{ weight }}"><span class="bar"></span> <span class="text">{{ share }}</span></td></tr>
{% endfor %}
</tbody>
<tfoot>
<tr><th scope="row">sum</th><td></td><td class="total">{{ total | number }}</td><td class="share">1</td></tr>
</tfoot>
""")
_SCORES_QUESTION = template("<em>{{ word }}</em> scores one doubling more. Does its weight double, from {{ share }}?")


def _scores(spec: Mapping[str, Any]) -> Markup:
    words = words_of(spec, "tokens")
    doublings = _doublings(spec, len(words))
    best = int(doublings.argmax())
    shares, more = _shares(doublings), _shares(doublings + np.eye(len(words))[best])
    weights = softmax(np.log(2) * doublings)
    rows = _SCORES(rows=zip(words, doublings, weights, shares, strict=True), total=(2**doublings).sum())
    return widget(
        "softmax-lab",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=_SCORES_QUESTION(word=words[best], share=shares[best]),
        answer=f"No, it becomes {more[best]}. Only the exponential doubles, and the sum that divides it grows too. "
        "The others shrink and keep their ratios.",
        body=scrolling_table("steps", str(spec["caption"]), rows),
        says=", ".join(f"{word} {share}" for word, share in zip(words, shares, strict=True)) + "; sum 1.",
        mode="scores",
        words=words,
        scores=doublings.astype(int).tolist(),
        most=MOST,
        formats=number_formats(),
    )


def _doublings(spec: Mapping[str, Any], n_words: int) -> Floats:
    given = np.asarray(value(spec, "scores"))
    if given.shape != (n_words,) or not np.issubdtype(given.dtype, np.number):
        raise SpecError(f"scores must be {n_words} numbers, one a word: shape {given.shape}", key="scores")
    whole = np.round(given).astype(float)
    if not np.allclose(given, whole) or whole.min() < 0 or whole.max() >= MOST:
        raise SpecError(f"scores are whole doublings from 0 to {MOST - 1}: {given.tolist()}", key="scores")
    return whole


def _shares(doublings: Floats) -> list[str]:
    """Write the weights over their common denominator, which shows what each word stands at: 8/16, 4/16, 1/16."""
    total = (2**doublings).sum()
    return [f"{number(weight * total)}/{number(total)}" for weight in softmax(np.log(2) * doublings)]


# scaling


def two_keys(d_k: int, *, scaled: bool) -> tuple[float, float, float]:
    """Return the better key's score, its weight, and the norm of the softmax's Jacobian, 2 a1 a2."""
    score = 1.0 if scaled else float(np.sqrt(d_k))
    first, second = softmax([score, 0.0])
    return score, float(first), float(2 * first * second)


_SCALING = template("""
<thead>
<tr><td></td><th scope="col">scores</th><th scope="col" class="share">weight of the better key</th>
  <th scope="col">sensitivity, 2 a<sub>1</sub> a<sub>2</sub></th></tr>
</thead>
<tbody>
{% for name, (score, weight, slope) in rows.items() %}
<tr class="{{ name }}"><th scope="row">{{ name }}</th><td class="score">({{ score | number }}, 0)</td>
  <td class="share" style="--w:{{ weight }}">
  <span class="bar"></span> <span class="text">{{ "%.5f" | format(weight) }}</span></td>
  <td class="slope">{{ "%.5f" | format(slope) }}</td></tr>
{% endfor %}
</tbody>
""")


def _scaling(spec: Mapping[str, Any]) -> Markup:
    d_k = spec["d_k"]
    if d_k not in SIZES or isinstance(d_k, bool):
        raise SpecError(f"d_k must be a power of two from 1 to {SIZES[-1]}: {d_k!r}", key="d_k")
    kinds = {"raw": False, "scaled": True}
    rows = {name: two_keys(d_k, scaled=scaled) for name, scaled in kinds.items()}
    before, after = (two_keys(size, scaled=False)[1] for size in (4, 64))
    steady = two_keys(4, scaled=True)[1]
    raw, scaled = rows["raw"], rows["scaled"]
    return widget(
        "softmax-lab",
        str(spec["id"]),
        title=str(spec["caption"]),
        question="the vectors grow from 4 features to 64. What happens to the weight of the better key, "
        "raw and scaled?",
        answer=f"Raw it rises from {before:.3f} to {after:.5f}, and the other key is as good as gone. "
        f"Scaled it stays at {steady:.3f}.",
        body=scrolling_table("steps", str(spec["caption"]), _SCALING(rows=rows)),
        says=f"{d_k} features: raw, the better key gets {raw[1]:.5f} and the sensitivity is {raw[2]:.5f}; "
        f"scaled, {scaled[1]:.5f} and {scaled[2]:.5f}.",
        mode="scaling",
        d_k=d_k,
        sizes=SIZES,
    )
