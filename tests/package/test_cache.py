"""The KV cache: what it returns, decoding against full attention, what an append costs, limits, and bad input."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import (
    KVCache,
    MultiHeadWeights,
    causal_mask,
    merge_heads,
    multi_head_attention,
    project,
    scaled_dot_product_attention,
    sliding_window_mask,
    split_heads,
)
from tests.package.oracles import loop_attention, properties, says

EPS = np.finfo(float).eps


def tokens(start, stop, *, lead=(2,), widths=(3, 5), dtype=float):
    """Make keys and values that carry their token's number in every feature."""
    numbers = np.arange(start, stop, dtype=dtype)[:, None]
    return [np.broadcast_to(numbers, (*lead, stop - start, width)) + np.arange(width, dtype=dtype) for width in widths]


def chunks(n, sizes):
    """Cut n tokens into runs of the given sizes, over and over."""
    start, at = 0, 0
    while start < n:
        stop = min(n, start + sizes[at % len(sizes)])
        yield slice(start, stop)
        start, at = stop, at + 1


def decode(query, key, value, sizes, *, window=None, left=None, enable_gqa=False):
    """Attend a few tokens at a time: to what an append returns, with the last query at the last key."""
    cache, rows = KVCache(window=window), []
    for new in chunks(query.shape[-2], sizes):
        keys, values = cache.append(key[..., new, :], value[..., new, :])
        n_q, n_k = new.stop - new.start, keys.shape[-2]
        mask = sliding_window_mask(n_q, n_k, left=left, offset=n_k - n_q)  # left=None: causal
        rows.append(scaled_dot_product_attention(query[..., new, :], keys, values, mask=mask, enable_gqa=enable_gqa))
    return np.concatenate(rows, axis=-2)


# --- what it returns ---------------------------------------------------------------------------------------------


def test_appends_join_along_the_tokens():
    cache = KVCache()
    expected_keys, expected_values = tokens(0, 60)
    for new in chunks(60, (1, 7, 2, 13, 1)):
        keys, values = cache.append(*tokens(new.start, new.stop))
        np.testing.assert_array_equal(keys, expected_keys[:, : new.stop])
        np.testing.assert_array_equal(values, expected_values[:, : new.stop])
        assert len(cache) == cache.n_seen == new.stop
        assert cache.nbytes == keys.nbytes + values.nbytes == 2 * new.stop * (3 + 5) * 8


@pytest.mark.parametrize("lead", [(), (2,), (2, 4), (0,), (2, 1, 4)], ids=str)
def test_leading_axes_are_free(lead):
    cache = KVCache()
    for start in range(0, 40, 10):
        keys, values = cache.append(*tokens(start, start + 10, lead=lead))
    assert keys.shape == (*lead, 40, 3)
    assert values.shape == (*lead, 40, 5)
    np.testing.assert_array_equal(values, tokens(0, 40, lead=lead)[1])


def test_an_empty_cache_holds_nothing_and_an_empty_append_adds_nothing():
    cache = KVCache()
    assert len(cache) == cache.n_seen == cache.nbytes == 0
    keys, values = cache.append(*tokens(0, 0))
    assert keys.shape == (2, 0, 3)
    assert values.shape == (2, 0, 5)
    cache.append(*tokens(0, 4))
    keys, _ = cache.append(*tokens(0, 0))
    np.testing.assert_array_equal(keys, tokens(0, 4)[0])


@pytest.mark.parametrize("window", [1, 2, 5, 16, 17, 40])
@pytest.mark.parametrize("sizes", [(1,), (3,), (7, 1, 2), (30,)], ids=str)
def test_a_window_keeps_the_last_tokens_and_counts_all(window, sizes):
    cache = KVCache(window=window)
    expected_keys, expected_values = tokens(0, 100)
    for new in chunks(100, sizes):
        keys, values = cache.append(*tokens(new.start, new.stop))
        seen = slice(max(0, new.start - (window - 1)), new.stop)  # what the first of the new tokens may look at
        np.testing.assert_array_equal(keys, expected_keys[:, seen])
        np.testing.assert_array_equal(values, expected_values[:, seen])
        kept = slice(max(0, new.stop - window), new.stop)
        np.testing.assert_array_equal(cache.append(*tokens(0, 0))[1], expected_values[:, kept])
        assert cache.n_seen == new.stop
        assert len(cache) == min(window, new.stop)
        assert cache.nbytes == 2 * len(cache) * (3 + 5) * 8


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


