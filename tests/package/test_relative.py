"""Encodings of positions against loops, the properties they were chosen for, and bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import (
    KVCache,
    alibi_bias,
    alibi_slopes,
    apply_rotary,
    attention_scores,
    relative_position_bias,
    relative_position_bucket,
    rotary_permutation,
    rotary_tables,
    scaled_dot_product_attention,
    sinusoidal_encoding,
)
from tests.oracles import loop_rotary, properties, says

EPS = np.finfo(float).eps
LAYOUTS = ("interleaved", "half")


def loop_sinusoids(n_positions, d_model, base):
    table = np.empty((n_positions, d_model))
    for p in range(n_positions):
        for i in range(d_model // 2):  # i runs over pairs of columns
            angle = p / base ** (2 * i / d_model)
            table[p, 2 * i] = math.sin(angle)
            table[p, 2 * i + 1] = math.cos(angle)
    return table


@pytest.mark.parametrize("base", [10000.0, 100.0, 2.0])
@pytest.mark.parametrize(("n_positions", "d_model"), [(0, 4), (1, 2), (5, 4), (7, 12), (3, 64)])
def test_sines_stand_on_even_and_cosines_on_odd_columns(n_positions, d_model, base):
    expected = loop_sinusoids(n_positions, d_model, base)
    encoding = sinusoidal_encoding(n_positions, d_model, base=base)
    assert encoding.shape == (n_positions, d_model)
    np.testing.assert_allclose(encoding, expected, rtol=0, atol=1e-14)


def test_far_positions_are_as_precise_as_their_angles():
    encoding, expected = sinusoidal_encoding(5001, 6), loop_sinusoids(5001, 6, 10000.0)
    np.testing.assert_allclose(encoding, expected, rtol=0, atol=5000 * 4 * np.finfo(float).eps)


def test_position_one_by_hand():
    np.testing.assert_allclose(sinusoidal_encoding(2, 4)[1], [0.8415, 0.5403, 0.0100, 0.99995], rtol=0, atol=5e-5)
    np.testing.assert_array_equal(sinusoidal_encoding(1, 6), [[0, 1, 0, 1, 0, 1]])


def test_the_base_is_ten_thousand_unless_said():
    np.testing.assert_array_equal(sinusoidal_encoding(5, 8), sinusoidal_encoding(5, 8, base=10000.0))
    assert not np.allclose(sinusoidal_encoding(5, 8), sinusoidal_encoding(5, 8, base=1000.0))


def test_products_of_two_positions_depend_on_their_distance_only():
    encoding = sinusoidal_encoding(40, 8)
    products = encoding @ encoding.T
    for distance in range(40):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(products[0, 0], 4, rtol=1e-15)  # one per pair of columns
    assert products[0, 1] > products[0, 2] > products[0, 3]


@properties
@given(st.integers(1, 30), st.integers(1, 10), st.floats(1.5, 1e5))
def test_every_pair_of_columns_is_a_point_on_the_circle(n_positions, pairs, base):
    encoding = sinusoidal_encoding(n_positions, 2 * pairs, base=base)
    np.testing.assert_allclose(encoding[:, ::2] ** 2 + encoding[:, 1::2] ** 2, 1, rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, float])
def test_a_dtype_rounds_the_double_result(dtype):
    encoding = sinusoidal_encoding(3000, 6, dtype=dtype)
    assert encoding.dtype == np.dtype(dtype)
    expected = loop_sinusoids(3000, 6, 10000.0)  # angles of 3000 computed in a small dtype would be far off
    np.testing.assert_allclose(encoding, expected, rtol=0, atol=1e-11 + np.finfo(dtype).eps)


def test_the_dtype_is_double_unless_said_and_rounding_gives_no_warnings():
    assert sinusoidal_encoding(2, 4).dtype == np.float64
    with np.errstate(all="raise"):
        sinusoidal_encoding(3000, 64, dtype=np.float16)


def test_every_call_gives_a_new_array():
    first = sinusoidal_encoding(3, 4)
    first[...] = 7
    np.testing.assert_array_equal(sinusoidal_encoding(3, 4)[0], [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("arguments", "options", "exception", "pieces"),
    [
        pytest.param((3, 5), {}, ValueError, ["d_model", "even", "5"], id="odd d_model"),
        pytest.param((3, -4), {}, ValueError, ["d_model", "-4"], id="negative d_model"),
        pytest.param((-3, 4), {}, ValueError, ["n_positions", "-3"], id="negative n_positions"),
        pytest.param((3.0, 4), {}, TypeError, ["n_positions", "3.0"], id="float n_positions"),
        pytest.param((3, 4.0), {}, TypeError, ["d_model", "4.0"], id="float d_model"),
        pytest.param((3, 4), {"base": 0.0}, ValueError, ["base", "0"], id="base of 0"),
        pytest.param((3, 4), {"base": -10.0}, ValueError, ["base", "-10"], id="negative base"),
        pytest.param((3, 4), {"base": np.inf}, ValueError, ["base", "inf"], id="infinite base"),
        pytest.param((3, 4), {"dtype": int}, TypeError, ["dtype", "int"], id="integer dtype"),
        pytest.param((3, 4), {"dtype": complex}, TypeError, ["dtype", "complex"], id="complex dtype"),
        pytest.param((3, 4, 100.0), {}, TypeError, ["positional"], id="positional base"),
    ],
)
def test_bad_input_is_named(arguments, options, exception, pieces):
    with pytest.raises(exception, match=says(*pieces)):
        sinusoidal_encoding(*arguments, **options)


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
def test_x_alone_decides_the_dtype(rng, layout):
    x, tables = rng.standard_normal((3, 6)), rotary_tables([0, 1, 2], 4)
    expected = apply_rotary(x, *tables, layout=layout)
    for dtype in (np.float16, np.float32, np.float64, np.longdouble):
        rotated = apply_rotary(x.astype(dtype), *tables, layout=layout)
        assert rotated.dtype == dtype
        np.testing.assert_allclose(
            rotated.astype(float), expected, rtol=0, atol=8 * float(np.finfo(dtype).eps) + 4 * EPS
        )
    single = [table.astype(np.float32) for table in tables]
    assert apply_rotary(x, *single, layout=layout).dtype == np.float64
    for dtype in (np.float16, np.float32):  # the tables are cast, so that nothing is computed in float64
        small = x.astype(dtype)
        np.testing.assert_array_equal(
            apply_rotary(small, *tables, layout=layout), apply_rotary(small, *single, layout=layout)
        )
    for whole in (np.array([[3, -2, 5, 1]]), [[True, False, True, True]]):
        assert apply_rotary(whole, tables[0][1], tables[1][1], layout=layout).dtype == np.float64


def test_float16_is_computed_in_float32():
    x = np.full((1, 2), 60000, np.float16)  # 60000 * (cos + sin) is more than float16 holds
    with np.errstate(all="raise"):
        rotated = apply_rotary(x, *rotary_tables(np.pi / 4, 2), layout="half")
    assert rotated[0, 0] == 0
    assert np.isinf(rotated[0, 1])
    np.testing.assert_allclose(apply_rotary(x, [0.6], [-0.8], layout="half")[0, 1], 60000 * -0.2, rtol=1e-3)


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
        here = rotary_tables([cache.n_seen], 6)  # a new token's position is the number of tokens before it
        keys, values = cache.append(apply_rotary(key[:, token], *here, layout=layout), value[:, token])
        output = scaled_dot_product_attention(apply_rotary(query[:, token], *here, layout=layout), keys, values)
        np.testing.assert_allclose(output, expected[:, token], rtol=0, atol=1e-14)


# --- ALiBi -------------------------------------------------------------------------------------------------------


def loop_slopes(n_heads):
    """Start a geometric sequence at its ratio; fill up with every other slope of the next power of two."""
    power = 1
    while 2 * power <= n_heads:
        power *= 2
    start = 2.0 ** (-8.0 / power)
    slopes = [start]
    while len(slopes) < power:
        slopes.append(slopes[-1] * start)
    if power < n_heads:
        slopes += loop_slopes(2 * power)[::2][: n_heads - power]
    return slopes


@pytest.mark.parametrize("n_heads", [*range(1, 41), 64, 71, 128])
def test_slopes_are_those_of_the_paper(n_heads):
    slopes = alibi_slopes(n_heads)
    assert slopes.shape == (n_heads,)
    np.testing.assert_allclose(slopes, loop_slopes(n_heads), rtol=1e-13)
    assert len(set(slopes)) == n_heads
    assert 0 < slopes.min() == 2.0**-8  # the gentlest slope is the same for any number of heads


def test_slopes_of_powers_of_two_are_exact():
    np.testing.assert_array_equal(alibi_slopes(8), [2.0**-h for h in range(1, 9)])
    np.testing.assert_array_equal(alibi_slopes(4), [2.0**-h for h in (2, 4, 6, 8)])
    np.testing.assert_array_equal(alibi_slopes(1), [2.0**-8])
    assert alibi_slopes(16)[1] == 0.5


@pytest.mark.parametrize("offset", [0, 3, -2])
@pytest.mark.parametrize("n_heads", [1, 5, 8])
def test_alibi_takes_off_the_slope_for_every_step(n_heads, offset):
    bias = alibi_bias(n_heads, 3, 7, offset=offset)
    assert bias.shape == (n_heads, 3, 7)
    for (h, i, j), number in np.ndenumerate(bias):
        assert number == -(alibi_slopes(n_heads)[h] * abs(j - i - offset))
    assert not np.signbit(bias[bias == 0]).any()
    np.testing.assert_array_equal(alibi_bias(n_heads, 4), alibi_bias(n_heads, 4, 4, offset=0))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_alibi_rounds_once_and_gives_no_warnings(dtype):
    with np.errstate(all="raise"):
        slopes, bias = alibi_slopes(12, dtype=dtype), alibi_bias(12, 2, 200_000, dtype=dtype)
    assert slopes.dtype == bias.dtype == dtype
    np.testing.assert_array_equal(slopes, alibi_slopes(12).astype(dtype))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(bias, alibi_bias(12, 2, 200_000).astype(dtype))


# --- learned numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, 4, -3])
@pytest.mark.parametrize("max_distance", [0, 1, 2, 9])
def test_the_table_is_read_at_the_clipped_distance(rng, max_distance, offset):
    table = rng.standard_normal((2, 2 * max_distance + 1))
    bias = relative_position_bias(table, 3, 5, offset=offset)
    assert bias.shape == (2, 3, 5)
    for (h, i, j), number in np.ndenumerate(bias):
        distance = j - (i + offset)
        assert number == table[h, max_distance + max(-max_distance, min(max_distance, distance))]
    np.testing.assert_array_equal(relative_position_bias(table, 4), relative_position_bias(table, 4, 4, offset=0))


def test_the_bias_has_the_dtype_of_the_table_and_is_a_copy():
    for dtype in (np.float16, np.float32, np.float64):
        table = np.ones((1, 3), dtype)
        bias = relative_position_bias(table, 2)
        assert bias.dtype == dtype
        bias[...] = 7
        assert (table == 1).all()
    assert relative_position_bias([[1, 2, 3]], 2).dtype == np.float64


def exact_bucket(distance, bidirectional, n_buckets, max_distance):
    """Count in whole numbers the far buckets that begin at or before the distance: no logarithm, no rounding."""
    side = n_buckets // 2 if bidirectional else n_buckets
    first = side if bidirectional and distance > 0 else 0
    delta = abs(distance) if bidirectional else max(-distance, 0)
    near = side // 2
    if delta < near:
        return first + delta
    far = side - near
    begun = [k for k in range(1, far) if near ** (far - k) * max_distance**k <= delta**far]
    return first + near + len(begun)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    ("n_buckets", "max_distance"),
    [(32, 128), (64, 256), (10, 160), (18, 128), (48, 81), (46, 164), (4, 3), (4, 1000), (100, 72), (8, 5)],
)
def test_buckets_begin_where_whole_numbers_say(bidirectional, n_buckets, max_distance):
    distance = np.arange(-1100, 1101)
    options = {"bidirectional": bidirectional, "n_buckets": n_buckets, "max_distance": max_distance}
    bucket = relative_position_bucket(distance, **options)
    expected = [exact_bucket(int(step), **options) for step in distance]
    np.testing.assert_array_equal(bucket, expected)
    assert 0 <= bucket.min() <= bucket.max() == n_buckets - 1


@properties
@given(
    both=st.booleans(), half=st.integers(2, 80), beyond=st.integers(1, 5000), steps=st.lists(st.integers(-9999, 9999))
)
def test_buckets_grow_with_the_distance_and_share_nothing(both, half, beyond, steps):
    n_buckets, max_distance = 2 * half, half + beyond
    options = {"bidirectional": both, "n_buckets": n_buckets, "max_distance": max_distance}
    steps = np.array(sorted(steps), int)
    bucket = relative_position_bucket(steps, **options)
    assert bucket.shape == steps.shape
    before, after = bucket[steps <= 0], bucket[steps > 0]
    assert (np.diff(before) <= 0).all()
    assert (np.diff(after) >= 0).all()
    if both:
        assert not set(before) & set(after)
        mirrored = relative_position_bucket(-steps[steps > 0], **options)
        np.testing.assert_array_equal(after, mirrored + half)
    else:
        assert (after == 0).all()
    far = relative_position_bucket([-max_distance, -max_distance - 1, -(10**9)], **options)
    assert (far == (half if both else n_buckets) - 1).all()


def test_buckets_keep_any_shape():
    assert relative_position_bucket(-3).shape == ()
    assert relative_position_bucket(np.zeros((2, 0, 3), int)).shape == (2, 0, 3)
    assert relative_position_bucket(np.array([-128, 127], np.int8)).tolist() == [15, 31]
    assert relative_position_bucket(np.array([3], np.uint8)).tolist() == [19]


# --- bad input ---------------------------------------------------------------------------------------------------

X, TABLES = np.zeros((2, 5, 6)), rotary_tables(np.arange(5), 6)
WIDE = rotary_tables(np.arange(5), 8)


@pytest.mark.parametrize(
    ("call", "exception", "pieces"),
    [
        pytest.param(lambda: apply_rotary(X, *TABLES), TypeError, ["layout"], id="missing layout"),
        pytest.param(lambda: apply_rotary(X, *TABLES, "half"), TypeError, ["positional"], id="positional layout"),
        pytest.param(
            lambda: apply_rotary(X, *TABLES, layout="neox"),
            ValueError,
            ["layout", "'interleaved'", "'half'", "'neox'"],
            id="wrong layout",
        ),
        pytest.param(lambda: apply_rotary(X, *TABLES, layout=None), ValueError, ["layout", "None"], id="no layout"),
        pytest.param(lambda: rotary_tables([0, 1], 5), ValueError, ["rotary_dim", "even", "5"], id="odd rotary_dim"),
        pytest.param(lambda: rotary_tables([0, 1], 0), ValueError, ["rotary_dim", "2", "0"], id="no rotary_dim"),
        pytest.param(lambda: rotary_tables([0, 1], 4.0), TypeError, ["rotary_dim", "4.0"], id="float rotary_dim"),
        pytest.param(lambda: rotary_permutation(3), ValueError, ["rotary_dim", "even", "3"], id="odd permutation"),
        pytest.param(lambda: rotary_permutation(-2), ValueError, ["rotary_dim", "-2"], id="negative permutation"),
        pytest.param(
            lambda: apply_rotary(X, *rotary_tables(np.arange(4), 6), layout="half"),
            ValueError,
            ["x (2, 5, 6)", "cos (4, 3)", "sin (4, 3)", "positions", "axis -2"],
            id="tables too short",
        ),
        pytest.param(
            lambda: apply_rotary(X, *rotary_tables(np.arange(2048), 6), layout="half"),
            ValueError,
            ["x (2, 5, 6)", "cos (2048, 3)"],
            id="tables too long",
        ),
        pytest.param(
            lambda: apply_rotary(X[:, :1], *TABLES, layout="half"),
            ValueError,
            ["x (2, 1, 6)", "cos (5, 3)"],
            id="the whole table for one token",
        ),
        pytest.param(
            lambda: apply_rotary(X, *WIDE, layout="half"),
            ValueError,
            ["8 features", "x (2, 5, 6)", "cos (5, 4)"],
            id="tables wider than x",
        ),
        pytest.param(
            lambda: apply_rotary(X[0], TABLES[0][None], TABLES[1][None], layout="half"),
            ValueError,
            ["x (5, 6)", "cos (1, 5, 3)"],
            id="tables with more axes than x",
        ),
        pytest.param(
            lambda: apply_rotary(X, TABLES[0], TABLES[1][:, :2], layout="half"),
            ValueError,
            ["same shape", "cos (5, 3)", "sin (5, 2)"],
            id="tables of two widths",
        ),
        pytest.param(
            lambda: apply_rotary(X, TABLES[0], TABLES[1][0], layout="half"),
            ValueError,
            ["same shape", "cos (5, 3)", "sin (3,)"],
            id="tables of two lengths",
        ),
        pytest.param(lambda: apply_rotary(X, 1.0, 0.0, layout="half"), ValueError, ["cos ()"], id="scalar tables"),
        pytest.param(lambda: apply_rotary(1.0, *TABLES, layout="half"), ValueError, ["x ()"], id="scalar x"),
        pytest.param(lambda: apply_rotary(X * 1j, *TABLES, layout="half"), TypeError, ["x", "complex"], id="complex x"),
        pytest.param(
            lambda: apply_rotary(X, TABLES[0] + 0j, TABLES[1], layout="half"), TypeError, ["cos", "complex"], id="cos"
        ),
        pytest.param(lambda: apply_rotary(X, TABLES[0], "s", layout="half"), TypeError, ["sin"], id="string sin"),
        pytest.param(lambda: rotary_tables([1j], 4), TypeError, ["positions", "complex"], id="complex positions"),
        pytest.param(lambda: rotary_tables([[0], [0, 1]], 4), ValueError, ["positions"], id="ragged positions"),
        pytest.param(lambda: rotary_tables(0, 4, base=0), ValueError, ["base", "0"], id="base of 0"),
        pytest.param(lambda: rotary_tables(0, 4, base="1"), TypeError, ["base"], id="string base"),
        pytest.param(
            lambda: rotary_tables(0, 4, interpolation=0.0),
            ValueError,
            ["interpolation", "positive"],
            id="interpolation",
        ),
        pytest.param(
            lambda: rotary_tables(0, 4, interpolation=np.inf), ValueError, ["interpolation", "finite"], id="inf"
        ),
        pytest.param(lambda: rotary_tables(0, 4, dtype=int), TypeError, ["dtype", "int"], id="integer tables"),
        pytest.param(lambda: rotary_tables(0, 4, 100.0), TypeError, ["positional"], id="positional base of tables"),
        pytest.param(lambda: alibi_slopes(0), ValueError, ["n_heads", "0"], id="no heads"),
        pytest.param(lambda: alibi_slopes(2.0), TypeError, ["n_heads", "2.0"], id="float heads"),
        pytest.param(lambda: alibi_slopes(2, dtype=int), TypeError, ["dtype"], id="integer slopes"),
        pytest.param(lambda: alibi_bias(0, 3), ValueError, ["n_heads", "0"], id="a bias without heads"),
        pytest.param(lambda: alibi_bias(2, -3), ValueError, ["n_queries", "-3"], id="negative n_queries"),
        pytest.param(lambda: alibi_bias(2, 3, -4), ValueError, ["n_keys", "-4"], id="negative n_keys"),
        pytest.param(lambda: alibi_bias(2, 3, offset=0.5), TypeError, ["offset", "0.5"], id="float offset"),
        pytest.param(lambda: alibi_bias(2, 3, dtype=bool), TypeError, ["dtype", "bool"], id="boolean bias"),
        pytest.param(lambda: relative_position_bias([[1, 2]], 3), ValueError, ["table (1, 2)", "2 *"], id="no middle"),
        pytest.param(
            lambda: relative_position_bias([1, 2, 3], 3), ValueError, ["table (3,)"], id="table without heads"
        ),
        pytest.param(lambda: relative_position_bias([[1j]], 3), TypeError, ["table", "complex"], id="complex table"),
        pytest.param(lambda: relative_position_bias([[1]], -1), ValueError, ["n_queries", "-1"], id="queries"),
        pytest.param(lambda: relative_position_bucket(1.5), TypeError, ["distance", "float"], id="float distance"),
        pytest.param(lambda: relative_position_bucket(0, n_buckets=33), ValueError, ["n_buckets", "33"], id="odd"),
        pytest.param(
            lambda: relative_position_bucket(0, n_buckets=2), ValueError, ["n_buckets", "4"], id="two buckets"
        ),
        pytest.param(
            lambda: relative_position_bucket(0, n_buckets=1, bidirectional=False),
            ValueError,
            ["n_buckets", "2"],
            id="one",
        ),
        pytest.param(
            lambda: relative_position_bucket(0, max_distance=8),
            ValueError,
            ["max_distance", "9", "8"],
            id="max_distance",
        ),
        pytest.param(
            lambda: relative_position_bucket(0, bidirectional=1),
            TypeError,
            ["bidirectional", "int"],
            id="bidirectional",
        ),
    ],
)
def test_bad_input_of_relative_positions_is_named(call, exception, pieces):
    with pytest.raises(exception, match=says(*pieces)):
        call()
