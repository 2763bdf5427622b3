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

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention import attention_scores
from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.words import names_of, row_of

REQUIRED = head.REQUIRED
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected", "tile")


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    one = read_head(spec)
    if one.v is None:
        raise SpecError("o holds blended values: give v, or x and w_v")
    size, words = spec.get("tile", 2), names_of(one.keys)
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= len(words):
        raise SpecError(f"tile must be a number of words from 1 to {len(words)}: {size!r}", key="tile")
    doublings = attention_scores(one.q[[row_of(spec, "selected", one.queries)]], one.k)[0] / np.log(2)
    if not np.allclose(doublings, np.round(doublings)):
        raise SpecError(f"the scores of this row must be whole doublings: {doublings.tolist()}")
    return {"words": words, "scores": np.round(doublings).astype(int), "v": one.v, "size": size}
