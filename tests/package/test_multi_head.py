"""One head and several against loops: who asks, who answers, what is passed on, and bad input."""

import dataclasses
import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import (
    BlockWeights,
    MultiHeadWeights,
    Rotary,
    attention_weights,
    cross_attention,
    layer_norm,
    merge_heads,
    multi_head_attention,
    repeat_kv,
    rotary_tables,
    scaled_dot_product_attention,
    self_attention,
    split_heads,
    transformer_block,
)
from attention.example import EARLY5, S5, T5, W_K, W_O, W_Q1, W_Q2, W_V, embed
from tests.oracles import loop_attention, loop_multi_head, loop_project, properties, says

EPS = np.finfo(float).eps


def loop_cross(x, memory, w_q, w_k, w_v, **options):
    """Let x ask and memory answer, in extended precision."""
    query, key, value = loop_project(x, w_q), loop_project(memory, w_k), loop_project(memory, w_v)
    return loop_attention(query, key, value, dtype=np.longdouble, **options).astype(float)


def smaller(rng, shape):
    """Draw a shape that broadcasts to this one: some axes of size 1, some leading axes absent."""
    sizes = tuple(size if rng.random() < 0.7 else 1 for size in shape)
    return sizes[rng.integers(len(sizes) + 1) :]


def draw(rng, *features):
    """Draw tokens, memory, matrices and options; every axis has a size of its own, apart from what must be equal."""
    n_q, n_k, d_model, d_memory, d_k, d_v = (int(size) for size in rng.permutation([1, 3, 5, 6, 7, 8])[:6])
    lead_x, lead_memory = smaller(rng, (2, 4)), smaller(rng, (2, 4))
    options = {}
    if "causal" in features:
        options["is_causal"] = True
        n_k = n_q
    if "gqa" in features:
        options["enable_gqa"] = True
        lead_x, lead_memory = (*smaller(rng, (2,)), 4), (*smaller(rng, (2,)), int(rng.choice([1, 2, 4])))
    if "sink" in features:
        lead_x = (2, 4)
        options["sink"] = rng.standard_normal(4) if rng.random() < 0.5 else float(rng.standard_normal())
    scores = (n_q, n_k) if "gqa" in features else (*np.broadcast_shapes(lead_x, lead_memory), n_q, n_k)
    if "mask" in features:
        options["mask"] = np.asarray(rng.random(smaller(rng, scores)) < 0.5)
    if "bias" in features:
        options["bias"] = np.asarray(rng.standard_normal(smaller(rng, scores)))
    if "softcap" in features:
        options["softcap"] = float(rng.uniform(0.2, 3))
    if "scale" in features:
        options["scale"] = float(rng.uniform(-2, 2))
    x, memory = rng.standard_normal((*lead_x, n_q, d_model)), rng.standard_normal((*lead_memory, n_k, d_memory))
    matrices = [rng.standard_normal(shape) for shape in [(d_model, d_k), (d_memory, d_k), (d_memory, d_v)]]
    return x, memory, matrices, options


FEATURES = [
    pytest.param((), id="plain"),
    pytest.param(("mask",), id="mask, some rows empty"),
    pytest.param(("bias",), id="bias"),
    pytest.param(("causal",), id="causal"),
    pytest.param(("softcap",), id="softcap"),
    pytest.param(("scale",), id="scale, some negative"),
    pytest.param(("sink", "mask"), id="sink"),
    pytest.param(("gqa", "mask"), id="grouped heads"),
    pytest.param(("causal", "mask", "bias", "softcap", "sink", "scale"), id="everything"),
]


def tolerance(value, *factors):
    """Bound the rounding: projections and scores grow with their inputs, weights and output with the scores."""
    size = np.prod([max(1, np.abs(factor).max()) for factor in factors])
    return 256 * EPS * size * max(1, np.abs(value).max())


# --- against the loops -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("features", FEATURES)
def test_cross_attention_equals_the_loops(features):
    for seed in range(30):
        x, memory, matrices, options = draw(np.random.default_rng(seed), *features)
        np.testing.assert_allclose(
            cross_attention(x, memory, *matrices, **options),
            loop_cross(x, memory, *matrices, **options),
            rtol=0,
            atol=tolerance(memory, x, memory, *matrices),
            err_msg=f"seed {seed}",
        )


@pytest.mark.parametrize("features", FEATURES)
def test_self_attention_equals_the_loops(features):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x, _, (w_q, _, w_v), options = draw(rng, *features)
        n = x.shape[-2]
        if "mask" in options:
            options["mask"] = rng.random((n, n)) < 0.5
        if "bias" in options:
            options["bias"] = rng.standard_normal((n, n))
        w_k, w_v = rng.standard_normal(w_q.shape), rng.standard_normal((w_q.shape[0], w_v.shape[1]))
        np.testing.assert_allclose(
            self_attention(x, w_q, w_k, w_v, **options),
            loop_cross(x, x, w_q, w_k, w_v, **options),
            rtol=0,
            atol=tolerance(x, x, x, w_q, w_k, w_v),
            err_msg=f"seed {seed}",
        )


def test_the_random_cases_hold_the_hard_ones():
    cases = [draw(np.random.default_rng(seed)) for seed in range(30)]
    assert {x.ndim for x, *_ in cases} == {memory.ndim for _, memory, *_ in cases} == {2, 3, 4}
    assert all(x.shape[-2:] != memory.shape[-2:] for x, memory, *_ in cases)
    assert all(w_k.shape[1] != w_v.shape[1] for _, _, (_, w_k, w_v), _ in cases)
    assert any(x.ndim > memory.ndim for x, memory, *_ in cases)
    assert any(x.ndim < memory.ndim for x, memory, *_ in cases)


# --- by hand -----------------------------------------------------------------------------------------------------


def test_two_words_ask_three_and_each_budget_is_shared_by_powers_of_two():
    x, memory = [[np.log(2)], [np.log(4)]], [[2.0, 0], [1, 7], [0, 7]]
    result = cross_attention(x, memory, [[1.0]], [[1.0], [0]], [[7.0, 0, 7], [0, 3, 0]])
    weights = np.array([[4, 2, 1], [16, 4, 1]]) / np.array([[7], [21]])
    np.testing.assert_allclose(result, weights @ [[14, 0, 14], [7, 21, 7], [0, 21, 0]], rtol=1e-14)


def test_each_matrix_has_its_role():
    x, zero, one = np.eye(3), np.zeros((3, 3)), np.eye(3)
    sharp, uniform = 1e4 * one, np.full((3, 3), 1 / 3)
    np.testing.assert_array_equal(self_attention(x, sharp, one, 5 * one), 5 * x)
    np.testing.assert_array_equal(self_attention(x, sharp, one, zero), zero)
    np.testing.assert_allclose(self_attention(x, zero, one, one), uniform, rtol=1e-15)
    np.testing.assert_allclose(self_attention(x, sharp, zero, one), uniform, rtol=1e-15)
    turned = np.roll(one, 1, axis=1)  # token i asks for token i + 1
    np.testing.assert_array_equal(self_attention(x, 1e4 * turned, one, one), turned)
    np.testing.assert_array_equal(self_attention(x, one, 1e4 * turned, one), turned.T)


def test_a_token_attends_to_itself_most_or_least_as_the_matrices_will():
    x = np.array([[3.0, 4, 0], [4, 3, 0], [0, 0, 5]])  # distinct rows of equal norm
    one, shows_weights = np.eye(3), np.linalg.inv(x)  # the values are the identity
    np.testing.assert_array_equal(self_attention(x, one, one, shows_weights).argmax(-1), [0, 1, 2])
    np.testing.assert_array_equal(self_attention(x, one, -one, shows_weights).argmin(-1), [0, 1, 2])


# --- who asks and who answers ------------------------------------------------------------------------------------


def test_the_output_has_a_row_for_each_token_that_asks_and_the_width_of_the_values(rng):
    matrices = [rng.standard_normal(shape) for shape in [(5, 2), (7, 2), (7, 11)]]
    for lead_x, lead_memory, lead in [((), (), ()), ((3,), (), (3,)), ((), (3,), (3,)), ((13, 1), (3,), (13, 3))]:
        x, memory = rng.standard_normal((*lead_x, 4, 5)), rng.standard_normal((*lead_memory, 6, 7))
        assert cross_attention(x, memory, *matrices).shape == (*lead, 4, 11)
        assert self_attention(memory, matrices[1], *matrices[1:]).shape == (*lead_memory, 6, 11)


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"softcap": 2.0}], ids=str)
def test_self_attention_is_cross_attention_of_a_sequence_with_itself(rng, options):
    x, matrices = rng.standard_normal((2, 5, 4)), [rng.standard_normal((4, width)) for width in (3, 3, 7)]
    np.testing.assert_array_equal(self_attention(x, *matrices, **options), cross_attention(x, x, *matrices, **options))