def test_inputs_may_be_read_only_lists_or_the_views_of_the_cache():
    cache = KVCache()
    keys, values = cache.append([[1, 2]], [[3]])
    assert (keys.tolist(), values.tolist()) == ([[1, 2]], [[3]])
    for n in (2, 4, 8, 16, 32, 64):  # within a buffer and across its growth
        keys, values = cache.append(keys, values)
        np.testing.assert_array_equal(keys, [[1, 2]] * n)
        np.testing.assert_array_equal(values, [[3]] * n)


def test_caches_do_not_share_what_they_hold():
    one, other = KVCache(), KVCache()
    keys, _ = one.append(*tokens(0, 3))
    other.append(*tokens(7, 9))
    assert (len(one), len(other)) == (3, 2)
    np.testing.assert_array_equal(keys, tokens(0, 3)[0])


# --- decoding ----------------------------------------------------------------------------------------------------


def draw(rng, n, heads=4, kv_heads=4):
    """Draw query, key and value of a sequence: 4 heads, d_k 3, d_v 5."""
    shapes = [(heads, n, 3), (kv_heads, n, 3), (kv_heads, n, 5)]
    return [rng.standard_normal((2, *shape)) for shape in shapes]


sizes = st.lists(st.integers(1, 9), min_size=1, max_size=8)


@properties
@given(st.integers(0, 2**32 - 1), st.integers(1, 45), sizes, st.sampled_from([1, 2, 4]))
def test_decoding_equals_full_causal_attention(seed, n, sizes, kv_heads):
    query, key, value = draw(np.random.default_rng(seed), n, kv_heads=kv_heads)
    np.testing.assert_allclose(
        decode(query, key, value, sizes, enable_gqa=True),
        scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True),
        rtol=0,
        atol=32 * EPS * np.abs(value).max(),
    )


@properties
@given(st.integers(0, 2**32 - 1), st.integers(1, 45), sizes, st.sampled_from([1, 2, 4]), st.integers(0, 12))
def test_decoding_with_a_window_equals_full_attention_under_the_window_mask(seed, n, sizes, kv_heads, left):
    query, key, value = draw(np.random.default_rng(seed), n, kv_heads=kv_heads)
    expected = scaled_dot_product_attention(query, key, value, mask=sliding_window_mask(n, left=left), enable_gqa=True)
    for window in (None, left + 1, left + 4):
        np.testing.assert_allclose(
            decode(query, key, value, sizes, window=window, left=left, enable_gqa=True),
            expected,
            rtol=0,
            atol=32 * EPS * np.abs(value).max(),
        )


def test_decoding_equals_the_loops(rng):
    query, key, value = draw(rng, 23, kv_heads=2)
    expected = loop_attention(query, key, value, is_causal=True, enable_gqa=True, dtype=np.longdouble).astype(float)
    for sizes in ((1,), (5, 1, 3), (23,)):
        result = decode(query, key, value, sizes, enable_gqa=True)
        np.testing.assert_allclose(result, expected, rtol=0, atol=32 * EPS * np.abs(value).max())
    mask = np.array([[0 <= i - j <= 4 for j in range(23)] for i in range(23)])
    expected = loop_attention(query, key, value, mask=mask, enable_gqa=True, dtype=np.longdouble).astype(float)
    result = decode(query, key, value, (1, 3), window=5, left=4, enable_gqa=True)
    np.testing.assert_allclose(result, expected, rtol=0, atol=32 * EPS * np.abs(value).max())


def test_a_smaller_window_is_too_small(rng):
    query, key, value = draw(rng, 20)
    full = scaled_dot_product_attention(query, key, value, mask=sliding_window_mask(20, left=4))
    for sizes in ((1,), (6,)):
        right = decode(query, key, value, sizes, window=5, left=4)
        np.testing.assert_allclose(right, full, rtol=0, atol=32 * EPS * np.abs(value).max())
        assert not np.allclose(decode(query, key, value, sizes, window=4, left=4), full)


def test_single_queries_need_no_mask_whatever_the_window(rng):
    query, key, value = draw(rng, 20)
    full = scaled_dot_product_attention(query, key, value, mask=sliding_window_mask(20, left=2))
    cache = KVCache(window=3)
    cache.append(key[..., :9, :], value[..., :9, :])
    for t in range(9, 20):
        keys, values = cache.append(key[..., t : t + 1, :], value[..., t : t + 1, :])
        row = scaled_dot_product_attention(query[..., t : t + 1, :], keys, values)
        np.testing.assert_allclose(row, full[..., t : t + 1, :], rtol=0, atol=32 * EPS * np.abs(value).max())


