"""Tiles against the reference, whatever the options, the blocks and the threads; and their memory."""

import threading
from itertools import product
from typing import Any

import numpy as np
import pytest

import attention as at
from tests.package.cases import options_of, random_case
from tests.package.oracles import close, held

# --- against the reference ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_tiles_compute_the_reference_whatever_the_options_and_the_blocks(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        arrays, options, blocks = random_case(rng)
        expected = at.scaled_dot_product_attention(*arrays, **options)
        found = at.tiled_attention(*arrays, **options, **blocks, n_threads=2, return_logsumexp=True)
        close(found[0], expected, arrays[-1])
        for one, other in zip(found, at.partial_attention(*arrays, **options, **blocks), strict=True):
            np.testing.assert_array_equal(one, other)  # threads change no bit


@pytest.mark.parametrize("size", [1, 50], ids=["exp as it is", "exp shifted"])
@pytest.mark.parametrize("is_causal", [False, True])
def test_many_tiles_of_the_default_size_agree_with_the_reference(rng, size, is_causal):
    query, key, value = rng.standard_normal((3, 2, 1300, 16), dtype=np.float32)
    query *= size
    expected = at.scaled_dot_product_attention(query, key, value, is_causal=is_causal)
    close(at.tiled_attention(query, key, value, is_causal=is_causal, n_threads=2), expected, value, 32 * size)


@pytest.mark.parametrize("lead", [((3,), (3,), (3,)), ((1,), (3,), (3,)), ((3,), (3,), (2, 3)), ((), (2, 3), (1,))])
def test_a_few_queries_meet_the_heads_of_any_shape_that_broadcasts(rng, lead):
    query, key, value = (rng.standard_normal((*shape, n, 4)) for shape, n in zip(lead, (2, 3000, 3000), strict=True))
    for options in ({}, {"sink": 0.5, "softcap": 2.0}, {"mask": np.arange(3000) % 7 > 0}):
        expected = at.scaled_dot_product_attention(query, key, value, **options)
        close(at.tiled_attention(query, key, value, **options), expected, value)


# --- what must not matter, and what must -------------------------------------------------------------------------


def test_no_floating_point_warnings_in_any_thread(rng):
    query, key, value = rng.standard_normal((3, 9, 4), dtype=np.float32) * np.float32(1e20)
    key[2] = np.inf
    mask = rng.random((9, 9)) < 0.3
    options: dict[str, Any] = {"mask": mask, "bias": np.full((9, 9), 1e300), "sink": -1e300, "softcap": 2.0}
    half = rng.standard_normal((9, 4)).astype(np.float16)
    with np.errstate(all="raise"):
        at.tiled_attention(query, key, value, **options, query_block=2, key_block=2, n_threads=3)
        at.merge_partials(at.partial_attention(query, key, value, **options), at.partial_attention(query, key, value))
        at.tiled_attention(half, half, half, bias=np.full((9, 9), -np.inf))
        assert np.geterr()["divide"] == "raise"


def test_an_error_in_another_thread_reaches_the_caller(rng, monkeypatch):
    def fail(*arguments):
        assert threading.current_thread() is not threading.main_thread()
        raise MemoryError("no room")

    monkeypatch.setitem(at.tiled_attention.__globals__, "_online_softmax", fail)
    with pytest.raises(MemoryError, match="no room"):
        at.tiled_attention(*rng.standard_normal((3, 9, 4)), query_block=1, n_threads=2)


# --- scores and values of any size --------------------------------------------------------------------------------


