"""Several heads against loops: what heads are, shared keys, rotary positions, and the weights."""

import numpy as np
import pytest

from attention import KVCache, MultiHeadWeights, Rotary, multi_head_attention, rotary_tables
from tests.package.cases import options_of
from tests.package.oracles import REFUSALS, loop_multi_head, loop_weights, refuses, says

H, S, D = np.float16, np.float32, np.float64
EPS = np.finfo(float).eps


# --- several heads against the loops -----------------------------------------------------------------------------


def layer(rng, n_heads=6, n_kv_heads=3, *, d_model=7, d_memory=11, d_k=2, d_v=5, d_out=13, biases=False, dtype=float):
    """Draw the arrays of a layer; every axis has a size of its own."""
    widths = {"q": n_heads * d_k, "k": n_kv_heads * d_k, "v": n_kv_heads * d_v, "o": d_out}
    rows = {"q": d_model, "k": d_memory, "v": d_memory, "o": n_heads * d_v}
    w = {f"w_{letter}": rng.standard_normal((rows[letter], widths[letter])) / 2 for letter in "qkvo"}
    if biases:
        w |= {f"b_{letter}": rng.standard_normal(widths[letter]) for letter in "qkvo"}
    return {name: array.astype(dtype) for name, array in w.items()}


HEADS = [(1, 1), (6, 6), (6, 3), (6, 2), (6, 1)]


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), HEADS)
@pytest.mark.parametrize("biases", [False, True], ids=["no biases", "biases"])
def test_several_heads_equal_the_loops(n_heads, n_kv_heads, biases):
    rng = np.random.default_rng(n_heads + n_kv_heads)
    w = layer(rng, n_heads, n_kv_heads, biases=biases)
    weights = MultiHeadWeights(**w, n_heads=n_heads, n_kv_heads=n_kv_heads)
    for lead_x, lead_memory in [((), ()), ((2,), (2,)), ((2, 1), (3,)), ((), (2,)), ((2,), ())]:
        x, memory = rng.standard_normal((*lead_x, 3, 7)), rng.standard_normal((*lead_memory, 4, 11))
        expected = loop_multi_head(x, memory, w, n_heads=n_heads, n_kv_heads=n_kv_heads)
        result = multi_head_attention(x, weights, memory=memory)
        assert result.shape == (*np.broadcast_shapes(lead_x, lead_memory), 3, 13)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_kv_heads", [6, 3, 1])
@pytest.mark.parametrize("options", options_of("heads", rng=np.random.default_rng(1)))
def test_every_option_arrives_at_every_head(rng, options, n_kv_heads):
    x, memory = rng.standard_normal((2, 3, 7)), rng.standard_normal((2, 4, 11))
    w = layer(rng, 6, n_kv_heads, biases=True)  # softcap and sink alone can tell whether b_k is there
    expected = loop_multi_head(x, memory, w, n_heads=6, n_kv_heads=n_kv_heads, **options)
    assert not np.allclose(expected, loop_multi_head(x, memory, w, n_heads=6, n_kv_heads=n_kv_heads))
    weights = MultiHeadWeights(**w, n_heads=6, n_kv_heads=n_kv_heads)
    result = multi_head_attention(x, weights, memory=memory, **options)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


# --- a cache -----------------------------------------------------------------------------------------------------


class Text:
    """A layer, the tokens of three sequences, and what each sequence gives alone and at once, by the loops."""

    def __init__(self, seed, window):
        self.rng = rng = np.random.default_rng(seed)
        heads = {"n_heads": 4, "n_kv_heads": int(rng.choice([1, 2, 4]))}
        w = layer(rng, *heads.values(), d_model=7, d_memory=7, d_k=6, d_v=3, d_out=5, biases=True)
        self.weights = MultiHeadWeights(**w, **heads)
        self.layout = str(rng.choice(["half", "interleaved"]))
        self.tables = rotary_tables(np.arange(30), int(rng.choice([2, 4, 6])))
        self.window = window
        self.x = rng.standard_normal((3, 12, 7))
        places = np.arange(12)
        allowed = places <= places[:, None]
        if window is not None:
            allowed &= places > places[:, None] - window
        rotary = (*(table[:12] for table in self.tables), self.layout)
        self.expected = loop_multi_head(self.x, self.x, w, **heads, rotary=rotary, mask=allowed)

    def cut(self, n):
        """Cut n tokens into chunks of random size, most often of one."""
        sizes = []
        while sum(sizes) < n:
            sizes.append(min(int(self.rng.choice([1, 1, 1, 2, 4])), n - sum(sizes)))
        return sizes

    def run(self, x, cache, tables=None, **options):
        window = None if self.window is None else (self.window - 1, 0)
        rotary = Rotary(*(tables or self.tables), self.layout)
        return multi_head_attention(
            x, self.weights, cache=cache, rotary=rotary, is_causal=True, window=window, **options
        )

    def check(self, result, expected):
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=0, atol=4 * EPS * np.abs(self.expected).max())