def test_a_mask_aligned_at_the_first_key_is_wrong_while_decoding(rng):
    query, key, value = draw(rng, 9)
    full = scaled_dot_product_attention(query, key, value, is_causal=True)
    cache = KVCache()
    cache.append(key[..., :6, :], value[..., :6, :])
    keys, values = cache.append(key[..., 6:, :], value[..., 6:, :])
    last = query[..., 6:, :]
    right = scaled_dot_product_attention(last, keys, values, mask=causal_mask(3, 9, offset=6))
    np.testing.assert_allclose(right, full[..., 6:, :], rtol=0, atol=32 * EPS * np.abs(value).max())
    top_left = scaled_dot_product_attention(last, keys, values, mask=causal_mask(3, 9))
    assert not np.isclose(top_left, full[..., 6:, :]).any()
    np.testing.assert_array_equal(top_left[..., 0, :], value[..., 0, :])  # the newest token sees the first one alone
    with pytest.raises(ValueError, match=says("is_causal", "offset=6")):
        scaled_dot_product_attention(last, keys, values, is_causal=True)


@pytest.mark.parametrize("kv_heads", [6, 3, 2, 1])
def test_a_layer_decodes_token_by_token_what_it_computes_at_once(rng, kv_heads):
    w = MultiHeadWeights.random(24, 6, n_kv_heads=kv_heads, rng=rng)
    x = rng.standard_normal((2, 11, 24))
    cache, rows = KVCache(max_tokens=11), []
    for new in chunks(11, (4, 1, 1, 3)):
        part = x[:, new]
        query = split_heads(project(part, w.w_q), 6)
        key, value = (split_heads(project(part, matrix), kv_heads) for matrix in (w.w_k, w.w_v))
        keys, values = cache.append(key, value)
        mask = causal_mask(len(part[0]), len(cache), offset=len(cache) - len(part[0]))
        heads = scaled_dot_product_attention(query, keys, values, mask=mask, enable_gqa=True)
        rows.append(project(merge_heads(heads), w.w_o))
    expected = multi_head_attention(x, w, is_causal=True)
    np.testing.assert_allclose(np.concatenate(rows, axis=1), expected, rtol=0, atol=1e-14 * 24)
    assert cache.nbytes == 2 * (2 * kv_heads * 11 * 4) * 8


# --- what an append costs ----------------------------------------------------------------------------------------


class Bill:
    """Appends to a cache, and adds up the bytes of new buffers and of the tokens that were copied into them."""

    def __init__(self, **options):
        self.cache, self.copied, self.allocated, self.largest = KVCache(**options), 0, 0, 0
        self.buffers = list[Any]()

    def append(self, key, value):
        views = self.cache.append(key, value)
        buffers = [view.base for view in views if view.base is not None]
        assert len(buffers) == 2, "a view is a window on a buffer, not a copy"
        self.copied += key.nbytes + value.nbytes
        if any(new is not old for new, old in zip(buffers, self.buffers or [None, None], strict=True)):
            self.buffers = buffers  # held on to, so that no other buffer can take its place in memory
            self.copied += sum(map(filled, views, buffers)) - (key.nbytes + value.nbytes)
            size = sum(buffer.nbytes for buffer in buffers)
            self.allocated += size
            self.largest = max(self.largest, size)


def filled(view, buffer):
    """Count the bytes of a buffer up to the end of the view, in all heads."""
    rows = (view.ctypes.data - buffer.ctypes.data) // buffer.strides[-2] + view.shape[-2]
    return buffer.nbytes // buffer.shape[-2] * rows


@pytest.mark.parametrize("window", [None, 50, 1])
def test_bytes_copied_grow_linearly_with_the_tokens(window):
    for n in (500, 1000, 2000, 4000):
        bill = Bill(window=window)
        for _ in range(n):
            bill.append(np.zeros((2, 1, 3)), np.zeros((2, 1, 5)))
        size = n * 2 * (3 + 5) * 8
        assert bill.copied <= 3 * size
        assert bill.allocated <= 4 * size


def test_a_window_bounds_the_space_whatever_was_seen():
    for sizes in ((1,), (3, 8)):
        bill = Bill(window=40)
        for new in chunks(3000, sizes):
            bill.append(np.zeros((new.stop - new.start, 1)), np.zeros((new.stop - new.start, 1)))
        assert bill.largest <= 4 * 40 * 2 * 8
        assert bill.allocated <= 4 * 3000 * 2 * 8


