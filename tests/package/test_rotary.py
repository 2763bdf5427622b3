"""Rotary tables and turns against loops: distances, layouts, precision."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import (
    KVCache,
    apply_rotary,
    attention_scores,
    rotary_permutation,
    rotary_tables,
    scaled_dot_product_attention,
    sinusoidal_encoding,
)
from tests.package.oracles import loop_rotary, properties

EPS = np.finfo(float).eps
LAYOUTS = ("interleaved", "half")


# --- rotary tables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [10000.0, 500000.0, 2.0])
@pytest.mark.parametrize("interpolation", [1.0, 4.0, 0.3])
@pytest.mark.parametrize(
    "positions", [3, 2.5, [0, 1, 2000], [[0, 1, 2], [-5, 0.25, 17]]], ids=["scalar", "real", "row", "two sequences"]
)
def test_the_tables_hold_the_cosine_and_sine_of_each_angle(positions, base, interpolation):
    cos, sin = rotary_tables(positions, 6, base=base, interpolation=interpolation)
    assert cos.shape == sin.shape == (*np.shape(positions), 3)
    for at, position in np.ndenumerate(positions):
        for i in range(3):
            angle = position / interpolation / base ** (2 * i / 6)
            assert cos[(*at, i)] == pytest.approx(math.cos(angle), abs=1e-11)
            assert sin[(*at, i)] == pytest.approx(math.sin(angle), abs=1e-11)


@pytest.mark.parametrize("interpolation", [1.0, 4.0])
@pytest.mark.parametrize("inv_freq", [[1, 0.25, 0], np.array([0.5, 1e-3, 2], np.float32)], ids=["list", "float32"])
def test_the_tables_take_frequencies_in_place_of_a_base(inv_freq, interpolation):
    positions = np.array([[0, 1, 2000], [-5, 0.25, 17]])
    cos, sin = rotary_tables(positions, 6, inv_freq=inv_freq, interpolation=interpolation)
    for at, position in np.ndenumerate(positions):
        for i in range(3):
            angle = position / interpolation * float(inv_freq[i])
            assert cos[(*at, i)] == pytest.approx(math.cos(angle), abs=1e-11)
            assert sin[(*at, i)] == pytest.approx(math.sin(angle), abs=1e-11)


def test_the_frequencies_of_a_base_give_its_tables():
    frequencies = [500000.0 ** (-2 * i / 8) for i in range(4)]
    tables = rotary_tables(np.arange(50), 8, inv_freq=frequencies)
    np.testing.assert_allclose(tables, rotary_tables(np.arange(50), 8, base=500000.0), rtol=0, atol=1e-14)


def test_the_tables_hold_the_numbers_of_the_sinusoids():
    cos, sin = rotary_tables(np.arange(50), 8)
    encoding = sinusoidal_encoding(50, 8)
    np.testing.assert_array_equal(sin, encoding[:, 0::2])
    np.testing.assert_array_equal(cos, encoding[:, 1::2])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, float])
def test_the_tables_round_the_double_result_and_give_no_warnings(dtype):
    positions = np.array([0, 1, 65000, 1_000_000])
    expected = rotary_tables(positions, 64)
    with np.errstate(all="raise"):
        tables = rotary_tables(positions, 64, dtype=dtype)
    for table, exact in zip(tables, expected, strict=True):
        assert table.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(table, exact.astype(dtype))
    np.testing.assert_array_equal(rotary_tables(positions.astype(np.float32), 64), expected)  # all exact in float32


def test_interpolated_positions_stay_inside_the_range_of_training():
    long, trained = (np.stack(rotary_tables(np.arange(n), 8, interpolation=s)) for n, s in ((4096, 8.0), (512, 1.0)))
    np.testing.assert_array_equal(long[:, ::8], trained)


# --- turning -----------------------------------------------------------------------------------------------------


def draw_turn(rng):
    """Draw vectors and tables: axes of the tables are of size 1 or absent at random, the turned width too."""
    lead = (2, 3, 5)[rng.integers(4) :]
    pairs = int(rng.integers(1, 4))
    x = rng.standard_normal((*lead, 7, 2 * pairs + int(rng.integers(0, 4))))
    sizes = tuple(size if rng.random() < 0.6 else 1 for size in x.shape[:-1])
    angles = rng.uniform(-9, 9, (*sizes[rng.integers(len(sizes) + 1) :], pairs))
    return x, np.cos(angles), np.sin(angles)


@pytest.mark.parametrize("layout", LAYOUTS)
@properties
@given(seed=st.integers(0, 2**32))
def test_every_pair_is_turned_by_its_angle(layout, seed):
    x, cos, sin = draw_turn(np.random.default_rng(seed))
    before = x.copy()
    rotated = apply_rotary(x, cos, sin, layout=layout)
    assert rotated.shape == x.shape
    np.testing.assert_allclose(rotated, loop_rotary(x, cos, sin, layout), rtol=0, atol=4 * EPS * np.abs(x).max())
    np.testing.assert_array_equal(x, before)
    assert not np.shares_memory(rotated, x)


places = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("layout", LAYOUTS)
@properties
@given(m=places, n=places)
def test_two_rotations_leave_their_distance(layout, m, n):
    turn_m, turn_n, between = (
        apply_rotary(np.eye(6), *rotary_tables(position, 6), layout=layout).T for position in (m, n, n - m)
    )
    np.testing.assert_allclose(turn_m.T @ turn_n, between, rtol=0, atol=1e6 * 4 * EPS)  # what an angle of 1e6 rounds


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_depend_on_the_distance_alone_and_norms_on_nothing(rng, layout):
    query, key = rng.standard_normal((2, 200, 8))
    m, n = rng.integers(0, 10**6, (2, 200)).astype(float)
    shift = rng.uniform(0, 1e6, 200)

    def scores(first, second):
        turned = [apply_rotary(x, *rotary_tables(at, 8), layout=layout) for x, at in ((query, first), (key, second))]
        for before, after in zip((query, key), turned, strict=True):
            np.testing.assert_allclose(np.linalg.norm(after, axis=-1), np.linalg.norm(before, axis=-1), rtol=8 * EPS)
        return (turned[0] * turned[1]).sum(-1)

    bound = 2e6 * 8 * EPS * np.linalg.norm(query, axis=-1).max() * np.linalg.norm(key, axis=-1).max()
    np.testing.assert_allclose(scores(m + shift, n + shift), scores(m, n), rtol=0, atol=bound)
    np.testing.assert_allclose(scores(0 * m, n - m), scores(m, n), rtol=0, atol=bound)
    assert not np.allclose(scores(n, m), scores(m, n), atol=0.1)  # before is not after


def test_angles_of_float32_lose_what_float64_keeps():
    positions = np.arange(999_000, 1_000_001)
    frequencies = 10000.0 ** (-np.arange(0, 128, 2) / 128)
    single = positions[:, None].astype(np.float32) * frequencies.astype(np.float32)
    exact = positions[:, None].astype(np.longdouble) * frequencies
    assert 0.03 < np.abs(single - exact).max() < 0.07
    cos, _ = rotary_tables(positions, 128)
    np.testing.assert_allclose(cos, np.cos(exact).astype(float), rtol=0, atol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_quarter_turn_by_hand(layout):
    cos, sin = rotary_tables([0, np.pi / 2], 2)
    here, there = apply_rotary([[1.0, 0.0]], cos[:1], sin[:1], layout=layout), [[1.0, 0.0], [0.0, -1.0], [0.0, 1.0]]
    np.testing.assert_array_equal(here, [[1, 0]])
    turned = apply_rotary(there, cos[1], sin[1], layout=layout)
    scores = attention_scores(here, turned, scale=1.0)[0]
    np.testing.assert_allclose(scores, [0, 1, -1], rtol=0, atol=EPS)
    assert scores[0] != 0  # since pi / 2 is not a double


def test_the_layouts_differ_by_a_permutation(rng):
    x, order = rng.standard_normal((2, 5, 10)), rotary_permutation(10)
    tables = rotary_tables(np.arange(5), 10)
    interleaved, half = (apply_rotary(x, *tables, layout=layout) for layout in LAYOUTS)
    assert not np.allclose(interleaved, half)
    np.testing.assert_allclose(apply_rotary(x[..., order], *tables, layout="half"), interleaved[..., order], rtol=1e-14)
    back = np.argsort(order)
    np.testing.assert_allclose(apply_rotary(x[..., back], *tables, layout="interleaved"), half[..., back], rtol=1e-14)


def test_converted_weights_give_the_same_scores(rng):
    tokens, (w_q, w_k), order = rng.standard_normal((5, 7)), rng.standard_normal((2, 7, 6)), rotary_permutation(6)
    tables = rotary_tables(np.arange(5), 6)
    scores = [
        attention_scores(*(apply_rotary(tokens @ w, *tables, layout=layout) for w in pair))
        for layout, pair in (("interleaved", (w_q, w_k)), ("half", (w_q[:, order], w_k[:, order])))
    ]
    np.testing.assert_allclose(*scores, rtol=1e-12)


def test_the_permutation_lists_every_feature_once():
    for rotary_dim in (2, 4, 10, 128):
        order = rotary_permutation(rotary_dim)
        assert order.dtype == np.intp
        assert sorted(order) == list(range(rotary_dim))
        assert list(order[: rotary_dim // 2]) == list(range(0, rotary_dim, 2))
        assert list(order[rotary_dim // 2 :]) == list(range(1, rotary_dim, 2))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_place_in_memory_does_not_matter(rng, layout):
    x, tables = rng.standard_normal((5, 8)), rotary_tables(np.arange(5), 6)
    expected = apply_rotary(x, *tables, layout=layout)
    wide = np.zeros((5, 16))
    wide[:, ::2] = x
    shifted = np.empty(x.nbytes + 4, np.uint8)[4:].view(float).reshape(x.shape)
    shifted[...] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    for same in (
        np.asfortranarray(x),
        wide[:, ::2],
        x[::-1, ::-1].copy()[::-1, ::-1],
        shifted,
        x.astype(">f8"),
        frozen,
    ):
        np.testing.assert_array_equal(apply_rotary(same, *tables, layout=layout), expected)
    repeated = np.broadcast_to(x[:, :1], (5, 8))
    np.testing.assert_array_equal(
        apply_rotary(repeated, *tables, layout=layout), apply_rotary(repeated.copy(), *tables, layout=layout)
    )
    strided = [np.repeat(table, 2, axis=-1)[:, ::2] for table in tables]
    np.testing.assert_array_equal(apply_rotary(x, *strided, layout=layout), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nan_shows_in_its_pair_and_nowhere_else(layout):
    x = np.ones((2, 6))
    x[1, 0] = np.nan
    rotated = apply_rotary(x, *rotary_tables([3, 4], 4), layout=layout)
    pair = [0, 1] if layout == "interleaved" else [0, 2]
    expected = np.zeros((2, 6), bool)
    expected[1, pair] = True
    np.testing.assert_array_equal(np.isnan(rotated), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_empty_axes_stay_empty(layout):
    assert apply_rotary(np.zeros((2, 0, 4)), *rotary_tables([], 4), layout=layout).shape == (2, 0, 4)
    np.testing.assert_array_equal(
        apply_rotary(np.ones((3, 5)), np.ones((3, 0)), np.ones((3, 0)), layout=layout), np.ones((3, 5))
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_cache_holds_turned_keys_and_decoding_gives_what_the_whole_sequence_gives(rng, layout):
    query, key, value = rng.standard_normal((3, 2, 7, 6))
    tables = rotary_tables(np.arange(7), 6)
    turned = [apply_rotary(x, *tables, layout=layout) for x in (query, key)]
    expected = scaled_dot_product_attention(*turned, value, is_causal=True)
    cache = KVCache()
    for at in range(7):
        token = slice(at, at + 1)
        here = rotary_tables(cache.n_seen[..., None], 6)  # a new token's position is the number of tokens before it
        keys, values = cache.append(apply_rotary(key[:, token], *here, layout=layout), value[:, token])
        output = scaled_dot_product_attention(apply_rotary(query[:, token], *here, layout=layout), keys, values)
        np.testing.assert_allclose(output, expected[:, token], rtol=0, atol=1e-14)