WINDOWS = pytest.mark.parametrize("window", [None, 1, 4], ids=["no window", "a window of 1", "a window of 4"])
SEEDS = pytest.mark.parametrize("seed", range(5))


@WINDOWS
@SEEDS
def test_a_prompt_and_then_chunks_of_any_size_give_what_the_whole_gives(seed, window):
    text, cache = Text(seed, window), KVCache(window=window)
    for sizes in ([5] + [1] * 7, [0, *text.cut(12), 0]):
        cache, results, seen = KVCache(window=window), [], 0
        for size in sizes:
            results.append(text.run(text.x[:, seen : seen + size], cache))
            seen += size
            assert cache.n_seen.tolist() == [seen] * 3
        text.check(np.concatenate(results, axis=1), text.expected)


@WINDOWS
@pytest.mark.parametrize("per_sequence", [False, True], ids=["tables for all", "tables for each sequence"])
@SEEDS
def test_sequences_that_are_padded_on_the_right_give_what_each_gives_alone(seed, window, per_sequence):
    text, cache = Text(seed, window), KVCache(window=window)
    tables = tuple(np.stack([table] * 3)[:, None] for table in text.tables) if per_sequence else None
    seen = np.zeros(3, int)
    while (seen < 12).any():
        sizes = np.minimum(text.rng.integers(0, 5, 3), 12 - seen)
        x = np.full((3, sizes.max(), 7), 1e3)  # padding behind a shorter chunk
        for row, (start, size) in enumerate(zip(seen, sizes, strict=True)):
            x[row, :size] = text.x[row, start : start + size]
        result = text.run(x, cache, tables)
        for row, (start, size) in enumerate(zip(seen, sizes, strict=True)):
            text.check(result[row, :size], text.expected[row, start : start + size])
        seen += sizes
        cache.truncate(seen)
        np.testing.assert_array_equal(cache.n_seen, seen)


@pytest.mark.parametrize(("told", "changes"), REFUSALS["cached"].items(), ids=REFUSALS["cached"])
def test_a_refused_call_leaves_the_cache_as_it_was(rng, told, changes):
    weights = MultiHeadWeights(**layer(rng, d_model=7, d_memory=7, d_k=6), n_heads=6, n_kv_heads=3)
    x = rng.standard_normal((2, 7, 7))
    good = {"rotary": Rotary(*rotary_tables(np.arange(9), 4), "half"), "is_causal": True, "window": (2, 0)}
    cache, other = KVCache(window=3), KVCache(window=3)
    for one in (cache, other):
        multi_head_attention(x[:, :5], weights, cache=one, **good)
    arguments = {"x": x[:, 5:6], "cache": cache} | good | eval(changes, globals())
    with refuses(told):
        multi_head_attention(arguments.pop("x"), weights, **arguments)
    assert vars(cache).keys() == vars(other).keys()
    np.testing.assert_array_equal(cache.n_seen, other.n_seen)
    np.testing.assert_array_equal(cache.offset, other.offset)
    steps = [multi_head_attention(x[:, 5:], weights, cache=one, **good) for one in (cache, other)]
    np.testing.assert_array_equal(*steps)