def test_large_appends_waste_no_more_than_small_ones():
    bill = Bill()
    for n in (1000, 1, 3000, 1):
        bill.append(np.zeros((n, 3)), np.zeros((n, 5)))
    size = 4002 * (3 + 5) * 8
    assert bill.largest <= 2 * size
    assert bill.copied <= 3 * size


# --- truncate ----------------------------------------------------------------------------------------------------


@properties
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9))))
def test_guesses_that_are_taken_back_leave_no_hole_in_the_window(seed, window, steps):
    rng, cache, at = np.random.default_rng(seed), KVCache(window=window), 0
    query, key, value = draw(rng, 9 * len(steps))
    full = scaled_dot_product_attention(query, key, value, mask=sliding_window_mask(9 * len(steps), left=window - 1))
    for n_new, n_guessed in steps:
        if 0 < n_guessed <= window:
            cache.append(rng.standard_normal((2, 4, n_guessed, 3)), rng.standard_normal((2, 4, n_guessed, 5)))
            cache.truncate(at)
        new = slice(at, at + n_new)
        keys, values = cache.append(key[..., new, :], value[..., new, :])
        mask = sliding_window_mask(n_new, keys.shape[-2], left=window - 1, offset=keys.shape[-2] - n_new)
        result = scaled_dot_product_attention(query[..., new, :], keys, values, mask=mask)
        np.testing.assert_allclose(result, full[..., new, :], rtol=0, atol=32 * EPS * np.abs(value).max())
        at += n_new


def test_a_guess_is_taken_back(rng):
    _, key, value = draw(rng, 12)
    cache = KVCache()
    cache.append(key[..., :8, :], value[..., :8, :])
    cache.append(rng.standard_normal((2, 4, 3, 3)), rng.standard_normal((2, 4, 3, 5)))
    cache.truncate(8)
    assert (len(cache), cache.n_seen) == (8, 8)
    keys, values = cache.append(key[..., 8:, :], value[..., 8:, :])
    np.testing.assert_array_equal(keys, key)
    np.testing.assert_array_equal(values, value)


@pytest.mark.parametrize(
    ("n", "exception", "pieces"),
    [
        pytest.param(11, ValueError, ["n 11", "n_seen 10"], id="more than were seen"),
        pytest.param(4, ValueError, ["n 4", "at least 5", "window"], id="what the window has forgotten"),
        pytest.param(-1, ValueError, ["n must be at least", "n -1"], id="negative"),
        pytest.param(7.0, TypeError, ["n must be an integer", "7.0"], id="a float"),
        pytest.param(None, TypeError, ["n must be an integer"], id="None"),
    ],
)
def test_truncate_refuses_and_changes_nothing(n, exception, pieces):
    cache = KVCache(window=4)
    for token in range(10):
        cache.append(*tokens(token, token + 1))
    with pytest.raises(exception, match=says(*pieces)):
        cache.truncate(n)
    assert (len(cache), cache.n_seen) == (4, 10)
    np.testing.assert_array_equal(cache.append(*tokens(0, 0))[0], tokens(6, 10)[0])


def test_truncate_keeps_again_what_the_window_had_pushed_out():
    cache = KVCache(window=4)
    for n in range(10):
        cache.append(*tokens(n, n + 1))
    cache.truncate(6)  # all that the window kept is taken back
    assert (len(cache), cache.n_seen) == (4, 6)
    keys, _ = cache.append(*tokens(20, 22))
    assert keys[0, :, 0].tolist() == [3, 4, 5, 20, 21]
    assert cache.n_seen == 8


def test_truncate_refuses_to_leave_a_hole_in_the_next_window():
    cache = KVCache(window=4)
    for token in range(10):
        cache.append(*tokens(token, token + 1))
    cache.truncate(6)  # 2 to 5 are there, as many as ever before this
    cache.truncate(5)
    with pytest.raises(ValueError, match=says("n must be at least 5", "n 4", "window")):
        cache.truncate(4)  # the next token would look at 1, which is gone
    assert (len(cache), cache.n_seen) == (3, 5)
    cache.append(*tokens(20, 30))
    cache.append(*tokens(30, 60))
    cache.truncate(15)  # the last append is long, and can be taken back, but no more
    with pytest.raises(ValueError, match=says("n must be at least 14", "n 13")):
        cache.truncate(13)


