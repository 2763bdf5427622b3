"""A window and a sink over the attention grid: sliders for how far each word sees, and for what the sink takes.

```window-sink
caption: Three words in the window
tokens: SENTENCE
x: embed(SENTENCE, EARLY)   # or q, k and v themselves
w_q: W_Q1
w_k: W_K
w_v: W_V               # required here
left: 2                # words back; as in sliding_window_mask
selected: ran          # the row that is told at first; else the last
```

At first no word after the query is seen, none is kept beyond the window, and there is no sink.
"""

from collections.abc import Mapping
from typing import Any

from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.words import names_of, row_of

REQUIRED = (*head.REQUIRED, "left")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected")
MOST = 6  # doublings that the sink reaches


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    one, left = read_head(spec), spec["left"]
    row = row_of(spec, "selected", one.queries)
    if one.v is None:
        raise SpecError("a window changes outputs: give v, or x and w_v")
    if left not in range(len(one.queries)) or isinstance(left, bool):
        raise SpecError(f"left must be a whole number from 0 to {len(one.queries) - 1}: {left!r}", key="left")
    if row <= left:
        raise SpecError("selected: this row sees the first word already; choose a later one", key="selected")
    return {"words": names_of(one.queries), "q": one.q, "k": one.k, "v": one.v, "left": left, "row": row, "most": MOST}
