"""The KV cache: what it returns, what an append costs, and bad input. Attention over it: test_multi_head.py."""

from typing import Any

import numpy as np
import pytest

from attention import KVCache
from tests.package.oracles import REFUSALS, refuses, says


def tokens(start, stop, *, lead=(2,), widths=(3, 5), dtype=float):
    """Make keys and values that carry their token's number in every feature."""
    numbers = np.arange(start, stop, dtype=dtype)[:, None]
    return [np.broadcast_to(numbers, (*lead, stop - start, width)) + np.arange(width, dtype=dtype) for width in widths]


# --- what it returns ---------------------------------------------------------------------------------------------


def test_views_are_read_only_and_what_was_appended_is_copied():
    cache = KVCache()
    key, value = (array.copy() for array in tokens(0, 4))
    keys, values = cache.append(key, value)
    for view, given_ in ((keys, key), (values, value)):
        assert not view.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 9
        assert not np.shares_memory(view, given_)
        assert given_.flags.writeable
    key[...] = value[...] = -1
    np.testing.assert_array_equal(cache.append(*tokens(4, 5))[0], tokens(0, 5)[0])


# --- what an append costs ----------------------------------------------------------------------------------------


def allocated(window, sizes):
    """Append so many tokens at a time; return the bytes of every buffer of keys that was made."""
    cache, buffers = KVCache(window=window), list[Any]()
    for n in sizes:
        keys, _ = cache.append(np.zeros((2, n, 3)), np.zeros((2, n, 5)))
        assert keys.base is not None, "a view is a window on a buffer, not a copy"
        if not buffers or keys.base is not buffers[-1]:
            buffers.append(keys.base)
    return [buffer.nbytes for buffer in buffers]


@pytest.mark.parametrize("window", [None, 50, 1])
def test_appends_copy_each_token_a_few_times_at_most(window):
    for n in (500, 1000, 2000, 4000):
        assert sum(allocated(window, [1] * n)) <= 4 * n * 2 * 3 * 8


def test_a_window_bounds_the_space_whatever_was_seen():
    for sizes in ([1], [3, 8]):
        assert max(allocated(40, sizes * 500)) <= 4 * 40 * 2 * 3 * 8


# --- truncate ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("told", "n"), REFUSALS["truncated"].items(), ids=REFUSALS["truncated"])
def test_truncate_refuses_and_changes_nothing(told, n):
    cache = KVCache(window=4)
    for token in range(10):
        cache.append(*tokens(token, token + 1))
    with refuses(told):
        cache.truncate(n)
    with pytest.raises(ValueError, match="at least 0"):
        KVCache().truncate(-1)
    assert (len(cache), cache.n_seen.tolist()) == (4, [10, 10])
    np.testing.assert_array_equal(cache.append(*tokens(0, 0))[0], tokens(6, 10)[0])


# --- ragged batches ----------------------------------------------------------------------------------------------


