"""The next word: a text of the reader's own, what each head of the little model looks at, and what could come next.

```next-word
caption: A model of 56 words
text: cats who chased dogs
layer: 1                        # whose arcs are seen first; else the first head of layer 0
head: 3
```

The page holds what the package computes for this text; the script fetches the weights when a hand is near, and runs the
same model. With `strip`, the address of the page that has the whole figure, it is a picture for another page, with
one switch, which needs no script.
"""

import numpy as np
from markupsafe import Markup

from attention.little_model import KINDS, WORDS, Switches, next_words, read, record
from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.html.widget import figure, still
from docs_ext.reading.expressions import value
from docs_ext.reading.keys import Data, Spec

REQUIRED = ("caption", "text")
OPTIONAL = ("layer", "head", "strip")
SCRIPT = "widgets/next-word.js"
STRIP = 4  # bars
ASKED = "a cat who likes two dogs"
TASKS = {  # as the record names them: what they are called, and a text that asks
    "agreement": ("agreement", ASKED),
    "having": ("who has what", "Ann has tea . Bob has milk . Bob drinks"),
    "singing": ("a song repeated", "Bob sings la do mi . Ann sings la do"),
    "order": ("who did what", "Ann chased Bob . who fled ?"),
}


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    given = {"id": spec["id"], "title": spec["caption"], **_data(spec)}
    if "strip" not in spec:
        return figure("next-word", given)
    off = next_words(str(spec["text"]), Switches(heads=np.zeros((2, 4))))[0]
    more = {"most": STRIP, "href": str(spec["strip"]), "without": [off[word] for word in WORDS]}
    drawn = renderer.call(SCRIPT, "strip", given | more)
    return still("next-word", spec["id"], Markup(drawn["text"]))


def _data(spec: Spec) -> Data:
    shares, weights = next_words(str(spec["text"]))
    scores = np.log([shares[word] for word in WORDS])  # up to a constant, which the softmax takes away
    kept = record()
    layer, head = (value(spec, key) if key in spec else 0 for key in ("layer", "head"))
    if layer not in range(len(weights)) or head not in range(len(weights[0])):
        raise SpecError(f"there is no head {head!r} in layer {layer!r}", key="head" if "head" in spec else "layer")
    right, wrong = (next(iter(next_words(ASKED, how)[0])) for how in (None, Switches(heads=np.zeros((2, 4)))))
    said = "the full stop" if wrong == "." else wrong
    return {
        "question": f"after “{ASKED}”, which word will the model guess, and which if its attention is switched off?",
        "answer": f"It guesses {right}, for the cat. Without attention its guess is {said}: no word learns of another "
        "then, and all that the last row knows is its own word, dogs, and its position.",
        "text": " ".join(read(str(spec["text"]))),
        "layer": layer,
        "head": head,
        "start": {"scores": scores.round(6), "weights": np.round(weights, 6)},
        "kinds": KINDS,
        "tasks": [{"name": name, "label": label, "text": text} for name, (label, text) in TASKS.items()],
        "accuracy": kept["accuracy"],
        "questions": kept["questions"],
    }
