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

Errors are measured against float64, and less than a trillionth counts as exact.
"""

from attention import scaled_dot_product_attention
from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec, one_of

REQUIRED = ("caption", "tokens", "format", "begins", "copies")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")
FORMATS = {name: name for name in ("float64", "float32", "float16", "bfloat16")} | {"float8_e4m3fn": "fp8"}
PLACES = {
    "operands": "what is multiplied",
    "scores": "the scores",
    "softmax": "the exponentials and their sum",
    "output": "the output",
}
MOST = 14  # doublings of the sentence
POWERS = [2**n for n in range(MOST + 1)]


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    one = read_head(spec)
    given, values = one.blended("the lab shows outputs")
    output = scaled_dot_product_attention(one.q[-1:], one.k, values)[0].round(14)  # without the last digits of float64
    shown = one_of(spec, "format", list(FORMATS))
    begins, copies = one_of(spec, "begins", POWERS), one_of(spec, "copies", POWERS[1:])
    names = {"formats": FORMATS, "places": PLACES, "format": shown, "copies": copies}
    doublings = {"begins": POWERS.index(begins), "most": MOST}
    return {**given, "q": one.q[-1], "output": output, **names, **doublings}
