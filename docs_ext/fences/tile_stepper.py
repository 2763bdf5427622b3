"""The tile stepper: one query reads its keys tile by tile and keeps running statistics, m, l and o.

```tile-stepper
caption: ran reads its keys tile by tile
tokens: SENTENCE
x: embed(SENTENCE, EARLY)   # or q, k and v themselves
w_q: W_Q1
w_k: W_K
w_v: W_V               # required here
selected: ran          # whose row is computed; by default the last
tile: 2                # words in a tile at first
```

Without JavaScript there are the first step and, folded, a table of all steps. Scores and m count doublings, so the
scores of this row must be whole ones. The script adds the steps, the size of the tiles, and their order.
"""

from attention import attention_scores
from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.head import in_doublings, read_head
from docs_ext.reading.keys import Data, Spec, whole
from docs_ext.reading.words import names_of, row_of

REQUIRED = head.REQUIRED
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected", "tile")


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    one = read_head(spec)
    _, values = one.blended("o holds blended values")
    size = whole(spec, "tile", 1, len(one.keys), default=2)
    doublings = in_doublings(attention_scores(one.q, one.k)[row_of(spec, "selected", one.queries)])
    if (doublings % 1).any():
        raise SpecError(f"the scores of this row must be whole doublings: {doublings.tolist()}")
    return {"words": names_of(one.keys), "scores": doublings.astype(int), "v": values, "size": size}
