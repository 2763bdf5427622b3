"""The training replay: a document, and what each of its closing tags listens to, at steps of a training.

```training-replay
caption: Which lines the closing tags look at as the head learns
tokens: ["<b>", "  </?>"]      # the lines, or an expression: "?" is what the head guesses
asks: [1]                     # the rows to show, by index
answers: [b]                  # what each of them should say
checkpoints: >-               # a list, from first to last
  [{"step": 0, "weights": [[0.5, 0.5]], "guesses": "s", "accuracy": 0.25, "loss": 1.4},
   {"step": 50, "weights": [[0.7, 0.3]], "guesses": "b", "accuracy": 0.5, "loss": 0.7},
   {"step": 100, "weights": [[1, 0]], "guesses": "b", "accuracy": 1.0, "loss": 0.1}]
```

The weights have a row for each that asks. `page("training").run` in an expression is what the consoles of a page
define, so the steps can be those of the very run that stands there. The first and the last step must be there, and the
one half-way.

Without JavaScript the first step and the last stand below one another; with it all are a film.
"""

from typing import Any

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import words_of

REQUIRED = ("caption", "tokens", "asks", "answers", "checkpoints")
OPTIONAL = ()
FIELDS = ("step", "weights", "guesses", "accuracy", "loss")  # weights: (rows that ask, n_k); the last two: held out


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    words, answers, asks = words_of(spec, "tokens"), words_of(spec, "answers"), value(spec, "asks")
    if not isinstance(asks, list) or not all(isinstance(row, int) and 0 <= row < len(words) for row in asks):
        raise SpecError(f"asks must be a list of rows from 0 to {len(words) - 1}: {asks!r}", key="asks")
    if len(asks) != len(answers):
        raise SpecError(f"{len(asks)} rows ask but there are {len(answers)} answers", key="answers")
    checkpoints = _checkpoints(value(spec, "checkpoints"), (len(asks), len(words)))
    return {"words": words, "asks": asks, "answers": answers, "checkpoints": checkpoints}


def _checkpoints(given: Any, shape: tuple[int, int]) -> list[dict[str, Any]]:
    if not isinstance(given, list) or not all(isinstance(one, dict) and {*one} == {*FIELDS} for one in given):
        raise SpecError(f"checkpoints must be a list of mappings with {', '.join(FIELDS)}", key="checkpoints")
    for one in given:
        found = np.shape(one["weights"])
        if found != shape or len(one["guesses"]) != shape[0]:
            must = f"weights of shape {shape} and {shape[0]} guesses"
            raise SpecError(f"step {one['step']} must have {must}: {found}, {len(one['guesses'])}", key="checkpoints")
    last = given[-1]["step"]
    if not {0, last // 2, last} <= {one["step"] for one in given}:
        raise SpecError(f"the steps must hold 0, {last // 2} and {last}", key="checkpoints")
    return given
