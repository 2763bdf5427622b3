"""A sentence and its arcs: what the chosen word asks, whom it listens to, how much, and the blend that comes out.

    ```sentence-arcs
    caption: Choose the word that asks.
    prompt: Who ran?                 # is read while no word is chosen
    sentences: [SENTENCE, SWAPPED]   # the second is the first with two words swapped
    positions: EARLY                 # which the other switch takes away
    w_q: W_Q1
    w_k: W_K
    w_v: W_V
    parts: [cats, dogs]              # of the values
    questions:                       # of every word, and why it asks
      cats: which other animal is there? That is whom the cats met.
      who: which noun came first? It stands for that one.
      chased: which noun came first? That one did the chasing.
      dogs: which other animal is there? That is whom the dogs met.
      ran: which noun came first? That one ran.
    ```

Every state is in the page and the style sheet shows one of them, so nothing needs JavaScript.
"""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.html.template import template
from docs_ext.reading.expressions import value
from docs_ext.reading.head import read_head
from docs_ext.reading.words import MAX_WORDS, sentences_of, words_of

REQUIRED = ("caption", "prompt", "sentences", "positions", "w_q", "w_k", "w_v", "parts", "questions")
OPTIONAL = ()

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
    parts, questions, sentences = words_of(spec, "parts"), spec["questions"], sentences_of(spec)
    if len(sentences[0]) > MAX_WORDS:
        raise SpecError(f"a sentence may have {MAX_WORDS} words: {len(sentences[0])}", key="sentences")
    if not isinstance(questions, dict) or questions.keys() != set(sentences[0]):
        raise SpecError("questions is a mapping, with one for every word", key="questions")
    cases = []
    for swap, words in zip((False, True), sentences, strict=True):
        for positions in (True, False):
            x = embed(list(words), value(spec, "positions") if positions else None)
            head = read_head({key: spec[key] for key in ("w_q", "w_k", "w_v")} | {"tokens": words, "x": x})
            if head.v is None or head.v.shape[1] != len(parts) or head.v.min() < 0:
                raise SpecError("parts must name every column of the values, none of them negative", key="parts")
            switches = {"swap": swap, "positions": positions}
            cases.append({"switches": switches, "words": words, "weights": head.weights, "values": head.v})
    given = {"id": spec["id"], "title": spec["caption"], "prompt": spec["prompt"]}
    return given | {"cases": cases, "parts": parts, "questions": questions}