def test_a_cache_that_was_emptied_still_knows_its_shape_and_dtype():
    cache = KVCache()
    cache.append(*tokens(0, 3))
    cache.truncate(0)
    with pytest.raises(ValueError, match=says("key (2, 1, 4)")):
        cache.append(*tokens(0, 1, widths=(4, 5)))
    with pytest.raises(ValueError, match=says("dtype", "float32")):
        cache.append(*tokens(0, 1, dtype=np.float32))


# --- ragged batches, selections ----------------------------------------------------------------------------------


class Plain:
    """What the cache should do, told with a list of tokens for each sequence: every token is a number of its own."""

    def __init__(self, rng, window, batch):
        self.rng, self.window, self.sequences = rng, window, [list[int]() for _ in range(batch)]
        self.cache, self.before, self.fresh = KVCache(window=window), [0] * batch, 0
        self.peaks = [0] * batch  # the most tokens a sequence ever had
        self.counts: type = int  # of n_seen and offset

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
        n_k, furthest, last = keys.shape[2], 0, 0
        offsets = np.broadcast_to(self.cache.offset, len(self.sequences)).tolist()
        for b, (sequence, offset) in enumerate(zip(self.sequences, offsets, strict=True)):
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
            self.counts = self.counts if isinstance(n, int) else np.ndarray

    def select(self, indices):
        self.cache.select(indices)
        self.sequences = [[*self.sequences[b]] for b in indices]
        self.before, self.peaks = ([numbers[b] for b in indices] for numbers in (self.before, self.peaks))

    def state(self):
        return self.cache.n_seen, self.cache.offset, len(self.cache), self.cache.nbytes

    def step(self, ragged):
        """Do something at random."""
        rng, lengths = self.rng, [len(sequence) for sequence in self.sequences]
        match rng.choice(["append", "one", "truncate", "lengths", "select"], p=[0.3, 0.3, 0.15, 0.15, 0.1]):
            case "append":
                self.append(int(rng.integers(0, 20)))
            case "one":
                self.append(1)
            case "truncate":
                self.truncate(int(rng.integers(0, max(lengths) + 2)))
            case "lengths" if ragged:  # mostly a part of the last append, as padding is
                low = rng.choice([0, 1], p=[0.3, 0.7]) * np.array(self.before)
                self.truncate(rng.integers(np.minimum(low, lengths), np.add(lengths, 1)))
            case "select" if self.fresh:
                self.select(rng.integers(0, len(lengths), rng.integers(1, 6)))
        n_seen = self.cache.n_seen
        assert type(n_seen) is type(self.cache.offset) is self.counts
        assert np.broadcast_to(n_seen, len(self.sequences)).tolist() == [len(sequence) for sequence in self.sequences]


@pytest.mark.parametrize("window", [None, 1, 3, 8, 30], ids=str)
def test_random_operations_follow_plain_lists(window):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        plain = Plain(rng, window, batch=int(rng.integers(1, 5)))
        plain.append(int(rng.integers(0, 12)))
        for _ in range(15):
            plain.step(ragged=seed % 3 > 0)


def test_lengths_and_bytes_of_a_ragged_batch():
    cache = KVCache(window=4)
    cache.append(*tokens(0, 9, lead=(3, 2)))
    cache.truncate([9, 1, 6])
    assert len(cache) == 4
    assert cache.n_seen.tolist() == [9, 1, 6]
    assert cache.nbytes == 2 * (4 + 1 + 4) * (3 + 5) * 8  # 2 heads, float64; padding does not count
    cache.select([1, 1])
    assert (len(cache), cache.nbytes) == (1, 2 * (1 + 1) * (3 + 5) * 8)
    assert cache.n_seen.tolist() == [1, 1]
    cache.n_seen[:] = cache.offset[:] = 7  # of copies
    assert (cache.n_seen.tolist(), cache.offset.tolist()) == ([1, 1], [0, 0])
    cache.select(np.array([], int))
    assert (len(cache), cache.nbytes, cache.n_seen.shape) == (0, 0, (0,))
    assert cache.append(*tokens(0, 2, lead=(0, 2)))[0].shape == (0, 2, 2, 3)


def test_padding_holds_no_chance_bits():
    for n in (10_000, 20_000):
        cache = KVCache()
        cache.append(*tokens(0, n, lead=(2,)))
        cache.truncate([n, 1])
        for _ in range(3):
            np.full((2, 2 * n, 3), np.nan)  # memory that the next buffers may get
        keys, _ = cache.append(*tokens(0, 1, lead=(2,)))
        assert (keys[1, 2:] == 0).all(), "rows of other sequences were moved, or rows that nobody wrote"


