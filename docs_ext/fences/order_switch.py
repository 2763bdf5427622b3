"""The order switch: the arcs of a word in each of two word orders, with positions and without.

```order-switch
caption: Whom a word listens to
sentences: [SENTENCE, SWAPPED]   # the second is the first with two words swapped
positions: EARLY     # of attention.example, whose words these are
w_q: W_Q1
w_k: W_K
w_v: W_V
parts: [cats, dogs]     # what the columns of the values stand for
selected: ran         # word or index of who asks first; else the last
```

Without JavaScript there are the first sentence with positions and a table of all four.
"""

from typing import Any

from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value
from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import names_of, row_of, sentences_of, words_of

REQUIRED = ("caption", "sentences", "positions", "w_q", "w_k", "w_v", "parts")
OPTIONAL = ("selected",)


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    sentences, parts, early = sentences_of(spec), words_of(spec, "parts"), value(spec, "positions")
    cases: list[dict[str, Any]] = []
    for swap, words in zip((False, True), sentences, strict=True):
        for known in (True, False):
            x = embed(list(words), early if known else None)
            one = read_head({key: spec[key] for key in ("w_q", "w_k", "w_v")} | {"tokens": words, "x": x})
            drawn = {"words": names_of(words), "weights": one.weights, "output": one.output}
            cases.append({"swap": swap, "positions": known, **drawn})
    if len(cases[0]["output"][0]) != len(parts):
        raise SpecError("parts must name every column of the values", key="parts")
    pair = [word for word, other in zip(*sentences, strict=True) if word != other]
    return {"cases": cases, "parts": parts, "pair": pair, "row": row_of(spec, "selected", sentences[0])}
