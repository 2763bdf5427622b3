"""Paint the mask: an attention grid whose cells the reader allows and forbids, and what each word has to guess.

```mask-painter
caption: Click a cell to allow or forbid it
tokens: SENTENCE
x: embed(SENTENCE, EARLY)              # or q, k and v themselves
w_q: W_Q1
w_k: W_K
w_v: W_V                               # required here
predict: {row: chased, forbid: cats}   # what if this key is forbidden too?
selected: who                          # the row told at first; else the last
```

It begins with the causal mask, and a switch lets all words look ahead. Every word but the last has to guess the next
one; a row that sees its answer says so.
"""

from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import row_of

REQUIRED = (*head.REQUIRED, "predict")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected")


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    one, predict = read_head(spec), spec["predict"]
    given, _ = one.blended("a painted mask changes outputs")
    if not isinstance(predict, dict) or predict.keys() != {"row", "forbid"}:
        raise SpecError("predict is a mapping, such as {row: chased, forbid: cats}", key="predict")
    row, key = row_of(predict, "row", one.queries), row_of(predict, "forbid", one.keys)
    if key > row:
        raise SpecError("predict: the causal mask forbids this key already", key="predict")
    return given | {"row": row_of(spec, "selected", one.queries), "predict": [row, key]}
