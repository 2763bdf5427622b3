"""The KV cache: keys and values of the tokens seen so far, for generating text one step at a time."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks


class KVCache:
    r"""Keep keys and values, so that a new token computes only its own.

    The token axis is -2. The first append fixes the other axes and the dtype. Space is allocated ahead and doubled when
    it runs out, so an append copies the new tokens and, seldom, the old ones: $O(\text{new tokens})$ on average.

    Parameters
    ----------
    max_tokens : int, optional
        The most tokens the cache may hold; no limit if omitted.
    window : int, optional
        Keep the last tokens only: a query sees itself and `window` - 1 tokens before. `n_seen` still counts all, for
        positions. Space is bounded by a few windows, whatever was seen.

    Raises
    ------
    TypeError
        If max_tokens or window is not an integer.
    ValueError
        If max_tokens or window is less than 1.

    References
    ----------
    [Shazeer 2019](../reference/sources.md#shazeer2019), §2.4, incremental decoding.

    Examples
    --------
    Two tokens, then one more. The views that come back hold all three:

    >>> import numpy as np
    >>> from attention import KVCache
    >>> cache = KVCache()
    >>> keys, values = cache.append(np.ones((2, 4)), np.ones((2, 6)))
    >>> keys, values = cache.append(np.zeros((1, 4)), np.zeros((1, 6)))
    >>> keys.shape, values.shape, len(cache)
    ((3, 4), (3, 6), 3)

    A window of two forgets the oldest. Of tokens that come together each finds what it may see: 3 may look at 2.

    >>> import numpy as np
    >>> from attention import KVCache
    >>> cache = KVCache(window=2)
    >>> for token in (1.0, 2.0):
    ...     keys, values = cache.append([[token]], [[10 * token]])
    >>> keys, values = cache.append([[3.0], [4.0]], [[30.0], [40.0]])
    >>> values
    array([[20.],
           [30.],
           [40.]])
    >>> len(cache), cache.n_seen
    (2, 4)
    """

    def __init__(self, max_tokens: int | None = None, *, window: int | None = None) -> None:
        self._max_tokens = None if max_tokens is None else _checks.count("max_tokens", max_tokens, minimum=1)
        self._window = None if window is None else _checks.count("window", window, minimum=1)
        self._buffers: list[NDArray[Any]] = []  # keys and values, each (..., capacity, d)
        self._n_seen = 0
        self._oldest = 0  # number of the oldest token that is still there; more than the window, for truncate
        self._first_row = 0  # number of the token in the first row of the buffers

    def __len__(self) -> int:
        """Return how many tokens are kept."""
        return self._n_seen - self._start(self._window)

    @property
    def n_seen(self) -> int:
        """How many tokens were appended in all, those that a window has forgotten included."""
        return self._n_seen

    @property
    def nbytes(self) -> int:
        """Bytes of the tokens that are kept; space allocated ahead is not counted."""
        return sum(view.nbytes for view in self._views(self._start(self._window)))

    def append(self, key: ArrayLike, value: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Add tokens at the end; return the keys and values that the new tokens may look at.

        Without a window these are all. With one they are the new tokens and `window` - 1 before them, so that each new
        query finds its whole window; the last `window` tokens are kept for the next append. The mask of the step is
        `sliding_window_mask(n_q, n_k, left=window - 1, offset=n_k - n_q)`; a single query needs none.

        Parameters
        ----------
        key : array_like of shape (..., n_new, d_k)
            The keys of the new tokens.
        value : array_like of shape (..., n_new, d_v)
            Their values.

        Returns
        -------
        keys, values : ndarray of shape (..., n_k, d_k) and (..., n_k, d_v)
            Read-only views, valid until the next append or truncate. After an append of no tokens, what is kept.

        Raises
        ------
        TypeError
            If an array does not hold real numbers.
        ValueError
            If shapes or dtypes differ from those of the first append, key and value differ in their tokens or in their
            leading axes, or more than max_tokens would be kept. The cache is then unchanged.
        """
        new = [_arrays.float_array("key", key), _arrays.float_array("value", value)]
        self._check(*new)
        n_new = new[0].shape[-2]
        if self._max_tokens is not None and min(len(self) + n_new, self._window or np.inf) > self._max_tokens:
            raise ValueError(f"the cache holds max_tokens {self._max_tokens}: {len(self)} kept, {n_new} new")
        self._make_room(new, n_new)
        row = self._n_seen - self._first_row
        for buffer, array in zip(self._buffers, new, strict=True):
            buffer[..., row : row + n_new, :] = array
        self._n_seen += n_new
        if self._window is None:
            keys, values = self._views(0)
        else:
            keys, values = self._views(self._start(self._window - 1 + max(n_new, 1)))
            self._oldest = max(self._oldest, self._n_seen - 2 * self._window)
        return keys, values

    def truncate(self, n: int) -> None:
        """Forget all but the first `n` tokens, as when a guess is taken back.

        What a window had pushed out meanwhile is kept again: the next append finds the window that it would have found
        without the guess.

        Parameters
        ----------
        n : int
            How many of the tokens seen so far remain; `n_seen` afterwards.

        Raises
        ------
        TypeError
            If n is not an integer.
        ValueError
            If n is above `n_seen`, below what a window kept, or, after other tokens were taken back, so small that the
            next token would miss a part of its window. The cache is then unchanged.
        """
        n = _checks.count("n", n)
        least = self._start(self._window)
        if self._window is not None and self._oldest > 0:
            least = max(least, self._oldest + self._window - 1)
        if n > self._n_seen:
            raise ValueError(f"n must be at most n_seen: n {n}, n_seen {self._n_seen}")
        if n < least:
            raise ValueError(f"n must be at least {least}, since the window has forgotten older tokens: n {n}")
        self._n_seen = n

    def _check(self, key: NDArray[Any], value: NDArray[Any]) -> None:
        _checks.has_axes("(..., n, d)", 2, key=key, value=value)
        _checks.same_size("their tokens (axis -2)", (-2, -2), key=key, value=value)
        for name, array, buffer in zip(("key", "value"), (key, value), self._buffers, strict=False):
            if _without_tokens(array) != _without_tokens(buffer):
                raise ValueError(
                    f"{name} must have the axes of the first append, save the tokens (axis -2): "
                    f"{name} {array.shape}, cache {(*buffer.shape[:-2], len(self), buffer.shape[-1])}"
                )
            if array.dtype != buffer.dtype:
                raise ValueError(
                    f"{name} must have the dtype of the first append: {name} {array.dtype}, cache {buffer.dtype}"
                )
        if key.shape[:-2] != value.shape[:-2]:
            raise ValueError(f"key and value must share their leading axes: key {key.shape}, value {value.shape}")

    def _make_room(self, new: list[NDArray[Any]], n_new: int) -> None:
        """Move what is still there to buffers twice as large, if the new tokens do not fit."""
        used = self._n_seen - self._first_row
        if self._buffers and used + n_new <= self._buffers[0].shape[-2]:
            return
        moved = self._n_seen - self._oldest
        capacity = max(2 * moved, moved + n_new, 16)
        buffers = [np.empty((*a.shape[:-2], capacity, a.shape[-1]), a.dtype) for a in new]
        for buffer, old in zip(buffers, self._buffers, strict=False):  # at first there are none
            buffer[..., :moved, :] = old[..., used - moved : used, :]
        self._buffers, self._first_row = buffers, self._oldest

    def _start(self, n: int | None) -> int:
        """Return the number of the first of the last n tokens, as far as they are still there; None: all."""
        return self._oldest if n is None else max(self._oldest, self._n_seen - n)

    def _views(self, start: int) -> list[NDArray[Any]]:
        rows = slice(start - self._first_row, self._n_seen - self._first_row)
        views = [buffer[..., rows, :] for buffer in self._buffers]
        for view in views:
            view.flags.writeable = False
        return views


def _without_tokens(array: NDArray[Any]) -> tuple[int, ...]:
    return (*array.shape[:-2], array.shape[-1])
