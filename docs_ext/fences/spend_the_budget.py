"""Spend the budget: the reader lays blocks on the words before attention shows how many it lays on each.

```spend-the-budget
caption: Sixteen blocks for five words
question: Which words should *ran* listen to?   # what the reader is to decide
tokens: SENTENCE
x: embed(SENTENCE, EARLY)            # or q and k themselves
w_q: W_Q1
w_k: W_K
query: ran                           # the word that asks; else the last
blocks: 16                           # of which every weight is a whole number; else 16
laid: [4, 2, 0, 0, 0]                # those that lie on the words at first; else all are in the hand
because: "*cats* came first."        # what is added to the comparison, if anything
```

`options` are those of attention_weights; nobody can lay a block on a word that a mask hides. Without JavaScript the
comparison is folded below the empty places, which a pencil can fill.
"""

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.html.inline import inline
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.keys import Data, Spec, whole
from docs_ext.reading.words import names_of, row_of

REQUIRED = (*head.REQUIRED, "question")
OPTIONAL = (*head.OPTIONAL, "query", "blocks", "laid", "because")
MOST = 32  # blocks that can be told apart on a phone


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    one, blocks = read_head(spec), whole(spec, "blocks", 2, MOST, default=16)
    row = row_of(spec, "query", one.queries)
    counts = {n: np.round(one.weights[row] * n).astype(int) for n in range(2, MOST + 1)}
    fit = [n for n in counts if np.allclose(counts[n], one.weights[row] * n) and counts[n].sum() == n]
    if blocks not in fit:
        hint = f"; take {' or '.join(map(str, fit))}" if fit else f", nor of any number up to {MOST}"
        raise SpecError(f"the weights of {one.queries[row]!r} are no whole blocks of {blocks}{hint}", key="blocks")
    laid, free = spec.get("laid", [0] * len(one.keys)), np.where(one.allowed[row], blocks, 0)
    if len(laid) != len(free) or np.any(laid > free) or sum(laid) > blocks:
        raise SpecError(f"laid is a number for each word, 0 for a masked one, {blocks} in all: {laid!r}", key="laid")
    return {
        "words": names_of(one.keys),
        "allowed": one.allowed[row],
        "blocks": blocks,
        "weights": counts[blocks],
        "laid": laid,
        "question": inline(spec["question"]),
        "because": inline(spec.get("because", "")),
    }
