"""What the adapters share: who may attend to whom, for libraries that only take a mask."""

from typing import Any

import numpy as np


def allowed(
    n_q: int,
    n_k: int,
    *,
    is_causal: bool = False,
    window: Any = None,
    offset: Any = 0,
    mask: Any = True,
) -> Any:
    """Return a mask of (batch, heads, n_q, n_k), each 1 if all are alike; or None if all is allowed."""
    if mask is True and window is None and not is_causal:
        return None
    distance = np.arange(n_k) - np.arange(n_q)[:, None] - np.reshape(offset, (-1, 1, 1, 1))
    left, right = window or (None, None)
    right = 0 if is_causal else right
    seen = mask & np.ones(distance.shape, bool)
    if left is not None:
        seen = seen & (distance >= -left)
    return seen if right is None else seen & (distance <= right)


def to_bias(seen: Any, bias: Any, hidden: float = -np.inf) -> Any:
    """Return what is added to the scores, or None."""
    if seen is None:
        return bias
    return np.where(seen, 0 if bias is None else bias, hidden)
