"""The KV cache: keys and values of the tokens seen so far, for generating text one step at a time."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _checks


class KVCache:
    r"""Keep keys and values, so that a new token computes only its own.

    The token axis is -2. The first append fixes the other axes and the dtype. Space is allocated ahead and doubled when
    it runs out, so an append copies the new tokens and, seldom, the old ones: $O(\text{new tokens})$ on average.

    Parameters
    ----------
    max_tokens : int, optional
        The most tokens the cache may hold; no limit if omitted.
    window : int, optional
        Keep the last tokens only. `n_seen` still counts all, for positions. To append m tokens at once whose queries
        look back by `left`, the window must be at least left + m; the offset of their mask is n_k - n_q.

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

    A window of two forgets the oldest:

    >>> import numpy as np
    >>> from attention import KVCache
    >>> cache = KVCache(window=2)
    >>> for token in (1.0, 2.0, 3.0):
    ...     keys, values = cache.append([[token]], [[10 * token]])
    >>> values
    array([[20.],
           [30.]])
    >>> len(cache), cache.n_seen
    (2, 3)
    """

    def __init__(self, max_tokens: int | None = None, *, window: int | None = None) -> None:
        self._max_tokens = None if max_tokens is None else _checks.count("max_tokens", max_tokens, minimum=1)
        self._window = None if window is None else _checks.count("window", window, minimum=1)
        self._buffers: list[NDArray[Any]] = []  # keys and values, each (..., capacity, d)
        self._start = self._stop = 0  # what is kept, in the buffers
        self._n_seen = 0

    def __len__(self) -> int:
        """Return how many tokens are kept."""
        return self._stop - self._start

    @property
    def n_seen(self) -> int:
        """How many tokens were appended in all, those that a window has forgotten included."""
        return self._n_seen

    @property
    def nbytes(self) -> int:
        """Bytes of the tokens that are kept; space allocated ahead is not counted."""
        return sum(view.nbytes for view in self._views())

    def append(self, key: ArrayLike, value: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Add tokens at the end; return all keys and all values kept.

        Parameters
        ----------
        key : array_like of shape (..., n_new, d_k)
            The keys of the new tokens.
        value : array_like of shape (..., n_new, d_v)
            Their values.

        Returns
        -------
        keys, values : ndarray of shape (..., len, d_k) and (..., len, d_v)
            Read-only views, valid until the next append or truncate.

        Raises
        ------
        TypeError
            If an array does not hold real numbers.
        ValueError
            If shapes or dtypes differ from those of the first append, key and value differ in their tokens, or the
            cache would hold more than max_tokens. The cache is then unchanged.
        """
        new = [_checks.real_array("key", key), _checks.real_array("value", value)]
        new = [array if array.dtype.kind == "f" else array.astype(float) for array in new]
        self._check(*new)
        n_new = new[0].shape[-2]
        if self._max_tokens is not None and min(len(self) + n_new, self._window or np.inf) > self._max_tokens:
            raise ValueError(f"the cache holds max_tokens {self._max_tokens}: {len(self)} kept, {n_new} new")
        self._make_room(new, n_new)
        for buffer, array in zip(self._buffers, new, strict=True):
            buffer[..., self._stop : self._stop + n_new, :] = array
        self._stop += n_new
        self._n_seen += n_new
        if self._window is not None:
            self._start = max(self._start, self._stop - self._window)
        keys, values = self._views()
        return keys, values

    def truncate(self, n: int) -> None:
        """Forget all but the first `n` tokens, as when a guess is taken back.

        Parameters
        ----------
        n : int
            How many of the tokens seen so far remain; `n_seen` afterwards.

        Raises
        ------
        TypeError
            If n is not an integer.
        ValueError
            If n is above `n_seen`, or below what a window kept.
        """
        n = _checks.count("n", n)
        forgotten = self._n_seen - len(self)
        if n > self._n_seen:
            raise ValueError(f"n must be at most n_seen: n {n}, n_seen {self._n_seen}")
        if n < forgotten:
            raise ValueError(f"n must be at least {forgotten}, the tokens that the window has forgotten: n {n}")
        self._stop -= self._n_seen - n
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

    def _make_room(self, new: list[NDArray[Any]], n_new: int) -> None:
        """Move what is kept to buffers twice as large, if the new tokens do not fit."""
        if self._buffers and self._stop + n_new <= self._buffers[0].shape[-2]:
            return
        kept = self._views() if self._buffers else [array[..., :0, :] for array in new]
        capacity = max(2 * len(self), len(self) + n_new, 16)
        self._buffers = [np.empty((*a.shape[:-2], capacity, a.shape[-1]), a.dtype) for a in new]
        for buffer, array in zip(self._buffers, kept, strict=True):
            buffer[..., : array.shape[-2], :] = array
        self._start, self._stop = 0, kept[0].shape[-2]

    def _views(self) -> list[NDArray[Any]]:
        views = [buffer[..., self._start : self._stop, :] for buffer in self._buffers]
        for view in views:
            view.flags.writeable = False
        return views


def _without_tokens(array: NDArray[Any]) -> tuple[int, ...]:
    return (*array.shape[:-2], array.shape[-1])