def test_a_short_sequence_finds_its_whole_window_however_far_the_others_are():
    cache = KVCache(window=3)
    cache.append(*tokens(0, 50, lead=(2, 1)))
    cache.truncate([50, 2])
    keys, _ = cache.append(*tokens(90, 92, lead=(2, 1)))
    short = cache.offset[1]
    assert keys[1, 0, short - 2 : short + 2, 0].tolist() == [0, 1, 90, 91]
    for n in range(200):  # a window bounds the space: soon the views are as short as if they had always been equal
        keys, _ = cache.append(*tokens(n, n + 1, lead=(2, 1)))
    assert keys.shape[-2] <= 16
    for b in range(2):
        assert keys[b, 0, cache.offset[b] - 2 : cache.offset[b] + 1, 0].tolist() == [197, 198, 199]


@pytest.mark.parametrize("window", [None, 4])
def test_a_ragged_batch_decodes_like_each_sequence_alone(rng, window):
    lengths, n_steps = [7, 2, 5], 6
    query, key, value = (rng.standard_normal((3, 4, 20, width)) for width in (3, 3, 5))
    cache = KVCache(window=window)
    for array in (key, value):  # right-padded, with what must not show
        for b, n in enumerate(lengths):
            array[b, :, n:7] = 1e9
    cache.append(key[..., :7, :], value[..., :7, :])
    cache.truncate(lengths)
    for step in range(n_steps):
        new = slice(7 + step, 8 + step)
        keys, values = cache.append(key[..., new, :], value[..., new, :])
        sees = {"is_causal": True, "window": window and (window - 1, 0), "offset": cache.offset}
        found = scaled_dot_product_attention(query[..., new, :], keys, values, **sees)
        for b, n in enumerate(lengths):
            own = [*range(n), *range(7, 8 + step)][-window if window else 0 :]
            expected = loop_attention(query[b, :, new], key[b][:, own], value[b][:, own])
            np.testing.assert_allclose(found[b], expected, rtol=0, atol=32 * EPS * np.abs(value[b][:, own]).max())


def test_a_selection_repeats_a_prompt_and_reorders_beams():
    cache = KVCache()
    prompt, _ = cache.append(*tokens(0, 3, lead=(1, 2)))
    cache.select([0, 0, 0])
    keys, _ = cache.append(*(np.stack([part + b for b in range(3)]) for part in tokens(10, 11)))
    assert keys[:, 1, :, 0].tolist() == [[0, 1, 2, 10], [0, 1, 2, 11], [0, 1, 2, 12]]
    cache.select([2, 0])
    keys, _ = cache.append(*tokens(20, 21, lead=(2, 2)))
    assert keys[:, 1, :, 0].tolist() == [[0, 1, 2, 12, 20], [0, 1, 2, 10, 20]]
    assert prompt[0, 0, :, 0].tolist() == [0, 1, 2]
    assert (cache.n_seen, cache.offset) == (5, 4)
    cache.select(np.array([], int))
    assert cache.append(*tokens(0, 1, lead=(0, 2)))[0].shape == (0, 2, 6, 3)


@pytest.mark.parametrize(
    ("method", "argument", "exception", "pieces"),
    [
        pytest.param("truncate", [3, 3], ValueError, ["n (2,)", "batch (3,)"], id="too few lengths"),
        pytest.param("truncate", [[3, 3, 3]], ValueError, ["n (1, 3)", "(batch,)"], id="lengths with two axes"),
        pytest.param("truncate", [3, 9, 3], ValueError, ["n [3 9 3]", "n_seen [4 5 6]"], id="one too long"),
        pytest.param("truncate", 5, ValueError, ["n 5", "n_seen [4 5 6]"], id="longer than the shortest"),
        pytest.param("truncate", [3, -1, 3], ValueError, ["n [ 3 -1  3]", "at least 0"], id="one negative"),
        pytest.param("truncate", [3.0, 3, 3], TypeError, ["n must hold integers", "float64"], id="float lengths"),
        pytest.param("truncate", [True] * 3, TypeError, ["n must hold integers", "bool"], id="flags for lengths"),
        pytest.param(
            "truncate", np.array([3, 2**63, 3], np.uint64), ValueError, ["n must", "9223372036854775808"], id="uint64"
        ),
        pytest.param("select", [0, 3], ValueError, ["indices", "0 to 2", "0 to 3"], id="no such sequence"),
        pytest.param("select", [0, -1], ValueError, ["indices", "0 to 2", "-1 to 0"], id="a negative index"),
        pytest.param("select", [[0, 1]], ValueError, ["indices (1, 2)", "one axis"], id="two axes"),
        pytest.param("select", 1, ValueError, ["indices ()", "one axis"], id="a single index"),
        pytest.param("select", [0.0], TypeError, ["indices must hold integers", "float64"], id="float indices"),
        pytest.param("select", [True, False], TypeError, ["indices must hold integers", "bool"], id="a boolean index"),
        pytest.param("select", None, TypeError, ["indices must hold integers"], id="None"),
    ],
)
def test_truncate_and_select_refuse_and_change_nothing(method, argument, exception, pieces):
    cache = KVCache()
    cache.append(*tokens(0, 6, lead=(3,)))
    cache.truncate([4, 5, 6])
    with pytest.raises(exception, match=says(*pieces)):
        getattr(cache, method)(argument)
    assert (cache.n_seen.tolist(), len(cache)) == ([4, 5, 6], 6)
    keys, _ = cache.append(*tokens(6, 7, lead=(3,)))
    assert [row[:n].tolist() for row, n in zip(keys[..., 0], cache.n_seen, strict=True)] == [
        [0, 1, 2, 3, 6],
        [0, 1, 2, 3, 4, 6],
        [0, 1, 2, 3, 4, 5, 6],
    ]


