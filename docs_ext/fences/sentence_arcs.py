"""A sentence and its arcs: whom the chosen word listens to, how much, and the blend that comes out.

    ```sentence-arcs
    caption: Choose the word that listens.
    tokens: SENTENCE
    x: embed(SENTENCE, EARLY)
    w_q: W_Q1
    w_k: W_K
    w_v: W_V
    parts: [cats, dogs]   # of the values; without it no blend is shown
    selected: ran       # chosen first, a word or its index; else the last
    ```

Further keys, `q`, `k`, `v` and `options`, are as in attention-grid. In place of all of these, `weights` may be a
matrix: those that a model has learned. Words of attention.example can be switched; then, in place of `tokens` and `x`,

    sentences: [SENTENCE, SWAPPED]   # the second is the first with two words swapped
    positions: EARLY     # which the other switch takes away

Every state is in the page and the style sheet shows one of them, so nothing needs JavaScript.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.html.template import template
from docs_ext.reading import head
from docs_ext.reading.expressions import array, value
from docs_ext.reading.head import read_head
from docs_ext.reading.words import MAX_WORDS, ranked, row_of, sentences_of, words_of

REQUIRED = ("caption",)
_GIVEN = tuple(key for key in head.OPTIONAL if key != "key_tokens")  # arcs go from a sentence to itself
OPTIONAL = ("tokens", *_GIVEN, "weights", "sentences", "positions", "parts", "selected")

_FIGURE = template("""
<div>
<sentence-arcs id="{{ ident }}" data-search-exclude>{{ body }}</sentence-arcs>
</div>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML; its script draws it once, and answers the hand by the fields alone."""
    drawn = renderer.draw("sentence-arcs", renderer.plain(_data(spec)))
    return _FIGURE(ident=spec["id"], body=drawn)


def _data(spec: Mapping[str, Any]) -> dict[str, Any]:
    cases, parts = list(_cases(spec)), words_of(spec, "parts") if "parts" in spec else []
    words = [word for word, _ in cases[0]["words"]]
    if len(words) > MAX_WORDS:
        raise SpecError(f"a sentence may have {MAX_WORDS} words: {len(words)}", key="sentences")
    row, values = row_of(spec, "selected", words), cases[0]["values"]
    if parts and (values is None or values.shape[1] != len(parts)):
        raise SpecError("parts must name every column of the values", key="parts")
    if parts and values.min() < 0:
        raise SpecError("bars need values that are not negative", key="parts")
    return {"id": spec["id"], "title": spec["caption"], "cases": cases, "parts": parts, "row": row}


def _cases(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
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


def _case(switches: dict[str, bool], one: dict[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sentence, in one setting of the switches if there are any, and whose query is not zero."""
    sentence = {"switches": switches, "words": ranked(one["tokens"])}
    if "weights" not in spec:
        found = read_head(one)
        asks = found.q.any(axis=1)
        return sentence | {"weights": found.weights, "allowed": found.allowed, "asks": asks, "values": found.v}
    weights, n = array(spec, "weights"), len(one["tokens"])
    if weights.shape != (n, n):
        raise SpecError(f"{n} words but the weights have shape {weights.shape}", key="weights")
    return sentence | {"weights": weights, "allowed": [[True] * n] * n, "asks": [True] * n, "values": None}
