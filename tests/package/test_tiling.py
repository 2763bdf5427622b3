"""Tiles and parts against the reference, merging as an algebra, memory, and bad input."""

import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import (
    PartialAttention,
    attention_scores,
    causal_mask,
    logsumexp,
    merge_partials,
    partial_attention,
    scaled_dot_product_attention,
    tiled_attention,
)
from tests.oracles import loop_attention, loop_weights, properties, says

EPS = np.finfo(float).eps
DTYPES = [np.float32, np.float64]


# --- against the reference ---------------------------------------------------------------------------------------


def random_case(rng):
    """Draw inputs, options and block sizes; most blocks do not divide n."""
    n_kv, group = rng.integers(1, 3), rng.integers(1, 4)
    n_q, n_k = rng.integers(1, 40, 2)
    d_k, d_v = rng.integers(1, 9, 2)
    dtype = DTYPES[rng.integers(2)]
    options = {"enable_gqa": bool(group > 1)}
    if rng.random() < 0.3:
        n_k, options["is_causal"] = n_q, True
    batch = [(), (2,), (3, 1)][rng.integers(3)]
    scores = (*batch, n_kv * group, n_q, n_k)
    if rng.random() < 0.5:
        options["mask"] = rng.random(smaller(rng, scores)) < rng.choice([0.05, 0.5, 0.9])
    if rng.random() < 0.3:
        options["bias"] = rng.standard_normal(smaller(rng, scores))
    if rng.random() < 0.3:
        options["sink"] = rng.standard_normal(n_kv * group) if rng.random() < 0.5 else 1.5
    if rng.random() < 0.3:
        options["softcap"] = float(rng.uniform(0.5, 5))
    if rng.random() < 0.2:
        options["scale"] = float(rng.uniform(-2, 2))
    query = rng.standard_normal((*batch, n_kv * group, n_q, d_k)).astype(dtype)
    if rng.random() < 0.3:
        query *= 8  # scores so large that exp needs its shift
    key, value = (rng.standard_normal((*batch[:1], n_kv, n_k, d)).astype(dtype) for d in (d_k, d_v))
    if len(batch) == 2:
        key, value = key[:, None], value[:, None]
    blocks = {"query_block": int(rng.integers(1, 45)), "key_block": int(rng.integers(1, 45))}
    return (query, key, value), options, blocks


def smaller(rng, shape):
    """Draw a shape that broadcasts to this one."""
    sizes = tuple(int(size) if rng.random() < 0.7 else 1 for size in shape)
    return sizes[rng.integers(len(sizes) + 1) :]


def close(actual, expected, value, n_eps=32):
    """Compare to within n_eps eps of the largest value."""
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    assert np.isfinite(actual).all()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=n_eps * np.finfo(value.dtype).eps * np.abs(value).max())


