"""Projections against a triple loop, their conventions, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention import project
from tests.oracles import properties, says


def loop_project(x, weight, bias=None):
    x, weight = np.asarray(x).astype(np.longdouble), np.asarray(weight).astype(np.longdouble)
    result = np.zeros((*x.shape[:-1], weight.shape[1]), np.longdouble)
    for *at, o in np.ndindex(result.shape):
        for i in range(weight.shape[0]):
            result[(*at, o)] += x[(*at, i)] * weight[i, o]
        if bias is not None:
            result[(*at, o)] += bias[o]
    return result.astype(float)


@pytest.mark.parametrize("lead", [(5,), (2, 5), (2, 3, 5), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize("with_bias", [False, True])
def test_every_token_is_multiplied_from_the_left(rng, lead, with_bias):
    x, weight = rng.standard_normal((*lead, 4)), rng.standard_normal((4, 7))
    bias = rng.standard_normal(7) if with_bias else None
    result = project(x, weight, bias)
    assert result.shape == (*lead, 7)
    np.testing.assert_allclose(result, loop_project(x, weight, bias), rtol=0, atol=1e-13)


def test_a_token_is_a_row():
    np.testing.assert_array_equal(project([[1.0, 0], [0, 1], [2, 1]], [[1.0, 2, 3], [4, 5, 6]])[2], [6, 9, 12])


def test_bias_is_added_to_every_token_and_may_be_left_out(rng):
    x, weight, bias = rng.standard_normal((2, 5, 4)), rng.standard_normal((4, 3)), rng.standard_normal(3)
    np.testing.assert_allclose(project(x, weight, bias=bias), project(x, weight) + bias, rtol=1e-14)
    np.testing.assert_array_equal(project(x, weight, bias=None), project(x, weight))


@properties
@given(
    hnp.arrays(float, (3, 4), elements=st.floats(-9, 9)),
    hnp.arrays(float, (3, 4), elements=st.floats(-9, 9)),
    hnp.arrays(float, (4, 2), elements=st.floats(-9, 9)),
)
def test_a_projection_without_bias_is_linear(x, y, weight):
    np.testing.assert_allclose(project(x + 2 * y, weight), project(x, weight) + 2 * project(y, weight), atol=1e-11)


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        pytest.param((bool, bool), np.float64, id="bools"),
        pytest.param((np.uint8, np.int8), np.float64, id="small ints"),
        pytest.param((np.float16, np.float16), np.float16, id="half"),
        pytest.param((np.float32, np.float32), np.float32, id="single"),
        pytest.param((np.float16, np.float32), np.float32, id="half and single"),
        pytest.param((np.float32, np.float64), np.float64, id="single and double"),
        pytest.param((np.int64, np.float32), np.float64, id="ints and single"),
    ],
)
def test_x_and_weight_decide_the_dtype_and_bias_does_not(dtypes, expected):
    x, weight = np.ones((3, 4), dtypes[0]), np.ones((4, 2), dtypes[1])
    for bias in (None, np.ones(2), np.ones(2, np.float16), np.ones(2, int)):
        result = project(x, weight, bias)
        assert result.dtype == expected
        np.testing.assert_array_equal(result, 4 if bias is None else 5)


def test_small_integers_do_not_wrap_around():
    assert project(np.array([[200, 200]], np.uint8), np.array([[200], [1]], np.uint8)).item() == 40200


def test_half_precision_is_computed_in_single_and_rounded_once(rng):
    x, weight, bias = (rng.standard_normal(shape).astype(np.float16) for shape in [(30, 64), (64, 5), (5,)])
    single = project(x.astype(np.float32), weight.astype(np.float32), bias.astype(np.float32))
    np.testing.assert_array_equal(project(x, weight, bias), single.astype(np.float16))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_bias_is_rounded_to_the_dtype_that_is_computed_in(rng, dtype):
    x, weight = rng.standard_normal((50, 4)).astype(dtype), rng.standard_normal((4, 70)).astype(dtype)
    bias = rng.standard_normal(70)
    np.testing.assert_array_equal(project(x, weight, bias), project(x, weight, bias.astype(np.float32)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_no_floating_point_warnings(dtype):
    top, low = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    with np.errstate(all="raise"):
        state = np.geterr()
        assert project(np.array([[top, top]]), np.array([[top], [top]])).item() == np.inf
        assert project(np.array([[low, low]]), np.array([[low], [low]])).item() == 0
        assert np.isnan(project(np.array([[np.inf, 0]], dtype), np.array([[0], [1]], dtype))).all()
        project(np.ones((1, 2), dtype), np.ones((2, 1), dtype), np.array([1e300]))
        assert np.geterr() == state


def test_nan_and_infinity_show_in_their_token_only(rng):
    x, weight = rng.standard_normal((3, 4)), rng.standard_normal((4, 2))
    clean = project(x, weight)
    for poison in (np.nan, np.inf, -np.inf):
        x[1, 2] = poison
        assert not np.isfinite(project(x, weight)[1]).any()
        np.testing.assert_array_equal(project(x, weight)[[0, 2]], clean[[0, 2]])


def test_inputs_are_not_modified_may_be_read_only_and_are_not_returned(rng):
    arrays = [rng.standard_normal(shape) for shape in [(3, 4), (4, 2), (2,)]]
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    result = project(*arrays)
    assert result.flags.writeable
    assert not any(np.shares_memory(result, array) for array in arrays)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("arguments", "exception", "pieces"),
    [
        pytest.param(
            (np.zeros((5, 3)), np.zeros((4, 3))), ValueError, ["x", "weight", "(5, 3)", "(4, 3)"], id="torch's layout"
        ),
        pytest.param((np.zeros((2, 5, 3)), np.zeros((4, 6))), ValueError, ["(2, 5, 3)", "(4, 6)"], id="d_in differs"),
        pytest.param((np.zeros((5, 3)), np.zeros(3)), ValueError, ["weight", "(3,)"], id="1-D weight"),
        pytest.param((np.zeros((5, 3)), np.zeros((2, 3, 4))), ValueError, ["weight", "(2, 3, 4)"], id="3-D weight"),
        pytest.param((1.0, np.zeros((3, 4))), ValueError, ["x", "()"], id="scalar x"),
        pytest.param(
            (np.zeros((5, 3)), np.zeros((3, 4)), np.zeros(3)),
            ValueError,
            ["bias", "(3,)", "4"],
            id="bias of another length",
        ),
        pytest.param(
            (np.zeros((5, 3)), np.zeros((3, 4)), np.zeros(1)), ValueError, ["bias", "(1,)", "4"], id="bias of length 1"
        ),
        pytest.param(
            (np.zeros((5, 3)), np.zeros((3, 4)), np.zeros((2, 5, 4))),
            ValueError,
            ["bias", "(2, 5, 4)"],
            id="bias enlarges",
        ),
        pytest.param((np.zeros((5, 3)) * 1j, np.zeros((3, 4))), TypeError, ["x", "complex"], id="complex x"),
        pytest.param((np.zeros((5, 3)), np.zeros((3, 4)) * 1j), TypeError, ["weight", "complex"], id="complex weight"),
        pytest.param((np.zeros((5, 3)), np.zeros((3, 4)), [1j] * 4), TypeError, ["bias", "complex"], id="complex bias"),
        pytest.param((np.zeros((5, 3), object), np.zeros((3, 4))), TypeError, ["x", "object"], id="object x"),
        pytest.param((np.zeros((5, 3)), None), TypeError, ["weight"], id="None for the weight"),
    ],
)
def test_bad_input_is_named(arguments, exception, pieces):
    with pytest.raises(exception, match=says(*pieces)):
        project(*arguments)
