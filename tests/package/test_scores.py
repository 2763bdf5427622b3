"""What a broken value may show, alike in every function and for tiles of every size; and what shared heads save."""

import tracemalloc

import numpy as np
import pytest

from attention import merge_partials, partial_attention, scaled_dot_product_attention, tiled_attention
from tests.package.cases import by_mask, random_case
from tests.package.oracles import close, loop_attended, loop_attention

BROKEN = [np.nan, np.inf, -np.inf]


def in_tiles(rng, query, key, value, options):
    """Compute the same in tiles of several sizes, and as a part."""
    sizes = [(1, 1), (256, 1024), tuple(int(size) for size in rng.integers(1, 12, 2))]
    yield from (tiled_attention(query, key, value, **options, query_block=q, key_block=k) for q, k in sizes)
    yield partial_attention(query, key, value, **options).output


# --- nan and inf in values ---------------------------------------------------------------------------------------


def broken_case(rng, share):
    """Draw a case whose values hold nan and inf, and whose bias holds -inf now and then."""
    (query, key, value), options, _ = random_case(rng, 7)
    value[rng.random(value.shape) < share] = rng.choice(BROKEN)
    if rng.random() < 0.3:
        options["bias"] = np.where(rng.random((query.shape[-2], key.shape[-2])) < 0.5, -np.inf, 0.5)
    options.pop("scale", None)
    return (query / max(1, np.abs(query).max()), key, value), options  # no weight rounds to zero


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_a_broken_value_shows_where_it_is_attended_and_nowhere_else(share):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        arrays, options = broken_case(rng, share)
        expected = loop_attention(*arrays, **options)
        sound = np.isfinite(expected)
        atol = 64 * np.finfo(arrays[-1].dtype).eps * np.abs(arrays[-1][np.isfinite(arrays[-1])]).max(initial=0)
        for output in (scaled_dot_product_attention(*arrays, **options), *in_tiles(rng, *arrays, options)):
            np.testing.assert_array_equal(output[~sound], expected[~sound], err_msg=f"seed {seed}, {options}")
            np.testing.assert_allclose(output[sound], expected[sound], rtol=0, atol=atol, err_msg=f"seed {seed}")


def test_the_broken_cases_hold_the_hard_ones():
    found = {"attended": 0, "attended by some": 0, "attended by none": 0, "under -inf": 0, "rows without a key": 0}
    for seed in range(60):
        (query, key, value), options = broken_case(np.random.default_rng(seed), 0.02)
        mask = by_mask((query, key, value), options)["mask"]
        attended = loop_attended(mask.shape, mask=mask, bias=options.get("bias"))
        broken = ~np.isfinite(value).all(axis=(*range(value.ndim - 2), -1))  # (n_k,)
        found["attended"] += attended[..., broken].all()
        found["attended by some"] += attended[..., broken].any() and not attended[..., broken].all()
        found["attended by none"] += broken.any() and not attended[..., broken].any()
        found["under -inf"] += (mask & ~attended)[..., broken].any()
        found["rows without a key"] += broken.any() and not attended.any(axis=-1).all()
    assert min(found.values()) > 1, found


@pytest.mark.parametrize("poison", BROKEN)
@pytest.mark.parametrize("sink", [None, 1.0])
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"mask": np.arange(12) != 7}, id="mask"),
        pytest.param({"bias": np.where(np.arange(12) == 7, -np.inf, 0)}, id="bias of -inf"),
        pytest.param({"is_causal": True, "offset": 1}, id="causal"),
        pytest.param({"window": (2, 0), "offset": -1}, id="window"),
        pytest.param({"window": (0, 2), "offset": 8}, id="window beyond it"),
    ],
)
def test_a_value_that_no_query_attends_to_cannot_show_whatever_the_tile(rng, poison, sink, options):
    query, key, value = rng.standard_normal((5, 4)), rng.standard_normal((12, 4)), rng.standard_normal((12, 3))
    options = options | {"sink": sink}
    expected = scaled_dot_product_attention(query, key, value, **options)
    value[7, 1] = poison
    np.testing.assert_allclose(scaled_dot_product_attention(query, key, value, **options), expected, rtol=0, atol=1e-14)
    for key_block in (1, 3, 7, 8, 12, 100):
        for query_block in (1, 2, 100):
            tiles = {"query_block": query_block, "key_block": key_block}
            close(tiled_attention(query, key, value, **options, **tiles), expected, expected)
    close(partial_attention(query, key, value, **options).output, expected, expected)


@pytest.mark.parametrize("poison", BROKEN)
@pytest.mark.parametrize("scores", [[0.0, -1e5, 3.0], [-1e5, 0.0, 3.0], [3.0, 0.0, -1e5], [-80.0, -100, 20]])
@pytest.mark.parametrize("sink", [None, 0.0, 1e5])
def test_where_weights_round_to_zero_every_function_answers_alike(poison, scores, sink):
    key, value = np.array(scores, np.float32)[:, None], np.array([[1.0, 2], [3, 4], [5, 6]], np.float32)
    query = np.ones((2, 1), np.float32)
    for at in range(3):
        broken = value.copy()
        broken[at, 1] = poison
        expected = scaled_dot_product_attention(query, key, broken, sink=sink)
        np.testing.assert_array_equal(np.isfinite(expected[:, 0]), True)
        for key_block in (1, 2, 3):
            output = tiled_attention(query, key, broken, sink=sink, key_block=key_block)
            np.testing.assert_array_equal(np.isfinite(output), np.isfinite(expected), err_msg=f"{at} {key_block}")
        np.testing.assert_array_equal(
            np.isfinite(partial_attention(query, key, broken, sink=sink).output), np.isfinite(expected)
        )


@pytest.mark.parametrize("poison", BROKEN)
def test_a_broken_value_of_one_part_shows_after_the_merge(rng, poison):
    query, key, value = rng.standard_normal((3, 6, 4))
    value[4, 2] = poison
    expected = scaled_dot_product_attention(query, key, value, is_causal=True)
    parts = [
        partial_attention(query, key[some], value[some], is_causal=True, offset=-some.start)
        for some in (slice(0, 3), slice(3, 6))
    ]
    merged = merge_partials(*parts).output
    np.testing.assert_array_equal(np.isfinite(merged), np.isfinite(expected))
    np.testing.assert_array_equal(np.isfinite(expected[:4]), True)
    assert not np.isfinite(expected[4:, 2]).any()


# --- shared heads ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="alone"),
        pytest.param({"mask": np.ones((32, 1, 8192), bool)}, id="with a mask for each head"),
        pytest.param({"bias": np.zeros((32, 1, 1), np.float32)}, id="with a bias for each head"),
        pytest.param({"sink": np.zeros(32, np.float32)}, id="with a sink for each head"),
        pytest.param({"is_causal": True, "offset": [8191]}, id="with an offset for each sequence"),
        pytest.param({"window": (1000, 0), "offset": 8191}, id="with a window"),
    ],
)
def test_shared_heads_are_not_copied_when_one_token_is_decoded(options):
    rng = np.random.default_rng(0)
    query = rng.standard_normal((1, 32, 1, 64), dtype=np.float32)
    key, value = rng.standard_normal((2, 1, 8, 8192, 64), dtype=np.float32)
    tracemalloc.start()
    try:
        output = scaled_dot_product_attention(query, key, value, **options, enable_gqa=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    scores = 32 * 8192 * 4
    assert peak <= 2 * (scores + output.nbytes)
    assert 2 * scores < key.nbytes / 4  # so that no copy of the keys could hide in it
