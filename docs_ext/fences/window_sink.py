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

from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec, whole
from docs_ext.reading.words import row_of

REQUIRED = (*head.REQUIRED, "left")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected")
MOST = 6  # doublings that the sink reaches


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    one = read_head(spec)
    given, _ = one.blended("a window changes outputs")
    left, row = whole(spec, "left", 0, len(one.queries) - 1), row_of(spec, "selected", one.queries)
    if row <= left:
        raise SpecError("selected: this row sees the first word already; choose a later one", key="selected")
    return given | {"left": left, "row": row, "most": MOST}
