"""The rotation dial: a query and a key, each turned by its position, pair by pair, and their dot product.

```rotation-dial
caption: A query and a key, each turned by its position
positions: [2, 1]     # of the query and of the key, from 0 to 12
turns: [90, 15]       # degrees a word, one a pair: steps of 15 from 15 to 180
query: [1, 0, 1, 0]   # two features a pair, neighbours
key: [1, 0, 1, 0]
```

Angles run from the first feature of a pair to its second, anticlockwise.
"""

import numpy as np
from numpy.typing import NDArray

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value
from docs_ext.reading.keys import Data, Spec

REQUIRED = ("caption", "positions", "turns", "query", "key")
OPTIONAL = ()
LAST, STEP = 12, 15  # position, degrees


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    positions, turns = value(spec, "positions"), value(spec, "turns")
    if not isinstance(positions, list) or len(positions) != 2 or not all(p in range(LAST + 1) for p in positions):
        raise SpecError(f"positions are two whole numbers from 0 to {LAST}: {positions!r}", key="positions")
    if not isinstance(turns, list) or not turns or not all(turn in range(STEP, 181, STEP) for turn in turns):
        raise SpecError(f"turns are degrees, {STEP} to 180 in steps of {STEP}: {turns!r}", key="turns")
    query, key = (_pairs(spec, name, len(turns)) for name in ("query", "key"))
    ends = {"last": LAST, "step": STEP, "reach": [1, 180 // STEP]}
    return {"positions": positions, "turns": turns, "query": query, "key": key} | ends


def _pairs(spec: Spec, key: str, n_pairs: int) -> NDArray[np.float64]:
    given = np.asarray(value(spec, key), float)
    if given.shape != (2 * n_pairs,) or not given.any():
        raise SpecError(f"{key} must hold {2 * n_pairs} numbers, two a pair: shape {given.shape}", key=key)
    return given.reshape(-1, 2)
