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

Without JavaScript there are the first step and a table of all steps.
"""

from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec, whole

REQUIRED = (*head.REQUIRED, "window", "step")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    one = read_head(spec)
    given, _ = one.blended("a step has an output")
    return given | {key: whole(spec, key, 1, len(one.queries)) for key in ("window", "step")}
