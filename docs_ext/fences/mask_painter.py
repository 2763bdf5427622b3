"""Paint the mask: an attention grid whose cells the reader allows and forbids.

    ```mask-painter
    caption: Click a cell to allow or forbid it
    tokens: SENTENCE
    x: embed(SENTENCE, EARLY)                  # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                              # required here
    masks:                                # name: mask, of every preset
      causal: causal_mask(5)              # the first is the one that is shown
      none: np.ones((5, 5), bool)
    predict: {row: chased, forbid: cat}   # what if this key is forbidden too?
    selected: that                        # the row told at first; else the last
    ```

Without JavaScript there is the grid under the first mask.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docs_ext.errors import SpecError
from docs_ext.reading import head
from docs_ext.reading.expressions import value
from docs_ext.reading.head import read_head
from docs_ext.reading.words import names_of, row_of, words_of

REQUIRED = (*head.REQUIRED, "masks", "predict")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "selected")

Mask = NDArray[np.bool_]


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    masks = _masks(spec)
    first = next(iter(masks.values()))
    one = read_head({**spec, "options": {"mask": first}})
    if one.v is None:
        raise SpecError("a painted mask changes outputs: give v, or x and w_v")
    predict = spec["predict"]
    if not isinstance(predict, dict) or predict.keys() != {"row", "forbid"}:
        raise SpecError("predict is a mapping, such as {row: chased, forbid: cat}", key="predict")
    row, key = row_of(predict, "row", one.queries), row_of(predict, "forbid", one.keys)
    if not first[row, key]:
        raise SpecError("predict: the first mask forbids this key already", key="predict")
    return {
        "words": names_of(one.queries),
        "q": one.q,
        "k": one.k,
        "v": one.v,
        "masks": {name: "".join("1" if allowed else "0" for allowed in mask.flat) for name, mask in masks.items()},
        "row": row_of(spec, "selected", one.queries),
        "predict": [row, key],
    }


def _masks(spec: Mapping[str, Any]) -> dict[str, Mask]:
    """Return the presets, each as large as the grid."""
    masks, size = value(spec, "masks"), len(words_of(spec, "tokens"))
    if not isinstance(masks, dict) or not masks:
        raise SpecError("masks is a mapping, such as {causal: causal_mask(5)}", key="masks")
    for name, mask in masks.items():
        if np.asarray(mask).dtype != bool:
            raise SpecError(f"the mask {name!r} must be boolean: True means 'may attend'", key="masks")
        try:
            masks[name] = np.broadcast_to(mask, (size, size))
        except ValueError:
            shape = np.shape(mask)
            raise SpecError(f"the mask {name!r} of shape {shape} does not fit {size} words", key="masks") from None
    return masks
