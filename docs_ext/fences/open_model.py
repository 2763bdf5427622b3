"""The model, open: the little model as a picture, and a word's first numbers at each of its stations.

```open-model
caption: One round of the little model
text: cats who chased dogs
word: dogs                      # chosen at first; or an index
station: 2                      # chosen at first, counted from the top
```

All numbers are those of `attention.little_model.forward`, rounded as Python prints them. Without a script there are the
picture and the numbers of the word and the station that the fence names.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import attention_weights, layer_norm, softmax
from attention.little_model import ID, WORDS, forward, load, read
from docs_ext.reading.keys import Data, Spec, whole
from docs_ext.reading.words import names_of, row_of

REQUIRED = ("caption", "text", "word", "station")
OPTIONAL = ()
SHOWN = 8  # numbers of a row, and of the words that come next

Floats = NDArray[np.float64]


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    words = read(str(spec["text"]))
    names, ids = names_of(words), np.array([ID[word] for word in words])
    w = load(np.float64)
    scores, last, traces = forward(ids, w)
    stations = [*_of_rows(ids, w, last, traces), *_of_words(scores)]
    looks = [attention_weights(trace.query, trace.key, is_causal=True) for trace in traces]
    return {
        "words": names,
        "ids": ids,
        "known": len(WORDS),
        "stations": stations,
        "looks": np.round(looks, 4) + 0.0,
        "row": row_of(spec, "word", names),
        "station": whole(spec, "station", 0, len(stations) - 1),
    }


def _of_rows(ids: NDArray[Any], w: dict[str, Floats], last: Floats, traces: list[Any]) -> list[dict[str, Any]]:
    start = 8 * w["embedding"][ids]
    found = [
        _station("embedding", "table", {"row": start}),
        _station("+ position", "plus", {"row": start, "+ position": traces[0].x - start, "= row": traces[0].x}),
    ]
    for i, trace in enumerate(traces):
        attention = {"row": trace.x, "+ attention": trace.attention, "= row": trace.middle}
        mlp = {"row": trace.middle, "+ MLP": trace.mlp, "= row": trace.out}
        found += [_station(f"layer {i}: + attention", "attention", attention), _station("+ MLP", "mlp", mlp)]
    return [*found, _station("last norm", "norm", {"row": last, "normalised": layer_norm(last, w["norm"])})]


def _of_words(scores: Floats) -> list[dict[str, Any]]:
    """Keep the likeliest words after each word."""
    order = np.argsort(-scores, axis=-1, kind="stable")[:, :SHOWN]
    best, shares = (np.take_along_axis(each, order, -1) for each in (scores, softmax(scores)))
    words = {"labels": [[WORDS[i] for i in row] for row in order]}
    return [
        _station("logits", "logits", {"logit": best}) | words,
        _station("probabilities", "shares", {"logit": best, "probability": shares}) | words,
    ]


def _station(name: str, kind: str, columns: dict[str, Floats]) -> dict[str, Any]:
    """Keep the first numbers of each word's row, one column each."""
    rows = np.stack([column[:, :SHOWN] for column in columns.values()], axis=-1)
    return {"name": name, "kind": kind, "columns": list(columns), "rows": rows.round(2) + 0.0}  # no -0