@pytest.mark.parametrize("seed", range(10))
def test_tiles_compute_the_reference_whatever_the_options_and_the_blocks(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        arrays, options, blocks = random_case(rng)
        expected = scaled_dot_product_attention(*arrays, **options)
        actual = tiled_attention(*arrays, **options, **blocks, n_threads=int(rng.integers(1, 3)))
        close(actual, expected, arrays[-1])


def test_the_random_cases_reach_every_option_and_both_ways_to_exponentiate():
    cases = [random_case(np.random.default_rng(seed)) for seed in range(200)]
    assert {name for _, options, _ in cases for name in options} == {
        "mask", "bias", "is_causal", "scale", "softcap", "sink", "enable_gqa"
    }  # fmt: skip
    empty_rows = [
        (~np.asarray(options["mask"])).all(axis=-1).any()
        for _, options, _ in cases
        if "mask" in options and options["mask"].ndim
    ]
    assert any(empty_rows)
    assert not all(empty_rows)


@pytest.mark.parametrize("seed", range(8))
def test_tiles_and_parts_agree_with_the_loops(seed):
    rng = np.random.default_rng(100 + seed)
    (query, key, value), options, blocks = random_case(rng)
    query, key, value = (array[..., :9, :] for array in (query, key, value))
    n_q, n_k = query.shape[-2], key.shape[-2]
    for name in ("mask", "bias"):
        if name in options and np.ndim(options[name]):
            options[name] = options[name][..., :n_k] if options[name].ndim < 2 else options[name][..., :n_q, :n_k]
    if "is_causal" in options and n_q != n_k:
        del options["is_causal"]
    exact = loop_attention(query, key, value, **options).astype(value.dtype)
    close(tiled_attention(query, key, value, **options, **blocks), exact, value, 64)
    close(partial_attention(query, key, value, **options).output, exact, value, 64)


@pytest.mark.parametrize("size", [1, 50], ids=["exp as it is", "exp shifted"])
@pytest.mark.parametrize("is_causal", [False, True])
def test_many_tiles_of_the_default_size_agree_with_the_reference(rng, size, is_causal):
    query, key, value = rng.standard_normal((3, 2, 1300, 16), dtype=np.float32)
    query *= size
    expected = scaled_dot_product_attention(query, key, value, is_causal=is_causal)
    close(tiled_attention(query, key, value, is_causal=is_causal, n_threads=2), expected, value, 32 * size)


def test_leading_axes_broadcast_and_values_may_bring_axes_of_their_own(rng):
    query, key = rng.standard_normal((5, 1, 4, 3)), rng.standard_normal((2, 7, 3))
    value = rng.standard_normal((3, 1, 2, 7, 6))
    expected = scaled_dot_product_attention(query, key, value)
    assert expected.shape == (3, 5, 2, 4, 6)
    close(tiled_attention(query, key, value, query_block=3, key_block=2), expected, value)


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 0)], ids=["no query", "no key", "neither"])
def test_nothing_to_ask_or_nobody_to_answer_gives_zeros_or_no_rows(shape):
    n_q, n_k = shape
    output = tiled_attention(np.ones((2, n_q, 4)), np.ones((2, n_k, 4)), np.ones((2, n_k, 3)))
    np.testing.assert_array_equal(output, np.zeros((2, n_q, 3)))
    part = partial_attention(np.ones((n_q, 4)), np.ones((n_k, 4)), np.ones((n_k, 3)))
    np.testing.assert_array_equal(part.logsumexp, np.full(n_q, -np.inf if n_k == 0 else np.log(n_k) + 2))


def test_no_heads_give_an_empty_result():
    assert tiled_attention(np.ones((0, 3, 4)), np.ones((0, 5, 4)), np.ones((0, 5, 2))).shape == (0, 3, 2)


# --- what must not matter, and what must -------------------------------------------------------------------------


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf, 1e30])
@pytest.mark.parametrize("softcap", [None, 3.0])
def test_a_masked_key_cannot_move_the_output(rng, poison, softcap):
    query, key, value = rng.standard_normal((3, 12, 4))
    before = tiled_attention(query, key, value, is_causal=True, softcap=softcap, query_block=5, key_block=4)
    key[-1], value[-1] = poison, 1e6  # only the last query may see this
    after = tiled_attention(query, key, value, is_causal=True, softcap=softcap, query_block=5, key_block=4)
    np.testing.assert_allclose(after[:-1], before[:-1], rtol=0, atol=8 * EPS * 1e6 * 1e-6)


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("options", [{}, {"softcap": 3.0}, {"sink": 1.0}])
def test_an_attended_key_that_is_broken_shows(rng, poison, options):
    query, key, value = rng.standard_normal((3, 12, 4))
    key[7, 2] = poison
    assert np.isnan(tiled_attention(query, key, value, **options, query_block=5, key_block=4)).all()


@pytest.mark.parametrize("sink", [None, -1.0])
def test_a_fully_masked_row_is_zero_whatever_the_values_hold(rng, sink):
    query, key, value = rng.standard_normal((3, 12, 4))
    value[3] = np.nan
    mask = np.ones((12, 12), bool)
    mask[5] = False
    output = tiled_attention(query, key, value, mask=mask, sink=sink, query_block=5, key_block=4)
    np.testing.assert_array_equal(output[5], 0)
    assert np.isnan(np.delete(output, 5, axis=0)).all()


@pytest.mark.parametrize("size", [1e-40, 1e-30, 1e18, 1e36], ids=str)
@pytest.mark.parametrize("scale", [-20, 20, 60])
def test_values_of_any_size_survive_scores_of_any_size(size, scale):
    query, key = np.full((2, 1), scale, np.float32), np.linspace(0.5, 1, 9, dtype=np.float32)[:, None]
    value = np.float32(size) * np.linspace(1, 2, 9, dtype=np.float32)[:, None]
    expected = scaled_dot_product_attention(query, key, value)
    assert np.isfinite(expected).all()
    actual = tiled_attention(query, key, value, key_block=2)
    np.testing.assert_allclose(actual, expected, rtol=1e-4)