def extreme_cases():
    """Yield query, key, value, options, and what tiles may be off: a part of each number, or eps of the largest."""
    spread, ramp = (np.linspace(low, high, 9, dtype=np.float32)[:, None] for low, high in ((0.5, 1), (1, 2)))
    for size, scale in product((1e-40, 1e-30, 1e18, 1e36), (-20, 20, 60)):
        yield np.full((2, 1), scale, np.float32), spread, np.float32(size) * ramp, {}, 1e-4, 0
    rng = np.random.default_rng(0)
    for height in (-2000.0, 2000.0):
        yield *rng.standard_normal((3, 9, 4)), {"bias": height * rng.random((9, 9))}, 0, 1000
    tiny, far = np.array([[1e-30]], np.float32), np.array([[1e15], [-1e15]], np.float32)  # a square underflows
    yield tiny, far, np.array([[1.0], [2.0]], np.float32), {"scale": 1e18}, 1e-5, 0
    key, value = np.array([[0.0], [-1e30], [1e30], [5.0]]), np.arange(4.0)[:, None]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 1, 3]):  # far below the first ones, and far above
        yield np.array([[1.0]]), key[order], value[order], {}, 0, 0


@pytest.mark.parametrize(("query", "key", "value", "options", "rtol", "n_eps"), [*extreme_cases()])
@pytest.mark.parametrize("key_block", [1, 2, 4])
def test_scores_and_values_of_any_size_survive_in_tiles(query, key, value, options, rtol, n_eps, key_block):
    expected = at.scaled_dot_product_attention(query, key, value, **options)
    assert np.isfinite(expected).all()
    actual = at.tiled_attention(query, key, value, **options, key_block=key_block)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=n_eps * np.finfo(float).eps * np.abs(value).max())


@pytest.mark.parametrize("row", [0, 1, 8191, 8192, 8199])
@pytest.mark.parametrize("large", ["query", "key"])
def test_one_large_row_is_not_overlooked_wherever_it_stands(rng, large, row):
    arrays = {"query": rng.standard_normal((2, 4)), "key": rng.standard_normal((2, 4))}
    arrays[large] = rng.standard_normal((8200, 4))
    arrays[large][row] *= 1e4  # exp of its scores overflows without a shift
    value = rng.standard_normal((len(arrays["key"]), 3))
    expected = at.scaled_dot_product_attention(**arrays, value=value)
    close(at.tiled_attention(**arrays, value=value), expected, value, 1e5)


# --- memory ------------------------------------------------------------------------------------------------------


def extra_bytes(n_q, n_k=None, n_threads=1, *, of=at.tiled_attention, shape=(1, 1), width=64, **options):
    """Return the bytes that a call holds at most beside its result; `shape` are the heads of queries and of keys."""
    rng, n_k = np.random.default_rng(0), n_k or n_q
    query = rng.standard_normal((1, shape[0], n_q, width), dtype=np.float32)
    key, value = rng.standard_normal((2, 1, shape[1], n_k, width), dtype=np.float32)
    threads = {"n_threads": n_threads} if of is at.tiled_attention else {}
    of(query[..., :2, :], key[..., :2, :], value[..., :2, :], enable_gqa=True)  # pays for lazy imports
    peak, output = held(of, query, key, value, **threads, **options)
    return peak - np.asarray(getattr(output, "output", output)).nbytes


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("is_causal", [False, True])
def test_extra_memory_is_one_tile_a_worker_whatever_n_is(n_threads, is_causal):
    small, large = (extra_bytes(n, n_threads=n_threads, is_causal=is_causal) for n in (512, 2048))
    assert max(small, large) <= n_threads * 2 * 2**20
    if n_threads == 1:  # else it depends on who is busy at the same moment
        assert np.log(large / small) / np.log(4) <= 0.05


@pytest.mark.parametrize("n", [1024, 2048])
def test_both_functions_hold_what_the_page_on_memory_counts(n):
    grid, tile = 4 * n**2, 4 * 256 * 512
    assert grid <= extra_bytes(n, of=at.scaled_dot_product_attention) <= 3 * grid + 2**20
    assert tile <= extra_bytes(n) <= tile + 2**18


@pytest.mark.parametrize("options", options_of("memory"))
def test_no_option_takes_memory_of_the_size_of_the_scores_or_copies_of_the_keys(options):
    assert extra_bytes(**options) <= 2 * 2**20
