"""The formulas of the page about gradients, on random shapes, against loops over complex numbers.

A step of i * 1e-30 leaves the real part of a number as it is, and the imaginary part of the result is the slope times
the step. Nothing is subtracted, so these slopes are exact to the last digits, and no formula of the page is used.
"""

import cmath

import numpy as np
import pytest

from attention import (
    attention_vjp,
    softmax,
    tiled_attention_vjp,
)
from tests.site.learn.page_functions import names

STEP = 1e-30


def loop_row(scores):
    exponentials = [cmath.exp(s) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def loop_output(query, key, value, scale=None):
    """Attention in loops, for complex numbers too."""
    scale = len(query[0]) ** -0.5 if scale is None else scale
    output = []
    for q in query:
        row = loop_row([scale * sum(a * b for a, b in zip(q, k, strict=True)) for k in key])
        output.append([sum(p * v[c] for p, v in zip(row, value, strict=True)) for c in range(len(value[0]))])
    return output


def slope_of(function, x):
    """Differentiate a function of an array number by number; its own shape, then that of what it returns."""
    found = []
    for i in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[i] += STEP * 1j
        found.append(np.array(function(moved)).imag / STEP)
    return np.array(found).reshape(*x.shape, *found[0].shape)


def assert_equal(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12 * max(1, np.abs(expected).max(initial=0)))


def some_case(seed):
    """Draw a query, key, value and gradient of the output; all sizes are different, some are 1."""
    rng = np.random.default_rng(seed)
    n_q, n_k, d_k, d_v = (int(size) for size in rng.permutation([1, 2, 3, 4, 5, 6])[:4])
    shapes = (n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)
    return [rng.standard_normal(shape) * 1.5 for shape in shapes]


def slopes_of_loss(query, key, value, grad_output):
    """Differentiate the loss whose slopes at the output are grad_output."""
    arrays = [query, key, value]

    def loss(at):
        return lambda x: np.sum(grad_output * np.array(loop_output(*arrays[:at], x, *arrays[at + 1 :])))

    return [slope_of(loss(at), arrays[at]) for at in range(3)]


# --- one row -----------------------------------------------------------------------------------------------------


def test_the_slopes_of_the_running_example_are_those_worked_by_hand():
    values = np.array([[8, 0], [4, 4], [0, 0], [0, 8], [0, 0]])
    scores = np.log([8.0, 4, 1, 2, 1])
    slopes = slope_of(lambda s: np.array(loop_row(s)) @ values, scores)
    assert_equal(slopes, [[1.5, -1], [-1 / 4, 1 / 2], [-5 / 16, -2 / 16], [-5 / 8, 6 / 8], [-5 / 16, -2 / 16]])
    moves = slope_of(loop_row, scores)[0]
    assert_equal(moves, [1 / 4, -1 / 8, -1 / 32, -1 / 16, -1 / 32])
    assert_equal(names("gradients")["slopes"](lambda s: softmax(s) @ values, scores).round(6), slopes)


# --- all the way back --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
def test_the_six_lines_of_the_page_and_the_package_are_what_complex_steps_find(seed):
    arrays = some_case(seed)
    expected = slopes_of_loss(*arrays)
    for found, package, tiled, slope in zip(
        names("gradients")["backward"](*arrays),
        attention_vjp(*arrays),
        tiled_attention_vjp(*arrays, query_block=2, key_block=2),
        expected,
        strict=True,
    ):
        assert_equal(found, slope)
        assert_equal(package, slope)
        assert_equal(tiled, slope)
