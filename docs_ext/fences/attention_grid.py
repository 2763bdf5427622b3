"""The attention grid: who attends to whom, and how much, as a table that works without JavaScript.

```attention-grid
caption: Who attends to whom
tokens: SENTENCE                   # words, or an expression
x: embed(SENTENCE, EARLY)    # or q, k and v themselves
w_q: W_Q1
w_k: W_K
w_v: W_V                     # without values there is no output column
options: {is_causal: true}   # of attention_weights; may be expressions
selected: ran                # the row chosen at first; else the last
```

`selected` is a word or an index. A further key is `key_tokens` (cross attention).
`features` names the columns of Q and K: then the grid holds scores, in doublings, with Q at its left and K^T above it,
and `column` is the word that answers at first.
"""

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import names_of, ranked, row_of

REQUIRED = head.REQUIRED
OPTIONAL = (*head.OPTIONAL, "selected", "features", "column")


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    grid = read_head(spec)
    if "features" in spec:
        q = grid.q / np.log(2)
        if len(spec["features"]) != q.shape[1]:
            raise SpecError(f"q has {q.shape[1]} columns, which features names: {spec['features']!r}", key="features")
        return {
            "queries": names_of(grid.queries),
            "keys": names_of(grid.keys),
            "features": spec["features"],
            "q": q,
            "k": grid.k,
            "row": row_of(spec, "selected", grid.queries),
            "column": row_of(spec, "column", grid.keys),
        }
    return {
        "queries": ranked(grid.queries),
        "keys": ranked(grid.keys),
        "row": row_of(spec, "selected", grid.queries),
        "weights": grid.weights,
        "allowed": grid.allowed,
        "output": grid.output,
        "hasSink": grid.options.get("sink") is not None,
    }