@pytest.mark.parametrize(("method", "argument"), [("truncate", [0]), ("select", [0])])
def test_sequences_need_an_axis_of_their_own(method, argument):
    name, cache = {"truncate": "n", "select": "indices"}[method], KVCache()
    with pytest.raises(ValueError, match=says(f"{name} needs", "nothing was appended")):
        getattr(cache, method)(argument)
    cache.append(np.zeros((2, 3)), np.zeros((2, 5)))
    with pytest.raises(ValueError, match=says(f"{name} needs an axis", "(n, d)", "cache (2, 3)")):
        getattr(cache, method)(argument)
    assert (len(cache), cache.n_seen, cache.offset) == (2, 2, 0)


def test_the_window_can_be_read():
    assert (KVCache().window, KVCache(window=3).window) == (None, 3)
    with pytest.raises(AttributeError):
        KVCache().window = 4


# --- dtypes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        *((dtype, dtype) for dtype in (np.float16, np.float32, np.float64, np.longdouble)),
        *((dtype, np.float64) for dtype in (bool, np.uint8, np.int64)),
    ],
)
def test_the_first_append_fixes_the_dtype_and_integers_are_float64(given_, kept):
    cache = KVCache()
    for _ in range(20):
        keys, values = cache.append(np.ones((1, 3), given_), np.ones((1, 5), given_))
        assert keys.dtype == values.dtype == kept
    np.testing.assert_array_equal(keys, np.ones((20, 3)))
    assert cache.nbytes == 20 * 8 * np.dtype(kept).itemsize


def test_keys_and_values_may_differ_in_dtype_and_width():
    cache = KVCache()
    for _ in range(2):
        keys, values = cache.append(np.ones((1, 3), np.float32), np.ones((1, 5)))
    assert (keys.dtype, values.dtype) == (np.float32, np.float64)
    assert cache.nbytes == 2 * (3 * 4 + 5 * 8)


# --- limits and bad input ----------------------------------------------------------------------------------------


def test_max_tokens_may_be_reached_and_not_passed():
    cache = KVCache(max_tokens=5)
    cache.append(*tokens(0, 3))
    with pytest.raises(ValueError, match=says("max_tokens 5", "3", "3 new")):
        cache.append(*tokens(3, 6))
    cache.append(*tokens(3, 5))
    assert len(cache) == 5
    with pytest.raises(ValueError, match=says("max_tokens 5", "1 new")):
        cache.append(*tokens(5, 6))
    cache.append(*tokens(5, 5))
    cache.truncate(4)
    np.testing.assert_array_equal(cache.append(*tokens(4, 5))[1], tokens(0, 5)[1])


def test_max_tokens_is_about_what_a_window_keeps():
    cache = KVCache(max_tokens=4, window=4)
    for n in range(30):
        cache.append(*tokens(n, n + 1))
    assert (len(cache), cache.n_seen) == (4, 30)
    cache = KVCache(5, window=7)
    cache.append(*tokens(0, 5))
    with pytest.raises(ValueError, match=says("max_tokens 5")):
        cache.append(*tokens(5, 6))


