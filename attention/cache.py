"""The KV cache: keys and values of the tokens seen so far, for generating text one step at a time."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _arrays, _checks, _positions

Counts: TypeAlias = (
    int | NDArray[np.int64]
)  # one number for all sequences, or one for each: (batch,)


class KVCache:
    r"""Keep keys and values, so that a new token computes only its own.

    The token axis is -2. The first append fixes the other axes and the dtype.
    Space is allocated ahead and doubled when it runs out, so an append copies
    the new tokens and, seldom, the old ones: $O(\text{new tokens})$ on
    average.

    Parameters
    ----------
    max_tokens : int, optional
        The most tokens that a sequence may keep; no limit if omitted.
    window : int, optional
        Keep the last tokens only: a query sees itself and `window` - 1 tokens
        before. `n_seen` still counts all, for positions. Space is bounded by a
        few windows, and the largest append, whatever was seen.

    Raises
    ------
    TypeError
        If max_tokens or window is not an integer.
    ValueError
        If max_tokens or window is less than 1.

    References
    ----------
    [Shazeer 2019](../reference/sources.md#shazeer2019), §2.4, incremental
    decoding.

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

    A window of two forgets the oldest. Of tokens that come together each finds
    what it may see: 3 may look at 2.

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
    >>> len(cache), cache.n_seen, cache.offset
    (2, 4, 1)

    Two sequences, and the first is a token shorter: its 0 is padding. Once
    that is forgotten, each goes on behind its own last token. The first query
    stands at 1, so the 6 that lies behind it is none of its business:

    >>> import numpy as np
    >>> from attention import KVCache
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

    def __init__(
        self, max_tokens: int | None = None, *, window: int | None = None
    ) -> None:
        self._max_tokens = (
            None
            if max_tokens is None
            else _checks.count("max_tokens", max_tokens, minimum=1)
        )
        self._window = (
            None
            if window is None
            else _checks.count("window", window, minimum=1)
        )
        self._buffers: list[
            NDArray[Any]
        ] = []  # keys and values, each (..., capacity, d)
        self._n_seen: Counts = 0
        self._offset: Counts = 0
        self._oldest: Counts = 0  # number of the oldest token that is still there; more than the window, for truncate
        self._first: Counts = (
            0  # number of the token in the first row of the buffers
        )

    def __len__(self) -> int:
        """Return how many tokens are kept, of the longest sequence."""
        return _most(self._kept())

    @property
    def window(self) -> int | None:
        """How many tokens a query may look at, itself included; None: all."""
        return self._window

    @property
    def n_seen(self) -> Counts:
        """How many tokens were appended, those that a window has forgotten included: the position of the next token.

        An int; after `truncate` with a number for each sequence an array of
        shape (batch,).
        """
        return (
            self._n_seen
            if isinstance(self._n_seen, int)
            else self._n_seen.copy()
        )

    @property
    def offset(self) -> Counts:
        """Where the first query of the last append stands among the keys that this append returned.

        It is the `offset=` of that step: an int, n_k - n_q; after `truncate`
        with a number for each sequence an array of shape (batch,).
        """
        return (
            self._offset
            if isinstance(self._offset, int)
            else self._offset.copy()
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the tokens that are kept; space allocated ahead and padding are not counted."""
        return sum(
            buffer[at][..., :n, :].nbytes
            for buffer in self._buffers
            for at, n in _each(self._kept())
        )

    def append(
        self, key: ArrayLike, value: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Add tokens at the end; return the keys and values that the new tokens may look at.

        Without a window these are all. With one they are the new tokens and
        `window` - 1 before them, so that each new query finds its whole
        window; what is older is forgotten. Attend with `offset=cache.offset,
        is_causal=True`, and `window=(cache.window - 1, 0)` if there is one. A
        single query needs none of them, unless the sequences differ in length:
        the views then reach as far as the longest needs, and hold padding
        beyond the others.

        Parameters
        ----------
        key : array_like of shape (..., n_new, d_k)
            The keys of the new tokens.
        value : array_like of shape (..., n_new, d_v)
            Their values.

        Returns
        -------
        keys, values : ndarray of shape (..., n_k, d_k) and (..., n_k, d_v)
            Read-only views, valid until the next append, truncate or select.
            After an append of no tokens, what is kept.

        Raises
        ------
        TypeError
            If an array does not hold real numbers.
        ValueError
            If shapes or dtypes differ from those of the first append, key and
            value differ in their tokens or in their leading axes, or more than
            max_tokens would be kept. The cache is then unchanged.
        """
        new = [
            _arrays.float_array("key", key),
            _arrays.float_array("value", value),
        ]
        self._check(*new)
        n_new, oldest = new[0].shape[-2], self._oldest
        if (
            self._window is not None
        ):  # what the new tokens look at, and what the next ones would without some of them
            oldest = _later(
                oldest,
                self._n_seen + n_new - max(n_new, self._window) - self._window,
            )
        self._make_room(new, oldest)
        rows = self._n_seen - self._first
        for at, row in _each(rows):
            for buffer, array in zip(self._buffers, new, strict=True):
                buffer[at][..., row : row + n_new, :] = array[at]
        self._n_seen = self._n_seen + n_new
        start = 0
        if self._window is not None:
            seen = _later(
                oldest, self._n_seen - max(n_new, 1) - (self._window - 1)
            )
            start = -_most(
                self._first - seen
            )  # of the sequence that looks back furthest
        self._oldest, self._offset = oldest, rows - start
        keys, values = self._views(start, _most(rows) + n_new)
        return keys, values

    def truncate(self, n: int | ArrayLike) -> None:
        """Forget all but the first `n` tokens, as when a guess is taken back, or the padding behind a prompt.

        What a window had pushed out meanwhile is kept again: the next append
        finds the window that it would have found without the guess. Any part
        of the last append can be taken back, and in any case the cache can
        return to `window` tokens before the furthest point that it has
        reached.

        Parameters
        ----------
        n : int or array_like of int, shape (batch,)
            How many of the tokens seen so far remain; `n_seen` afterwards. One
            number for each sequence of axis 0 makes the batch ragged: from
            then on each sequence grows behind its own last token, and `n_seen`
            and `offset` are arrays, even if all sequences are equally long
            again.

        Raises
        ------
        TypeError
            If n is not an integer, nor an array of integers.
        ValueError
            If n is negative, above `n_seen`, or so small that the next token
            would miss a part of its window; if it has not a number for each
            sequence. The cache is then unchanged.
        """
        given = _positions.offsets("n", n)
        if given.ndim and given.shape != self._batch("n"):
            raise ValueError(
                f"n must have a number for each sequence: n {given.shape}, batch {self._batch('n')}"
            )
        n = (given if given.ndim else int(given)) + 0 * self._n_seen
        least = (
            0
            if self._window is None
            else (self._oldest + self._window - 1) * (self._oldest > 0)
        )
        if _most(n > self._n_seen):
            raise ValueError(
                f"n must be at most n_seen: n {given}, n_seen {self._n_seen}"
            )
        if _most(n < least):
            why = (
                ", since the window has forgotten older tokens"
                if _most(least)
                else ""
            )
            raise ValueError(f"n must be at least {least}{why}: n {given}")
        self._n_seen = n
        self._offset, self._oldest, self._first = (
            x + 0 * n for x in (self._offset, self._oldest, self._first)
        )

    def select(self, indices: ArrayLike) -> None:
        """Put other sequences into axis 0: reordered, as in beam search, or repeated, as when many share a prompt.

        Parameters
        ----------
        indices : array_like of int, shape (n_sequences,)
            Which sequence of axis 0 stands at each place afterwards.

        Raises
        ------
        TypeError
            If indices are not integers.
        ValueError
            If indices are not one axis of numbers of sequences, or there is no
            axis for sequences: nothing was appended yet, or arrays of shape
            (n, d). The cache is then unchanged.
        """
        chosen = _arrays.integer_array("indices", indices)
        (batch,) = self._batch("indices")
        if chosen.ndim != 1:
            raise ValueError(
                f"indices must have one axis: indices {chosen.shape}"
            )
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < batch:
            raise ValueError(
                f"indices must be from 0 to {batch - 1}: {chosen.min()} to {chosen.max()}"
            )
        self._buffers = [buffer[chosen] for buffer in self._buffers]
        counts = self._n_seen, self._offset, self._oldest, self._first
        self._n_seen, self._offset, self._oldest, self._first = (
            x if isinstance(x, int) else x[chosen] for x in counts
        )

    def _check(self, key: NDArray[Any], value: NDArray[Any]) -> None:
        _checks.has_axes("(..., n, d)", 2, key=key, value=value)
        _checks.same_size(
            "their tokens (axis -2)", (-2, -2), key=key, value=value
        )
        for name, array, buffer in zip(
            ("key", "value"), (key, value), self._buffers, strict=False
        ):
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
            raise ValueError(
                f"key and value must share their leading axes: key {key.shape}, value {value.shape}"
            )
        n_new = key.shape[-2]
        if (
            self._max_tokens is not None
            and min(len(self) + n_new, self._window or np.inf)
            > self._max_tokens
        ):
            raise ValueError(
                f"the cache holds max_tokens {self._max_tokens}: {len(self)} kept, {n_new} new"
            )

    def _batch(self, name: str) -> tuple[int]:
        """Return the size of axis 0, if it is one of sequences."""
        if not self._buffers:
            raise ValueError(
                f"{name} needs sequences to choose from, and nothing was appended yet"
            )
        shape = self._buffers[0].shape
        if len(shape) < 3:
            raise ValueError(
                f"{name} needs an axis of sequences before (n, d): cache {(len(self), shape[-1])}"
            )
        return shape[:1]

    def _make_room(self, new: list[NDArray[Any]], oldest: Counts) -> None:
        """Move what is still there to buffers twice as large, if the new tokens do not fit."""
        n_new, used = new[0].shape[-2], self._n_seen - self._first
        if self._buffers and _most(used) + n_new <= self._buffers[0].shape[-2]:
            return
        dropped, moved = oldest - self._first, _most(self._n_seen - oldest)
        capacity = max(2 * moved, moved + n_new, 16)
        buffers = [
            np.zeros((*a.shape[:-2], capacity, a.shape[-1]), a.dtype)
            for a in new
        ]
        for buffer, old in zip(
            buffers, self._buffers, strict=False
        ):  # at first there are none
            for (at, start), (_, stop) in zip(
                _each(dropped), _each(used), strict=True
            ):
                buffer[at][..., : stop - start, :] = old[at][
                    ..., start:stop, :
                ]
        self._buffers, self._first = buffers, oldest

    def _kept(self) -> Counts:
        oldest = (
            self._oldest
            if self._window is None
            else _later(self._oldest, self._n_seen - self._window)
        )
        return self._n_seen - oldest

    def _views(self, start: int, stop: int) -> list[NDArray[Any]]:
        views = [buffer[..., start:stop, :] for buffer in self._buffers]
        for view in views:
            view.flags.writeable = False
        return views


def _each(counts: Counts) -> list[tuple[Any, int]]:
    """Pair an index into axis 0 with its number: all sequences at once if they share it, or one by one."""
    return (
        [(..., counts)]
        if isinstance(counts, int)
        else list(enumerate(counts.tolist()))
    )


def _most(counts: Any) -> int:
    return (
        counts if isinstance(counts, int) else max(counts.tolist(), default=0)
    )


def _later(one: Counts, other: Counts) -> Counts:
    return (
        max(one, other)
        if isinstance(one, int) and isinstance(other, int)
        else np.maximum(one, other)
    )


def _without_tokens(array: NDArray[Any]) -> tuple[int, ...]:
    return (*array.shape[:-2], array.shape[-1])
