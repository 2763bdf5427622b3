"""The explorer of sinusoidal encodings: two positions, a hand for every pair of columns, and their dot product.

```pe-explorer
caption: Two positions, each read from the hands of a clock
positions: [1, 4]   # from 0 to 31
d_model: 4          # 4, 8 or 16
```

A hand is a pair of columns: its sine says how far to the right the tip is, its cosine how far up.
"""

from collections.abc import Mapping
from typing import Any

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value

REQUIRED = ("caption", "positions", "d_model")
OPTIONAL = ()
LAST = 31
SIZES = (4, 8, 16)


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    positions, d_model = value(spec, "positions"), spec["d_model"]
    if not isinstance(positions, list) or len(positions) != 2 or not all(p in range(LAST + 1) for p in positions):
        raise SpecError(f"positions are two whole numbers from 0 to {LAST}: {positions!r}", key="positions")
    if d_model not in SIZES:
        raise SpecError(f"d_model must be one of {', '.join(map(str, SIZES))}: {d_model!r}", key="d_model")
    return {"positions": positions, "d_model": d_model, "sizes": SIZES, "last": LAST}
