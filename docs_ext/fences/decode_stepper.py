"""The decode stepper: a causal head that writes one token at a time, with its cache.

```decode-stepper
caption: One token at a time
tokens: SENTENCE
x: embed(SENTENCE, EARLY)   # or q, k and v themselves
w_q: W_Q1
w_k: W_K
w_v: W_V
window: 2              # what the second choice keeps
step: 3                # shown first, counted from 1
```

Scores are shown in doublings. Without JavaScript there are the first step and a table of all steps.
"""

from collections.abc import Mapping
from typing import Any

from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.words import names_of

REQUIRED = (*head.REQUIRED, "window", "step")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    one = read_head(spec)
    if one.v is None:
        raise SpecError("a step has an output: give v, or x and w_v")
    for key in ("window", "step"):
        if isinstance(spec[key], bool) or spec[key] not in range(1, len(one.queries) + 1):
            raise SpecError(f"{key} must be a whole number from 1 to {len(one.queries)}: {spec[key]!r}", key=key)
    words, window, step = names_of(one.queries), int(spec["window"]), int(spec["step"])
    return {"words": words, "q": one.q, "k": one.k, "v": one.v, "window": window, "step": step}