def test_a_token_that_asks_moves_its_own_row_alone(rng):
    x, memory = rng.standard_normal((2, 5, 4)), rng.standard_normal((2, 6, 3))
    matrices = [rng.standard_normal(shape) for shape in [(4, 2), (3, 2), (3, 7)]]
    before = cross_attention(x, memory, *matrices)
    x[1, 2] = 9
    after = cross_attention(x, memory, *matrices)
    moved = np.zeros((2, 5), bool)
    moved[1, 2] = True
    np.testing.assert_array_equal((before != after).any(-1), moved)


def test_a_token_that_answers_moves_every_row_of_its_sequence_alone(rng):
    x, memory = rng.standard_normal((2, 5, 4)), rng.standard_normal((2, 6, 3))
    matrices = [rng.standard_normal(shape) for shape in [(4, 2), (3, 2), (3, 7)]]
    before = cross_attention(x, memory, *matrices)
    memory[1, 2] += 1
    after = cross_attention(x, memory, *matrices)
    np.testing.assert_array_equal((before != after).any(-1), [[False] * 5, [True] * 5])


def test_under_a_causal_mask_a_row_is_final_once_its_token_is_read(rng):
    x, matrices = rng.standard_normal((2, 7, 4)), [rng.standard_normal((4, width)) for width in (3, 3, 5)]
    whole = self_attention(x, *matrices, is_causal=True)
    for n in range(1, 7):
        part = self_attention(x[:, :n], *matrices, is_causal=True)
        np.testing.assert_allclose(part, whole[:, :n], rtol=0, atol=1e-13)
        assert not np.allclose(self_attention(x[:, :n], *matrices)[:, 0], self_attention(x, *matrices)[:, 0])
    x[:, -1] = 1e6  # only the last token may see this
    np.testing.assert_array_equal(self_attention(x, *matrices, is_causal=True)[:, :-1], whole[:, :-1])


numbers = st.floats(-3, 3, allow_subnormal=False)


@st.composite
def sequences(draw):
    n_q, n_k, d_model, d_memory, d_k, d_v = (draw(st.integers(1, largest)) for largest in (4, 5, 4, 3, 4, 3))
    shapes = [(n_q, d_model), (n_k, d_memory), (d_model, d_k), (d_memory, d_k), (d_memory, d_v)]
    return tuple(draw(hnp.arrays(float, shape, elements=numbers)) for shape in shapes)


@properties
@given(sequences(), st.randoms(use_true_random=False))
def test_permuted_tokens_give_permuted_outputs_and_permuted_memory_gives_the_same(arrays, random):
    x, memory, *matrices = arrays
    expected = cross_attention(x, memory, *matrices)
    order = random.sample(range(len(memory)), len(memory))
    np.testing.assert_allclose(cross_attention(x, memory[order], *matrices), expected, rtol=0, atol=1e-10)
    order = random.sample(range(len(x)), len(x))
    np.testing.assert_allclose(cross_attention(x[order], memory, *matrices), expected[order], rtol=0, atol=1e-10)
    itself = self_attention(memory, matrices[1], *matrices[1:])
    order = random.sample(range(len(memory)), len(memory))
    permuted = self_attention(memory[order], matrices[1], *matrices[1:])
    np.testing.assert_allclose(permuted, itself[order], rtol=0, atol=1e-10)


@properties
@given(sequences(), st.sampled_from([-4.0, -0.5, 0.25, 8.0]))
def test_what_the_query_matrix_gains_the_key_matrix_may_lose(arrays, factor):
    x, memory, w_q, w_k, w_v = arrays
    np.testing.assert_allclose(
        cross_attention(x, memory, factor * w_q, w_k / factor, w_v),
        cross_attention(x, memory, w_q, w_k, w_v),
        rtol=0,
        atol=1e-10,
    )


@properties
@given(sequences())
def test_every_output_lies_between_the_least_and_the_largest_value(arrays):
    x, memory, *matrices = arrays
    value, output = memory @ matrices[2], cross_attention(x, memory, *matrices)
    assert (output >= value.min(0) - 1e-12 * (1 + np.abs(value).max())).all()
    assert (output <= value.max(0) + 1e-12 * (1 + np.abs(value).max())).all()


# --- options -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"mask": np.tri(5, 5, -1, dtype=bool)}, id="mask"),
        pytest.param({"bias": np.linspace(-2, 2, 25).reshape(5, 5)}, id="bias"),
        pytest.param({"is_causal": True}, id="is_causal"),
        pytest.param({"softcap": 0.3}, id="softcap"),
        pytest.param({"scale": -1.5}, id="scale"),
        pytest.param({"sink": [0.5, -1, 2]}, id="sink"),
    ],
)
def test_every_option_arrives(rng, options):
    x, matrices = rng.standard_normal((3, 5, 4)), [rng.standard_normal((4, width)) for width in (2, 2, 7)]
    expected = loop_cross(x, x, *matrices, **options)
    assert not np.allclose(expected, loop_cross(x, x, *matrices))
    np.testing.assert_allclose(self_attention(x, *matrices, **options), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(cross_attention(x, x, *matrices, **options), expected, rtol=0, atol=1e-12)


def test_grouped_heads_arrive(rng):
    x, memory = rng.standard_normal((4, 3, 5)), np.arange(1.0, 3).reshape(2, 1, 1) * np.ones((2, 6, 7))
    matrices = [np.zeros((5, 2)), rng.standard_normal((7, 2)), np.eye(7)[:, :1]]
    result = cross_attention(x, memory, *matrices, enable_gqa=True)
    np.testing.assert_allclose(result[:, 0, 0], [1, 1, 2, 2], rtol=1e-14)
    one = self_attention(x, matrices[0], matrices[0], np.eye(5), enable_gqa=True)
    np.testing.assert_array_equal(one, self_attention(x, matrices[0], matrices[0], np.eye(5)))


def test_the_default_scale_is_that_of_the_query_matrix_and_not_of_the_tokens(rng):
    x, memory = rng.standard_normal((3, 4)), rng.standard_normal((5, 9))
    matrices = [rng.standard_normal(shape) for shape in [(4, 16), (9, 16), (9, 2)]]
    default = cross_attention(x, memory, *matrices)
    np.testing.assert_array_equal(cross_attention(x, memory, *matrices, scale=0.25), default)
    np.testing.assert_array_equal(cross_attention(x, memory, *matrices, scale=None), default)
    for other in (4**-0.5, 9**-0.5, 2**-0.5, 1.0):
        assert not np.allclose(cross_attention(x, memory, *matrices, scale=other), default)


def test_a_token_that_may_ask_nobody_receives_zero(rng):
    x, memory = rng.standard_normal((3, 4)), rng.standard_normal((5, 2))
    matrices = [rng.standard_normal(shape) for shape in [(4, 6), (2, 6), (2, 7)]]
    mask = np.array([[True], [False], [True]])
    result = cross_attention(x, memory, *matrices, mask=mask)
    np.testing.assert_array_equal(result[1], 0)
    np.testing.assert_array_equal(result[[0, 2]], cross_attention(x, memory, *matrices)[[0, 2]])


@pytest.mark.parametrize(("n_q", "n_k", "lead"), [(0, 5, ()), (3, 0, ()), (0, 0, (2,)), (3, 5, (0,)), (3, 5, (2, 0))])
def test_sequences_and_batches_may_be_empty(n_q, n_k, lead):
    x, memory = np.ones((*lead, n_q, 4)), np.ones((*lead, n_k, 6))
    result = cross_attention(x, memory, np.ones((4, 2)), np.ones((6, 2)), np.ones((6, 7)))
    assert result.shape == (*lead, n_q, 7)
    np.testing.assert_array_equal(result, 6 if n_k else 0)
    assert self_attention(memory, np.ones((6, 2)), np.ones((6, 2)), np.ones((6, 7))).shape == (*lead, n_k, 7)


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_show_where_they_are_asked_or_answer(rng, poison):
    x, memory = rng.standard_normal((2, 5, 4)), rng.standard_normal((2, 6, 3))
    matrices = [rng.standard_normal(shape) for shape in [(4, 2), (3, 2), (3, 7)]]
    clean = cross_attention(x, memory, *matrices)
    poisoned = x.copy()
    poisoned[0, 3, 1] = poison
    result = cross_attention(poisoned, memory, *matrices)
    bad = np.zeros((2, 5), bool)
    bad[0, 3] = True
    assert np.isnan(result[bad]).all()
    np.testing.assert_array_equal(result[~bad], clean[~bad])
    memory[1, 2, 0] = poison
    result = cross_attention(x, memory, *matrices)
    assert np.isnan(result[1]).all()
    np.testing.assert_array_equal(result[0], clean[0])


# --- dtypes and memory -------------------------------------------------------------------------------------------


H, S, D = np.float16, np.float32, np.float64


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        pytest.param((bool,) * 5, D, id="bools"),
        pytest.param((np.uint8, np.int8, np.int16, np.int32, np.int64), D, id="ints"),
        pytest.param((H,) * 5, H, id="half"),
        pytest.param((S,) * 5, S, id="single"),
        pytest.param((D,) * 5, D, id="double"),
        pytest.param((S, H, H, H, H), S, id="a single x lifts"),
        pytest.param((H, S, H, H, H), S, id="a single memory lifts"),
        pytest.param((H, H, S, H, H), S, id="a single w_q lifts"),
        pytest.param((H, H, H, S, H), S, id="a single w_k lifts"),
        pytest.param((H, H, H, H, S), S, id="a single w_v lifts"),
        pytest.param((D, S, S, S, S), D, id="a double x lifts"),
        pytest.param((S, D, S, S, S), D, id="a double memory lifts"),
        pytest.param((S, S, D, S, S), D, id="a double w_q lifts"),
        pytest.param((S, S, S, D, S), D, id="a double w_k lifts"),
        pytest.param((S, S, S, S, D), D, id="a double w_v lifts"),
        pytest.param((S, S, int, S, S), D, id="ints and single"),
    ],
)
def test_all_arrays_decide_the_dtype(dtypes, expected):
    shapes = [(3, 4), (5, 6), (4, 2), (6, 2), (6, 7)]
    x, memory, w_q, w_k, w_v = (np.ones(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True))
    result = cross_attention(x, memory, w_q, w_k, w_v)
    assert result.dtype == expected
    np.testing.assert_allclose(result, 6, rtol=4 * np.finfo(expected).eps)
    if dtypes[0] == dtypes[1]:
        assert self_attention(memory, w_k, w_k.astype(w_q.dtype), w_v).dtype == expected


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_options_do_not_change_the_dtype(dtype):
    x, matrices = np.ones((6, 5, 4), dtype), [np.ones((4, width), dtype) for width in (2, 2, 7)]
    for name, option in {
        "mask": np.ones((5, 5), bool),
        "bias": np.ones((5, 5)),
        "sink": np.ones(6),
        "scale": np.float64(0.3),
        "softcap": np.float64(3),
    }.items():
        assert self_attention(x, *matrices, **{name: option}).dtype == dtype
        assert cross_attention(x, x, *matrices, **{name: option}).dtype == dtype


