"""Design a head: one row of the query matrix is set by hand, and goals are ticked as its weights reach them.

```design-a-head
caption: What does *ran* ask?
sentences: [SENTENCE, SWAPPED]   # the second is the first with two words swapped: a goal must hold in both
positions: EARLY
query: ran                       # the word that asks
w_q: W_Q1                        # as it is at first, in whole doublings
w_k: W_K
row: asks                        # of w_q, with a button less and one more for each of its numbers
features:                        # of the rows, of queries and keys
  x: [cats, dogs, asks, early]
  key: [noun, early, asks, which]
looks:                           # what a number above zero looks for, or one below, if that is another thing
  noun: [nouns]
  early: [early words]
  asks: [words that ask]
  which: [cats rather than dogs, dogs rather than cats]
goals:                           # words that get at least so much, or more than others; one list, or one a sentence
  - {says: the last noun gets at least half, to: [[dogs], [cats]], least: 1/2}
  - {says: each verb gets more than either animal, to: [chased, ran], than: [cats, dogs]}
solution: [3, -1, 0, 0]          # of one goal, which stands there without a script
```
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention import project
from attention.example import embed
from docs_ext.errors import SpecError
from docs_ext.html.inline import inline
from docs_ext.reading.expressions import array, evaluate, value
from docs_ext.reading.head import in_doublings
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import features_of, names_of, row_of, sentences_of

REQUIRED = (
    *("caption", "sentences", "positions", "query", "w_q", "w_k"),
    *("row", "features", "looks", "goals", "solution"),
)
OPTIONAL = ()
MOST = 4  # a number of the row, above zero or below


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    sentences, w_k = sentences_of(spec), array(spec, "w_k")
    w_q = in_doublings(array(spec, "w_q"))
    features = features_of(spec, {"x": w_q.shape[0], "key": w_q.shape[1]})
    row = row_of(spec, "row", features["x"])
    for key, numbers in (("w_q", w_q[row]), ("solution", np.asarray(spec["solution"], float))):
        if numbers.shape != w_q[row].shape or (numbers % 1).any() or np.abs(numbers).max() > MOST:
            raise SpecError(f"{key}: {w_q.shape[1]} whole numbers from -{MOST} to {MOST}: {numbers.tolist()}", key=key)
    if spec["looks"].keys() != set(features["key"]):
        raise SpecError("looks is a mapping, with what each feature of a key is looked for", key="looks")
    inputs = [embed(list(words), value(spec, "positions")) for words in sentences]
    rows = [row_of({"query": spec["query"]}, "query", words) for words in sentences]
    return {
        "words": [names_of(words) for words in sentences],
        "rows": rows,
        "x": [x[i] for x, i in zip(inputs, rows, strict=True)],
        "w_q": w_q,
        "k": [project(x, w_k) for x in inputs],
        "row": row,
        "most": MOST,
        "features": features,
        "looks": [spec["looks"][name] for name in features["key"]],
        "goals": [_goal(goal, sentences) for goal in spec["goals"]],
        "solution": spec["solution"],
    }


def _goal(goal: Mapping[str, Any], sentences: list[Sequence[str]]) -> dict[str, Any]:
    """Return a goal with the places of its words in each sentence."""
    places = {}
    for key in ("to", "than"):
        words = goal.get(key, [])
        both = words if words and isinstance(words[0], list) else [words, words]
        if strangers := [
            word for here, sentence in zip(both, sentences, strict=True) for word in here if word not in sentence
        ]:
            raise SpecError(f"a goal names {strangers[0]!r}, which is not in the sentence", key="goals")
        places[key] = [[sentence.index(word) for word in here] for here, sentence in zip(both, sentences, strict=True)]
    return {"says": inline(goal["says"]), "least": float(evaluate(str(goal.get("least", 0)))), **places}
