"""The parts of the scores that fit into fast memory: one head, one tile.

A tile is where some queries (rows) meet some keys (columns). These functions
say which there are, and which parts of the arguments fall on one; they hold
no state. `tiled_attention` and `tiled_attention_vjp` work tile by tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from attention import _inputs
from attention.arguments import _Given


def _output_shape(given: _Given) -> tuple[int, ...]:
    """Shape of the output, (..., n_q, d_v), before split heads are joined."""
    leading = (x.shape[:-2] for x in (given.query, given.key, given.value))
    n_q, d_v = given.query.shape[-2], given.value.shape[-1]
    return (*_inputs.broadcast(*leading), n_q, d_v)


def _heads(given: _Given) -> Iterator[tuple[int, ...]]:
    """Count through the heads of the keys, in all sequences."""
    n_core = 2 if given.n_groups == 1 else 3
    return np.ndindex(_output_shape(given)[:-n_core])


def _head_at(given: _Given, at: tuple[int, ...]) -> _Given:
    """Pick one head of keys, with the group of query heads that share it.

    No index picks them all.
    """
    if not at:
        return given

    def pick(array: Any) -> Any:
        return None if array is None else _matrix_at(array, at, given.n_groups)

    names = ("query", "key", "value", "mask", "bias", "sink")
    reach = given.reach and given.reach._replace(offset=pick(given.reach[2]))
    picked = {name: pick(getattr(given, name)) for name in names}
    return given._replace(**picked, reach=reach)


def _matrix_at(
    array: NDArray[Any], at: tuple[int, ...], n_groups: int
) -> NDArray[Any]:
    """View what an array holds for one head; axes of size 1 serve them all."""
    n_core = 2 if n_groups == 1 else 3
    leading = array.shape[: max(0, len(array.shape) - n_core)]
    pairs = zip(at[len(at) - len(leading) :], leading, strict=True)
    part: NDArray[Any] = array[tuple(i if n > 1 else 0 for i, n in pairs)]
    return part


def _run(task: Callable[[Any], None], over: list[Any], n_threads: int) -> None:
    """Do a task over a list, several at a time."""
    if n_threads == 1 or len(over) == 1:
        for one in over:
            task(one)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(task, over))  # raises what a thread raised


def _slices(start: int, stop: int, size: int) -> Iterator[slice]:
    """Cut a range into blocks."""
    for first in range(start, stop, size):
        yield slice(first, min(first + size, stop))


def _part(array: NDArray[Any], rows: slice, columns: slice) -> NDArray[Any]:
    """View the part of a mask or bias that falls on a tile."""
    if array.shape[-2] > 1:
        array = array[..., rows, :]
    return array[..., columns] if array.shape[-1] > 1 else array


def _rows_of_a_tile(given: _Given, query_block: int) -> int:
    """Count the queries of each head of a group, which share a tile."""
    if given.reach is not None:
        left, right, _ = given.reach
        if left is not None and right is not None:
            # of a block much taller than the window each row sees only a part
            query_block = min(query_block, max(64, left + 1 + right))
    return max(1, query_block // given.n_groups)


def _keys_in_reach(head: _Given, rows: slice) -> tuple[int, int]:
    """Find the first key that these queries reach, and the end of the last."""
    n_k = head.key.shape[-2]
    if head.reach is None:
        return 0, n_k
    left, right, offset = head.reach
    first, last = rows.start + offset.min(), rows.stop - 1 + offset.max()
    start = 0 if left is None else max(0, int(first) - left)
    stop = n_k if right is None else min(n_k, int(last) + right + 1)
    return start, stop


def _may_attend(
    head: _Given, rows: slice, columns: slice
) -> NDArray[np.bool_] | None:
    """Tell which pairs of a tile may meet; None if all may."""
    allowed = None if head.mask is None else _part(head.mask, rows, columns)
    if head.reach is not None:
        left, right, offset = head.reach
        first = columns.start - (rows.stop - 1 + offset[..., 0])
        n_rows, n_keys = rows.stop - rows.start, columns.stop - columns.start
        distances = np.arange(n_rows + n_keys - 1) + first
        near = np.ones(distances.shape, bool)
        if left is not None:
            near &= distances >= -left
        if right is not None:
            near &= distances <= right
        if not near.all():
            # the same for every row, one key further on than in the last one
            band = sliding_window_view(near, n_keys, axis=-1)[..., ::-1, :]
            allowed = band if allowed is None else allowed & band
    return allowed