def test_half_precision_is_computed_in_single_and_rounded_once(rng):
    shapes = [(30, 64), (50, 48), (64, 16), (48, 16), (48, 7)]
    arrays = [rng.standard_normal(shape).astype(np.float16) for shape in shapes]
    single = cross_attention(*(array.astype(np.float32) for array in arrays))
    np.testing.assert_array_equal(cross_attention(*arrays), single.astype(np.float16))
    x, _, w_q, _, _ = arrays
    single = self_attention(x.astype(np.float32), *[w_q.astype(np.float32)] * 3)
    np.testing.assert_array_equal(self_attention(x, w_q, w_q, w_q), single.astype(np.float16))


def test_half_precision_projections_may_pass_its_largest_number():
    # keys and values of 262144, beyond the 65504 of float16: each query is zero or the values cancel
    x, w = np.full((3, 4), 256, np.float16), np.full((4, 2), 256, np.float16)
    result = self_attention(x, np.zeros((4, 2), np.float16), w, np.array([[16], [-16], [1], [0]], np.float16))
    np.testing.assert_array_equal(result, np.full((3, 1), 256, np.float16))


def test_small_integers_do_not_wrap_around():
    x, one = np.array([[200, 200]], np.uint8), np.array([[1], [1]], np.uint8)
    np.testing.assert_array_equal(self_attention(x, one, one, one), [[400]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_no_floating_point_warnings(dtype):
    x, memory, matrix = np.ones((3, 4), dtype), np.ones((5, 4), dtype), np.full((4, 2), np.finfo(dtype).max, dtype)
    low = np.full((4, 2), np.finfo(dtype).smallest_subnormal, dtype)
    with np.errstate(all="raise"):
        state = np.geterr()
        cross_attention(x, memory, matrix, matrix, matrix)
        cross_attention(x, memory, low, low, low)
        cross_attention(x, memory * dtype(np.nan), low, matrix, low)
        self_attention(x, matrix, -matrix, matrix)
        assert np.geterr() == state


def test_lists_will_do():
    assert self_attention([[2]], [[3]], [[5]], [[7]]).tolist() == [[14]]
    assert cross_attention([[2]], [[11], [11]], [[3]], [[5]], [[7]]).tolist() == [[77]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_inputs_are_not_modified_may_be_read_only_and_are_not_returned(rng, dtype):
    shapes = [(2, 5, 4), (2, 5, 3), (4, 6), (3, 6), (3, 7)]
    x, memory, *matrices = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    options = {"mask": rng.random((5, 5)) < 0.7, "bias": rng.standard_normal((5, 5))}
    arrays = [x, memory, *matrices, *options.values()]
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    square = rng.standard_normal((4, 4)).astype(dtype)
    for result in (
        cross_attention(x, memory, *matrices, softcap=2.0, is_causal=True, **options),
        self_attention(x, square, square, square, softcap=2.0, is_causal=True, **options),
    ):
        assert not any(np.shares_memory(result, array) for array in arrays)
        result[...] = 9  # writeable, and nobody else's memory
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


# --- bad input ---------------------------------------------------------------------------------------------------


def good(**changes):
    """Arguments of cross_attention in which every axis has a size of its own, with some of them replaced."""
    shapes = {"x": (3, 4), "memory": (5, 6), "w_q": (4, 2), "w_k": (6, 2), "w_v": (6, 7)}
    return {name: np.zeros(shape) for name, shape in shapes.items()} | changes


BOOLS = np.ones((3, 6), bool)


@pytest.mark.parametrize(
    ("changes", "exception", "pieces"),
    [
        pytest.param({"w_q": np.zeros((6, 2))}, ValueError, ["x (3, 4)", "w_q (6, 2)", "d_in"], id="w_q of memory's"),
        pytest.param({"w_k": np.zeros((4, 2))}, ValueError, ["memory (5, 6)", "w_k (4, 2)", "d_in"], id="w_k of x's"),
        pytest.param({"w_v": np.zeros((4, 7))}, ValueError, ["memory (5, 6)", "w_v (4, 7)", "d_in"], id="w_v of x's"),
        pytest.param({"w_q": np.zeros((2, 4))}, ValueError, ["x (3, 4)", "w_q (2, 4)"], id="w_q in torch's layout"),
        pytest.param(
            {"w_k": np.zeros((2, 6))}, ValueError, ["memory (5, 6)", "w_k (2, 6)"], id="w_k in torch's layout"
        ),
        pytest.param(
            {"w_v": np.zeros((7, 6))}, ValueError, ["memory (5, 6)", "w_v (7, 6)"], id="w_v in torch's layout"
        ),
        pytest.param({"w_q": np.zeros((4, 3))}, ValueError, ["w_q (4, 3)", "w_k (6, 2)", "d_k"], id="d_k differs"),
        pytest.param({"w_q": np.zeros(4)}, ValueError, ["w_q (4,)", "(d_in, d_out)"], id="1-D w_q"),
        pytest.param({"w_k": np.zeros((2, 6, 2))}, ValueError, ["w_k (2, 6, 2)", "(d_in, d_out)"], id="3-D w_k"),
        pytest.param({"w_v": np.zeros((1, 6, 7))}, ValueError, ["w_v (1, 6, 7)", "(d_in, d_out)"], id="3-D w_v"),
        pytest.param({"x": np.zeros(4)}, ValueError, ["x (4,)", "2 axes"], id="one token without its axis"),
        pytest.param({"memory": np.zeros(6)}, ValueError, ["memory (6,)", "2 axes"], id="1-D memory"),
        pytest.param({"x": 1.0}, ValueError, ["x ()", "2 axes"], id="scalar x"),
        pytest.param(
            {"x": np.zeros((2, 3, 4)), "memory": np.zeros((7, 5, 6))},
            ValueError,
            ["leading axes", "(2, 3, 2)", "(7, 5, 2)"],
            id="batches differ",
        ),
        pytest.param(
            {"w_q": np.zeros((4, 0)), "w_k": np.zeros((6, 0))}, ValueError, ["d_k is 0", "scale"], id="d_k of 0"
        ),
        pytest.param({"x": np.zeros((3, 4)) * 1j}, TypeError, ["x must", "complex"], id="complex x"),
        pytest.param({"memory": np.zeros((5, 6)) * 1j}, TypeError, ["memory must", "complex"], id="complex memory"),
        pytest.param({"w_q": np.zeros((4, 2)) * 1j}, TypeError, ["w_q must", "complex"], id="complex w_q"),
        pytest.param({"w_k": np.zeros((6, 2), object)}, TypeError, ["w_k must", "object"], id="object w_k"),
        pytest.param({"w_v": np.zeros((6, 7), str)}, TypeError, ["w_v must"], id="string w_v"),
        pytest.param({"memory": None}, TypeError, ["memory must"], id="None for the memory"),
        pytest.param({"mask": BOOLS}, ValueError, ["mask (3, 6)", "scores (3, 5)"], id="mask of other n_k"),
        pytest.param({"mask": np.ones((3, 5), int)}, TypeError, ["mask must", "bias="], id="int mask"),
        pytest.param({"bias": np.zeros((4, 5))}, ValueError, ["bias (4, 5)", "scores (3, 5)"], id="bias of other n_q"),
        pytest.param({"is_causal": True}, ValueError, ["is_causal", "scores (3, 5)"], id="causal rectangle"),
        pytest.param({"scale": np.inf}, ValueError, ["scale", "inf"], id="infinite scale"),
        pytest.param({"softcap": 0.0}, ValueError, ["softcap", "0"], id="softcap of 0"),
        pytest.param({"sink": np.zeros(3)}, ValueError, ["sink", "(3,)"], id="sink without a heads axis"),
        pytest.param({"enable_gqa": True}, ValueError, ["heads"], id="grouped heads without a heads axis"),
        pytest.param({"attn_mask": BOOLS}, TypeError, ["attn_mask"], id="an unknown option"),
    ],
)
def test_bad_input_of_cross_attention_is_named(changes, exception, pieces):
    cross_attention(**good())
    with pytest.raises(exception, match=says(*pieces)):
        cross_attention(**good(**changes))


@pytest.mark.parametrize(
    ("changes", "exception", "pieces"),
    [
        pytest.param({"w_q": np.zeros((5, 2))}, ValueError, ["x (3, 4)", "w_q (5, 2)", "d_in"], id="w_q"),
        pytest.param({"w_k": np.zeros((5, 2))}, ValueError, ["x (3, 4)", "w_k (5, 2)", "d_in"], id="w_k"),
        pytest.param({"w_v": np.zeros((5, 7))}, ValueError, ["x (3, 4)", "w_v (5, 7)", "d_in"], id="w_v"),
        pytest.param({"w_k": np.zeros((4, 3))}, ValueError, ["w_q (4, 2)", "w_k (4, 3)", "d_k"], id="d_k differs"),
        pytest.param({"w_v": np.zeros(4)}, ValueError, ["w_v (4,)", "(d_in, d_out)"], id="1-D w_v"),
        pytest.param({"x": np.zeros(4)}, ValueError, ["x (4,)", "2 axes"], id="one token without its axis"),
        pytest.param({"x": np.zeros((3, 4)) * 1j}, TypeError, ["x must", "complex"], id="complex x"),
        pytest.param({"w_k": None}, TypeError, ["w_k must"], id="None for w_k"),
        pytest.param({"mask": BOOLS}, ValueError, ["mask (3, 6)", "scores (3, 3)"], id="mask of other n"),
        pytest.param({"attn_mask": BOOLS}, TypeError, ["attn_mask"], id="an unknown option"),
    ],
)
def test_bad_input_of_self_attention_is_named(changes, exception, pieces):
    arguments = {"x": np.zeros((3, 4)), "w_q": np.zeros((4, 2)), "w_k": np.zeros((4, 2)), "w_v": np.zeros((4, 7))}
    self_attention(**arguments)
    with pytest.raises(exception, match=says(*pieces)) as raised:
        self_attention(**arguments | changes)
    assert "memory" not in str(raised.value)  # a word that its caller has never seen


def test_options_are_given_by_name():
    with pytest.raises(TypeError, match="positional"):
        cross_attention(*good().values(), None)
    with pytest.raises(TypeError, match="positional"):
        self_attention(*[np.zeros((4, 4))] * 4, None)


# --- splitting and merging ---------------------------------------------------------------------------------------


@properties
@given(st.permutations([1, 2, 3, 5, 7]), st.integers(0, 3))
def test_split_and_merge_are_exact_inverses(sizes, n_lead):
    n_heads, n, width, *lead = sizes
    lead = tuple((*lead, 4)[:n_lead])
    x = np.arange(np.prod((*lead, n, n_heads * width))).reshape(*lead, n, n_heads * width)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*lead, n_heads, n, width)
    for *at, head, token, feature in np.ndindex(heads.shape):
        assert heads[(*at, head, token, feature)] == x[(*at, token, head * width + feature)]
    np.testing.assert_array_equal(merge_heads(heads), x, strict=True)
    back = heads.copy()  # in the order of its own axes
    np.testing.assert_array_equal(split_heads(merge_heads(back), n_heads), back, strict=True)


def test_split_and_merge_by_hand():
    x = [[11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]]
    heads = [[[11, 12], [21, 22]], [[13, 14], [23, 24]], [[15, 16], [25, 26]]]
    np.testing.assert_array_equal(split_heads(x, 3), heads)
    np.testing.assert_array_equal(merge_heads(heads), x)
    np.testing.assert_array_equal(split_heads(x, 1), [x])
    np.testing.assert_array_equal(split_heads(x, 6)[:, :, 0], np.transpose(x))


def test_a_reshape_without_a_transpose_mixes_tokens(rng):
    x = rng.standard_normal((4, 6))
    wrong = x.reshape(3, 4, 2)
    assert wrong.shape == split_heads(x, 3).shape
    assert not np.isclose(wrong, split_heads(x, 3)).all(axis=(-2, -1)).any()
    moved = x.copy()
    moved[1] += 1
    assert (split_heads(moved, 3) != split_heads(x, 3)).any(-1).tolist() == [[False, True, False, False]] * 3
    assert (moved.reshape(3, 4, 2) != wrong).any(-1).tolist() != [[False, True, False, False]] * 3
    # and on the way back
    heads = split_heads(x, 3)
    assert heads.reshape(4, 6).shape == x.shape
    assert not np.allclose(heads.reshape(4, 6), x)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32, np.float64])
