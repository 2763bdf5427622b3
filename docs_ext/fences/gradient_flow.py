"""Gradient flow: push one score; which weights move, where the output goes, and how both die in a saturated row.

```gradient-flow
caption: Push one score of ran
tokens: SENTENCE
scores: [3, 2, 0, 1, 0]                   # scaled, in doublings
value: project(embed(SENTENCE, EARLY), W_V)    # a row for each word
push: cats                                 # at first; or an index
asks: ran                                  # the last word, unless it says so
d_k: 4                                    # shown first: 1, 4, 16, 64 or 256
```

Without the division, the scores are the root of d_k times as large.
"""

import numpy as np
from numpy.typing import NDArray

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array, value
from docs_ext.reading.keys import Data, Spec, one_of
from docs_ext.reading.words import names_of, row_of, words_of

REQUIRED = ("caption", "tokens", "scores", "value", "d_k")
OPTIONAL = ("push", "asks")
SIZES = [4**n for n in range(5)]

Floats = NDArray[np.float64]


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    words, d_k = names_of(words_of(spec, "tokens")), one_of(spec, "d_k", SIZES)
    scores, values = _doublings(spec, len(words)), _values(spec, len(words))
    asks, push = (row_of({key: len(words) - 1} | dict(spec), key, words) for key in ("asks", "push"))
    given = {"words": words, "scores": scores, "value": values, "d_k": d_k, "sizes": SIZES}
    return given | {"asks": asks, "push": push}


def _doublings(spec: Spec, n_words: int) -> Floats:
    given = np.asarray(value(spec, "scores"))
    if given.shape != (n_words,) or not np.issubdtype(given.dtype, np.number) or not np.isfinite(given).all():
        raise SpecError(f"scores must be {n_words} numbers, one a word: shape {given.shape}", key="scores")
    return given.astype(float)


def _values(spec: Spec, n_words: int) -> Floats:
    given = array(spec, "value")
    if len(given) != n_words:
        raise SpecError(f"{n_words} words but value has shape {given.shape}", key="value")
    if (given == given[0]).all():
        raise SpecError("values that are all the same move no output: two must differ", key="value")
    return given
