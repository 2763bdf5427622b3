"""A learning step: one row of the query matrix is nudged number by number, then moved a little against all its slopes.

```learning-step
caption: One learning step
sentences: [SENTENCE, SWAPPED]   # the loss is the average over both
positions: EARLY
query: ran                       # the word that asks; all but one of its features are 0
right: [cats, dogs]              # the word that it should find, in each sentence
w_k: W_K
features:                        # of the rows, of queries and keys
  x: [cats, dogs, asks, early]
  key: [noun, early, asks, which]
nudge: 0.1                       # what a press of + adds to one number
rate: 0.1                        # the learning rate of a step
```

The query matrix begins with zeros. The loss is minus the logarithm of the weight on the right word. Since the word that
asks has one feature, only one row of the matrix has slopes other than 0; it is the row that moves.
"""

import numpy as np

from attention import project
from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array, value
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import features_of, names_of, row_of, sentences_of

REQUIRED = ("caption", "sentences", "positions", "query", "right", "w_k", "features", "nudge", "rate")
OPTIONAL = ()


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    sentences, w_k = sentences_of(spec), array(spec, "w_k")
    features = features_of(spec, {"x": w_k.shape[0], "key": w_k.shape[1]})
    inputs = [embed(list(words), value(spec, "positions")) for words in sentences]
    own = [x[row_of({"query": spec["query"]}, "query", words)] for x, words in zip(inputs, sentences, strict=True)]
    used = np.flatnonzero(own[0])
    if len(used) != 1 or not np.array_equal(*own):
        raise SpecError(f"the word that asks must have one feature, the same in both: {own[0]}, {own[1]}", key="query")
    for key in ("nudge", "rate"):
        if not isinstance(spec[key], int | float) or spec[key] <= 0:
            raise SpecError(f"{key} must be a positive number: {spec[key]!r}", key=key)
    if len(spec["right"]) != len(sentences):
        raise SpecError(f"right names one word for each of {len(sentences)} sentences: {spec['right']}", key="right")
    asked = zip(spec["right"], sentences, strict=True)
    return {
        "words": [names_of(words) for words in sentences],
        "right": [row_of({"right": word}, "right", words) for word, words in asked],
        "query": spec["query"],
        "row": used[0],  # of the query matrix: the one that moves
        "x": own[0][used[0]],
        "k": [project(x, w_k) for x in inputs],
        "features": features,
        "nudge": spec["nudge"],
        "rate": spec["rate"],
    }