def test_splitting_merging_and_repeating_keep_the_dtype(dtype):
    x = np.ones((5, 6), dtype)
    assert split_heads(x, 3).dtype == merge_heads(split_heads(x, 3)).dtype == dtype
    assert repeat_kv(split_heads(x, 3), 2).dtype == dtype


def test_splitting_and_merging_give_views_and_repeating_a_copy(rng):
    x = rng.standard_normal((2, 5, 6))
    heads = split_heads(x, 3)
    assert np.shares_memory(heads, x)
    assert np.shares_memory(merge_heads(heads), x)
    for n_groups in (1, 2):
        repeated = repeat_kv(heads, n_groups)
        assert not np.shares_memory(repeated, x)
        assert repeated.flags.writeable


def test_nothing_splits_into_nothing():
    assert split_heads(np.zeros((2, 0, 6)), 3).shape == (2, 3, 0, 2)
    assert split_heads(np.zeros((5, 0)), 3).shape == (3, 5, 0)
    assert merge_heads(np.zeros((2, 3, 0, 2))).shape == (2, 0, 6)
    assert merge_heads(np.zeros((0, 3, 5, 2))).shape == (0, 5, 6)
    assert repeat_kv(np.zeros((2, 0, 5, 4)), 3).shape == (2, 0, 5, 4)


