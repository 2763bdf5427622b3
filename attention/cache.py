"""The KV cache: keys and values of earlier tokens, for the next steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs


class KVCache:
    r"""Keep keys and values, so that a new token computes only its own.

    The token axis is -2. The first append fixes the other axes and the dtype.
    With three axes or more, axis 0 is the batch: its sequences may differ in
    length. Space is allocated ahead and doubled when it runs out, so an append
    copies the new tokens and, rarely, the old ones: $O(\text{new tokens})$ on
    average.

    Parameters
    ----------
    window : int, optional
        Keep the last tokens only: a query sees itself and the `window` - 1
        tokens before it. The space is bounded by a few windows and the largest
        append.

    Attributes
    ----------
    n_seen : ndarray of int, shape (batch,), or () without a batch
        How many tokens were appended, forgotten ones included: the position of
        the next one.
    offset : ndarray of int, shape of n_seen
        The `offset=` of the last append: the position of its first query among
        the keys that it returned.

    References
    ----------
    [Shazeer 2019](../reference/sources.md#shazeer2019), §2.4, decoding.

    Examples
    --------
    A window of two forgets the oldest. When several tokens come together, each
    finds what it may see: 3 may look at 2.

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
    >>> print(len(cache), cache.n_seen, cache.offset)
    2 4 1

    Two sequences, and the first is a token shorter: its 0 is padding. Once
    that is forgotten, each sequence grows after its own last token. The query
    of the first is now at position 1, and a causal mask hides the 0 behind it:

    >>> cache, tokens = KVCache(), np.array([[[1.0], [0.0]], [[5.0], [6.0]]])
    >>> keys, values = cache.append(tokens, tokens)
    >>> cache.truncate([1, 2])
    >>> new = np.array([[[2.0]], [[7.0]]])
    >>> keys, values = cache.append(new, new)
    >>> keys[..., 0]
    array([[1., 2., 0.],
           [5., 6., 7.]])
    >>> cache.n_seen, cache.offset
    (array([2, 3]), array([1, 2]))
    """

    def __init__(self, *, window: int | None = None) -> None:
        if window is not None:
            window = _inputs.integer("window", window, 1)
        self.window = window
        self.n_seen = self.offset = np.zeros((), np.int64)
        # keys and values, (..., capacity, d); which token is in row 0, and
        # which is the oldest that is still needed
        self._buffers: list[NDArray[Any]] = []
        self._first = self._oldest = self.n_seen

    def __repr__(self) -> str:
        return f"KVCache(window={self.window}, n_seen={self.n_seen.tolist()})"

    def __len__(self) -> int:
        """Return how many tokens are kept, of the longest sequence."""
        return int(self._n_kept().max(initial=0))

    @property
    def nbytes(self) -> int:
        """Bytes of the tokens that are kept, without space allocated ahead."""
        each = np.ndenumerate(self._n_kept())
        kept = [a[b][..., :n, :] for b, n in each for a in self._buffers]
        return sum(array.nbytes for array in kept)

    def append(
        self, key: ArrayLike, value: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Add new tokens, and return the keys and values they may look at.

        Without a window these are all. With one they are the new tokens and
        the `window` - 1 before them. Attend with `is_causal=True,
        offset=cache.offset`, and `window=(cache.window - 1, 0)` if there is a
        window. A single query needs none of these, unless the sequences differ
        in length: the views reach as far as the longest needs, and hold
        padding after the others. Raises [an error](index.md#errors) if key and
        value differ in an axis other than the last, or from the first append
        in axes or dtype; the cache is then unchanged.

        Parameters
        ----------
        key : array_like of shape (..., n_new, d_k)
            The keys of the new tokens.
        value : array_like of shape (..., n_new, d_v)
            Their values.

        Returns
        -------
        keys, values : ndarray of shape (..., n_k, d_k) and (..., n_k, d_v)
            Read-only views, valid until the next append or truncate. After an
            append of no tokens, what is kept.
        """
        new = _inputs.floating("key", key), _inputs.floating("value", value)
        self._check(*new)
        n_new, window = new[0].shape[-2], self.window
        if not self._buffers:
            self.n_seen = np.zeros(new[0].shape[:-2][:1], np.int64)
            self._first = self._oldest = self.n_seen
            self._buffers = [array[..., :0, :] for array in new]
        if window is not None:  # all of the new ones may be taken back
            needed = self.n_seen + n_new - max(n_new, window) - window
            self._oldest = np.maximum(self._oldest, needed)
        self._make_room(n_new)
        rows = self.n_seen - self._first  # where each sequence goes on
        for buffer, array in zip(self._buffers, new, strict=True):
            for b, row in np.ndenumerate(rows):
                buffer[b][..., row : row + n_new, :] = array[b]
        start, stop = 0, int(rows.max(initial=0)) + n_new
        if window is not None:  # a new token sees window - 1 before it
            first = int(rows.min(initial=stop)) + min(n_new, 1) - window
            start = max(0, first)
        self.n_seen, self.offset = self.n_seen + n_new, rows - start
        keys, values = (buffer[..., start:stop, :] for buffer in self._buffers)
        keys.flags.writeable = values.flags.writeable = False
        return keys, values

    def truncate(self, n: ArrayLike) -> None:
        """Keep the first `n` tokens, and forget those after them.

        They may be guesses that were wrong, or the padding after a prompt.
        Tokens that the window had pushed out meanwhile are kept again, so the
        next token finds its whole window. Any part of the last append can be
        taken back; in any case the cache can return to `window` tokens before
        the furthest point it has reached. Raises [an error](index.md#errors)
        if n is above `n_seen`, or so small that the next token would miss a
        part of its window; the cache is then unchanged.

        Parameters
        ----------
        n : int or array_like of int, shape (batch,)
            How many of the tokens seen so far remain, in all sequences or in
            each: `n_seen` afterwards.
        """
        given = _inputs.integers("n", n, n_axes=1)
        if given.shape not in ((), self.n_seen.shape):
            rule = "n must be one number, or one per sequence"
            _inputs.refuse(rule, n=given, n_seen=self.n_seen)
        remaining = given + 0 * self.n_seen
        window = self.window or 0
        least = np.where(self._oldest > 0, self._oldest + window - 1, 0)
        if ((remaining < least) | (remaining > self.n_seen)).any():
            rule = f"n must be at least {least}, as older tokens are forgotten"
            rule += f", and at most n_seen {self.n_seen}"
            _inputs.refuse(rule, n=given.tolist())
        self.n_seen = remaining

    def _check(self, key: NDArray[Any], value: NDArray[Any]) -> None:
        if min(key.ndim, value.ndim) < 2 or key.shape[:-1] != value.shape[:-1]:
            rule = "key and value must share all axes (..., n, d) but the last"
            _inputs.refuse(rule, key=key, value=value)
        both = ("key", key), ("value", value)
        for (name, array), buffer in zip(both, self._buffers, strict=False):
            if _fixed(array) != _fixed(buffer):
                rule = f"{name} ({array.dtype}) must have the axes and the "
                rule += f"dtype ({buffer.dtype}) of the first append"
                kept = buffer[..., : len(self), :]
                _inputs.refuse(rule, **{name: array}, cache=kept)

    def _make_room(self, n_new: int) -> None:
        """Move what is needed to larger buffers if the new ones do not fit."""
        used, needed = self.n_seen - self._first, self.n_seen - self._oldest
        if used.max(initial=0) + n_new <= self._buffers[0].shape[-2]:
            return
        longest = int(needed.max(initial=0))
        capacity = max(2 * longest, longest + n_new, 16)
        old, self._buffers, self._first = self._buffers, [], self._oldest
        for array in old:
            shape = (*array.shape[:-2], capacity, array.shape[-1])
            self._buffers.append(np.zeros(shape, array.dtype))
            for b, n in np.ndenumerate(needed):
                rows = array[b][..., used[b] - n : used[b], :]
                self._buffers[-1][b][..., :n, :] = rows

    def _n_kept(self) -> NDArray[np.int64]:
        n_kept: NDArray[np.int64] = self.n_seen - self._oldest
        return np.minimum(n_kept, self.window or n_kept)


def _fixed(array: NDArray[Any]) -> tuple[Any, ...]:
    """Return what the first append fixes: all axes but -2, and the dtype."""
    return array.shape[:-2], array.shape[-1], array.dtype
