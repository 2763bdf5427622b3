"""The head browser: any head of a trained model, on any of the recorded sentences, as arcs and as a grid.

```head-browser
caption: All heads of the model
sentence: the cat that chased   # its first words
layer: 5
head: 11
selected: ran                   # who asks at first; else the last word
```

The page holds this head, and a small picture of every head on this sentence; the script fetches the record when a
reader asks for another. Weights are counted in thousandths, as they were recorded.
"""

import numpy as np

from docs_ext.html import renderer
from docs_ext.reading.keys import Data, Spec, whole
from docs_ext.reading.words import row_of
from docs_ext.records.recorded import recorded

REQUIRED = ("caption", "sentence", "layer", "head")
OPTIONAL = ("selected",)
SCRIPT = "widgets/head-browser.js"


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    record = recorded()
    one = record.sentence(str(spec["sentence"]))
    layers, heads = one.weights.shape[:2]
    layer, head = whole(spec, "layer", 0, layers - 1), whole(spec, "head", 0, heads - 1)
    texts = [sentence.text for sentence in record.sentences + record.example]
    weights = np.rint(1000 * one.weights).astype(int)
    to_first = one.weights[..., 1:-1, 0].mean(axis=(1, 2))
    return {
        "texts": texts,
        "tokens": one.tokens,
        "grid": weights[layer, head],
        "pictures": renderer.call(SCRIPT, "pictures", {"tokens": one.tokens, "weights": weights}),
        "sentence": texts.index(one.text),
        "layer": layer,
        "head": head,
        "row": row_of(spec, "selected", one.tokens),
        "question": f"the first token, {one.tokens[0]}, stands for no word. Where do the words give it more of their "
        "attention, in layer 0 or in layer 4?",
        "answer": f"In layer 4, {_hundredths(to_first[4])} of it on average over the heads, as against "
        f"{_hundredths(to_first[0])} in layer 0. The pictures of layer 4 have a full left column.",
    }


def _hundredths(weight: float) -> str:
    return f"{np.floor(100 * weight + 0.5) / 100:.2f}".removeprefix("0")
