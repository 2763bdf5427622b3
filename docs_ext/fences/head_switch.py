"""The head switch: two heads side by side or averaged, for each of two word orders.

```head-switch
caption: What a word receives from two heads
sentences: [SENTENCE, SWAPPED]   # the second is the first with two words swapped
positions: EARLY     # of attention.example, whose words these are
w_q: [W_Q1, W_Q2]     # of the two heads
w_k: W_K              # which they share here
w_v: W_V
w_o: W_O
asks: [the first noun, the last noun]
selected: chased      # word or index of who asks first; else the last
```

Without JavaScript there is the first sentence, with the heads side by side.
"""

from attention import project
from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array, value
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import names_of, row_of, sentences_of, words_of

REQUIRED = ("caption", "sentences", "positions", "w_q", "w_k", "w_v", "w_o", "asks")
OPTIONAL = ("selected",)


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    matrices, asks, sentences = value(spec, "w_q"), words_of(spec, "asks"), sentences_of(spec)
    if not isinstance(matrices, list) or len(matrices) != 2:
        raise SpecError("w_q are the matrices of two heads: [W_Q1, W_Q2]", key="w_q")
    if len(asks) != 2:
        raise SpecError("asks are two, what each head asks", key="asks")
    w_k, w_v, w_o = (array(spec, key) for key in ("w_k", "w_v", "w_o"))
    if len(w_o) != 2 * w_v.shape[1]:
        raise SpecError(f"w_o must have a row for each of 2 heads * {w_v.shape[1]} features: {w_o.shape}", key="w_o")
    inputs = [embed(list(words), value(spec, "positions")) for words in sentences]
    return {
        "words": [names_of(words) for words in sentences],
        "q": [[project(x, matrix) for matrix in matrices] for x in inputs],
        "k": [project(x, w_k) for x in inputs],
        "v": [project(x, w_v) for x in inputs],
        "w_o": w_o,
        "asks": asks,
        "row": row_of(spec, "selected", sentences[0]),
    }
