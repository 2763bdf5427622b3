"""What SciPy's softmax, log_softmax and logsumexp give along one axis, several, and all."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, draw

AXES = (-1, 0, (0, 1), (-1, 0), (2, 1), (0, 1, 2))
FUNCTIONS = ("softmax", "log_softmax", "logsumexp")


def along(name: str, axis: Any) -> tuple[dict[str, Any], Any]:
    """Run a function along an axis, or several."""
    import scipy.special

    x = 4 * draw(np.random.default_rng(0), 2, 3, 4)
    return {"x": x, "axis": axis}, getattr(scipy.special, name)(x, axis=axis)


RECORDER = Recorder(
    "softmax",
    ("scipy", "numpy"),
    {(name, f"axis {axis}"): partial(along, name, axis) for name, axis in product(FUNCTIONS, AXES)},
)