def test_a_ragged_batch_must_be_causal_since_padding_lies_beyond_a_shorter_sequence(rng):
    weights, cache = MultiHeadWeights.random(8, 2, rng=rng), KVCache()
    x = rng.standard_normal((2, 4, 8))
    multi_head_attention(x[:, :3], weights, cache=cache)  # a prompt may look both ways
    cache.truncate([3, 1])
    with pytest.raises(ValueError, match=says("is_causal must be True", "n_seen [3, 1]")):
        multi_head_attention(x[:, 3:], weights, cache=cache)
    causal = multi_head_attention(x[:, 3:], weights, cache=cache, window=(9, 0))
    cache.truncate([3, 1])
    np.testing.assert_array_equal(multi_head_attention(x[:, 3:], weights, cache=cache, is_causal=True), causal)


def test_the_weights_of_every_head_come_with_the_output_in_one_pass_and_step_by_step(rng):
    arrays, x, cache = layer(rng, d_memory=7), rng.standard_normal((5, 7)), KVCache()
    weights = MultiHeadWeights(**arrays, n_heads=6, n_kv_heads=3)
    query, key = x @ arrays["w_q"], x @ arrays["w_k"]
    expected = [
        loop_weights(query[:, 2 * i : 2 * i + 2], key[:, i - i % 2 : i - i % 2 + 2], is_causal=True) for i in range(6)
    ]
    output, whole = multi_head_attention(x, weights, is_causal=True, return_weights=True)
    np.testing.assert_allclose(whole, expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(output, multi_head_attention(x, weights, is_causal=True))
    for i in range(5):
        step, row = multi_head_attention(x[i : i + 1], weights, cache=cache, is_causal=True, return_weights=True)
        np.testing.assert_allclose(row, whole[:, i : i + 1, : i + 1], rtol=0, atol=1e-14)
        np.testing.assert_allclose(step, output[i : i + 1], rtol=0, atol=1e-13)


# --- the weights -------------------------------------------------------------------------------------------------


def test_weights_are_kept_as_floating_point_arrays_of_their_own_dtype():
    w = MultiHeadWeights([[1, 2]], np.ones((1, 2), H), np.ones((1, 2), S), [[True], [False]], b_o=[3], n_heads=2)
    assert [array.dtype for array in (w.w_q, w.w_k, w.w_v, w.w_o, np.asarray(w.b_o))] == [D, H, S, D, D]
    assert w.b_q is w.b_k is w.b_v is None
    np.testing.assert_array_equal(w.w_o, [[1], [0]])


@pytest.mark.parametrize("dtype", [S, D])
def test_random_weights_are_uniform_within_glorots_limits_and_come_from_the_generator(dtype):
    w, twin, other = (MultiHeadWeights.random(96, 6, n_kv_heads=2, rng=np.random.default_rng(n)) for n in (1, 1, 2))
    drawn = MultiHeadWeights.random(96, 6, n_kv_heads=2, rng=np.random.default_rng(1), dtype=dtype)
    for name, shape in (("w_q", (96, 96)), ("w_k", (96, 32)), ("w_v", (96, 32)), ("w_o", (96, 96))):
        matrix, limit = getattr(w, name), np.sqrt(6 / sum(shape))
        assert matrix.shape == shape
        assert 0.99 * limit < matrix.max() <= limit
        assert -limit <= matrix.min() < -0.99 * limit
        np.testing.assert_allclose(matrix.std(), limit / np.sqrt(3), rtol=0.03)  # a uniform's deviation
        np.testing.assert_array_equal(getattr(twin, name), matrix)
        np.testing.assert_array_equal(getattr(drawn, name), matrix.astype(dtype), strict=True)
        assert not (getattr(other, name) == matrix).any()
    assert (w.n_heads, w.n_kv_heads) == (6, 2)
    assert MultiHeadWeights.random(8, 4, rng=np.random.default_rng(1)).n_kv_heads == 4
    assert w.b_q is w.b_k is w.b_v is w.b_o is None
    assert len({matrix.ravel()[0] for matrix in (w.w_q, w.w_k, w.w_v, w.w_o)}) == 4


def test_biases_in_double_precision_give_no_warning_in_single(rng):
    single = [matrix.astype(np.float32) for matrix in rng.standard_normal((4, 4, 4))]
    for number in (1e300, 1e-300):
        biases = dict.fromkeys(("b_q", "b_k", "b_v", "b_o"), np.full(4, number))
        with np.errstate(all="raise"):
            weights = MultiHeadWeights(*single, **biases, n_heads=2)
            assert multi_head_attention(np.ones((5, 4), np.float32), weights).dtype == np.float32
