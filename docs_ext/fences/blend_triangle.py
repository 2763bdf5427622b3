"""The blend triangle: three weights move one point among three values.

    ```blend-triangle
    caption: Three weights move one point
    names: [cats, dogs, both]
    values: [[8, 0], [0, 8], [8, 8]]
    axes: [pages on cats, pages on dogs]
    shares: [2, 4, 10]   # whole numbers, 0 to 16; a weight is a share of all
    ```

The point is the blend of the three corners, as the output is the blend of the three values.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array, value
from docs_ext.reading.words import words_of

REQUIRED = ("caption", "names", "values", "axes", "shares")
OPTIONAL = ()
MOST = 16  # a share; dragging moves the point in sixteenths


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    names, axes = words_of(spec, "names"), words_of(spec, "axes")
    for key, words, n in (("names", names, 3), ("axes", axes, 2)):
        if len(words) != n:
            raise SpecError(f"{key} must hold {n} words: {len(words)}", key=key)
    values = array(spec, "values")
    if values.shape != (3, 2):
        raise SpecError(f"values must be three points of a plane: shape {values.shape}", key="values")
    if np.linalg.matrix_rank(values[1:] - values[0]) < 2:
        raise SpecError(f"values must form a triangle, not lie on a line: {values.tolist()}", key="values")
    shares = np.asarray(value(spec, "shares"))
    if shares.shape != (3,) or not np.isin(shares, np.arange(MOST + 1)).all() or not shares.any():
        what = f"three whole numbers from 0 to {MOST}, not all 0"
        raise SpecError(f"shares must be {what}: {spec['shares']}", key="shares")
    return {"names": names, "axes": axes, "values": values, "shares": shares, "most": MOST}
