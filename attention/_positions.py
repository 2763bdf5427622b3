"""Where tokens stand, and which keys a query reaches from there: is_causal, window and offset in one."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks

Positions = NDArray[np.int64]
Window = tuple[int | None, int | None]
NO_LIMIT = "; None means no limit"
_FAR = (
    2**60
)  # no key stands there, and sums of a few such numbers stay integers of 64 bits

_ORIGIN = np.zeros((), np.int64)


class Reach(NamedTuple):
    """Key j stands at j, query i at i + offset, and reaches `left` keys before its position and `right` after it."""

    left: int | None
    right: int | None
    offset: Positions  # broadcasts to (..., n_q), the scores without the axis of the keys

    @property
    def width(self) -> int | None:
        """How many keys a query reaches; None: no limit."""
        return (
            None
            if self.left is None or self.right is None
            else self.left + 1 + self.right
        )

    def positions(self, rows: slice) -> Positions:
        """Where the queries of some rows stand, shape (..., rows)."""
        standing: Positions = np.arange(rows.start, rows.stop) + self.offset
        return standing

    def keys(self, positions: Positions, n_keys: int) -> slice:
        """Find the keys that some of these queries reach; no other needs to be looked at."""
        first = (
            0
            if self.left is None
            else min(max(int(positions.min()) - self.left, 0), n_keys)
        )
        stop = (
            n_keys
            if self.right is None
            else min(max(int(positions.max()) + self.right + 1, first), n_keys)
        )
        return slice(first, stop)

    def forbid(
        self, scores: NDArray[Any], positions: Positions, first: int = 0
    ) -> None:
        """Write -inf where a query does not reach a key; the columns of the scores are the keys from `first` on."""
        own, n_keys = positions[..., None], scores.shape[-1]
        order: Any = (
            "F" if scores.strides[-1] > scores.strides[-2] else "C"
        )  # as the scores lie in memory
        if self.left is not None:
            stop = min(
                max(int(positions.max()) - self.left - first, 0), n_keys
            )  # from here on, all see enough
            early = np.less(
                np.arange(first, first + stop), own - self.left, order=order
            )
            np.copyto(scores[..., :stop], -np.inf, where=early)
        if self.right is not None:
            start = min(
                max(int(positions.min()) + self.right + 1 - first, 0), n_keys
            )  # before it, too
            late = np.greater(
                np.arange(first + start, first + n_keys),
                own + self.right,
                order=order,
            )
            np.copyto(scores[..., start:], -np.inf, where=late)


def reach(
    is_causal: bool,
    window: Window | None,
    offset: ArrayLike | None,
    scores_shape: tuple[int, ...],
) -> Reach | None:
    """Read the three options; None where every query reaches every key."""
    if is_causal is False and window is None and offset is None:
        return None
    left, right = (None, None) if window is None else _sides(window)
    if _checks.flag("is_causal", is_causal):
        right = 0
    limited = left is not None or right is not None
    if offset is None and limited:
        _checks.square_without_offset(
            "is_causal" if is_causal else "window", scores_shape
        )
    standing = _ORIGIN if offset is None else offsets("offset", offset)
    if standing.ndim and (
        len(scores_shape) < 3 or standing.shape != scores_shape[:1]
    ):
        raise ValueError(
            "offset must be an integer, or one for each sequence, the first axis of scores with three axes or more: "
            f"offset {standing.shape}, scores {scores_shape}"
        )
    if not limited:
        return None
    return Reach(
        left, right, standing.reshape(-1, *(1,) * (len(scores_shape) - 2))
    )


def distances(
    n_queries: int, n_keys: int | None, offset: ArrayLike
) -> Positions:
    """Key position minus (query position + offset); n_keys=None: n_queries.

    The shape is (n_queries, n_keys), or (batch, 1, n_queries, n_keys) with an
    offset for each sequence.
    """
    rows = _checks.size("n_queries", n_queries)
    columns = rows if n_keys is None else _checks.size("n_keys", n_keys)
    first = offsets("offset", offset)
    positions = (
        np.arange(rows) + first.reshape(-1, 1, 1)
        if first.ndim
        else np.arange(rows) + first
    )
    return np.arange(columns) - positions[..., None]


def offsets(name: str, value: ArrayLike) -> Positions:
    """Read one integer, or one for each sequence, shape (batch,)."""
    if not (
        hasattr(value, "__array__") or isinstance(value, list | tuple | range)
    ):
        value = np.asarray(_checks.integer(name, value), np.int64)  # type: ignore[arg-type]
    array = _arrays.int64_array(name, value)
    if array.ndim > 1:
        raise ValueError(
            f"{name} must be an integer or have shape (batch,): {name} {array.shape}"
        )
    least, most = array.min(initial=0), array.max(initial=0)
    if not -_FAR <= least <= most <= _FAR:
        raise ValueError(
            f"{name} must be from -2**60 to 2**60: {least} to {most}"
        )
    return array


def _sides(window: Window) -> Window:
    if not isinstance(window, tuple | list) or len(window) != 2:
        raise TypeError(
            f"window must be a pair (left, right) of keys before and after a query's own: {_checks.shown(window)}"
        )
    left, right = (
        None
        if side is None
        else min(_checks.count(f"window[{i}]", side, hint=NO_LIMIT), 2 * _FAR)
        for i, side in enumerate(window)
    )
    return left, right
