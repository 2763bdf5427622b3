"""The sentence machine: what a word receives, and how it comes about, in the scenes of one picture.

```sentence-machine
caption: Who ran?
sentences: [SENTENCE, SWAPPED]   # the second is the first with two words swapped
positions: EARLY                 # which a switch takes away
heads:                           # a name, the matrix of queries, and what every word asks
  - name: the first noun
    w_q: W_Q1
    asks: {cats: which other animal is there?, who: ..., chased: ..., dogs: ..., ran: which noun came first?}
w_k: W_K
w_v: W_V
features:                        # of the rows, of queries and keys, of values
  x: [cats, dogs, asks, early]
  key: [noun, early, asks, which]
  value: [cats, dogs]            # which are features of the rows too: the last scene adds the blend to the row
links: {Start: learn/a-page/}    # beside the button
```

With `scene` it is one frame of the machine on the home page, for a text that goes with it: `caption` is then the only
other key. Scores must be whole doublings.
"""

import numpy as np
from markupsafe import Markup

from attention import attention_scores
from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.html.widget import figure, still
from docs_ext.reading.expressions import value
from docs_ext.reading.head import in_doublings, read_head
from docs_ext.reading.keys import Data, Spec, check_keys, one_of, parse
from docs_ext.reading.page import load
from docs_ext.reading.words import features_of, sentences_of

REQUIRED = ("caption",)
OPTIONAL = ("sentences", "positions", "heads", "w_k", "w_v", "features", "scene", "links")
SCENES = {"next": -1, "ask": 1, "match": 2, "share": 3, "pour": 4, "all": 7, "heads": 6}


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    if "scene" in spec:
        scene = SCENES[one_of(spec, "scene", [*SCENES])]
        whole = parse(load("index.md").fences("sentence-machine")[0].text)[0] | dict(spec)
        drawn = renderer.drawn("lib/scenes.js", "frame", _given(whole), scene)
        return still("sentence-machine frame", spec["id"], drawn)
    check_keys(spec, {*REQUIRED, *OPTIONAL} - {"scene", "links"}, OPTIONAL)
    return figure("sentence-machine", _given(spec))


def _given(spec: Spec) -> Data:
    return {"id": spec["id"], "title": spec["caption"], "links": spec.get("links", {}), **_data(spec)}


def _data(spec: Spec) -> Data:
    sentences, heads = sentences_of(spec), spec["heads"]
    if any(head["asks"].keys() != set(sentences[0]) for head in heads):
        raise SpecError("asks is a mapping, with a question for every word", key="heads")
    cases = []
    for swap, words in zip(("no", "yes"), sentences, strict=True):
        for known in ("yes", "no"):
            x = embed(list(words), value(spec, "positions") if known == "yes" else None)
            given = {"tokens": words, "x": x, "w_k": spec["w_k"], "w_v": spec["w_v"]}
            read = [read_head(given | {"w_q": head["w_q"]}) for head in heads]
            scores = np.array([in_doublings(attention_scores(one.q, one.k)) for one in read])
            if np.abs(scores).max() > 3 or (scores % 1).any():
                raise SpecError("scores must be whole doublings, at most 3: they are drawn as blocks", key="heads")
            q, k, v = [in_doublings(one.q) for one in read], read[0].k, read[0].v
            cases.append({"swap": swap, "positions": known, "words": words, "x": x, "q": q, "k": k, "v": v})
    x, k, v = (np.array(cases[0][name]) for name in ("x", "k", "v"))
    if k.shape[1] != 4:
        raise SpecError("keys must have four features: the root of four halves a score", key="w_k")
    features = features_of(spec, {"x": x.shape[1], "key": k.shape[1], "value": v.shape[1]})
    if not {*features["value"]} <= {*features["x"]} or v.shape[1] != 2 or v.min() < 0:
        raise SpecError("values have two features, neither negative, which rows have too", key="features")
    return {
        "cases": cases,
        "heads": [{"name": head["name"], "asks": head["asks"]} for head in heads],
        "features": features,
    }