@properties
@given(st.permutations([1, 2, 3, 5]), st.integers(1, 4), st.booleans())
def test_a_run_of_neighbours_shares_a_head(sizes, n_groups, batched):
    n_kv_heads, n, width, batch = sizes
    x = np.arange(batch * n_kv_heads * n * width).reshape(batch, n_kv_heads, n, width)
    x = x if batched else x[0]
    repeated = repeat_kv(x, n_groups)
    assert repeated.shape == (*x.shape[:-3], n_kv_heads * n_groups, n, width)
    for head in range(n_kv_heads * n_groups):
        np.testing.assert_array_equal(repeated[..., head, :, :], x[..., head // n_groups, :, :])


def test_a_tile_is_no_repeat(rng):
    x, query = rng.standard_normal((2, 5, 3)), rng.standard_normal((4, 7, 3))
    tiled = np.tile(x, (2, 1, 1))
    assert tiled.shape == repeat_kv(x, 2).shape
    assert not np.allclose(tiled, repeat_kv(x, 2))
    grouped = scaled_dot_product_attention(query, x, x, enable_gqa=True)
    repeated = repeat_kv(x, 2)
    np.testing.assert_array_equal(scaled_dot_product_attention(query, repeated, repeated), grouped)
    wrong = scaled_dot_product_attention(query, tiled, tiled)
    agree = np.isclose(wrong, grouped).all(axis=(-2, -1))
    assert agree.tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    ("function", "arguments", "exception", "pieces"),
    [
        pytest.param(split_heads, ((5, 6), 4), ValueError, ["n_heads 4", "x (5, 6)"], id="no divisor"),
        pytest.param(split_heads, ((6, 5), 6), ValueError, ["n_heads 6", "x (6, 5)"], id="the tokens' divisor"),
        pytest.param(split_heads, ((6,), 3), ValueError, ["x (6,)", "2 axes"], id="split 1-D"),
        pytest.param(split_heads, ((5, 6), 0), ValueError, ["n_heads", "at least 1", "0"], id="no heads"),
        pytest.param(split_heads, ((5, 6), -2), ValueError, ["n_heads", "-2"], id="negative heads"),
        pytest.param(split_heads, ((5, 6), 2.0), TypeError, ["n_heads", "integer"], id="float heads"),
        pytest.param(split_heads, (np.zeros((5, 6)) * 1j, 2), TypeError, ["x must", "complex"], id="split complex"),
        pytest.param(merge_heads, ((5, 6),), ValueError, ["x (5, 6)", "3 axes"], id="merge 2-D"),
        pytest.param(merge_heads, (None,), TypeError, ["x must", "object"], id="merge None"),
        pytest.param(repeat_kv, ((5, 6), 2), ValueError, ["x (5, 6)", "3 axes"], id="repeat 2-D"),
        pytest.param(repeat_kv, ((2, 5, 6), 0), ValueError, ["n_groups", "at least 1"], id="no groups"),
        pytest.param(repeat_kv, ((2, 5, 6), 1.5), TypeError, ["n_groups", "integer"], id="float groups"),
        pytest.param(repeat_kv, (np.zeros((2, 5, 6), object), 1), TypeError, ["x must", "object"], id="repeat object"),
    ],
)
def test_bad_input_of_the_shapers_is_named(function, arguments, exception, pieces):
    x, *rest = arguments
    with pytest.raises(exception, match=says(*pieces)):
        function(np.zeros(x) if isinstance(x, tuple) else x, *rest)


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
OPTIONS = {
    "plain": lambda rng: {},
    "mask": lambda rng: {"mask": rng.random((3, 4)) < 0.5},
    "a mask for each head": lambda rng: {"mask": rng.random((6, 3, 4)) < 0.5},
    "a mask for each sequence": lambda rng: {"mask": rng.random((2, 1, 1, 4)) < 0.5},
    "bias": lambda rng: {"bias": rng.standard_normal((3, 4))},
    "a bias for each head": lambda rng: {"bias": rng.standard_normal((6, 3, 4))},
    "sink": lambda rng: {"sink": 0.5},
    "a sink for each head": lambda rng: {"sink": rng.standard_normal(6)},
    "softcap": lambda rng: {"softcap": 0.5},
    "scale": lambda rng: {"scale": -0.8},
    "everything": lambda rng: {
        "mask": rng.random((2, 6, 3, 4)) < 0.7,
        "bias": rng.standard_normal((2, 1, 3, 4)),
        "sink": rng.standard_normal(6),
        "softcap": 2.0,
        "scale": 0.3,
    },
}


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
@pytest.mark.parametrize("label", OPTIONS)
def test_every_option_arrives_at_every_head(rng, label, n_kv_heads):
    options = OPTIONS[label](rng)
    x, memory = rng.standard_normal((2, 3, 7)), rng.standard_normal((2, 4, 11))
    w = layer(rng, 6, n_kv_heads, biases=True)  # softcap and sink alone can tell whether b_k is there
    expected = loop_multi_head(x, memory, w, n_heads=6, n_kv_heads=n_kv_heads, **options)
    if options:
        assert not np.allclose(expected, loop_multi_head(x, memory, w, n_heads=6, n_kv_heads=n_kv_heads))
    weights = MultiHeadWeights(**w, n_heads=6, n_kv_heads=n_kv_heads)
    result = multi_head_attention(x, weights, memory=memory, **options)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_kv_heads", [6, 3, 1])
@pytest.mark.parametrize("is_causal", [False, True])
def test_without_memory_the_tokens_ask_each_other(rng, n_kv_heads, is_causal):
    x, w = rng.standard_normal((2, 4, 7)), layer(rng, 6, n_kv_heads, d_memory=7, biases=True)
    weights = MultiHeadWeights(**w, n_heads=6, n_kv_heads=n_kv_heads)
    expected = loop_multi_head(x, x, w, n_heads=6, n_kv_heads=n_kv_heads, is_causal=is_causal)
    np.testing.assert_allclose(multi_head_attention(x, weights, is_causal=is_causal), expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(
        multi_head_attention(x, weights, memory=x, is_causal=is_causal),
        multi_head_attention(x, weights, is_causal=is_causal),
    )


# --- several heads by hand ---------------------------------------------------------------------------------------


TWO = [np.hstack(pair) for pair in ((W_Q1, W_Q2), (W_K, W_K), (W_V, W_V))]


def test_two_heads_find_agent_and_object_of_chased():
    x, swapped = embed(S5, EARLY5), embed(T5, EARLY5)
    side_by_side, joined = MultiHeadWeights(*TWO, np.eye(4), n_heads=2), MultiHeadWeights(*TWO, W_O, n_heads=2)
    np.testing.assert_allclose(multi_head_attention(x, side_by_side)[2], [5, 2, 2, 5], rtol=1e-14)
    np.testing.assert_allclose(multi_head_attention(swapped, side_by_side)[2], [2, 5, 5, 2], rtol=1e-14)
    np.testing.assert_allclose(multi_head_attention(x, joined)[2], [3, -3], rtol=1e-14)
    np.testing.assert_allclose(multi_head_attention(swapped, joined)[2], [-3, 3], rtol=1e-14)


def test_shared_keys_and_values_give_chased_the_same():
    weights = MultiHeadWeights(TWO[0], W_K, W_V, W_O, n_heads=2, n_kv_heads=1)
    np.testing.assert_allclose(multi_head_attention(embed(S5, EARLY5), weights)[2], [3, -3], rtol=1e-14)


def test_averaging_the_two_rows_of_weights_loses_who_chased_whom():
    for sentence in (S5, T5):
        x = embed(sentence, EARLY5)
        rows = [attention_weights(x @ w_q, x @ W_K)[2] for w_q in (W_Q1, W_Q2)]
        np.testing.assert_allclose(np.mean(rows, axis=0) @ (x @ W_V), [3.5, 3.5], rtol=1e-14)


# --- what heads are ----------------------------------------------------------------------------------------------


@st.composite
def layers(draw, n_kv_heads=None):
    """Draw x, memory and a layer in any shape; every dimension has a size of its own."""
    n_q, n_k, d_model, d_memory, d_k, d_v, d_out = draw(st.permutations([1, 2, 3, 4, 5, 6, 7]))
    shared, group = draw(st.sampled_from([(1, 1), (2, 1), (3, 1), (1, 3), (2, 2), (3, 2)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = {"d_model": d_model, "d_memory": d_memory, "d_k": d_k, "d_v": d_v, "d_out": d_out}
    w = layer(rng, shared * group, shared, **sizes, biases=draw(st.booleans()))
    return rng.standard_normal((n_q, d_model)), rng.standard_normal((n_k, d_memory)), w, shared, group


@properties
@given(layers())
def test_the_joined_heads_are_the_sum_of_each_head_times_its_rows_of_w_o(drawn):
    x, memory, w, shared, group = drawn
    w = {name: array for name, array in w.items() if name[0] == "w"}
    heads = shared * group
    d_k, d_v = w["w_q"].shape[1] // heads, w["w_o"].shape[0] // heads
    total = 0
    for head in range(heads):
        own_k, own_v = (slice(head * d, (head + 1) * d) for d in (d_k, d_v))
        kv_k, kv_v = (slice(head // group * d, (head // group + 1) * d) for d in (d_k, d_v))
        output = cross_attention(x, memory, w["w_q"][:, own_k], w["w_k"][:, kv_k], w["w_v"][:, kv_v])
        total = total + output @ w["w_o"][own_v]
    weights = MultiHeadWeights(**w, n_heads=heads, n_kv_heads=shared)
    np.testing.assert_allclose(multi_head_attention(x, weights, memory=memory), total, rtol=0, atol=1e-12)


def reorder(array, n_heads, order, axis):
    """Put the blocks of n_heads heads along an axis into another order."""
    blocks = np.split(array, n_heads, axis=axis)
    return np.concatenate([blocks[head] for head in order], axis=axis)


@properties
@given(layers(), st.randoms(use_true_random=False))
def test_heads_in_another_order_with_their_rows_of_w_o_change_nothing(drawn, random):
    x, memory, w, shared, group = drawn
    heads = shared * group
    kv_order = random.sample(range(shared), shared)
    order = [kv * group + at for kv in kv_order for at in random.sample(range(group), group)]
    moved = dict(w)
    for name, array in w.items():
        if name[-1] in "kv":
            moved[name] = reorder(array, shared, kv_order, -1)
        elif name[-1] == "q":
            moved[name] = reorder(array, heads, order, -1)
    moved["w_o"] = reorder(w["w_o"], heads, order, 0)
    expected = multi_head_attention(x, MultiHeadWeights(**w, n_heads=heads, n_kv_heads=shared), memory=memory)
    result = multi_head_attention(x, MultiHeadWeights(**moved, n_heads=heads, n_kv_heads=shared), memory=memory)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


def test_heads_in_another_order_without_their_rows_change_the_result(rng):
    x, w = rng.standard_normal((4, 7)), layer(rng, 3, 3, d_memory=7)
    expected = multi_head_attention(x, MultiHeadWeights(**w, n_heads=3))
    for name in w:
        moved = w | {name: reorder(w[name], 3, [1, 2, 0], 0 if name == "w_o" else -1)}
        assert not np.allclose(multi_head_attention(x, MultiHeadWeights(**moved, n_heads=3)), expected)


@pytest.mark.parametrize("n_kv_heads", [3, 2, 1])
def test_grouped_heads_are_full_heads_with_repeated_and_not_tiled_columns(rng, n_kv_heads):
    x, w = rng.standard_normal((4, 7)), layer(rng, 6, n_kv_heads, d_memory=7)
    grouped = multi_head_attention(x, MultiHeadWeights(**w, n_heads=6, n_kv_heads=n_kv_heads))

    def widened(order):
        wide = w | {name: reorder(w[name], n_kv_heads, order, -1) for name in ("w_k", "w_v")}
        return multi_head_attention(x, MultiHeadWeights(**wide, n_heads=6))

    np.testing.assert_allclose(widened(np.repeat(range(n_kv_heads), 6 // n_kv_heads)), grouped, rtol=0, atol=1e-13)
    if n_kv_heads > 1:
        assert not np.isclose(widened(np.tile(range(n_kv_heads), 6 // n_kv_heads)), grouped).all(-1).any()


def test_heads_split_by_a_reshape_alone_give_wrong_numbers_of_the_right_shape(rng):
    x, w = rng.standard_normal((4, 7)), layer(rng, 3, 3, d_memory=7)
    query, key, value = ((x @ w[name]).reshape(3, 4, width) for name, width in (("w_q", 2), ("w_k", 2), ("w_v", 5)))
    wrong = scaled_dot_product_attention(query, key, value).reshape(4, 15) @ w["w_o"]
    right = multi_head_attention(x, MultiHeadWeights(**w, n_heads=3))
    assert wrong.shape == right.shape
    assert not np.isclose(wrong, right).all(-1).any()


def test_one_head_is_attention_times_w_o(rng):
    x, memory, w = rng.standard_normal((3, 7)), rng.standard_normal((4, 11)), layer(rng, 1, 1)
    expected = cross_attention(x, memory, w["w_q"], w["w_k"], w["w_v"]) @ w["w_o"]
    result = multi_head_attention(x, MultiHeadWeights(**w, n_heads=1), memory=memory)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-13)


def test_the_default_scale_is_that_of_one_head_and_not_of_the_layer(rng):
    x, w = rng.standard_normal((3, 8)), layer(rng, 4, 2, d_model=8, d_memory=8, d_k=16)
    weights = MultiHeadWeights(**w, n_heads=4, n_kv_heads=2)
    default = multi_head_attention(x, weights)
    np.testing.assert_array_equal(multi_head_attention(x, weights, scale=0.25), default)
    for other in (64**-0.5, 8**-0.5, 5**-0.5):
        assert not np.allclose(multi_head_attention(x, weights, scale=other), default)


def test_tokens_in_another_order_give_rows_in_that_order(rng):
    x, w = rng.standard_normal((2, 5, 7)), layer(rng, d_memory=7, biases=True)
    weights = MultiHeadWeights(**w, n_heads=6, n_kv_heads=3)
    order = [3, 0, 4, 1, 2]
    result = multi_head_attention(x[:, order], weights)
    np.testing.assert_allclose(result, multi_head_attention(x, weights)[:, order], rtol=0, atol=1e-13)


def test_a_token_without_any_key_receives_the_bias_of_the_output_alone(rng):
    w = layer(rng, d_memory=7, biases=True)
    weights = MultiHeadWeights(**w, n_heads=6, n_kv_heads=3)
    x, mask = rng.standard_normal((3, 7)), np.array([[True], [False], [True]])
    result = multi_head_attention(x, weights, mask=mask)
    np.testing.assert_array_equal(result[1], w["b_o"])
    np.testing.assert_allclose(result[[0, 2]], multi_head_attention(x, weights)[[0, 2]], rtol=0, atol=1e-13)
    empty = multi_head_attention(x, weights, memory=np.zeros((0, 7)))
    np.testing.assert_array_equal(empty, np.tile(w["b_o"], (3, 1)))
    assert multi_head_attention(np.zeros((2, 0, 7)), weights).shape == (2, 0, 13)


@pytest.mark.parametrize("enable_gqa", [False, True])
def test_enable_gqa_is_refused_since_the_weights_say_which_heads_are_shared(rng, enable_gqa):
    weights = MultiHeadWeights.random(12, 6, n_kv_heads=3, rng=rng)
    with pytest.raises(TypeError, match=says("multi_head_attention takes no enable_gqa", "weights")):
        multi_head_attention(np.zeros((3, 12)), weights, enable_gqa=enable_gqa)


# --- rotary positions --------------------------------------------------------------------------------------------


def rotary_for(positions, layout, rotary_dim=4):
    """Give the tables for the oracle, and for the package: there a batch of positions needs a heads axis."""
    tables = rotary_tables(positions, rotary_dim)
    if np.ndim(positions) == 1:
        return (*tables, layout), Rotary(*tables, layout)
    return (*tables, layout), Rotary(*(table[:, None] for table in tables), layout)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
@pytest.mark.parametrize("positions", [[0, 1, 2], [[5, 6, 7], [0, 2.5, 400]]], ids=["one row", "two sequences"])
def test_rotary_turns_queries_and_keys_of_every_head_as_the_loops_do(rng, layout, n_kv_heads, positions):
    weights = MultiHeadWeights.random(20, 4, n_kv_heads=n_kv_heads, rng=rng)  # heads of five features, four are turned
    x = rng.standard_normal((2, 3, 20))
    w = {name: getattr(weights, name) for name in ("w_q", "w_k", "w_v", "w_o")}
    for_loops, rotary = rotary_for(positions, layout)
    heads_of = {"n_heads": 4, "n_kv_heads": n_kv_heads}
    expected = loop_multi_head(x, x, w, **heads_of, rotary=for_loops, is_causal=True)
    result = multi_head_attention(x, weights, rotary=rotary, is_causal=True)
    np.testing.assert_allclose(result, expected, rtol=0, atol=64 * EPS * np.abs(expected).max())
    assert not np.allclose(result, multi_head_attention(x, weights, is_causal=True))


def test_rotary_sees_differences_of_positions_and_the_layout(rng):
    weights, x = MultiHeadWeights.random(12, 2, rng=rng), rng.standard_normal((5, 12))

    def attend(positions, layout="half"):
        return multi_head_attention(x, weights, rotary=Rotary(*rotary_tables(positions, 6), layout))

    positions = np.arange(5)
    np.testing.assert_allclose(attend(positions + 1000), attend(positions), rtol=0, atol=1e-11)
    np.testing.assert_allclose(attend(np.full(5, 7.5)), multi_head_attention(x, weights), rtol=0, atol=1e-13)
    assert not np.allclose(attend(2 * positions), attend(positions))
    assert not np.allclose(attend(positions, "interleaved"), attend(positions))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rotary_tables_do_not_decide_the_dtype(rng, dtype):
    drawn = MultiHeadWeights.random(12, 2, rng=rng)
    matrices = (getattr(drawn, name).astype(dtype) for name in ("w_q", "w_k", "w_v", "w_o"))
    x, rotary = rng.standard_normal((5, 12)).astype(dtype), Rotary(*rotary_tables(np.arange(5), 6), "half")
    result = multi_head_attention(x, MultiHeadWeights(*matrices, n_heads=2), rotary=rotary)
    assert result.dtype == dtype
    expected = multi_head_attention(x.astype(float), drawn, rotary=rotary)
    np.testing.assert_allclose(result, expected, rtol=0, atol=20 * np.finfo(dtype).eps)


@pytest.mark.parametrize(
    ("rotary", "exception", "pieces"),
    [
        pytest.param(rotary_tables(np.arange(4), 2), TypeError, ["layout"], id="no layout"),
        pytest.param(Rotary(*rotary_tables(np.arange(3), 2), "neox"), ValueError, ["layout", "'neox'"], id="layout"),
        pytest.param(
            Rotary(*rotary_tables(np.arange(4), 2), "half"), ValueError, ["query (6, 3, 2)", "cos (4, 1)"], id="length"
        ),
        pytest.param(
            Rotary(*rotary_tables(np.arange(3), 4), "half"), ValueError, ["query (6, 3, 2)", "4 features"], id="width"
        ),
        pytest.param(
            Rotary(*(np.ones((6, 3, 1)),) * 2, "half"), ValueError, ["key (3, 3, 2)", "cos (6, 3, 1)"], id="key heads"
        ),
        pytest.param(Rotary([["a"]], [[0.0]], "half"), TypeError, ["cos"], id="strings"),
    ],
)
def test_bad_tables_are_named_with_the_heads_they_do_not_fit(rotary, exception, pieces):
    weights = MultiHeadWeights(**heads(w_k=(7, 6), w_v=(7, 15)))
    with pytest.raises(exception, match=says(*pieces)):
        multi_head_attention(np.zeros((3, 7)), weights, rotary=rotary)


def test_a_block_passes_rotary_on(rng):
    weights = BlockWeights(MultiHeadWeights.random(12, 2, rng=rng), np.zeros((12, 5)), np.zeros((5, 12)))
    x, rotary = rng.standard_normal((5, 12)), Rotary(*rotary_tables(np.arange(5), 6), "half")
    result = transformer_block(x, weights, rotary=rotary)
    np.testing.assert_array_equal(result, x + multi_head_attention(layer_norm(x), weights.attention, rotary=rotary))


# --- dtypes and memory of several heads --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        pytest.param((bool,) * 6, D, id="bools"),
        pytest.param((np.uint8, np.int8, np.int16, np.int32, np.int64, np.int8), D, id="ints"),
        pytest.param((H,) * 6, H, id="half"),
        pytest.param((S,) * 6, S, id="single"),
        *(pytest.param(tuple(S if i == at else H for i in range(6)), S, id=f"{at} lifts") for at in range(6)),
        pytest.param((S, S, S, S, S, D), D, id="a double w_o lifts"),
        pytest.param((S, S, S, S, int, S), D, id="ints and single"),
    ],
)
def test_tokens_and_matrices_decide_the_dtype_and_biases_do_not(dtypes, expected):
    shapes = [(3, 4), (5, 6), (4, 2), (6, 2), (6, 2), (2, 7)]
    x, memory, *matrices = (np.ones(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True))
    for bias_dtype in (None, int, H, D, np.longdouble):
        biases = [] if bias_dtype is None else [np.ones(size, bias_dtype) for size in (2, 2, 2, 7)]
        weights = MultiHeadWeights(*matrices, *biases, n_heads=2)
        result = multi_head_attention(x, weights, memory=memory, bias=np.ones(5), sink=np.full(2, -np.inf))
        assert result.dtype == expected
        np.testing.assert_allclose(result, 12 if bias_dtype is None else 15, rtol=8 * np.finfo(expected).eps)


def test_several_heads_in_half_precision_are_computed_in_single_and_rounded_once(rng):
    x, w = rng.standard_normal((30, 7)).astype(H), layer(rng, d_memory=7, biases=True, dtype=H)
    single = {name: array.astype(S) for name, array in w.items()}
    expected = multi_head_attention(x.astype(S), MultiHeadWeights(**single, n_heads=6, n_kv_heads=3))
    result = multi_head_attention(x, MultiHeadWeights(**w, n_heads=6, n_kv_heads=3))
    np.testing.assert_array_equal(result, expected.astype(H), strict=True)
    # values of 262144, beyond the 65504 of float16, come back into range in w_o
    big = [np.zeros((4, 2), H), np.zeros((4, 2), H), np.full((4, 2), 256, H), np.full((2, 1), 2**-10, H)]
    result = multi_head_attention(np.full((3, 4), 256, H), MultiHeadWeights(*big, n_heads=2))
    np.testing.assert_array_equal(result, np.full((3, 1), 512, H), strict=True)


@pytest.mark.parametrize("dtype", [H, S, D])
def test_several_heads_give_no_floating_point_warnings(dtype):
    top, low = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    with np.errstate(all="raise"):
        state = np.geterr()
        for fill in (top, -top, low, dtype(np.inf), dtype(np.nan), dtype(256)):
            weights = MultiHeadWeights(*[np.full((4, 4), fill, dtype)] * 4, *[np.full(4, fill, dtype)] * 4, n_heads=2)
            multi_head_attention(np.ones((3, 4), dtype), weights, is_causal=True)
            multi_head_attention(np.full((3, 4), fill, dtype), weights, memory=np.ones((5, 4), dtype))
        assert np.geterr() == state


def test_several_heads_modify_nothing_and_return_nothing_of_theirs(rng):
    w = layer(rng, biases=True)
    x, memory = rng.standard_normal((2, 3, 7)), rng.standard_normal((2, 4, 11))
    options = {"mask": rng.random((6, 3, 4)) < 0.7, "bias": rng.standard_normal((3, 4)), "sink": rng.standard_normal(6)}
    arrays = [x, memory, *w.values(), *options.values()]
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    weights = MultiHeadWeights(**w, n_heads=6, n_kv_heads=3)
    result = multi_head_attention(x, weights, memory=memory, **options)
    assert result.flags.writeable
    assert not any(np.shares_memory(result, array) for array in arrays)
    identity = MultiHeadWeights(*[np.eye(7)] * 4, n_heads=1)
    assert not np.shares_memory(multi_head_attention(x[0, :1], identity), x)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_pass_through_the_heads_to_their_own_rows(rng, poison):
    w = layer(rng, biases=True)
    weights = MultiHeadWeights(**w, n_heads=6, n_kv_heads=3)
    x, memory = rng.standard_normal((2, 3, 7)), rng.standard_normal((2, 4, 11))
    clean = multi_head_attention(x, weights, memory=memory)
    poisoned = x.copy()
    poisoned[0, 1, 2] = poison
    result = multi_head_attention(poisoned, weights, memory=memory)
    bad = np.array([[False, True, False], [False] * 3])
    assert np.isnan(result[bad]).all()
    np.testing.assert_array_equal(result[~bad], clean[~bad])
    memory[1, 3] = poison
    isnan = np.isnan(multi_head_attention(x, weights, memory=memory))
    assert isnan.any(-1).tolist() == [[False] * 3, [True] * 3]


# --- the weights -------------------------------------------------------------------------------------------------


def test_weights_are_kept_as_floating_point_arrays_of_their_own_dtype():
    w = MultiHeadWeights([[1, 2]], np.ones((1, 2), H), np.ones((1, 2), S), [[True], [False]], b_o=[3], n_heads=2)
    assert [array.dtype for array in (w.w_q, w.w_k, w.w_v, w.w_o, w.b_o)] == [D, H, S, D, D]
    assert w.b_q is w.b_k is w.b_v is None
    np.testing.assert_array_equal(w.w_o, [[1], [0]])


def test_weights_are_frozen_compare_by_identity_and_can_be_replaced(rng):
    w = MultiHeadWeights.random(6, 2, rng=rng)
    with pytest.raises(dataclasses.FrozenInstanceError):
        w.n_heads = 3
    same = dataclasses.replace(w)
    assert (w == same) is False
    assert len({w, same}) == 2
    assert dataclasses.replace(w, n_heads=3, n_kv_heads=None).n_kv_heads == 3


def test_the_default_is_a_key_and_value_head_for_each_query_head():
    assert MultiHeadWeights(*[np.eye(6)] * 4, n_heads=3).n_kv_heads == 3
    with pytest.raises(TypeError, match="n_heads"):
        MultiHeadWeights(*[np.eye(6)] * 4)
    with pytest.raises(TypeError, match="positional"):
        MultiHeadWeights(*[np.eye(6)] * 4, None, None, None, None, 3)


def heads(**changes):
    """Arguments of MultiHeadWeights in which every axis has a size of its own, with some of them replaced."""
    shapes = {"w_q": (7, 12), "w_k": (11, 6), "w_v": (11, 15), "w_o": (30, 13)}
    shapes |= {"b_q": (12,), "b_k": (6,), "b_v": (15,), "b_o": (13,)}
    arguments = {name: np.zeros(shape) for name, shape in shapes.items()} | {"n_heads": 6, "n_kv_heads": 3}
    arrays = {name: np.zeros(new) if isinstance(new, tuple) else new for name, new in changes.items()}
    return arguments | arrays


@pytest.mark.parametrize(
    ("changes", "exception", "pieces"),
    [
        pytest.param({"w_q": (12, 7)}, ValueError, ["w_q must", "6 heads", "w_q (12, 7)"], id="w_q in torch's layout"),
        pytest.param({"w_q": (7, 13)}, ValueError, ["w_q must", "6 heads", "w_q (7, 13)"], id="w_q no multiple"),
        pytest.param({"w_q": (7, 18)}, ValueError, ["w_k must", "w_q (7, 18)", "w_k (11, 6)"], id="d_k of w_q"),
        pytest.param({"w_k": (11, 7)}, ValueError, ["w_k must", "3 heads", "w_k (11, 7)"], id="w_k no multiple"),
        pytest.param({"w_k": (11, 9)}, ValueError, ["w_k must", "d_k = 2", "w_q (7, 12)", "w_k (11, 9)"], id="d_k"),
        pytest.param({"w_k": (11, 12)}, ValueError, ["w_k must", "3 heads", "w_k (11, 12)"], id="w_k of all heads"),
        pytest.param({"w_k": (10, 6)}, ValueError, ["w_k (10, 6)", "w_v (11, 15)", "d_memory"], id="d_memory"),
        pytest.param({"w_v": (11, 16)}, ValueError, ["w_v must", "3 heads", "w_v (11, 16)"], id="w_v no multiple"),
        pytest.param({"w_v": (11, 12)}, ValueError, ["w_o must", "24", "w_o (30, 13)", "w_v (11, 12)"], id="d_v"),
        pytest.param({"w_o": (13, 30)}, ValueError, ["w_o must", "30", "w_o (13, 30)"], id="w_o in torch's layout"),
        pytest.param({"w_o": (15, 13)}, ValueError, ["w_o must", "30", "w_o (15, 13)"], id="w_o for the key heads"),
        *(
            pytest.param({name: shape}, ValueError, [f"{name} must", f"{name} {shape}"], id=f"{name} {shape}")
            for name in ("w_q", "w_k", "w_v", "w_o")
            for shape in ((), (6,), (2, 12, 12))
        ),
        *(
            pytest.param(
                {name: (5,)}, ValueError, [f"{name} must", f"{name} (5,)", f"w{name[1:]} ("], id=f"long {name}"
            )
            for name in ("b_q", "b_k", "b_v", "b_o")
        ),
        *(
            pytest.param({name: (1,)}, ValueError, [f"{name} must", f"{name} (1,)"], id=f"{name} would broadcast")
            for name in ("b_q", "b_k", "b_v", "b_o")
        ),
        *(
            pytest.param({name: [1j]}, TypeError, [f"{name} must", "complex"], id=f"complex {name}")
            for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
        ),
        *(
            pytest.param({name: None}, TypeError, [f"{name} must", "object"], id=f"no {name}")
            for name in ("w_q", "w_k", "w_v", "w_o")
        ),
        pytest.param({"n_heads": 0}, ValueError, ["n_heads", "at least 1"], id="no heads"),
        pytest.param({"n_heads": 6.0}, TypeError, ["n_heads", "integer"], id="float heads"),
        pytest.param({"n_kv_heads": 0}, ValueError, ["n_kv_heads", "at least 1"], id="no key heads"),
        pytest.param({"n_kv_heads": "3"}, TypeError, ["n_kv_heads", "integer"], id="string key heads"),
        pytest.param({"n_kv_heads": 4}, ValueError, ["n_heads 6", "n_kv_heads 4", "multiple"], id="no divisor"),
        pytest.param({"n_kv_heads": 12}, ValueError, ["n_heads 6", "n_kv_heads 12"], id="more key heads"),
    ],
)
def test_the_wrong_matrix_is_named(changes, exception, pieces):
    MultiHeadWeights(**heads())
    with pytest.raises(exception, match=says(*pieces)):
        MultiHeadWeights(**heads(**changes))


def test_random_weights_are_uniform_within_glorots_limits(rng):
    w = MultiHeadWeights.random(96, 6, n_kv_heads=2, rng=rng)
    for matrix, shape in ((w.w_q, (96, 96)), (w.w_k, (96, 32)), (w.w_v, (96, 32)), (w.w_o, (96, 96))):
        assert matrix.shape == shape
        assert matrix.dtype == D
        limit = np.sqrt(6 / sum(shape))
        assert 0.99 * limit < matrix.max() <= limit
        assert -limit <= matrix.min() < -0.99 * limit
        np.testing.assert_allclose(matrix.std(), limit / np.sqrt(3), rtol=0.03)  # a uniform's deviation
    assert (w.n_heads, w.n_kv_heads) == (6, 2)
    assert w.b_q is w.b_k is w.b_v is w.b_o is None
    assert len({matrix.ravel()[0] for matrix in (w.w_q, w.w_k, w.w_v, w.w_o)}) == 4
    assert multi_head_attention(rng.standard_normal((5, 96)), w).shape == (5, 96)


def test_random_weights_come_from_the_generator_that_is_given():
    draws = [MultiHeadWeights.random(8, 4, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(draws[0].w_o, draws[1].w_o)
    assert not (draws[0].w_q == draws[2].w_q).any()
    assert draws[0].n_kv_heads == 4
    kinds = [(p.name, p.kind.name, p.default) for p in inspect.signature(MultiHeadWeights.random).parameters.values()]
    empty = inspect.Parameter.empty
    assert kinds == [
        ("d_model", "POSITIONAL_OR_KEYWORD", empty),
        ("n_heads", "POSITIONAL_OR_KEYWORD", empty),
        ("n_kv_heads", "KEYWORD_ONLY", None),
        ("rng", "KEYWORD_ONLY", empty),
    ]


@pytest.mark.parametrize(
    ("arguments", "options", "exception", "pieces"),
    [
        pytest.param((7, 2), {}, ValueError, ["d_model 7", "n_heads 2"], id="no divisor"),
        pytest.param((8, 4), {"n_kv_heads": 3}, ValueError, ["n_heads 4", "n_kv_heads 3"], id="key heads no divisor"),
        pytest.param((8, 0), {}, ValueError, ["n_heads", "at least 1"], id="no heads"),
        pytest.param((0, 1), {}, ValueError, ["d_model", "at least 1"], id="no features"),
        pytest.param((8, 2), {"n_kv_heads": 0}, ValueError, ["n_kv_heads", "at least 1"], id="no key heads"),
        pytest.param((8.0, 2), {}, TypeError, ["d_model", "integer"], id="float d_model"),
    ],
)
def test_random_weights_need_sizes_that_fit(rng, arguments, options, exception, pieces):
    with pytest.raises(exception, match=says(*pieces)):
        MultiHeadWeights.random(*arguments, **options, rng=rng)
    with pytest.raises(TypeError, match="rng"):
        MultiHeadWeights.random(*arguments, **options)


# --- bad input of several heads ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "exception", "pieces"),
    [
        pytest.param({"x": np.zeros((3, 8))}, ValueError, ["x (3, 8)", "w_q (7, 12)", "d_in"], id="d_model"),
        pytest.param({"memory": np.zeros((4, 7))}, ValueError, ["memory (4, 7)", "w_k (11, 6)"], id="d_memory"),
        pytest.param({"memory": None}, ValueError, ["x (3, 7)", "w_k (11, 6)"], id="memory left out"),
        pytest.param({"x": np.zeros(7)}, ValueError, ["x (7,)", "2 axes"], id="1-D x"),
        pytest.param({"memory": np.zeros(11)}, ValueError, ["memory (11,)", "2 axes"], id="1-D memory"),
        pytest.param(
            {"x": np.zeros((2, 3, 7)), "memory": np.zeros((5, 4, 11))}, ValueError, ["leading axes"], id="batches"
        ),
        pytest.param({"x": np.zeros((3, 7)) * 1j}, TypeError, ["x must", "complex"], id="complex x"),
        pytest.param({"memory": np.zeros((4, 11), str)}, TypeError, ["memory must"], id="string memory"),
        pytest.param({"mask": np.ones((3, 5), bool)}, ValueError, ["mask (3, 5)", "scores (6, 3, 4)"], id="mask"),
        pytest.param({"mask": np.ones((2, 1, 3, 4), bool)}, ValueError, ["mask (2, 1, 3, 4)"], id="mask enlarges"),
        pytest.param({"mask": np.ones((3, 4))}, TypeError, ["mask must", "bias="], id="float mask"),
        pytest.param(
            {"bias": np.zeros((3, 3, 4))}, ValueError, ["bias (3, 3, 4)", "(6, 3, 4)"], id="bias of key heads"
        ),
        pytest.param({"sink": np.zeros(3)}, ValueError, ["sink (3,)", "(6, 3, 4)"], id="a sink for each key head"),
        pytest.param({"is_causal": True}, ValueError, ["is_causal", "(6, 3, 4)"], id="causal rectangle"),
        pytest.param({"softcap": 0.0}, ValueError, ["softcap"], id="softcap of 0"),
        pytest.param({"attn_mask": None}, TypeError, ["attn_mask"], id="an unknown option"),
        pytest.param({"rotary": Rotary(1.0, 0.0, "half")}, ValueError, ["rotary", "memory"], id="rotary and memory"),
    ],
)
def test_bad_input_of_multi_head_attention_is_named(changes, exception, pieces):
    weights = MultiHeadWeights(**heads())
    arguments = {"x": np.zeros((3, 7)), "memory": np.zeros((4, 11))}
    multi_head_attention(weights=weights, **arguments)
    with pytest.raises(exception, match=says(*pieces)) as raised:
        multi_head_attention(weights=weights, **arguments | changes)
    if "memory" in changes and changes["memory"] is None:
        assert "memory" not in str(raised.value)  # a word that its caller has never seen


@pytest.mark.parametrize("wrong", [np.eye(7), heads(), None, MultiHeadWeights], ids=lambda wrong: type(wrong).__name__)
def test_weights_of_another_kind_are_refused(wrong):
    with pytest.raises(TypeError, match=says("weights must be MultiHeadWeights", type(wrong).__name__)):
        multi_head_attention(np.zeros((3, 7)), wrong)


def test_memory_is_given_by_name():
    with pytest.raises(TypeError, match="positional"):
        multi_head_attention(np.zeros((3, 7)), MultiHeadWeights(**heads()), np.zeros((4, 11)))
