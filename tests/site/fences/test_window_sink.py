"""The window and its sink: what the script draws against the package and exact fractions, and what is refused."""

import numpy as np

from attention import attention_weights, sliding_window_mask
from tests.site.fences.reading import Figure

WINDOW = Figure.sound("window-sink")


@WINDOW.on_500_states
def test_500_states_are_the_packages(rng):
    n = int(rng.integers(1, 7))
    q, k, v = rng.standard_normal((3, n, 3))
    left, right, keep = rng.integers(0, n, 3).tolist()
    sink = int(rng.integers(0, 8))
    mask = sliding_window_mask(n, left=left, right=right)
    mask |= sliding_window_mask(n, left=None) & (np.arange(n) < keep)
    weights = attention_weights(q, k, mask=mask, sink=(sink - 1) * np.log(2) if sink else None)
    state = {"left": left, "right": right, "keep": keep, "sink": sink, "row": 0}
    expected = {"mask": mask, "weights": weights, "outputs": weights @ v}
    return {"words": list("abcdef"[:n]), "q": q, "k": k, "v": v}, state, expected