@pytest.mark.parametrize(
    ("key", "value", "exception", "pieces"),
    [
        pytest.param((2, 1, 4), (2, 1, 5), ValueError, ["key (2, 1, 4)", "cache (2, 3, 3)"], id="d_k"),
        pytest.param((2, 1, 3), (2, 1, 6), ValueError, ["value (2, 1, 6)", "cache (2, 3, 5)"], id="d_v"),
        pytest.param((2, 1, 1), (2, 1, 5), ValueError, ["key (2, 1, 1)", "cache (2, 3, 3)"], id="d_k would broadcast"),
        pytest.param(
            (1, 1, 3), (2, 1, 5), ValueError, ["key (1, 1, 3)", "cache (2, 3, 3)"], id="heads would broadcast"
        ),
        pytest.param((2, 1, 3), (4, 1, 5), ValueError, ["value (4, 1, 5)", "cache (2, 3, 5)"], id="heads"),
        pytest.param((1, 3), (1, 5), ValueError, ["key (1, 3)", "cache (2, 3, 3)"], id="no heads"),
        pytest.param((7, 2, 1, 3), (7, 2, 1, 5), ValueError, ["key (7, 2, 1, 3)", "cache (2, 3, 3)"], id="a batch"),
        pytest.param((2, 1, 3), (2, 2, 5), ValueError, ["key (2, 1, 3)", "value (2, 2, 5)"], id="tokens differ"),
        pytest.param((3,), (2, 1, 5), ValueError, ["key (3,)", "2 axes"], id="1-D key"),
        pytest.param((2, 1, 3), (5,), ValueError, ["value (5,)", "2 axes"], id="1-D value"),
        pytest.param((2, 9, 3), (2, 9, 5), ValueError, ["max_tokens 11", "9 new"], id="beyond max_tokens"),
        pytest.param(np.zeros((2, 1, 3), "f"), (2, 1, 5), ValueError, ["key float32", "cache float64"], id="key dtype"),
        pytest.param((2, 1, 3), np.zeros((2, 1, 5), "e"), ValueError, ["value float16", "float64"], id="value dtype"),
        pytest.param((2, 1, 3), np.zeros((2, 1, 5), "g"), ValueError, ["value", "float64"], id="value of long double"),
        pytest.param(np.zeros((2, 1, 3)) * 1j, (2, 1, 5), TypeError, ["key must", "complex"], id="complex key"),
        pytest.param((2, 1, 3), None, TypeError, ["value must", "object"], id="None for the value"),
    ],
)
def test_a_failing_append_is_named_and_leaves_the_cache_unchanged(key, value, exception, pieces):
    arrays = [np.full(array, 9.0) if isinstance(array, tuple) else array for array in (key, value)]
    cache = KVCache(max_tokens=11)
    keys, values = cache.append(*tokens(0, 3))
    with pytest.raises(exception, match=says(*pieces)):
        cache.append(*arrays)
    assert (len(cache), cache.n_seen, cache.nbytes) == (3, 3, 2 * 3 * 8 * 8)
    np.testing.assert_array_equal(keys, tokens(0, 3)[0])  # the views are valid still
    np.testing.assert_array_equal(values, tokens(0, 3)[1])
    keys, values = cache.append(*tokens(3, 11))
    np.testing.assert_array_equal(keys, tokens(0, 11)[0])
    np.testing.assert_array_equal(values, tokens(0, 11)[1])


def test_a_failing_first_append_fixes_nothing():
    cache = KVCache(max_tokens=4)
    with pytest.raises(ValueError, match=says("key (2, 3)", "value (1, 5)")):
        cache.append(np.zeros((2, 3)), np.zeros((1, 5)))
    for lead, other in [((2,), (4,)), ((2,), (1,)), ((2,), ()), ((2, 3), (3, 2))]:  # with as many tokens
        shapes = (*lead, 1, 3), (*other, 1, 5)
        with pytest.raises(ValueError, match=says("leading axes", f"key {shapes[0]}", f"value {shapes[1]}")):
            cache.append(*map(np.zeros, shapes))
    with pytest.raises(ValueError, match=says("max_tokens 4", "5 new")):
        cache.append(np.zeros((5, 3)), np.zeros((5, 3)))
    with pytest.raises(TypeError, match=says("value must", "complex")):
        cache.append(np.zeros((1, 3)), np.zeros((1, 5)) * 1j)
    assert len(cache) == cache.n_seen == cache.nbytes == 0
    keys, values = cache.append(np.ones((7, 1, 2), np.float32), np.ones((7, 1, 1), np.float32))
    assert (keys.shape, values.shape, keys.dtype) == ((7, 1, 2), (7, 1, 1), np.float32)
