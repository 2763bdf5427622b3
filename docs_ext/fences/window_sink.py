"""A window and a sink over the attention grid: sliders for how far each word sees, and for what the sink takes.

    ```window-sink
    caption: Three words in the window
    tokens: S5
    x: embed(S5, EARLY5)   # or q, k and v themselves
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

import numpy as np
from markupsafe import Markup

from attention import sliding_window_mask
from docs_ext.errors import SpecError
from docs_ext.html.grid_table import live_grid, statement
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading import head
from docs_ext.reading.head import Head, read_head
from docs_ext.reading.words import names_of, row_of, words_of

REQUIRED = (*head.REQUIRED, "left")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected")
MOST = 6  # doublings that the sink reaches

_QUESTION = template("""
each word sees itself and {{ left }} before it, so <em>{{ first }}</em> is hidden from <em>{{ word }}</em>.
  What changes for <em>{{ word }}</em> if the first word stays open to all?
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    one = windowed(spec, spec["left"])
    row, names = row_of(spec, "selected", one.queries), names_of(one.queries)
    if row <= spec["left"]:
        raise SpecError("selected: this row sees the first word already; choose a later one", key="selected")
    kept = statement(windowed(spec, spec["left"], keep=1), row)
    return widget(
        "window-sink",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=_QUESTION(left=spec["left"], first=names[0], word=names[row]),
        answer=f"{kept}. The first word takes its share again, and the others keep their ratios.",
        body=live_grid(one, row, str(spec["caption"]), sink=True),
        says=statement(one, row),
        words=names,
        q=one.q.tolist(),
        k=one.k.tolist(),
        v=None if one.v is None else one.v.tolist(),
        left=spec["left"],
        row=row,
        most=MOST,
    )


def windowed(spec: Mapping[str, Any], left: int, *, right: int = 0, keep: int = 0, sink: float | None = None) -> Head:
    """Return the head under a window; the first `keep` words stay open to those behind them, sink is in doublings."""
    size = len(words_of(spec, "tokens"))
    if left not in range(size) or isinstance(left, bool):
        raise SpecError(f"left must be a whole number from 0 to {size - 1}: {left!r}", key="left")
    mask = sliding_window_mask(size, left=left, right=right)
    mask |= sliding_window_mask(size, left=None) & (np.arange(size) < keep)
    one = read_head({**spec, "options": {"mask": mask, "sink": None if sink is None else sink * np.log(2)}})
    if one.output is None:
        raise SpecError("a window changes outputs: give v, or x and w_v")
    return one
