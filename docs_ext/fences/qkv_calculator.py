"""Attention on paper: a few words with their q, k and v, and the four steps for one of them.

    ```qkv-calculator
    caption: Four steps for three words
    tokens: [cat, that, dog]
    x: embed(["cat", "that", "dog"], [2, 1, 0])     # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                                        # required here
    query: that                                     # the word that asks at first
    features: {key: [noun, early, asks, which], value: [cat, dog]}
    ```

Queries are shown in units of ln 2, so scores count doublings and every exponential is a power of two. The HTML is
the complete calculation. docs/assets/js/qkv-calculator.js turns its numbers into fields; it writes the same texts.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from attention import attention_scores, softmax
from docs_ext.html.formula import render as formula
from docs_ext.html.grid_table import statement
from docs_ext.html.numbers import number, share, vector
from docs_ext.html.widget import widget
from docs_ext.spec import head
from docs_ext.spec.errors import SpecError
from docs_ext.spec.head import Floats, Head, read_head
from docs_ext.spec.words import names_of, row_of

REQUIRED = (*head.REQUIRED, "query", "features")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")

Names = tuple[Sequence[str], Sequence[str]]  # of the rows, of the columns

STEPS = (  # class of the column, its words, its formula
    ("", "product", r"\q_i \cdot \k_j"),
    ("", "score", r"s_{ij} = \dfrac{\q_i \cdot \k_j}{\sqrt{\dk}}"),
    ("", "exponential", r"2^{s_{ij}}"),
    ("share", "weight", r"a_{ij} = \dfrac{2^{s_{ij}}}{\sum_l 2^{s_{il}}}"),
    ("output", "weight &times; value", r"a_{ij}\, \v_j"),
)


def render(spec: Mapping[str, Any]) -> str:
    """Turn the mapping of a fence into HTML."""
    one = read_head(spec)
    if one.v is None:
        raise SpecError("a calculator needs values: v, or x and w_v")
    row, caption = row_of(spec, "query", one.queries), escape(str(spec["caption"]))
    doublings = np.round(one.q / np.log(2), 12)  # q in units of ln 2
    question, answer = _prediction(one, row)
    steps = "".join(f'<th scope="col" class="{role}">{words}<br>{_math(tex)}</th>' for role, words, tex in STEPS)
    return widget(
        "qkv-calculator",
        str(spec["id"]),
        question=question,
        answer=answer,
        body=f"""<div class="matrices">
{_matrices(spec, one, doublings, row)}</div>
<div class="attention-row">
<div class="scroll" tabindex="0" role="region" aria-label="{caption}">
<table class="lanes">
<caption><span>{caption}</span></caption>
<thead><tr><th scope="col">word</th>{steps}</tr></thead>
{_lanes(one, doublings, row)}
</table>
</div>
</div>""",
        says=statement(one, row),
        words=names_of(one.queries),
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
    (a, b, *_), last = [escape(word) for word in names_of(one.keys)], escape(names_of(one.keys)[-1])
    return (
        f"the score of <em>{last}</em> rises by one doubling. Which loses the larger part of its weight, "
        f"<em>{a}</em> or <em>{b}</em>?",
        f"Neither. <em>{a}</em> falls from {share(before[0])} to {share(after[0])}, <em>{b}</em> from "
        f"{share(before[1])} to {share(after[1])}. Both keep {number(after[0] / before[0])} of what they had, "
        f"so their ratio stays {number(before[0] / before[1])} : 1.",
    )


def _matrices(spec: Mapping[str, Any], one: Head, doublings: Floats, row: int) -> str:
    assert one.v is not None
    of_keys, of_values = _features(spec, one.k.shape[1], one.v.shape[1])
    return (
        _matrix("query", r"\Q / \ln 2", "asks", (one.queries, of_keys), doublings, row)
        + _matrix("key", r"\K", "answers", (one.keys, of_keys), one.k)
        + _matrix("value", r"\V", "is handed over", (one.keys, of_values), one.v)
    )


def _features(spec: Mapping[str, Any], d_k: int, d_v: int) -> Names:
    features = spec["features"]
    if not isinstance(features, dict) or features.keys() != {"key", "value"}:
        raise SpecError("features is a mapping: {key: [...], value: [...]}", key="features")
    for name, size in (("key", d_k), ("value", d_v)):
        if not isinstance(features[name], list) or len(features[name]) != size:
            raise SpecError(f"features: {name} needs {size} names: {features[name]!r}", key="features")
    return features["key"], features["value"]


def _math(tex: str) -> str:
    return f'<span class="arithmatex">{formula(tex)}</span>'


def _matrix(role: str, tex: str, does: str, names: Names, matrix: Floats, chosen: int | None = None) -> str:
    words, features = names
    heads = "".join(f'<th scope="col">{escape(str(feature))}</th>' for feature in features)
    rows = "".join(
        f'<tr{" data-chosen" if i == chosen else ""}><th scope="row">{escape(word)}</th>'
        + "".join(f"<td>{number(x)}</td>" for x in row)
        + "</tr>"
        for i, (word, row) in enumerate(zip(names_of(words), matrix, strict=True))
    )
    return (
        f'<table class="matrix" data-role="{role}"><caption>{_math(tex)} {does}</caption>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>\n"
    )


def _lanes(one: Head, doublings: Floats, row: int) -> str:
    assert one.v is not None
    assert one.output is not None
    query, d_k = doublings[row], one.k.shape[1]
    products = attention_scores(query[None], one.k, scale=1.0)[0]
    scores = attention_scores(query[None], one.k)[0]
    powers = np.exp2(scores)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(word)}</th><td>{_dot(query, one.k[j])} = {number(products[j])}</td>'
        f"<td>{number(products[j])}/&radic;{d_k} = {number(scores[j])}</td>"
        f"<td>2<sup>{number(scores[j])}</sup>{_written(powers[j])}</td>"
        f'<td class="share" style="--w:{float(one.weights[row, j])!r}"><span class="bar"></span> '
        f"<span>{_quotient(powers[j], powers.sum(), one.weights[row, j])}</span></td>"
        f'<td class="output">{vector(one.weights[row, j] * one.v[j])}</td></tr>'
        for j, word in enumerate(names_of(one.keys))
    )
    return f"""<tbody>
{rows}
</tbody>
<tfoot><tr><th scope="row">sum</th><td></td><td></td><td>{_written(powers.sum()).removeprefix(" = ")}</td>
<td class="share">1</td><td class="output">{vector(one.output[row])}</td></tr></tfoot>"""


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
