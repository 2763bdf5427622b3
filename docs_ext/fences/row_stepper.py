"""The row stepper: one row of attention in four steps, a figure for each, and with a script one figure at a time.

    ```row-stepper
    caption: One row in four steps
    tokens: SENTENCE
    x: embed(SENTENCE, EARLY)
    w_q: W_Q1
    w_k: W_K
    w_v: W_V        # of two features: the last step draws them as a plane
    query: ran      # the word that asks
    features:       # of the rows, of queries and keys, of values
      x: [cats, dogs, asks, early]
      key: [noun, early, asks, which]
      value: [cats, dogs]
    ```

Scores are counted in doublings, which must be whole here: the third step draws powers of two as blocks.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention import attention_scores
from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array
from docs_ext.reading.head import Floats, read_head
from docs_ext.reading.words import features_of, names_of, row_of

REQUIRED = ("caption", "tokens", "x", "w_q", "w_k", "w_v", "query", "features")
OPTIONAL = ()
MOST = 32  # blocks in the budget bar, which must be told apart on a phone


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    one = read_head(spec)
    if one.v is None or one.v.shape[1] != 2 or one.v.min() < 0:
        raise SpecError("values must have two features, neither negative: the last step draws them", key="w_v")
    row, x = row_of(spec, "query", one.queries), array(spec, "x")
    scores = _in_doublings(attention_scores(one.q, one.k)[row])
    if scores.min() < 0 or (scores % 1).any() or np.exp2(scores).sum() > MOST:
        raise SpecError(
            f"scores must be whole doublings that make at most {MOST} parts: {scores.tolist()}", key="query"
        )
    if scores.min() == scores.max():
        raise SpecError(f"{one.queries[row]} asks nothing: all its scores are equal", key="query")
    return {
        "words": names_of(one.keys),
        "row": row,
        "x": x,
        "w_q": _in_doublings(array(spec, "w_q")),
        "q": _in_doublings(one.q[row]),
        "k": one.k,
        "v": one.v,
        "features": features_of(spec, {"x": x.shape[1], "key": one.k.shape[1], "value": 2}),
    }


def _in_doublings(matrix: Floats) -> Floats:
    doublings: Floats = np.round(matrix / np.log(2), 12) + 0.0  # no -0
    return doublings
