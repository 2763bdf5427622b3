"""Self- and cross-attention against loops: who asks, who answers, what is passed on, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import cross_attention, self_attention
from tests.oracles import loop_attention, properties, says

EPS = np.finfo(float).eps


def loop_project(x, weight):
    x, weight = np.asarray(x).astype(np.longdouble), np.asarray(weight).astype(np.longdouble)
    result = np.zeros((*x.shape[:-1], weight.shape[1]), np.longdouble)
    for *at, o in np.ndindex(result.shape):
        for i in range(weight.shape[0]):
            result[(*at, o)] += x[(*at, i)] * weight[i, o]
    return result


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
