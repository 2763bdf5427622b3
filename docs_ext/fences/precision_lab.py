"""The precision lab: attention whose numbers are kept in formats of 64 to 8 bits, and what the last word then receives.

```precision-lab
caption: A format for every place
tokens: SENTENCE
x: embed(SENTENCE, EARLY)   # or q, k and v themselves
w_q: W_Q1
w_k: W_K
w_v: W_V               # required here
format: bfloat16       # of all four places, shown first
begins: 128            # copies of the sentence at first: enough for a loss that can be seen
copies: 1024           # in the prediction
```

Errors are measured against `np.longdouble`, the widest format that NumPy has on the machine that builds the page.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec, one_of

REQUIRED = ("caption", "tokens", "format", "begins", "copies")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")
FORMATS = {
    "float64": "float64",
    "float32": "float32",
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float8_e4m3fn": "fp8",
}
PLACES = {
    "operands": "what is multiplied",
    "scores": "the scores",
    "softmax": "the exponentials and their sum",
    "output": "the output",
}
MOST = 14  # doublings of the sentence
POWERS = [2**n for n in range(MOST + 1)]

Floats = NDArray[np.float64]


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    one = read_head(spec)
    given, values = one.blended("the lab shows outputs")
    output = exactly(one.q[-1], one.k, values).astype(float)
    shown = one_of(spec, "format", list(FORMATS))
    begins, copies = one_of(spec, "begins", POWERS), one_of(spec, "copies", POWERS[1:])
    names = {"formats": FORMATS, "places": PLACES, "format": shown, "copies": copies}
    doublings = {"begins": POWERS.index(begins), "most": MOST}
    return {**given, "q": one.q[-1], "output": output, **names, **doublings}


def exactly(q: Floats, k: Floats, v: Floats) -> NDArray[Any]:
    """Return the output of one query in the widest format that NumPy has here."""
    wide_q, wide_k, wide_v = (x.astype(np.longdouble) for x in (q, k, v))
    s = wide_k @ wide_q / np.sqrt(np.longdouble(k.shape[-1]))
    e = np.exp(s - s.max())
    output: NDArray[Any] = e @ wide_v / e.sum()
    return output
