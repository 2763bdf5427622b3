"""The softmax lab: change scores or sizes, and see what the softmax makes of them.

One row of scores, counted in doublings, with a temperature:

```softmax-lab
mode: scores
caption: The five scores of ran, and its budget
tokens: SENTENCE
scores: [3, 2, 0, 1, 0]   # doublings, or an expression
```

Two keys one standard deviation apart, with and without the division by the square root of d_k:

```softmax-lab
mode: scaling
caption: Two keys, one standard deviation apart
d_k: 64   # shown first: 1, 2, 4 ... 128
```
"""

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value
from docs_ext.reading.keys import Data, Spec, one_of
from docs_ext.reading.words import words_of

REQUIRED = ("mode", "caption")
OPTIONAL = ("tokens", "scores", "d_k")
MOST = 8  # doublings that a slider reaches
SIZES = [2**n for n in range(8)]
_KEYS = {"scores": ("tokens", "scores"), "scaling": ("d_k",)}


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    mode = one_of(spec, "mode", list(_KEYS))
    for key in _KEYS[mode]:
        if spec.get(key) is None:
            raise SpecError(f"mode {mode!r} needs the key {key!r}", key="mode")
    for key in OPTIONAL:
        if key in spec and key not in _KEYS[mode]:
            raise SpecError(f"mode {mode!r} has no key {key!r}", key=key)
    if mode == "scores":
        words = words_of(spec, "tokens")
        scores = _doublings(spec, len(words))
        return {"mode": mode, "words": words, "scores": scores, "most": MOST}
    return {"mode": mode, "d_k": one_of(spec, "d_k", SIZES), "sizes": SIZES}


def _doublings(spec: Spec, n_words: int) -> list[int]:
    given = np.asarray(value(spec, "scores"))
    if given.shape != (n_words,) or not np.issubdtype(given.dtype, np.number):
        raise SpecError(f"scores must be {n_words} numbers, one per word: shape {given.shape}", key="scores")
    whole = np.round(given).astype(int)
    if not np.allclose(given, whole) or whole.min() < 0 or whole.max() >= MOST:
        raise SpecError(f"scores are whole doublings from 0 to {MOST - 1}: {given.tolist()}", key="scores")
    return [int(score) for score in whole]
