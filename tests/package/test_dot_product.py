"""Scores, weights and weighted sums against loops, every convention by itself, and properties."""

import numpy as np
import pytest

from attention import attention_scores, attention_weights, scaled_dot_product_attention
from tests.package.cases import options_of
from tests.package.oracles import held, loop_attention, loop_weights

EPS = np.finfo(float).eps
FUNCTIONS = [attention_scores, attention_weights, scaled_dot_product_attention]


def inputs_of(function, query, key, value):
    return (query, key, value) if function is scaled_dot_product_attention else (query, key)


# --- against the loops -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "options"), options_of("extreme"))
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


# --- sink --------------------------------------------------------------------------------------------------------


def test_a_sink_of_minus_infinity_is_no_sink(rng):
    query, key, value = (rng.standard_normal(shape) for shape in [(6, 3, 4), (6, 5, 4), (6, 5, 2)])
    mask = rng.random((6, 3, 5)) < 0.5
    mask[2, 1] = False
    for sink in (-np.inf, np.full(6, -np.inf)):
        for function in (attention_weights, scaled_dot_product_attention):
            arguments = inputs_of(function, query, key, value)
            np.testing.assert_array_equal(function(*arguments, mask=mask, sink=sink), function(*arguments, mask=mask))


# --- dtypes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("dtype", "itemsize"), [(np.float16, 4), (np.float32, 4), (np.float64, 8)])
def test_at_most_three_arrays_of_the_size_of_the_scores_are_held(function, dtype, itemsize):
    arguments = inputs_of(function, *(np.ones((400, width), dtype) for width in (4, 4, 3)))
    options = {} if function is attention_scores else {"is_causal": True}
    function(*arguments, **options)
    assert held(function, *arguments, **options)[0] < (3 * itemsize + 1) * 400 * 400 + 2**17  # and a mask


def test_half_precision_survives_scores_beyond_its_largest_number():
    query = np.full((1, 4), 300, np.float16)
    key = np.array([[300] * 4, [300] * 4, [-300] * 4], np.float16)
    np.testing.assert_array_equal(attention_weights(query, key), [[0.5, 0.5, 0]])
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(attention_scores(query, key), [[np.inf, np.inf, -np.inf]])


# --- properties --------------------------------------------------------------------------------------------------


def test_the_hint_to_drop_the_axis_of_heads_is_for_a_mask_of_a_batch_alone():
    for array, mask, hint in ((np.ones((3, 2, 5)), (3, 1, 2, 2), True), (np.ones((2, 5)), (3, 1, 2), False)):
        with pytest.raises(ValueError, match="the scores have no axis") as error:
            attention_weights(array, array, mask=np.ones(mask, bool))
        assert ("mask[:, 0]" in str(error.value)) == hint


@pytest.mark.parametrize("options", options_of("decoded"))
def test_shared_heads_are_not_copied_when_one_token_is_decoded(options):
    rng = np.random.default_rng(0)
    query = rng.standard_normal((1, 32, 1, 64), dtype=np.float32)
    key, value = rng.standard_normal((2, 1, 8, 8192, 64), dtype=np.float32)
    peak, output = held(scaled_dot_product_attention, query, key, value, **options, enable_gqa=True)
    scores = 32 * 8192 * 4
    without_padding = 2 * key.nbytes if "window" in options else 0  # keys that nobody sees are written as 0
    assert peak <= 5 * (scores + output.nbytes) + without_padding
    assert 5 * scores < key.nbytes  # so that no copy of the keys could hide in it
