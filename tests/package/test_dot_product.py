"""Scores, weights and their blend against loops, every convention by itself, properties, and bad input."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import (
    attention_scores,
    attention_weights,
    causal_mask,
    mask_to_bias,
    padding_mask,
    scaled_dot_product_attention,
    softmax,
)
from tests.oracles import loop_attention, loop_scores, loop_weights, properties, says

EPS = np.finfo(float).eps
FUNCTIONS = [attention_scores, attention_weights, scaled_dot_product_attention]


def inputs_of(function, query, key, value):
    return (query, key, value) if function is scaled_dot_product_attention else (query, key)


# --- against the loops -------------------------------------------------------------------------------------------


def smaller(rng, shape):
    """Draw a shape that broadcasts to this one: some axes of size 1, some leading axes absent."""
    sizes = tuple(size if rng.random() < 0.7 else 1 for size in shape)
    return sizes[rng.integers(len(sizes) + 1) :]


def draw(rng, *features):
    """Draw inputs and options; every axis has a size of its own, apart from what a feature makes equal."""
    n_q, n_k, d_k, d_v = (int(size) for size in rng.permutation([1, 3, 5, 6, 7, 8])[:4])
    batch = (2,) if rng.random() < 0.5 else ()
    heads = 4
    options = {}
    if "causal" in features:
        options["is_causal"] = True
        n_k = n_q
    if "gqa" in features:
        options["enable_gqa"] = True
        kv_heads = int(rng.choice([1, 2, 4]))
        lead_q, lead_k, lead_v = (*smaller(rng, batch), heads), (*smaller(rng, batch), kv_heads), (*batch, kv_heads)
    elif "sink" in features:
        lead_q, lead_k, lead_v = (*batch, heads), smaller(rng, (*batch, heads)), (*batch, heads)
    else:
        lead_q, lead_k, lead_v = (smaller(rng, (*batch, heads)) for _ in range(3))
    query = rng.standard_normal((*lead_q, n_q, d_k))
    key = rng.standard_normal((*lead_k, n_k, d_k))
    value = rng.standard_normal((*lead_v, n_k, d_v))
    lead = (
        (*np.broadcast_shapes(lead_q[:-1], lead_k[:-1]), heads)
        if "gqa" in features
        else np.broadcast_shapes(lead_q, lead_k)
    )
    if "mask" in features:
        options["mask"] = np.asarray(rng.random(smaller(rng, (*lead, n_q, n_k))) < 0.5)
    if "bias" in features:
        options["bias"] = np.asarray(rng.standard_normal(smaller(rng, (*lead, n_q, n_k))))
    if "-inf" in features:
        options["bias"] = np.where(rng.random((n_q, n_k)) < 0.5, -np.inf, rng.standard_normal((n_q, n_k)))
    if "softcap" in features:
        options["softcap"] = float(rng.uniform(0.2, 3))
    if "sink" in features:
        options["sink"] = rng.standard_normal(heads) if rng.random() < 0.5 else float(rng.standard_normal())
    return query, key, value, options


@pytest.mark.parametrize(
    "features",
    [
        pytest.param((), id="plain"),
        pytest.param(("mask",), id="mask, some rows empty"),
        pytest.param(("bias",), id="bias"),
        pytest.param(("-inf",), id="bias of -inf, some rows empty"),
        pytest.param(("causal",), id="causal"),
        pytest.param(("gqa", "mask"), id="grouped heads"),
        pytest.param(("sink", "mask"), id="sink"),
        pytest.param(("softcap", "bias"), id="softcap"),
        pytest.param(("causal", "mask", "bias"), id="causal and mask and bias"),
        pytest.param(("causal", "mask", "bias", "softcap", "sink", "gqa"), id="everything"),
    ],
)
def test_scores_weights_and_output_equal_the_loops(features):
    for seed in range(50):
        query, key, value, options = draw(np.random.default_rng(seed), *features)
        score_options = {name: options[name] for name in ("softcap", "enable_gqa") if name in options}
        np.testing.assert_allclose(
            attention_scores(query, key, **score_options),
            loop_scores(query, key, dtype=np.longdouble, **score_options).astype(float),
            rtol=0,
            atol=32 * EPS * max(1, np.abs(query).max() * np.abs(key).max()),
            err_msg=f"scores, seed {seed}",
        )
        np.testing.assert_allclose(
            attention_weights(query, key, **options),
            loop_weights(query, key, dtype=np.longdouble, **options).astype(float),
            rtol=0,
            atol=32 * EPS,
            err_msg=f"weights, seed {seed}",
        )
        np.testing.assert_allclose(
            scaled_dot_product_attention(query, key, value, **options),
            loop_attention(query, key, value, dtype=np.longdouble, **options).astype(float),
            rtol=0,
            atol=32 * EPS * np.abs(value).max(),
            err_msg=f"output, seed {seed}",
        )


def test_the_random_cases_hold_the_hard_ones():
    masked = [draw(np.random.default_rng(seed), "mask") for seed in range(50)]
    empty_rows = [not options["mask"].any(axis=-1).all() for *_, options in masked if options["mask"].ndim]
    assert 5 < sum(empty_rows) < len(empty_rows)
    assert {query.ndim for query, *_ in masked} == {2, 3, 4}
    grouped = [draw(np.random.default_rng(seed), "gqa") for seed in range(50)]
    assert {query.shape[-3] // key.shape[-3] for query, key, *_ in grouped} == {1, 2, 4}


@pytest.mark.parametrize(
    ("factor", "options"),
    [
        pytest.param(50, {}, id="inputs times 50"),
        pytest.param(1e4, {}, id="inputs times 10000"),
        pytest.param(50, {"is_causal": True}, id="inputs times 50, causal"),
        pytest.param(1e4, {"sink": 1e3}, id="inputs times 10000, sink"),
        pytest.param(50, {"scale": -3.0}, id="inputs times 50, large negative scale"),
        pytest.param(1e4, {"softcap": 30.0}, id="inputs times 10000, softcap"),
    ],
)
def test_extreme_scores_err_by_no_more_than_the_rounding_of_the_scores(factor, options):
    # A score is a sum of d_k products, each rounded: it errs by at most about (d_k + 3) eps |q| |k| scale. exp turns
    # that absolute error into a relative error of the weight, once in the numerator and once in the sum.
    for seed in range(5):
        rng = np.random.default_rng(seed)
        query, key = factor * rng.standard_normal((2, 6, 3))
        value = rng.standard_normal((6, 2))
        norms = np.linalg.norm(query, axis=-1).max() * np.linalg.norm(key, axis=-1).max()
        relative = 2 * (3 + 3) * EPS * norms * abs(options.get("scale", 3**-0.5)) + 32 * EPS
        assert relative < 1e-4  # 32-bit arithmetic anywhere would fail
        np.testing.assert_allclose(
            attention_weights(query, key, **options),
            loop_weights(query, key, dtype=np.longdouble, **options).astype(float),
            rtol=0,
            atol=relative,
        )
        np.testing.assert_allclose(
            scaled_dot_product_attention(query, key, value, **options),
            loop_attention(query, key, value, dtype=np.longdouble, **options).astype(float),
            rtol=0,
            atol=relative * np.abs(value).max(),
        )


# --- by hand -----------------------------------------------------------------------------------------------------


def test_scores_are_dot_products_over_the_root_of_d_k():
    query = [[2.0, 0, 0, 0], [1, 1, 1, 1]]
    key = [[3.0, 0, 0, 0], [0, 5, 0, 0], [1, 2, 3, 4]]
    np.testing.assert_array_equal(attention_scores(query, key), [[3, 0, 1], [1.5, 2.5, 5]])


def test_weights_are_powers_of_two_when_scores_count_doublings():
    query, key = [[np.log(2)]], [[3.0], [2], [0], [1], [0]]
    expected = np.array([[8, 4, 1, 2, 1]]) / 16
    np.testing.assert_allclose(attention_weights(query, key), expected, rtol=1e-15)
    output = scaled_dot_product_attention(query, key, [[8.0, 0], [4, 4], [0, 0], [0, 8], [0, 0]])
    np.testing.assert_allclose(output, [[5, 2]], rtol=1e-15)


def test_rows_of_the_weights_sum_to_one_and_columns_need_not(rng):
    weights = attention_weights(rng.standard_normal((2, 5, 3)), rng.standard_normal((2, 7, 3)))
    assert weights.shape == (2, 5, 7)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=4 * EPS)
    assert np.abs(weights.sum(-2) - 1).max() > 0.1


def test_the_output_takes_its_width_from_the_values_and_its_length_from_the_queries(rng):
    shapes = (11, 2, 1, 7), (3, 5, 7), (11, 1, 1, 5, 13)
    query, key = rng.standard_normal((11, 2, 1, 4, 7)), rng.standard_normal((3, 5, 7))
    value = rng.standard_normal(shapes[2])
    assert attention_scores(query, key).shape == (11, 2, 3, 4, 5)
    assert attention_weights(query, key).shape == (11, 2, 3, 4, 5)
    assert scaled_dot_product_attention(query, key, value).shape == (11, 2, 3, 4, 13)


def test_values_with_more_leading_axes_than_the_scores_enlarge_the_output(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(3, 4), (5, 4), (2, 6, 5, 7)])
    output = scaled_dot_product_attention(query, key, value)
    assert output.shape == (2, 6, 3, 7)
    np.testing.assert_allclose(output[1, 4], scaled_dot_product_attention(query, key, value[1, 4]), rtol=1e-14)


# --- scale and softcap -------------------------------------------------------------------------------------------


def test_the_default_scale_is_one_over_the_root_of_d_k(rng):
    query, key, value = rng.standard_normal((3, 16)), rng.standard_normal((5, 16)), rng.standard_normal((5, 2))
    for function in FUNCTIONS:
        arguments = inputs_of(function, query, key, value)
        default = function(*arguments)
        np.testing.assert_array_equal(function(*arguments, scale=None), default)
        np.testing.assert_array_equal(function(*arguments, scale=0.25), default)
        assert not np.allclose(function(*arguments, scale=1.0), default)


def test_the_default_scale_belongs_to_one_head_and_not_to_the_model():
    signs = 1.0 - 2 * (np.arange(256)[:, None] >> np.arange(8) & 1)  # every vector of eight signs
    assert attention_scores(signs, signs).var() == pytest.approx(1)
    assert attention_scores(signs, signs, scale=64**-0.5).var() == pytest.approx(1 / 8)


def test_scale_zero_averages_and_a_negative_scale_prefers_the_least_similar(rng):
    query, key, value = rng.standard_normal((3, 4)), rng.standard_normal((5, 4)), rng.standard_normal((5, 2))
    average = np.broadcast_to(value.mean(0), (3, 2))
    np.testing.assert_allclose(scaled_dot_product_attention(query, key, value, scale=0), average, rtol=1e-14)
    np.testing.assert_array_equal(attention_scores(query, key, scale=-2), attention_scores(-query, key, scale=2))
    likes, dislikes = attention_weights(query, key, scale=1), attention_weights(query, key, scale=-1)
    np.testing.assert_array_equal(likes.argmax(-1), dislikes.argmin(-1))
    # q.k = 4, 0 and V = 1, 0, as measured on torch: 0.5 and 0.018
    small = [[2.0]], [[2.0], [0]], [[1.0], [0]]
    assert scaled_dot_product_attention(*small, scale=0).item() == 0.5
    assert scaled_dot_product_attention(*small, scale=-1).item() == pytest.approx(1 / (1 + np.exp(4)))


def test_softcap_bounds_the_scaled_scores_and_barely_moves_small_ones():
    query, key = [[1.0]], [[1e4], [2], [-1e4], [1e-3]]
    capped = attention_scores(query, key, scale=2, softcap=4)
    np.testing.assert_allclose(capped, [[4, 4 * np.tanh(1), -4, 2e-3]], rtol=1e-7)


def test_softcap_comes_before_bias_and_mask():
    query, key, value = [[3.0]], [[1.0], [2], [50]], [[1.0, 0], [0, 1], [7, 7]]
    bias = np.array([[-5.0, 5, 0]])  # larger than the cap: capping afterwards would flatten it
    mask = np.array([[True, True, False]])
    capped = 0.5 * np.tanh(np.array([3.0, 6]) / 0.5) + bias[0, :2]
    expected = np.exp(capped) / np.exp(capped).sum()
    output = scaled_dot_product_attention(query, key, value, bias=bias, mask=mask, softcap=0.5)
    np.testing.assert_allclose(output, [expected], rtol=1e-14)


# --- masks and bias ----------------------------------------------------------------------------------------------


def test_true_means_may_attend():
    weights = attention_weights([[0.0]], [[1.0], [2], [3]], mask=[[True, False, True]])
    np.testing.assert_array_equal(weights, [[0.5, 0, 0.5]])


def test_masked_keys_get_nothing_and_the_others_share_all_of_it(rng):
    query, key = rng.standard_normal((3, 4)), rng.standard_normal((5, 4))
    mask = np.array([[True, False, True, True, False]] * 3)
    weights = attention_weights(query, key, mask=mask)
    np.testing.assert_array_equal(weights[~mask], 0)
    np.testing.assert_allclose(weights[:, mask[0]], attention_weights(query, key[mask[0]]), rtol=1e-14)


@pytest.mark.parametrize(
    "shape",
    [(), (5,), (1, 5), (3, 1), (3, 5), (6, 1, 5), (1, 3, 1), (2, 1, 3, 5), (2, 6, 3, 5), (1, 1, 1, 1)],
    ids=str,
)
@pytest.mark.parametrize("name", ["mask", "bias"])
def test_mask_and_bias_of_any_shape_that_broadcasts_mean_their_broadcast(rng, shape, name):
    query, key, value = (rng.standard_normal(tail) for tail in [(2, 6, 3, 4), (6, 5, 4), (2, 1, 5, 7)])
    array = np.asarray(rng.standard_normal(shape))
    if name == "mask":
        array = np.asarray(array > 0)
    full = np.ascontiguousarray(np.broadcast_to(array, (2, 6, 3, 5)))
    for function in (attention_weights, scaled_dot_product_attention):
        arguments = inputs_of(function, query, key, value)
        np.testing.assert_allclose(
            function(*arguments, **{name: array}), function(*arguments, **{name: full}), rtol=1e-14, atol=1e-300
        )


def test_is_causal_is_the_square_causal_mask(rng):
    query, key, value = (rng.standard_normal((2, 5, width)) for width in (4, 4, 3))
    np.testing.assert_array_equal(
        attention_weights(query, key, is_causal=True), attention_weights(query, key, mask=np.tri(5, dtype=bool))
    )
    np.testing.assert_array_equal(
        scaled_dot_product_attention(query, key, value, is_causal=True),
        scaled_dot_product_attention(query, key, value, mask=causal_mask(5)),
    )
    assert (np.triu(attention_weights(query, key, is_causal=True), 1) == 0).all()


def test_decoding_with_an_offset_gives_the_last_rows_of_the_causal_square(rng):
    query, key, value = (rng.standard_normal((5, width)) for width in (4, 4, 3))
    whole = scaled_dot_product_attention(query, key, value, is_causal=True)
    last = scaled_dot_product_attention(query[3:], key, value, mask=causal_mask(2, 5, offset=3))
    np.testing.assert_allclose(last, whole[3:], rtol=1e-13)


def test_mask_and_is_causal_are_both_obeyed_and_bias_is_added_to_what_is_left(rng):
    query, key, value = (rng.standard_normal((5, width)) for width in (4, 4, 3))
    mask, bias = rng.random((5, 5)) < 0.6, rng.standard_normal((5, 5))
    both = mask & np.tri(5, dtype=bool)
    assert (both != mask).any()
    assert (both != np.tri(5, dtype=bool)).any()
    weights = attention_weights(query, key, mask=mask, is_causal=True, bias=bias)
    np.testing.assert_array_equal(weights, attention_weights(query, key, mask=both, bias=bias))
    unmasked = attention_weights(query, key, bias=bias) * both
    total = unmasked.sum(-1, keepdims=True)
    expected = np.divide(unmasked, total, out=np.zeros((5, 5)), where=total > 0)
    np.testing.assert_allclose(weights, expected, rtol=1e-13)
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, value, mask=mask, is_causal=True, bias=bias),
        expected @ value,
        rtol=0,
        atol=1e-14,
    )


def test_bias_is_added_after_the_scale():
    weights = attention_weights([[0.0] * 4], [[1.0] * 4] * 2, bias=[[np.log(3), 0]])
    np.testing.assert_allclose(weights, [[0.75, 0.25]], rtol=1e-15)


def test_a_bias_of_minus_infinity_on_finite_scores_equals_the_mask(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(4, 3), (6, 3), (6, 2)])
    mask = rng.random((4, 6)) < 0.5
    mask[1] = False
    bias = np.where(mask, 0, -np.inf)
    np.testing.assert_array_equal(mask_to_bias(mask), bias)
    for function in (attention_weights, scaled_dot_product_attention):
        arguments = inputs_of(function, query, key, value)
        np.testing.assert_array_equal(function(*arguments, bias=bias), function(*arguments, mask=mask))
        np.testing.assert_array_equal(function(*arguments, bias=mask_to_bias(mask)), function(*arguments, mask=mask))


@pytest.mark.parametrize("poison", [np.inf, -np.inf, np.nan])
def test_a_bias_of_minus_infinity_does_not_hide_a_poisoned_key(poison):
    query, key, value = np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2))
    key[1, 2] = poison
    bias = np.zeros((3, 5))
    bias[:, 1] = -np.inf
    assert np.isnan(attention_weights(query, key, bias=bias)).any(axis=-1).all()
    assert np.isnan(scaled_dot_product_attention(query, key, value, bias=bias)).all()


@pytest.mark.parametrize("poison", [np.inf, np.nan])
def test_a_poisoned_bias_shows_in_its_row_unless_the_mask_hides_it(rng, poison):
    query, key, value = (rng.standard_normal(shape) for shape in [(3, 4), (5, 4), (5, 2)])
    bias, mask = rng.standard_normal((3, 5)), np.ones((3, 5), bool)
    clean = scaled_dot_product_attention(query, key, value, bias=bias)
    bias[1, 2] = poison
    output = scaled_dot_product_attention(query, key, value, bias=bias)
    assert not np.isfinite(output[1]).any()
    np.testing.assert_array_equal(output[[0, 2]], clean[[0, 2]])
    mask[1, 2] = False
    assert np.isfinite(scaled_dot_product_attention(query, key, value, bias=bias, mask=mask)).all()


# --- rows without a key ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="alone"),
        pytest.param({"bias": np.ones((3, 5))}, id="with bias"),
        pytest.param({"bias": np.full((3, 5), np.nan)}, id="with a bias of nan"),
        pytest.param({"sink": 1.0}, id="with a sink"),
        pytest.param({"sink": -np.inf}, id="with a sink of -inf"),
        pytest.param({"softcap": 2.0}, id="with softcap"),
        pytest.param({"scale": 0.0}, id="with scale 0"),
    ],
)
@pytest.mark.parametrize("poison", [7.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_fully_masked_row_is_exactly_zero_whatever_the_inputs_hold(options, poison, dtype):
    query, key, value = np.ones((3, 4), dtype), np.full((5, 4), poison, dtype), np.full((5, 2), poison, dtype)
    query[1] = poison
    mask = np.ones((3, 5), bool)
    mask[1] = False
    np.testing.assert_array_equal(attention_weights(query, key, mask=mask, **options)[1], 0)
    np.testing.assert_array_equal(scaled_dot_product_attention(query, key, value, mask=mask, **options)[1], 0)


def test_a_row_masked_in_one_head_only_is_zero_in_that_head_only(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(2, 6, 3, 4), (2, 6, 5, 4), (2, 6, 5, 7)])
    mask = np.ones((2, 6, 3, 5), bool)
    mask[1, 4, 2] = False
    output = scaled_dot_product_attention(query, key, value, mask=mask)
    expected = scaled_dot_product_attention(query, key, value)
    expected[1, 4, 2] = 0
    np.testing.assert_array_equal(output, expected)


def test_mask_and_is_causal_that_leave_nothing_together_give_zeros():
    mask = np.array([[False, True], [True, True]])  # the causal rule hides the other key of the first row
    value = np.array([[np.nan], [np.nan]])
    output = scaled_dot_product_attention(np.ones((2, 3)), np.ones((2, 3)), value, mask=mask, is_causal=True)
    assert output[0].item() == 0
    assert np.isnan(output[1].item())


@pytest.mark.parametrize("options", [{}, {"sink": 0.5}, {"bias": np.zeros((3, 0))}, {"mask": np.ones((3, 0), bool)}])
@pytest.mark.parametrize("filling", [1.0, np.nan])
def test_without_keys_the_output_is_zero(options, filling):
    query = np.full((2, 3, 4), filling)
    assert attention_weights(query, np.zeros((0, 4)), **options).shape == (2, 3, 0)
    output = scaled_dot_product_attention(query, np.zeros((0, 4)), np.zeros((0, 6)), **options)
    np.testing.assert_array_equal(output, np.zeros((2, 3, 6)))


@pytest.mark.parametrize("options", [{}, {"sink": 0.5}, {"mask": np.ones((0, 5), bool)}, {"softcap": 2.0}], ids=str)
def test_without_queries_the_output_has_no_rows(options):
    query, key, value = np.zeros((2, 0, 4)), np.zeros((5, 4)), np.zeros((5, 6))
    assert attention_scores(query, key).shape == (2, 0, 5)
    assert attention_weights(query, key, **options).shape == (2, 0, 5)
    assert scaled_dot_product_attention(query, key, value, **options).shape == (2, 0, 6)


def test_neither_queries_nor_keys_is_fine_with_is_causal():
    nothing = np.zeros((0, 4))
    assert scaled_dot_product_attention(nothing, nothing, np.zeros((0, 6)), is_causal=True).shape == (0, 6)


@pytest.mark.parametrize("lead", [(0,), (2, 0), (0, 3)], ids=str)
def test_an_empty_batch_is_fine(lead):
    query, key, value = np.zeros((*lead, 3, 4)), np.zeros((*lead, 5, 4)), np.zeros((*lead, 5, 6))
    assert scaled_dot_product_attention(query, key, value).shape == (*lead, 3, 6)


# --- what a masked key may hold, and what an attended one may not hide ----------------------------------------------


@pytest.mark.parametrize("poison", [1e300, -1e300, 1.7e308, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="alone"),
        pytest.param({"bias": np.linspace(-2, 2, 25).reshape(5, 5)}, id="with bias"),
        pytest.param({"sink": 0.5}, id="with a sink"),
        pytest.param({"softcap": 1.5}, id="with softcap"),
    ],
)
@pytest.mark.parametrize("by", ["mask", "is_causal"])
def test_a_masked_key_changes_nothing_whatever_it_holds(rng, poison, options, by):
    query, key, value = (rng.standard_normal(shape) for shape in [(2, 5, 3), (2, 5, 3), (2, 5, 4)])
    options = options | ({"is_causal": True} if by == "is_causal" else {"mask": np.tri(5, dtype=bool)})
    weights = attention_weights(query, key, **options)
    output = scaled_dot_product_attention(query, key, value, **options)
    key[:, 3:, 1] = poison  # queries 0 to 2 may see keys 0 to 2
    value[:, 3:] = 1.7e308 if not np.isfinite(poison) else poison
    np.testing.assert_array_equal(attention_weights(query, key, **options)[:, :3], weights[:, :3])
    np.testing.assert_array_equal(scaled_dot_product_attention(query, key, value, **options)[:, :3], output[:, :3])


def test_a_key_masked_everywhere_changes_nothing_in_float32_and_float16(rng):
    for dtype in (np.float32, np.float16):
        query, key, value = (rng.standard_normal(shape).astype(dtype) for shape in [(4, 3), (5, 3), (5, 2)])
        mask = np.array([True, True, False, True, True])
        output = scaled_dot_product_attention(query, key, value, mask=mask)
        key[2], value[2] = np.nan, np.finfo(dtype).max
        np.testing.assert_array_equal(scaled_dot_product_attention(query, key, value, mask=mask), output)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="alone"),
        pytest.param({"softcap": 2.0}, id="softcap"),
        pytest.param({"sink": 0.5}, id="sink"),
        pytest.param({"bias": np.ones((3, 5))}, id="bias"),
        pytest.param({"scale": 0.0}, id="scale 0"),
        pytest.param({"scale": -1.0}, id="negative scale"),
        pytest.param({"softcap": 2.0, "sink": 0.5, "bias": np.ones(5)}, id="softcap, sink and bias"),
    ],
)
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_poisoned_attended_key_shows_in_every_row_that_attends_it(options, poison, dtype):
    query, key, value = np.ones((3, 4), dtype), np.ones((5, 4), dtype), np.ones((5, 2), dtype)
    mask = np.ones((3, 5), bool)
    mask[0, 3] = False
    clean = scaled_dot_product_attention(query, key, value, mask=mask, **options)
    key[3, 1] = poison  # every query is positive here, so that -inf alone would give a score of -inf
    output = scaled_dot_product_attention(query, key, value, mask=mask, **options)
    assert not np.isfinite(output[1:]).any()
    assert not np.isfinite(attention_weights(query, key, mask=mask, **options)[1:]).all(-1).any()
    np.testing.assert_array_equal(output[0], clean[0])


@pytest.mark.parametrize("options", [{}, {"softcap": 2.0}, {"sink": 0.5}, {"scale": 0.0}], ids=str)
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_a_poisoned_query_shows_in_its_row_and_in_no_other(options, poison):
    query, key, value = np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2))
    clean = scaled_dot_product_attention(query, key, value, **options)
    query[1, 2] = poison  # -inf scores every key -inf
    output = scaled_dot_product_attention(query, key, value, **options)
    assert not np.isfinite(output[1]).any()
    assert not np.isfinite(attention_weights(query, key, **options)[1]).all()
    np.testing.assert_array_equal(output[[0, 2]], clean[[0, 2]])


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_a_poisoned_attended_value_shows_in_its_feature(poison):
    query, key, value = np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2))
    value[3, 1] = poison
    output = scaled_dot_product_attention(query, key, value)
    assert not np.isfinite(output[:, 1]).any()
    np.testing.assert_allclose(output[:, 0], 1, rtol=4 * EPS)


def test_an_infinite_value_shows_even_at_a_weight_that_rounds_to_zero():
    output = scaled_dot_product_attention([[1.0]], [[0.0], [-1e5]], [[1.0], [np.inf]])
    assert not np.isfinite(output).any()


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_a_poisoned_key_shows_through_grouped_heads_in_its_group_only(poison):
    query, key, value = np.ones((4, 3, 5)), np.ones((2, 6, 5)), np.ones((2, 6, 7))
    key[1, 2, 0] = poison
    output = scaled_dot_product_attention(query, key, value, enable_gqa=True)
    assert np.isfinite(output[:2]).all()
    assert not np.isfinite(output[2:]).any()


@pytest.mark.parametrize("options", [{}, {"softcap": 2.0}, {"softcap": 2.0, "scale": 0.0}], ids=str)
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_poisoned_inputs_show_in_the_scores_too(options, poison):
    query, key = np.ones((3, 4)), np.ones((5, 4))
    key[1, 2] = poison
    scores = attention_scores(query, key, **options)
    assert not np.isfinite(scores[:, 1]).any()
    assert np.isfinite(np.delete(scores, 1, axis=1)).all()


@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_a_poisoned_sink_shows_in_its_head_only(poison):
    query, key, value = np.ones((2, 1, 3)), np.ones((2, 4, 3)), np.ones((2, 4, 5))
    output = scaled_dot_product_attention(query, key, value, sink=[0.5, poison])
    assert np.isfinite(output[0]).all()
    assert not np.isfinite(output[1]).any()


# --- sink --------------------------------------------------------------------------------------------------------


def test_a_sink_is_one_more_key_whose_value_is_zero(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(3, 4), (5, 4), (5, 2)])
    scores = np.concatenate([attention_scores(query, key), np.full((3, 1), 0.7)], axis=-1)
    weights = attention_weights(query, key, sink=0.7)
    np.testing.assert_allclose(weights, softmax(scores)[:, :-1], rtol=1e-14)
    assert weights.shape == (3, 5)
    assert (weights.sum(-1) < 1).all()
    output = scaled_dot_product_attention(query, key, value, sink=0.7)
    np.testing.assert_allclose(output, softmax(scores) @ np.vstack([value, np.zeros((1, 2))]), rtol=1e-13)


def test_a_sink_per_head_serves_that_query_head(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(2, 6, 3, 4), (2, 6, 5, 4), (2, 6, 5, 7)])
    sinks = rng.standard_normal(6)
    output = scaled_dot_product_attention(query, key, value, sink=sinks)
    for head in range(6):
        one = scaled_dot_product_attention(query[:, head], key[:, head], value[:, head], sink=sinks[head])
        np.testing.assert_allclose(output[:, head], one, rtol=1e-13, atol=1e-16)


def test_a_sink_per_query_head_goes_with_grouped_heads(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(6, 3, 4), (2, 5, 4), (2, 5, 7)])
    sinks = rng.standard_normal(6)
    output = scaled_dot_product_attention(query, key, value, sink=sinks, enable_gqa=True)
    for head in range(6):
        one = scaled_dot_product_attention(query[head], key[head // 3], value[head // 3], sink=sinks[head])
        np.testing.assert_allclose(output[head], one, rtol=1e-13, atol=1e-16)


def test_a_sink_is_neither_scaled_capped_biased_nor_masked():
    query, key = np.zeros((1, 16)), np.zeros((3, 16))
    weights = attention_weights(
        query, key, sink=np.log(6), scale=100.0, softcap=0.1, bias=np.full((1, 3), np.log(2)), mask=[True, False, True]
    )
    np.testing.assert_allclose(weights, [[2 / 10, 0, 2 / 10]], rtol=1e-14)


def test_a_sink_of_minus_infinity_is_no_sink(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(6, 3, 4), (6, 5, 4), (6, 5, 2)])
    mask = rng.random((6, 3, 5)) < 0.5
    mask[2, 1] = False
    for sink in (-np.inf, np.full(6, -np.inf)):
        for function in (attention_weights, scaled_dot_product_attention):
            arguments = inputs_of(function, query, key, value)
            np.testing.assert_array_equal(function(*arguments, mask=mask, sink=sink), function(*arguments, mask=mask))


def test_a_huge_sink_takes_everything_and_huge_scores_take_it_back():
    small, large = [[0.0]], [[1e4]]
    assert attention_weights(small, [[1.0]], sink=1e4).item() == 0
    assert attention_weights(large, [[1.0]], sink=1.0).item() == 1
    assert attention_weights(large, [[1.0]], sink=1e4).item() == 0.5


# --- grouped heads -----------------------------------------------------------------------------------------------


def test_each_key_value_head_serves_a_run_of_neighbours():
    value = np.array([10.0, 20]).reshape(2, 1, 1)
    output = scaled_dot_product_attention(np.zeros((4, 1, 3)), np.zeros((2, 1, 3)), value, enable_gqa=True)
    np.testing.assert_array_equal(output.ravel(), [10, 10, 20, 20])  # repeat, not tile


def test_grouped_heads_are_repeated_heads_in_scores_weights_and_output(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(2, 6, 3, 4), (1, 2, 5, 4), (2, 2, 5, 7)])
    for function in FUNCTIONS:
        grouped = function(*inputs_of(function, query, key, value), enable_gqa=True)
        repeated = function(*inputs_of(function, query, np.repeat(key, 3, axis=1), np.repeat(value, 3, axis=1)))
        assert grouped.shape == repeated.shape
        np.testing.assert_allclose(grouped, repeated, rtol=1e-12, atol=1e-15)


def test_one_key_value_head_serves_all_and_as_many_as_query_heads_changes_nothing(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(6, 3, 4), (6, 5, 4), (6, 5, 7)])
    np.testing.assert_array_equal(
        scaled_dot_product_attention(query, key, value, enable_gqa=True),
        scaled_dot_product_attention(query, key, value),
    )
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key[:1], value[:1], enable_gqa=True),
        scaled_dot_product_attention(query, key[0], value[0]),
        rtol=1e-12,
        atol=1e-15,
    )


@pytest.mark.parametrize("shape", [(5,), (3, 1), (6, 1, 1), (6, 3, 5), (2, 1, 3, 5), (2, 6, 3, 5)], ids=str)
def test_mask_and_bias_of_grouped_heads_are_per_query_head(rng, shape):
    query, key, value = (rng.standard_normal(tail) for tail in [(2, 6, 3, 4), (2, 2, 5, 4), (2, 2, 5, 7)])
    options = {"mask": rng.random(shape) < 0.6, "bias": rng.standard_normal(shape)}
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, value, enable_gqa=True, **options),
        scaled_dot_product_attention(query, np.repeat(key, 3, axis=1), np.repeat(value, 3, axis=1), **options),
        rtol=1e-12,
        atol=1e-15,
    )


# --- dtypes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        pytest.param((bool, bool, bool), np.float64, id="bools"),
        pytest.param((np.int8, np.int8, np.int8), np.float64, id="small ints"),
        pytest.param((np.uint8, np.int64, np.int32), np.float64, id="mixed ints"),
        pytest.param((np.float16,) * 3, np.float16, id="half"),
        pytest.param((np.float32,) * 3, np.float32, id="single"),
        pytest.param((np.float64,) * 3, np.float64, id="double"),
        pytest.param((np.float16, np.float32, np.float16), np.float32, id="half and single"),
        pytest.param((np.float32, np.float32, np.float64), np.float64, id="a double value lifts"),
        pytest.param((np.float64, np.float32, np.float32), np.float64, id="a double query lifts"),
        pytest.param((np.float32, np.float64, np.float16), np.float64, id="a double key lifts"),
        pytest.param((np.int64, np.float32, np.float32), np.float64, id="ints and single"),
    ],
)
def test_query_key_and_value_decide_the_dtype(dtypes, expected):
    query, key, value = (np.ones(shape, dtype) for shape, dtype in zip([(3, 4), (5, 4), (5, 2)], dtypes, strict=True))
    output = scaled_dot_product_attention(query, key, value)
    assert output.dtype == expected
    np.testing.assert_allclose(output, 1, rtol=4 * np.finfo(expected).eps)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_bias_sink_mask_and_scale_do_not_change_the_dtype(dtype):
    query, key, value = np.ones((6, 3, 4), dtype), np.ones((6, 5, 4), dtype), np.ones((6, 5, 2), dtype)
    options = {
        "bias": np.ones((3, 5)),
        "sink": np.ones(6),
        "mask": np.ones((3, 5), bool),
        "scale": np.float64(0.3),
        "softcap": np.float64(3),
    }
    assert attention_scores(query, key, scale=options["scale"], softcap=options["softcap"]).dtype == dtype
    for name, option in options.items():
        assert attention_weights(query, key, **{name: option}).dtype == dtype
        assert scaled_dot_product_attention(query, key, value, **{name: option}).dtype == dtype
    assert scaled_dot_product_attention(query, key, value, sink=np.float64(1)).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_bias_and_sink_are_rounded_to_the_dtype_that_is_computed_in(rng, dtype):
    query, key, value = (rng.standard_normal(shape).astype(dtype) for shape in [(6, 30, 4), (6, 50, 4), (6, 50, 7)])
    bias, sink = rng.standard_normal((30, 50)), rng.standard_normal(6)
    for function in (attention_weights, scaled_dot_product_attention):
        arguments = inputs_of(function, query, key, value)
        np.testing.assert_array_equal(
            function(*arguments, bias=bias, sink=sink),
            function(*arguments, bias=bias.astype(np.float32), sink=sink.astype(np.float32)),
        )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_single_and_half_precision_take_half_the_memory(function):
    peaks = {}
    for dtype in (np.float16, np.float32, np.float64):
        arguments = inputs_of(function, *(np.ones((400, width), dtype) for width in (4, 4, 3)))
        function(*arguments)
        tracemalloc.start()
        function(*arguments)
        peaks[dtype] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks[np.float32] < 0.6 * peaks[np.float64]
    assert peaks[np.float16] < 0.8 * peaks[np.float64]  # computed in single, and a copy is rounded


def test_small_integers_do_not_wrap_around():
    assert attention_scores(np.array([[200, 200]], np.uint8), np.array([[200, 1]], np.uint8), scale=1).item() == 40200
    value = np.array([[250], [254]], np.uint8)
    assert scaled_dot_product_attention(np.zeros((1, 2), np.uint8), np.zeros((2, 2), np.uint8), value).item() == 252


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"softcap": 3.0}, {"sink": 0.3}, {"scale": 0.3}], ids=str)
def test_half_precision_is_computed_in_single_and_rounded_once(rng, options):
    query, key, value = (3 * rng.standard_normal((40, width)) for width in (64, 64, 7))
    halves = [array.astype(np.float16) for array in (query, key, value)]
    singles = [array.astype(np.float32) for array in halves]
    for function in FUNCTIONS:
        chosen = {} if function is attention_scores and ("sink" in options or "is_causal" in options) else options
        half = function(*inputs_of(function, *halves), **chosen)
        single = function(*inputs_of(function, *singles), **chosen)
        assert half.dtype == np.float16
        np.testing.assert_array_equal(half, single.astype(np.float16))


def test_half_precision_survives_scores_beyond_its_largest_number():
    query = np.full((1, 4), 300, np.float16)
    key = np.array([[300] * 4, [300] * 4, [-300] * 4], np.float16)
    np.testing.assert_array_equal(attention_weights(query, key), [[0.5, 0.5, 0]])
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(attention_scores(query, key), [[np.inf, np.inf, -np.inf]])


def test_a_single_precision_call_is_not_computed_in_half_of_its_digits(rng):
    query, key, value = (rng.standard_normal((5, width)).astype(np.float32) for width in (4, 4, 3))
    exact = loop_attention(query, key, value)
    np.testing.assert_allclose(scaled_dot_product_attention(query, key, value), exact, rtol=0, atol=3e-6)


def test_lists_and_tuples_are_arrays_too():
    output = scaled_dot_product_attention(
        [[1, 0]], ((1, 1), (1, 1)), [[True], [False]], mask=[[True, True]], bias=[0.0, 0.0], sink=0
    )
    score = np.exp(1 / np.sqrt(2))
    np.testing.assert_allclose(output, [[score / (1 + 2 * score)]], rtol=1e-14)


# --- warnings, state, memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "key", "value", "options"),
    [
        pytest.param([[1e200]], [[1e200], [1]], [[1.0], [2]], {}, id="a score overflows"),
        pytest.param([[1e200]], [[-1e200], [1]], [[1.0], [2]], {}, id="a score overflows below"),
        pytest.param([[1e-200]], [[1e-200], [1]], [[1.0], [2]], {}, id="a score underflows"),
        pytest.param([[1e4]], [[1.0], [-1]], [[1.0], [2]], {}, id="a weight underflows"),
        pytest.param([[1e4]], [[1.0], [-1]], [[1.0], [2]], {"softcap": 30.0}, id="softcap"),
        pytest.param([[1e200]], [[1e200], [1]], [[1.0], [2]], {"softcap": 1e-3}, id="softcap after an overflow"),
        pytest.param([[np.inf]], [[1.0], [-1]], [[1.0], [2]], {}, id="infinite query"),
        pytest.param([[1.0]], [[np.inf], [-np.inf]], [[1.0], [2]], {}, id="infinite keys"),
        pytest.param([[1.0]], [[1.0], [2]], [[np.inf], [-np.inf]], {}, id="infinite values"),
        pytest.param([[1.0]], [[1.0], [2]], [[1.7e308], [1.7e308]], {}, id="values near the largest number"),
        pytest.param([[1.0]], [[1.0], [2]], [[5e-324], [5e-324]], {}, id="values near the smallest number"),
        pytest.param([[np.nan]], [[1.0], [2]], [[1.0], [2]], {}, id="nan query"),
        pytest.param([[1.0]], [[1.0], [2]], [[1.0], [2]], {"bias": [[-np.inf, -np.inf]]}, id="bias of -inf"),
        pytest.param([[1.0]], [[1.0], [2]], [[1.0], [2]], {"bias": [[np.inf, 0]]}, id="bias of inf"),
        pytest.param([[1.0]], [[1.0], [2]], [[1.0], [2]], {"mask": [[False, False]]}, id="no key allowed"),
        pytest.param([[1.0]], [[1.0], [2]], [[1.0], [2]], {"sink": -np.inf}, id="sink of -inf"),
        pytest.param([[1.0]], [[1.0], [2]], [[1.0], [2]], {"sink": 1e308}, id="huge sink"),
        pytest.param([[1.0]], [[1.0], [2]], [[1.0], [2]], {"sink": np.nan}, id="nan sink"),
        pytest.param([[0.0]], [[np.inf], [2]], [[1.0], [2]], {"mask": [[False, True]]}, id="masked infinite key"),
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_no_floating_point_warnings_and_no_global_state(query, key, value, options, dtype):
    with np.errstate(over="ignore", under="ignore"):
        query, key, value = (np.array(array).astype(dtype) for array in (query, key, value))
    with np.errstate(all="raise"):
        state = np.geterr()
        attention_scores(query, key, softcap=options.get("softcap"))
        attention_weights(query, key, **options)
        scaled_dot_product_attention(query, key, value, **options)
        assert np.geterr() == state


def test_a_bias_too_large_for_the_computing_dtype_raises_no_warning():
    query, key, value = np.ones((1, 2), np.float32), np.ones((3, 2), np.float32), np.ones((3, 2), np.float32)
    bias = np.array([[-1e300, 0, 1e-300]])
    with np.errstate(all="raise"):
        weights = attention_weights(query, key, bias=bias)
        scaled_dot_product_attention(query, key, value, bias=bias, sink=-1e300)
    np.testing.assert_array_equal(weights, [[0, 0.5, 0.5]])


def everything(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(2, 6, 5, 4), (2, 3, 5, 4), (2, 3, 5, 7)])
    options = {
        "mask": rng.random((2, 6, 5, 5)) < 0.7,
        "bias": rng.standard_normal((2, 6, 5, 5)),
        "sink": rng.standard_normal(6),
        "softcap": 2.0,
        "is_causal": True,
        "enable_gqa": True,
    }
    options["mask"][0, 0, 3] = False
    return query, key, value, options


def test_inputs_are_not_modified_and_may_be_read_only(rng):
    query, key, value, options = everything(rng)
    query[0, 0, 0] = np.inf
    key[1, 1, 2] = np.nan
    value[0, 0] = np.nan
    arrays = [query, key, value, options["mask"], options["bias"], options["sink"]]
    copies = [array.copy() for array in arrays]
    written = scaled_dot_product_attention(query, key, value, **options)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)
        array.flags.writeable = False
    np.testing.assert_array_equal(scaled_dot_product_attention(query, key, value, **options), written)
    np.testing.assert_array_equal(attention_weights(query, key, **options).shape, (2, 6, 5, 5))
    attention_scores(query, key, softcap=2.0, enable_gqa=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_plain_inputs_are_not_modified_and_results_are_new_and_writeable(rng, dtype):
    query, key, value = (rng.standard_normal(shape).astype(dtype) for shape in [(1, 1), (1, 1), (1, 2)])
    copies = [array.copy() for array in (query, key, value)]
    for function in FUNCTIONS:
        result = function(*inputs_of(function, query, key, value), scale=1.0)
        assert not any(np.shares_memory(result, array) for array in (query, key, value))
        result[...] = 9  # writeable, and nobody else's memory
    for array, copy in zip((query, key, value), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_weights_do_not_alias_bias_or_mask(rng):
    query, key, value, options = everything(rng)
    for function in (attention_weights, scaled_dot_product_attention):
        result = function(*inputs_of(function, query, key, value), **options)
        assert not any(np.shares_memory(result, options[name]) for name in ("mask", "bias", "sink"))


def test_strided_and_reversed_inputs_mean_the_same_as_copies(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(10, 4), (4, 7), (7, 6)])
    query, key, value = query[::2], key.T[::-1], value[:, ::3]
    expected = scaled_dot_product_attention(query.copy(), key.copy(), value.copy())
    np.testing.assert_allclose(scaled_dot_product_attention(query, key, value), expected, rtol=1e-13, atol=1e-15)


# --- properties --------------------------------------------------------------------------------------------------

numbers = st.floats(-20, 20, allow_subnormal=False)


@st.composite
def attended(draw):
    n_q, n_k, d_k, d_v = (draw(st.integers(1, largest)) for largest in (4, 5, 4, 3))
    return tuple(draw(hnp.arrays(float, shape, elements=numbers)) for shape in [(n_q, d_k), (n_k, d_k), (n_k, d_v)])


@properties
@given(attended(), numbers)
def test_adding_one_number_to_every_score_of_a_row_changes_nothing(arrays, shift):
    query, key, _ = arrays
    shifted = attention_weights(query, key, bias=np.full((len(query), 1), shift))
    scores = np.abs(attention_scores(query, key)).max() + abs(shift)
    np.testing.assert_allclose(shifted, attention_weights(query, key), rtol=0, atol=8 * EPS * (1 + scores))


@properties
@given(attended(), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter_when_values_come_along(arrays, random):
    query, key, value = arrays
    order = random.sample(range(len(key)), len(key))
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key[order], value[order]),
        scaled_dot_product_attention(query, key, value),
        rtol=0,
        atol=1e-10,
    )


@properties
@given(attended(), st.randoms(use_true_random=False))
def test_permuted_queries_give_permuted_outputs(arrays, random):
    query, key, value = arrays
    order = random.sample(range(len(query)), len(query))
    np.testing.assert_allclose(
        scaled_dot_product_attention(query[order], key, value),
        scaled_dot_product_attention(query, key, value)[order],
        rtol=0,
        atol=1e-10,
    )


def test_self_attention_permutes_with_its_input_and_a_causal_mask_breaks_that():
    x, order = np.array([[1.0, 0], [0, 1], [1, 1]]), [2, 0, 1]
    output = scaled_dot_product_attention(x, x, x)
    permuted = scaled_dot_product_attention(x[order], x[order], x[order])
    np.testing.assert_allclose(permuted, output[order], rtol=1e-14)
    assert not np.allclose(permuted, output)
    causal = scaled_dot_product_attention(x, x, x, is_causal=True)
    assert not np.allclose(scaled_dot_product_attention(x[order], x[order], x[order], is_causal=True), causal[order])


@properties
@given(attended(), st.data())
def test_every_output_lies_between_the_smallest_and_largest_attended_value(arrays, data):
    query, key, value = arrays
    mask = data.draw(hnp.arrays(bool, (len(query), len(key))))
    output = scaled_dot_product_attention(query, key, value, mask=mask)
    slack = 8 * EPS * np.abs(value).max()
    for row, seen in zip(output, mask, strict=True):
        if seen.any():
            assert (row >= value[seen].min(0) - slack).all()
            assert (row <= value[seen].max(0) + slack).all()
        else:
            np.testing.assert_array_equal(row, 0)


@properties
@given(attended(), numbers)
def test_scaling_the_query_is_scaling_the_scores(arrays, factor):
    query, key, value = arrays
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, value, scale=factor),
        scaled_dot_product_attention(factor * query, key, value, scale=1),
        rtol=0,
        atol=1e-8,
    )


@properties
@given(attended(), st.data())
def test_dropping_the_masked_keys_is_masking_them(arrays, data):
    query, key, value = arrays
    seen = data.draw(hnp.arrays(bool, len(key)))
    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, value, mask=seen),
        scaled_dot_product_attention(query, key[seen], value[seen]),
        rtol=0,
        atol=1e-10,
    )


@properties
@given(attended(), st.floats(-5, 5))
def test_a_sink_only_takes_a_share(arrays, sink):
    query, key, _ = arrays
    plain, drained = attention_weights(query, key), attention_weights(query, key, sink=sink)
    share = drained.sum(-1, keepdims=True)
    assert (share <= 1 + 8 * EPS).all()
    assume(share.min() > 1e-100)
    np.testing.assert_allclose(drained, plain * share, rtol=1e-10, atol=1e-200)


@properties
@given(attended(), st.floats(0.1, 50))
def test_softcap_keeps_the_order_of_scores_inside_its_bounds(arrays, cap):
    query, key, _ = arrays
    scores, capped = attention_scores(query, key), attention_scores(query, key, softcap=cap)
    assert (np.abs(capped) <= cap).all()
    for plain, bounded in zip(scores, capped, strict=True):
        assert (np.diff(bounded[np.argsort(plain)]) >= 0).all()


# --- bad input ---------------------------------------------------------------------------------------------------


def zeros(*shape):
    return np.zeros(shape)


QUERY, KEY, VALUE = zeros(3, 4), zeros(5, 4), zeros(5, 2)
GOOD = (QUERY, KEY, VALUE)


@pytest.mark.parametrize(
    ("arguments", "options", "exception", "pieces"),
    [
        pytest.param(
            (QUERY, zeros(5, 6), zeros(5, 2)),
            {},
            ValueError,
            ["query and key must share d_k (last axis): query (3, 4), key (5, 6)"],
            id="d_k",
        ),
        pytest.param((QUERY, KEY, zeros(6, 2)), {}, ValueError, ["key", "value", "(5, 4)", "(6, 2)"], id="n_k"),
        pytest.param((QUERY, KEY, zeros(1, 2)), {}, ValueError, ["key", "value", "(5, 4)", "(1, 2)"], id="n_k of 1"),
        pytest.param((zeros(4), KEY, VALUE), {}, ValueError, ["query", "(4,)"], id="1-D query"),
        pytest.param((QUERY, zeros(4), VALUE), {}, ValueError, ["key", "(4,)"], id="1-D key"),
        pytest.param((QUERY, KEY, zeros(5)), {}, ValueError, ["value", "(5,)"], id="1-D value"),
        pytest.param((1.0, KEY, VALUE), {}, ValueError, ["query", "()"], id="scalar query"),
        pytest.param(
            (zeros(2, 3, 4), zeros(6, 5, 4), zeros(6, 5, 2)),
            {},
            ValueError,
            ["query", "key", "(2, 3, 4)", "(6, 5, 4)"],
            id="leading axes of query and key",
        ),
        pytest.param(
            (zeros(2, 3, 4), zeros(2, 5, 4), zeros(6, 5, 2)),
            {},
            ValueError,
            ["value", "(6, 5, 2)"],
            id="leading axes of value",
        ),
        pytest.param(
            (zeros(4, 3, 4), zeros(2, 5, 4), zeros(2, 5, 2)),
            {},
            ValueError,
            ["(4, 3, 4)", "(2, 5, 4)"],
            id="fewer key heads without enable_gqa",
        ),
        pytest.param((QUERY, [[1.0, 2], [3.0]], VALUE), {}, ValueError, ["key", "rectangular"], id="ragged key"),
        pytest.param((QUERY * 1j, KEY, VALUE), {}, TypeError, ["query", "complex"], id="complex query"),
        pytest.param((QUERY, KEY * 1j, VALUE), {}, TypeError, ["key", "complex"], id="complex key"),
        pytest.param((QUERY, KEY, VALUE * 1j), {}, TypeError, ["value", "complex"], id="complex value"),
        pytest.param((QUERY.astype(object), KEY, VALUE), {}, TypeError, ["query", "object"], id="object query"),
        pytest.param((QUERY, KEY.astype(object), VALUE), {}, TypeError, ["key", "object"], id="object key"),
        pytest.param((QUERY, KEY, VALUE.astype(object)), {}, TypeError, ["value", "object"], id="object value"),
        pytest.param((QUERY.astype(str), KEY, VALUE), {}, TypeError, ["query"], id="string query"),
        pytest.param((None, KEY, VALUE), {}, TypeError, ["query"], id="None for the query"),
        pytest.param((QUERY.astype("M8[s]"), KEY, VALUE), {}, TypeError, ["query"], id="dates"),
        pytest.param(
            GOOD, {"mask": np.ones((3, 5), int)}, TypeError, ["mask", "bias=", "mask_to_bias", "int"], id="int mask"
        ),
        pytest.param(
            GOOD, {"mask": zeros(3, 5)}, TypeError, ["mask", "bias=", "mask_to_bias", "float64"], id="float mask"
        ),
        pytest.param(
            GOOD, {"mask": [[1, 0, 1, 0, 1]]}, TypeError, ["bias=", "mask_to_bias"], id="list of ints as mask"
        ),
        pytest.param(GOOD, {"bias": np.ones((3, 5), bool)}, TypeError, ["bias", "mask="], id="bool bias"),
        pytest.param(GOOD, {"bias": 1j * zeros(3, 5)}, TypeError, ["bias", "complex"], id="complex bias"),
        pytest.param(GOOD, {"bias": zeros(3, 5).astype(object)}, TypeError, ["bias", "object"], id="object bias"),
        pytest.param(GOOD, {"mask": np.ones((3, 5), object)}, TypeError, ["mask"], id="object mask"),
        pytest.param(
            GOOD, {"mask": np.ones((3, 6), bool)}, ValueError, ["mask", "(3, 6)", "(3, 5)"], id="mask of other n_k"
        ),
        pytest.param(GOOD, {"bias": zeros(4, 5)}, ValueError, ["bias", "(4, 5)", "(3, 5)"], id="bias of other n_q"),
        pytest.param(
            GOOD,
            {"mask": np.ones((2, 3, 5), bool)},
            ValueError,
            ["mask", "(2, 3, 5)", "(3, 5)", "axis"],
            id="mask enlarges by an axis",
        ),
        pytest.param(
            GOOD,
            {"bias": zeros(2, 3, 5)},
            ValueError,
            ["bias", "(2, 3, 5)", "(3, 5)", "axis"],
            id="bias enlarges by an axis",
        ),
        pytest.param(
            GOOD,
            {"bias": zeros(1, 3, 5)},
            ValueError,
            ["bias", "(1, 3, 5)", "(3, 5)"],
            id="bias enlarges by an axis of 1",
        ),
        pytest.param(
            (zeros(1, 4), KEY, VALUE),
            {"mask": np.ones((3, 5), bool)},
            ValueError,
            ["mask", "(3, 5)", "(1, 5)"],
            id="mask enlarges an axis of 1",
        ),
        pytest.param(
            (zeros(2, 1, 3, 4), KEY, VALUE),
            {"bias": zeros(2, 6, 3, 5)},
            ValueError,
            ["bias", "(2, 6, 3, 5)", "(2, 1, 3, 5)"],
            id="bias enlarges the heads",
        ),
        pytest.param(
            (zeros(2, 3, 4), zeros(2, 5, 4), zeros(2, 5, 7)),
            {"mask": padding_mask([4, 2], 5)},
            ValueError,
            ["mask", "(2, 1, 1, 5)", "(2, 3, 5)", "mask[:, 0]"],
            id="padding mask, no heads axis",
        ),
        pytest.param(GOOD, {"scale": np.inf}, ValueError, ["scale", "inf"], id="infinite scale"),
        pytest.param(GOOD, {"scale": np.nan}, ValueError, ["scale", "nan"], id="scale of nan"),
        pytest.param(GOOD, {"softcap": 0.0}, ValueError, ["softcap", "0"], id="softcap of 0"),
        pytest.param(GOOD, {"softcap": -2.0}, ValueError, ["softcap", "-2"], id="negative softcap"),
        pytest.param(GOOD, {"softcap": np.nan}, ValueError, ["softcap", "nan"], id="softcap of nan"),
        pytest.param(
            (zeros(2, 6, 3, 4), zeros(6, 5, 4), zeros(6, 5, 2)),
            {"sink": zeros(7)},
            ValueError,
            ["sink", "(7,)", "6"],
            id="sink of another length",
        ),
        pytest.param(GOOD, {"sink": zeros(3)}, ValueError, ["sink", "(3,)", "heads"], id="sink without a heads axis"),
        pytest.param(
            (zeros(2, 6, 3, 4), KEY, VALUE),
            {"sink": zeros(2, 6)},
            ValueError,
            ["sink", "(2, 6)"],
            id="sink of two axes",
        ),
        pytest.param(GOOD, {"sink": 1j}, TypeError, ["sink", "complex"], id="complex sink"),
        pytest.param(
            (zeros(5, 3, 4), zeros(2, 7, 4), zeros(2, 7, 6)),
            {"enable_gqa": True},
            ValueError,
            ["query", "key", "(5, 3, 4)", "(2, 7, 4)", "multiple"],
            id="query heads no multiple",
        ),
        pytest.param(
            (zeros(2, 3, 4), zeros(4, 7, 4), zeros(4, 7, 6)),
            {"enable_gqa": True},
            ValueError,
            ["(2, 3, 4)", "(4, 7, 4)", "multiple"],
            id="more key heads than query heads",
        ),
        pytest.param(
            GOOD, {"enable_gqa": True}, ValueError, ["heads", "(3, 4)"], id="grouped heads without a heads axis"
        ),
        pytest.param(
            (zeros(6, 3, 4), KEY, VALUE),
            {"enable_gqa": True},
            ValueError,
            ["key", "heads", "(5, 4)"],
            id="no key heads",
        ),
        pytest.param(
            (zeros(6, 3, 4), zeros(2, 5, 4), zeros(3, 5, 7)),
            {"enable_gqa": True},
            ValueError,
            ["key", "value", "(2, 5, 4)", "(3, 5, 7)"],
            id="key and value heads differ",
        ),
        pytest.param(
            (zeros(2, 6, 3, 4), zeros(7, 2, 5, 4), zeros(7, 2, 5, 8)),
            {"enable_gqa": True},
            ValueError,
            ["query", "key", "(2, 6, 3, 4)", "(7, 2, 5, 4)"],
            id="leading axes of grouped heads",
        ),
        pytest.param(
            (zeros(6, 3, 4), zeros(0, 5, 4), zeros(0, 5, 7)),
            {"enable_gqa": True},
            ValueError,
            ["(0, 5, 4)"],
            id="no key heads at all",
        ),
        pytest.param(GOOD, {"attn_mask": np.ones((3, 5), bool)}, TypeError, ["attn_mask"], id="an unknown option"),
    ],
)
def test_bad_input_is_named(arguments, options, exception, pieces):
    with pytest.raises(exception, match=says(*pieces)):
        scaled_dot_product_attention(*arguments, **options)
    if "value" not in pieces:  # the other two functions say the same
        with pytest.raises(exception, match=says(*pieces)):
            attention_weights(*arguments[:2], **options)
        if set(options) <= {"scale", "softcap", "enable_gqa"}:
            with pytest.raises(exception, match=says(*pieces)):
                attention_scores(*arguments[:2], **options)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_options_are_given_by_name(function):
    with pytest.raises(TypeError, match="positional"):
        function(*inputs_of(function, *GOOD), 1.0)


@pytest.mark.parametrize("name", ["mask", "bias", "is_causal", "sink"])
def test_scores_take_no_option_that_belongs_to_the_weights(name):
    with pytest.raises(TypeError, match=name):
        attention_scores(QUERY, KEY, **{name: None})


@pytest.mark.parametrize("function", [attention_weights, scaled_dot_product_attention])
def test_a_causal_rectangle_is_refused_with_both_ways_out(function):
    top_left = r"mask=causal_mask\((n_q, n_k|3, 5)\)"
    bottom_right = r"causal_mask\((n_q, n_k|3, 5), offset=(n_k - n_q|2)\)"
    with pytest.raises(ValueError, match=f"(?s)is_causal.*3.*5.*{top_left}.*{bottom_right}"):
        function(*inputs_of(function, *GOOD), is_causal=True)