class Plain:
    """What the cache should do, told with a list of tokens for each sequence: every token is a number of its own."""

    def __init__(self, rng, window, batch):
        self.rng, self.window, self.sequences = rng, window, [list[int]() for _ in range(batch)]
        self.cache, self.before, self.fresh = KVCache(window=window), [0] * batch, 0
        self.peaks = [0] * batch  # the most tokens a sequence ever had

    def append(self, n_new):
        batch = len(self.sequences)
        new = np.arange(self.fresh, self.fresh + batch * n_new, dtype=float).reshape(batch, 1, n_new, 1)
        self.fresh += batch * n_new
        key, value = np.tile(new, (1, 2, 1, 3)), np.tile(-new, (1, 2, 1, 5))
        keys, values = self.cache.append(key, value)
        assert (keys.shape, values.shape) == ((batch, 2, keys.shape[2], 3), (batch, 2, keys.shape[2], 5))
        self.before = [len(sequence) for sequence in self.sequences]
        for sequence, tokens in zip(self.sequences, new[:, 0, :, 0].tolist(), strict=True):
            sequence.extend(tokens)
        self.peaks = [max(peak, len(sequence)) for peak, sequence in zip(self.peaks, self.sequences, strict=True)]
        self.check(keys, values, n_new)

    def check(self, keys, values, n_new):
        """Every query finds its own token at its position, and before it every token that it may look at."""
        n_k, furthest, last = keys.shape[2], -keys.shape[2], 0
        for b, (sequence, offset) in enumerate(zip(self.sequences, self.cache.offset.tolist(), strict=True)):
            for i in range(n_new):
                position = self.before[b] + i
                reach = position if self.window is None else min(position, self.window - 1)
                for back in range(reach + 1):
                    j = i + offset - back
                    assert 0 <= j < n_k
                    assert set(keys[b, :, j].ravel()) == {sequence[position - back]}
                    assert set(values[b, :, j].ravel()) == {-sequence[position - back]}
            reach = self.before[b] if self.window is None else min(self.before[b], self.window - 1)
            furthest, last = max(furthest, reach - offset), max(last, offset + n_new)
        if n_new:
            assert (furthest, last) == (0, n_k), "the views hold no row that no sequence needs"
        assert np.isfinite(keys).all(), "padding was never left to chance"

    def truncate(self, n):
        """Take a guess back, unless that is refused; what was promised is not refused."""
        each = np.broadcast_to(n, len(self.sequences)).tolist()
        state = self.state()
        try:
            self.cache.truncate(n)
        except ValueError:
            assert str(self.state()) == str(state)
            promised = [
                length >= new >= (0 if self.window is None else min(before, peak - self.window))
                for new, length, before, peak in zip(
                    each, map(len, self.sequences), self.before, self.peaks, strict=True
                )
            ]
            assert not all(promised)
        else:
            for b, new in enumerate(each):
                assert new <= len(self.sequences[b])
                del self.sequences[b][new:]

    def state(self):
        return self.cache.n_seen, self.cache.offset, len(self.cache), self.cache.nbytes

    def step(self):
        """Do something at random."""
        rng, lengths = self.rng, [len(sequence) for sequence in self.sequences]
        match rng.choice(["append", "one", "truncate", "lengths"], p=[0.3, 0.35, 0.15, 0.2]):
            case "append":
                self.append(int(rng.integers(0, 20)))
            case "one":
                self.append(1)
            case "truncate":
                self.truncate(int(rng.integers(0, max(lengths) + 2)))
            case "lengths":  # mostly a part of the last append, as padding is
                low = rng.choice([0, 1], p=[0.3, 0.7]) * np.array(self.before)
                self.truncate(rng.integers(np.minimum(low, lengths), np.add(lengths, 1)))
        assert self.cache.n_seen.tolist() == [len(sequence) for sequence in self.sequences]


@pytest.mark.parametrize("window", [None, 1, 3, 8, 30], ids=str)
def test_random_operations_follow_plain_lists(window):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        plain = Plain(rng, window, batch=int(rng.integers(1, 5)))
        plain.append(int(rng.integers(0, 12)))
        for _ in range(15):
            plain.step()


# --- bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("told", "given"), REFUSALS["appended"].items(), ids=REFUSALS["appended"])
def test_a_failing_append_is_named_and_leaves_the_cache_unchanged(told, given):
    key, value, *dtypes = given
    arrays = [np.full(*array) for array in zip((key, value), (9, 9), dtypes or (float, float), strict=True)]
    cache = KVCache()
    keys, values = cache.append(*tokens(0, 3))
    with refuses(told):
        cache.append(*arrays)
    assert (len(cache), cache.n_seen.tolist(), cache.nbytes) == (3, [3, 3], 2 * 3 * 8 * 8)
    np.testing.assert_array_equal(keys, tokens(0, 3)[0])  # the views are valid still
    keys, values = cache.append(*tokens(3, 11))
    np.testing.assert_array_equal(keys, tokens(0, 11)[0])
    np.testing.assert_array_equal(values, tokens(0, 11)[1])


def test_a_failing_first_append_fixes_nothing():
    cache = KVCache()
    with pytest.raises(ValueError, match=says("key (2, 3)", "value (1, 5)")):
        cache.append(np.zeros((2, 3)), np.zeros((1, 5)))
    with pytest.raises(TypeError, match=says("value must", "complex")):
        cache.append(np.zeros((1, 3)), np.zeros((1, 5)) * 1j)
    assert len(cache) == cache.n_seen == cache.nbytes == 0
    keys, values = cache.append(np.ones((7, 1, 2), np.float32), np.ones((7, 1, 1), np.float32))
    assert (keys.shape, values.shape, keys.dtype) == ((7, 1, 2), (7, 1, 1), np.float32)
