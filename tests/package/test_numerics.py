"""Softmax and its kin against sums by math.fsum, and at the edges of floating point."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import entropy, log_softmax, logsumexp, softmax
from tests.package.oracles import along, properties, row_entropy, row_log_softmax, row_logsumexp, row_softmax

EPS = np.finfo(float).eps
ROWS = {softmax: row_softmax, log_softmax: row_log_softmax, logsumexp: row_logsumexp, entropy: row_entropy}
FUNCTIONS = list(ROWS)
OF_SCORES = [softmax, log_softmax, logsumexp]

each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
each_of_scores = pytest.mark.parametrize("function", OF_SCORES, ids=lambda f: f.__name__)
each_float = pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)


def positive(x):
    """Weights for entropy out of any numbers."""
    weights = np.exp(x - x.max())
    return weights / weights.sum()


def arguments_for(function, x):
    return positive(x) if function is entropy else x


# --- against the sums --------------------------------------------------------------------------------------------


@each_function
@pytest.mark.parametrize("axis", [-1, -2, -3, 0, 1, 2, None])
def test_every_slice_along_any_axis_equals_the_exact_sum(rng, function, axis):
    x = arguments_for(function, 4 * rng.standard_normal((3, 5, 7)))
    slices = (x.ravel(), -1) if axis is None else (x, axis)
    expected = along(ROWS[function], *slices).reshape(np.shape(function(x, axis=axis)))
    np.testing.assert_allclose(function(x, axis=axis), expected, rtol=16 * EPS, atol=16 * EPS)


@each_of_scores
def test_the_largest_and_smallest_numbers_do_not_overflow(function):
    x = [np.finfo(float).max, 0.0, -np.finfo(float).max]
    expected = {
        softmax: [1, 0, 0],
        log_softmax: [0, -np.finfo(float).max, -np.inf],
        logsumexp: np.finfo(float).max,
    }[function]
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(function(x), expected)


def test_log_softmax_keeps_the_digits_that_the_log_of_softmax_loses():
    np.testing.assert_array_equal(log_softmax([0.0, -1000.0]), [0, -1000])
    assert log_softmax([0.0, -40.0])[0] == pytest.approx(-math.exp(-40), rel=1e-12)


# --- nothing to attend to ----------------------------------------------------------------------------------------


@each_float
def test_a_slice_of_minus_infinity_has_weights_of_zero_and_leaves_the_others_alone(dtype):
    x = np.array([[-np.inf] * 3, [-np.inf, 2, 2]], dtype)
    np.testing.assert_array_equal(softmax(x), [[0, 0, 0], [0, 0.5, 0.5]])
    np.testing.assert_array_equal(softmax(x.T, axis=0), softmax(x).T)
    assert logsumexp(x)[0] == -np.inf
    assert logsumexp(x)[1] == pytest.approx(2 + math.log(2), rel=1e-3)
    np.testing.assert_array_equal(log_softmax(x)[0], -np.inf)
    np.testing.assert_allclose(log_softmax(x)[1], [-np.inf, -math.log(2), -math.log(2)], rtol=1e-3)


@each_float
def test_an_empty_axis_is_the_sum_over_nothing(dtype):
    nothing = np.zeros((3, 0), dtype)
    assert softmax(nothing).shape == log_softmax(nothing).shape == (3, 0)
    np.testing.assert_array_equal(logsumexp(nothing), [-np.inf] * 3)
    np.testing.assert_array_equal(logsumexp(nothing, keepdims=True), [[-np.inf]] * 3)
    np.testing.assert_array_equal(entropy(nothing), [0] * 3)
    assert softmax(nothing).dtype == logsumexp(nothing).dtype == entropy(nothing).dtype == dtype


def test_one_certain_weight_has_no_entropy_and_a_weight_of_zero_adds_none():
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(entropy([[0.0, 1, 0], [0, 0, 0]]), [0, 0])
        assert entropy([0.5, 0, 0.5, 0]) == pytest.approx(math.log(2), rel=1e-15)


# --- what must show ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("poison", [np.nan, np.inf])
@each_of_scores
def test_nan_and_infinity_show_in_their_slice_and_in_no_other(rng, function, poison):
    x = rng.standard_normal((3, 5))
    clean = function(x)
    x[1, 2] = poison
    result = function(x)
    assert not np.isfinite(result[1]).all()
    np.testing.assert_array_equal(result[[0, 2]], clean[[0, 2]])


def test_the_logsumexp_of_infinity_is_infinity():
    np.testing.assert_array_equal(logsumexp([[np.inf, 0], [np.inf, -np.inf], [np.inf, np.inf]]), [np.inf] * 3)


# --- dtypes and memory -------------------------------------------------------------------------------------------


def test_a_long_half_precision_sum_does_not_overflow():
    assert logsumexp(np.zeros(70_000, np.float16)) == np.float16(math.log(70_000))
    assert softmax(np.zeros(70_000, np.float16))[0] == np.float16(1 / 70_000)


# --- properties --------------------------------------------------------------------------------------------------

scores = hnp.arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=st.floats(-300, 300))


@properties
@given(scores, st.floats(-300, 300))
def test_adding_one_number_to_every_score_changes_no_weight(x, shift):
    np.testing.assert_allclose(softmax(x + shift), softmax(x), rtol=0, atol=1e-12)
    np.testing.assert_allclose(log_softmax(x + shift), log_softmax(x), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(logsumexp(x + shift), logsumexp(x) + shift, rtol=1e-12, atol=1e-11)
