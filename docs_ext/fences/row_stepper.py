"""The row stepper: one row of attention in four steps, a figure for each, and with a script one figure at a time.

With `step`, a number from 1 to 4, it is the figure of that step alone, and nothing moves.

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
  value: [cats, dogs]   # which are features of the rows too: the last step adds the blend to the row
```

Scores are counted in doublings, which must be whole here: the third step draws powers of two as blocks.
"""

import numpy as np
from markupsafe import Markup

from attention import attention_scores
from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.html.widget import figure, still
from docs_ext.reading.expressions import array
from docs_ext.reading.head import in_doublings, read_head
from docs_ext.reading.keys import Data, Spec, whole
from docs_ext.reading.words import features_of, names_of, row_of

REQUIRED = ("caption", "tokens", "x", "w_q", "w_k", "w_v", "query", "features")
OPTIONAL = ("step",)
MOST = 32  # blocks in the budget bar, which must be told apart on a phone


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    given = {"id": spec["id"], "title": spec["caption"], **_data(spec)}
    if "step" not in spec:
        return figure("row-stepper", given)
    step = whole(spec, "step", 1, 4)
    return still("row-still", spec["id"], renderer.drawn("widgets/row-stepper.js", "still", given, step))


def _data(spec: Spec) -> Data:
    one = read_head(spec)
    if one.v is None or one.v.shape[1] != 2 or one.v.min() < 0:
        raise SpecError("values must have two features, neither negative: the last step draws them", key="w_v")
    row, x = row_of(spec, "query", one.queries), array(spec, "x")
    scores = in_doublings(attention_scores(one.q, one.k)[row])
    if scores.min() < 0 or (scores % 1).any() or np.exp2(scores).sum() > MOST:
        raise SpecError(
            f"scores must be whole doublings that make at most {MOST} parts: {scores.tolist()}", key="query"
        )
    features = features_of(spec, {"x": x.shape[1], "key": one.k.shape[1], "value": 2})
    if not {*features["value"]} <= {*features["x"]}:
        raise SpecError("the features of the values must be among those of x", key="features")
    return {
        "words": names_of(one.keys),
        "row": row,
        "x": x,
        "w_q": in_doublings(array(spec, "w_q")),
        "w_k": array(spec, "w_k"),
        "q": in_doublings(one.q[row]),
        "k": one.k,
        "v": one.v,
        "features": features,
    }
