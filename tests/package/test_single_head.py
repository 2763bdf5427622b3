"""One head against loops: who asks, who answers, and what is passed on."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import (
    cross_attention,
    scaled_dot_product_attention,
    self_attention,
)
from tests.package.oracles import loop_attention, loop_project, loop_weights, properties, smaller

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


# --- its weights -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("features", FEATURES)
def test_output_and_weights_come_together(features):
    x, memory, (w_q, w_k, w_v), options = draw(np.random.default_rng(0), *features)
    query, key, value = x @ w_q, memory @ w_k, memory @ w_v
    expected = loop_weights(query, key, **options)
    for output, weights in (
        cross_attention(x, memory, w_q, w_k, w_v, return_weights=True, **options),
        scaled_dot_product_attention(query, key, value, return_weights=True, **options),
    ):
        np.testing.assert_allclose(weights, expected, rtol=0, atol=tolerance(x, x, memory, w_q, w_k))
        np.testing.assert_array_equal(output, cross_attention(x, memory, w_q, w_k, w_v, **options))


# --- who asks and who answers ------------------------------------------------------------------------------------


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
