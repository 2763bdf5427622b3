"""The poster: one word and two heads in one picture, with arcs, the numbers, and the pour at the foot.

```poster
tokens: SENTENCE
asks: chased                       # word or index; else the last
x: embed(SENTENCE, EARLY)
heads: {which noun came first?: W_Q1, which noun came last?: W_Q2}
w_k: W_K
w_v: W_V
meet: [noun, early, asks, which]   # columns of queries and keys
give: [cats, dogs]                 # columns of w_v
```
"""

from markupsafe import Markup

from attention import attention_scores
from docs_ext.html import renderer
from docs_ext.html.widget import still
from docs_ext.reading.head import in_doublings, read_head
from docs_ext.reading.keys import Spec
from docs_ext.reading.words import features_of, row_of, words_of

REQUIRED, OPTIONAL = ("tokens", "x", "heads", "w_k", "w_v", "meet", "give"), ("asks",)


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    row, heads = row_of(spec, "asks", words_of(spec, "tokens")), []
    for question, matrix in spec["heads"].items():
        one = read_head({**{key: spec[key] for key in ("tokens", "x", "w_k", "w_v")}, "w_q": matrix})
        given, v = one.blended("the poster pours values")
        query, scores = (in_doublings(rows)[row] for rows in (one.q, attention_scores(one.q, one.k)))
        made = {"query": query, "scores": scores, "weights": one.weights[row], "gets": one.weights[row] @ v}
        heads.append({"asks": question, **made})
    sizes = {"meet": one.k.shape[1], "give": v.shape[1]}
    names = features_of({"features": {key: spec[key] for key in sizes}}, sizes)
    given |= {"id": spec["id"], "row": row, "heads": heads, **names}
    return still("poster", spec["id"], renderer.drawn("lib/poster.js", "poster", given))
