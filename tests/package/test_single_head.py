"""One head against loops: who asks, who answers, and what is passed on."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import (
    cross_attention,
    self_attention,
)
from tests.package.oracles import loop_attention, loop_project, properties, smaller

EPS = np.finfo(float).eps


def loop_cross(x, memory, w_q, w_k, w_v, **options):
    """Let x ask and memory answer, in extended precision."""
    query, key, value = loop_project(x, w_q), loop_project(memory, w_k), loop_project(memory, w_v)
    return loop_attention(query, key, value, dtype=np.longdouble, **options).astype(float)


def draw(rng, *features):
    """Draw tokens, memory, matrices and options; every axis has a size of its own, apart from what must be equal."""
    n_q, n_k, d_model, d_memory, d_k, d_v = (int(size) for size in rng.permutation([1, 3, 5, 6, 7, 8])[:6])
    lead_x, lead_memory = smaller(rng, (2, 4)), smaller(rng, (2, 4))
    options: dict[str, Any] = {}
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


def test_half_precision_projections_may_pass_its_largest_number():
    # keys and values of 262144, beyond the 65504 of float16: each query is zero or the values cancel
    x, w = np.full((3, 4), 256, np.float16), np.full((4, 2), 256, np.float16)
    result = self_attention(x, np.zeros((4, 2), np.float16), w, np.array([[16], [-16], [1], [0]], np.float16))
    np.testing.assert_array_equal(result, np.full((3, 1), 256, np.float16))