@pytest.mark.parametrize("height", [-2000.0, 2000.0])
def test_a_bias_may_lift_scores_to_any_height(rng, height):
    query, key, value = rng.standard_normal((3, 9, 4))
    bias = height * rng.random((9, 9))
    expected = scaled_dot_product_attention(query, key, value, bias=bias)
    close(tiled_attention(query, key, value, bias=bias, key_block=4), expected, value, 1000)


def test_lengths_whose_squares_underflow_do_not_pass_for_zero():
    query, key = np.array([[1e-30]], np.float32), np.array([[1e15], [-1e15]], np.float32)
    value = np.array([[1.0], [2.0]], np.float32)
    expected = scaled_dot_product_attention(query, key, value, scale=1e18)
    np.testing.assert_allclose(tiled_attention(query, key, value, scale=1e18), expected, rtol=1e-5)
    assert expected == 1


def test_scores_far_below_the_first_ones_and_far_above_are_met_in_any_order():
    key = np.array([[0.0], [-1e30], [1e30], [5.0]])
    value = np.arange(4.0)[:, None]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 1, 3]):
        output = tiled_attention([[1.0]], key[order], value[order], key_block=1)
        np.testing.assert_array_equal(output, [[2.0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, np.int64, bool])
def test_dtypes_follow_the_reference(rng, dtype):
    query, key, value = (rng.standard_normal((3, 6, 4)) * 3).astype(dtype)
    options = {"bias": rng.standard_normal((6, 6)), "sink": 0.5}
    expected = scaled_dot_product_attention(query, key, value, **options)
    part = partial_attention(query, key, value, **options)
    for output in (tiled_attention(query, key, value, **options), part.output, merge_partials(part).output):
        assert output.dtype == expected.dtype
        np.testing.assert_allclose(output, expected, rtol=0, atol=32 * np.finfo(expected.dtype).eps * 10)
    assert part.logsumexp.dtype == (np.float32 if dtype == np.float16 else expected.dtype)


def test_inputs_are_never_modified_and_never_returned(rng):
    arrays = rng.standard_normal((3, 2, 6, 4))
    options = {"mask": rng.random((6, 6)) < 0.5, "bias": rng.standard_normal((6, 6)), "sink": np.ones(2)}
    everything = [*arrays, *options.values()]
    copies = [array.copy() for array in everything]
    for array in everything:
        array.flags.writeable = False
    part = partial_attention(*arrays, **options)
    merged = merge_partials(part)
    output = tiled_attention(*arrays, **options, n_threads=2)
    for array, copy in zip(everything, copies, strict=True):
        np.testing.assert_array_equal(array, copy)
        assert not any(np.shares_memory(result, array) for result in (*part, output))
    assert not np.shares_memory(merged.output, part.output)
    assert not np.shares_memory(merged.logsumexp, part.logsumexp)


def test_no_floating_point_warnings_in_any_thread(rng):
    query, key, value = rng.standard_normal((3, 9, 4), dtype=np.float32) * np.float32(1e20)
    key[2] = np.inf
    mask = rng.random((9, 9)) < 0.3
    options = {"mask": mask, "bias": np.full((9, 9), 1e300), "sink": -1e300, "softcap": 2.0}
    half = rng.standard_normal((9, 4)).astype(np.float16)
    with np.errstate(all="raise"):
        tiled_attention(query, key, value, **options, query_block=2, key_block=2, n_threads=3)
        merge_partials(partial_attention(query, key, value, **options), partial_attention(query, key, value))
        tiled_attention(half, half, half, bias=np.full((9, 9), -np.inf))
        assert np.geterr()["divide"] == "raise"


def test_an_error_in_another_thread_reaches_the_caller(rng, monkeypatch):
    module = tiled_attention.__globals__["tiles"].__dict__  # pytest may import a file given by name a second time
    failed, attend = threading.Event(), module["_attend"]

    def fail_in_the_other_thread(*arguments):
        if threading.current_thread() is not threading.main_thread():
            failed.set()
            raise MemoryError("no room")
        assert failed.wait(10)
        return attend(*arguments)

    monkeypatch.setitem(module, "_attend", fail_in_the_other_thread)
    with pytest.raises(MemoryError, match="no room"):
        tiled_attention(*rng.standard_normal((3, 9, 4)), query_block=1, n_threads=2)


def test_threads_do_not_change_a_single_bit(rng):
    arrays = rng.standard_normal((3, 3, 70, 8), dtype=np.float32)
    one = tiled_attention(*arrays, is_causal=True, query_block=8, key_block=16)
    np.testing.assert_array_equal(
        tiled_attention(*arrays, is_causal=True, query_block=8, key_block=16, n_threads=5), one
    )


# --- parts and their merge ---------------------------------------------------------------------------------------


def test_a_part_holds_the_blend_and_the_logarithm_of_its_exponentials(rng):
    query, key, value = rng.standard_normal((2, 5, 4)), rng.standard_normal((2, 7, 4)), rng.standard_normal((2, 7, 3))
    part = partial_attention(query, key, value)
    assert isinstance(part, PartialAttention)
    np.testing.assert_allclose(part.output, loop_attention(query, key, value), rtol=0, atol=1e-14)
    np.testing.assert_allclose(part.logsumexp, logsumexp(attention_scores(query, key)), rtol=1e-14)


def test_the_sink_counts_in_the_logsumexp_of_its_part(rng):
    query, key, value = rng.standard_normal((3, 2, 5, 4))
    part = partial_attention(query, key, value, sink=[0.5, -np.inf])
    scores = attention_scores(query, key)
    expected = [np.logaddexp(logsumexp(scores[0]), 0.5), logsumexp(scores[1])]
    np.testing.assert_allclose(part.logsumexp, expected, rtol=1e-14)
    close(part.output, scaled_dot_product_attention(query, key, value, sink=[0.5, -np.inf]), value)


@pytest.mark.parametrize("seed", range(64))
def test_attention_over_any_split_of_the_keys_merges_to_attention_over_all(seed):
    rng = np.random.default_rng(seed)
    query, key, value = (rng.standard_normal((2, n, d)) for n, d in ((6, 4), (23, 4), (23, 5)))
    query *= rng.choice([1, 30])
    mask, bias, sink = rng.random((6, 23)) < 0.6, rng.standard_normal((2, 6, 23)), rng.standard_normal(2)
    owner = rng.integers(0, rng.integers(1, 7), 23)  # some parts may own no key
    parts = []
    for i in range(7):
        mine = owner == i
        options = {"mask": mask[:, mine], "bias": bias[..., mine], "sink": sink if i == 3 else None}
        parts.append(partial_attention(query, key[:, mine], value[:, mine], **options))
    order = rng.permutation(7)
    merged = merge_partials(*(parts[i] for i in order))
    expected = scaled_dot_product_attention(query, key, value, mask=mask, bias=bias, sink=sink)
    close(merged.output, expected, value)


def test_causal_parts_are_masked_from_where_their_keys_start(rng):
    query, key, value = rng.standard_normal((3, 9, 4))
    parts = [
        partial_attention(query, key[first:last], value[first:last], mask=causal_mask(9, last - first, offset=-first))
        for first, last in ((0, 4), (4, 6), (6, 9))
    ]
    close(merge_partials(*parts).output, scaled_dot_product_attention(query, key, value, is_causal=True), value)


numbers = st.floats(-50, 50, allow_subnormal=False)


@st.composite
def parts_of_one_attention(draw, n):
    """Draw parts of three queries; a logsumexp of -inf comes with an output of zero."""
    parts = []
    for _ in range(n):
        output = draw(hnp.arrays(float, (3, 2), elements=numbers))
        share = draw(hnp.arrays(float, 3, elements=st.one_of(numbers, st.just(-np.inf))))
        output[share == -np.inf] = 0
        parts.append(PartialAttention(output, share))
    return parts


def same(first, second, exact=False):
    if exact:
        np.testing.assert_array_equal(first.output, second.output)
        np.testing.assert_array_equal(first.logsumexp, second.logsumexp)
    np.testing.assert_allclose(first.output, second.output, rtol=0, atol=16 * EPS * 50)
    np.testing.assert_allclose(first.logsumexp, second.logsumexp, rtol=0, atol=16 * EPS * 50)


@properties
@given(parts_of_one_attention(3))
def test_merging_is_associative(parts):
    a, b, c = parts
    same(merge_partials(merge_partials(a, b), c), merge_partials(a, merge_partials(b, c)))
    same(merge_partials(merge_partials(a, b), c), merge_partials(a, b, c))


@properties
@given(parts_of_one_attention(2))
def test_merging_is_commutative_to_the_last_bit(parts):
    a, b = parts
    same(merge_partials(a, b), merge_partials(b, a), exact=True)


@properties
@given(parts_of_one_attention(1))
def test_a_part_without_keys_changes_nothing_to_the_last_bit(parts):
    (part,) = parts
    nothing = partial_attention(np.ones((3, 4)), np.ones((0, 4)), np.ones((0, 2)))
    for merged in (merge_partials(part, nothing), merge_partials(nothing, part), merge_partials(part)):
        same(merged, part, exact=True)


@properties
@given(parts_of_one_attention(4))
def test_a_merge_is_an_average_weighted_by_the_exponentials(parts):
    weights = np.exp([part.logsumexp for part in parts])
    merged = merge_partials(*parts)
    for i in range(3):
        if weights[:, i].sum() == 0:
            np.testing.assert_array_equal(merged.output[i], 0)
            assert merged.logsumexp[i] == -np.inf
        else:
            expected = np.average([part.output[i] for part in parts], axis=0, weights=weights[:, i])
            np.testing.assert_allclose(merged.output[i], expected, rtol=0, atol=1e-12)
            assert merged.logsumexp[i] == pytest.approx(np.log(weights[:, i].sum()), abs=1e-12)


def test_weights_of_a_part_are_the_weights_of_the_whole_divided_by_its_share(rng):
    query, key, value = rng.standard_normal((3, 5, 4))
    whole, part = partial_attention(query, key, value), partial_attention(query, key[:2], value[:2])
    share = np.exp(part.logsumexp - whole.logsumexp)
    np.testing.assert_allclose(share, loop_weights(query, key)[:, :2].sum(-1), rtol=1e-13)


def test_parts_may_come_as_pairs_and_in_half_precision(rng):
    query, key, value = rng.standard_normal((3, 6, 4)).astype(np.float16)
    parts = [partial_attention(query, key[half], value[half]) for half in (slice(0, 2), slice(2, 6))]
    merged = merge_partials(*(tuple(part) for part in parts))
    assert merged.output.dtype == np.float16
    assert merged.logsumexp.dtype == np.float32
    np.testing.assert_allclose(merged.output, scaled_dot_product_attention(query, key, value), atol=4e-3)


# --- memory ------------------------------------------------------------------------------------------------------


def extra_bytes(n, n_threads, **options):
    query, key, value = np.random.default_rng(0).standard_normal((3, n, 16), dtype=np.float32)
    tiled_attention(query[:2], key[:2], value[:2], n_threads=n_threads)  # pays for lazy imports
    tracemalloc.start()
    try:
        output = tiled_attention(query, key, value, n_threads=n_threads, **options)
        return tracemalloc.get_traced_memory()[1] - output.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("is_causal", [False, True])
def test_extra_memory_is_one_tile_a_worker_whatever_n_is(n_threads, is_causal):
    small, large = (extra_bytes(n, n_threads, is_causal=is_causal) for n in (4096, 16384))
    assert max(small, large) <= n_threads * 2 * 2**20
    if n_threads == 1:  # else it depends on who is busy at the same moment
        assert np.log(large / small) / np.log(4) <= 0.05


def test_options_take_no_memory_of_the_size_of_the_scores():
    n = 4096
    options = {
        "mask": np.broadcast_to(np.arange(n) % 3 > 0, (n, n)),
        "bias": np.broadcast_to(np.linspace(-1, 1, n), (n, n)),
        "softcap": 5.0,
        "sink": 1.0,
    }
    assert extra_bytes(n, 1, **options) <= 2 * 2**20


def test_grouped_heads_are_not_repeated_in_memory(rng):
    query = rng.standard_normal((8, 16, 32), dtype=np.float32)
    key, value = rng.standard_normal((2, 1, 20000, 32), dtype=np.float32)
    tracemalloc.start()
    tiled_attention(query, key, value, enable_gqa=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < key.nbytes


# --- bad input ---------------------------------------------------------------------------------------------------

QUERY, KEY, VALUE = np.zeros((3, 4)), np.zeros((5, 4)), np.zeros((5, 2))


@pytest.mark.parametrize(
    ("options", "exception", "pieces"),
    [
        pytest.param({"query_block": 0}, ValueError, ["query_block", "1", "0"], id="no rows in a tile"),
        pytest.param({"key_block": -1}, ValueError, ["key_block", "-1"], id="negative columns"),
        pytest.param({"n_threads": 0}, ValueError, ["n_threads", "0"], id="no thread"),
        pytest.param({"query_block": 2.0}, TypeError, ["query_block", "integer"], id="real block"),
        pytest.param({"key_block": None}, TypeError, ["key_block", "integer"], id="no block"),
        pytest.param({"n_threads": "2"}, TypeError, ["n_threads", "integer"], id="threads as text"),
        pytest.param({"attn_mask": None}, TypeError, ["attn_mask"], id="an unknown option"),
    ],
)
def test_bad_blocks_and_threads_are_named(options, exception, pieces):
    with pytest.raises(exception, match=says(*pieces)):
        tiled_attention(QUERY, KEY, VALUE, **options)


@pytest.mark.parametrize(
    ("arrays", "options"),
    [
        ((QUERY, np.zeros((5, 6)), VALUE), {}),
        ((QUERY, KEY, np.zeros((6, 2))), {}),
        ((QUERY[0], KEY, VALUE), {}),
        ((QUERY, KEY, VALUE[0]), {}),
        ((QUERY * 1j, KEY, VALUE), {}),
        ((np.zeros((2, 3, 4)), np.zeros((6, 5, 4)), np.zeros((6, 5, 2))), {}),
        ((np.zeros((2, 3, 4)), np.zeros((2, 5, 4)), np.zeros((6, 5, 2))), {}),
        ((np.zeros((3, 0)), np.zeros((5, 0)), VALUE), {}),
        ((QUERY, KEY, VALUE), {"mask": np.ones((3, 5), int)}),
        ((QUERY, KEY, VALUE), {"mask": np.ones((2, 3, 5), bool)}),
        ((QUERY, KEY, VALUE), {"bias": np.ones((4, 5))}),
        ((QUERY, KEY, VALUE), {"bias": np.ones((3, 5), bool)}),
        ((QUERY, KEY, VALUE), {"is_causal": True}),
        ((QUERY, KEY, VALUE), {"is_causal": 1}),
        ((QUERY, KEY, VALUE), {"scale": np.inf}),
        ((QUERY, KEY, VALUE), {"softcap": 0.0}),
        ((QUERY, KEY, VALUE), {"sink": np.zeros(3)}),
        ((QUERY, KEY, VALUE), {"sink": 1j}),
        ((QUERY, KEY, VALUE), {"enable_gqa": True}),
        ((QUERY, KEY, VALUE), {"enable_gqa": 1}),
        ((np.zeros((5, 3, 4)), np.zeros((2, 5, 4)), np.zeros((2, 5, 2))), {"enable_gqa": True}),
        ((np.zeros((4, 3, 4)), np.zeros((2, 5, 4)), np.zeros((4, 5, 2))), {"enable_gqa": True}),
    ],
)
def test_bad_input_is_refused_in_the_words_of_the_reference(arrays, options):
    with pytest.raises((ValueError, TypeError)) as expected:
        scaled_dot_product_attention(*arrays, **options)
    for function in (tiled_attention, partial_attention):
        with pytest.raises(type(expected.value)) as actual:
            function(*arrays, **options)
        assert str(actual.value) == str(expected.value)


@pytest.mark.parametrize(
    ("parts", "exception", "pieces"),
    [
        pytest.param(
            [(np.zeros((3, 2)), np.zeros(3)), (np.zeros((4, 2)), np.zeros(4))],
            ValueError,
            ["first.output (3, 2)", "rest[0].output (4, 2)"],
            id="other queries",
        ),
        pytest.param(
            [(np.zeros((3, 2)), np.zeros((3, 1)))], ValueError, ["first.logsumexp (3, 1)"], id="logsumexp with an axis"
        ),
        pytest.param([(np.zeros(()), np.zeros(()))], ValueError, ["first.output ()"], id="a number"),
        pytest.param(
            [(np.zeros((3, 2)), np.zeros(3)), (np.zeros((3, 2)), np.zeros(3) * 1j)],
            TypeError,
            ["rest[0].logsumexp", "complex"],
            id="complex logsumexp",
        ),
    ],
)
def test_parts_that_do_not_fit_are_named(parts, exception, pieces):
    with pytest.raises(exception, match=says(*pieces)):
        merge_partials(*parts)


def test_nothing_at_all_cannot_be_merged():
    with pytest.raises(TypeError, match="first"):
        merge_partials()
