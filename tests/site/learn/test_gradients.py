"""The formulas of the page about gradients, on random shapes, against loops over complex numbers.

A step of i * 1e-30 leaves the real part of a number as it is, and the imaginary part of the result is the slope times
the step. Nothing is subtracted, so these slopes are exact to the last digits, and no formula of the page is used.
"""

import cmath
import re
from itertools import pairwise

import numpy as np
import pytest

from attention import (
    attention_vjp,
    attention_weights,
    logsumexp,
    scaled_dot_product_attention,
    softmax,
    softmax_vjp,
    tiled_attention_vjp,
)
from tests.site.learn.page_functions import names
from tests.site.pages import ROOT, consoles

STEP = 1e-30
PAGE = ROOT / "docs/learn/gradients.md"


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


@pytest.mark.parametrize("seed", range(10))
def test_formula_1_and_no_other(seed):
    rng = np.random.default_rng(seed)
    n, d = (int(size) for size in rng.integers([2, 1], [8, 5]))
    scores, values = rng.standard_normal(n) * 2, rng.standard_normal((n, d))
    slopes = slope_of(lambda s: np.array(loop_row(s)) @ values, scores)
    p = np.array(loop_row(scores)).real
    z = p @ values
    assert_equal(p[:, None] * (values - z), slopes)
    assert_equal(softmax_vjp(np.broadcast_to(p, (d, n)), values.T).T, slopes)
    assert_equal(slopes.sum(axis=0), np.zeros(d))
    for wrong in (p[:, None] * values, p[:, None] * (values + z), values - z, -p[:, None] * (values - z)):
        assert not np.allclose(wrong, slopes)


@pytest.mark.parametrize("seed", range(10))
def test_formula_2_and_no_other(seed):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(int(rng.integers(2, 9))) * 2
    jacobian = slope_of(loop_row, scores)
    p = np.array(loop_row(scores)).real
    assert_equal(np.diag(p) - np.outer(p, p), jacobian)
    assert_equal(jacobian, jacobian.T)
    assert_equal(jacobian.sum(axis=0), np.zeros(len(p)))
    assert (np.diag(jacobian) > 0).all()
    assert (jacobian - np.diag(np.diag(jacobian)) <= 0).all()
    for wrong in (np.diag(p) + np.outer(p, p), np.diag(p), np.diag(p * (1 - p))):
        assert not np.allclose(wrong, jacobian)


def test_no_score_of_a_saturated_row_has_a_slope_and_the_division_keeps_them():
    scores, values = np.log([8.0, 4, 1, 2, 1]), np.array([[8, 0], [4, 4], [0, 0], [0, 8], [0, 0]])

    def largest(factor):
        return np.abs(slope_of(lambda s: np.array(loop_row(factor * s)) @ values, scores)).max() / factor

    raw = [largest(2.0**n) for n in range(5)]
    assert raw[0] == pytest.approx(1.5)
    assert all(later < earlier for earlier, later in pairwise(raw))
    assert raw[3] < raw[0] / 50
    assert raw[4] < raw[0] / 10_000


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


SABOTAGE = {
    "dV without the weights": ("P.T @ dZ", "np.ones_like(P).T @ dZ"),
    "dV with a wrong sign": ("dV = P.T", "dV = -P.T"),
    "dP with a wrong sign": ("dP = dZ", "dP = -dZ"),
    "D with a wrong sign": ("dP - D", "dP + D"),
    "D left out": ("dP - D", "dP"),
    "D not weighted": ("(P * dP).sum", "dP.mean"),
    "D summed over the queries": ("axis=1, keepdims", "axis=0, keepdims"),
    "dS without the weight": ("dS = P * ", "dS = "),
    "dQ with a wrong sign": ("dQ = scale", "dQ = -scale"),
    "dQ without the scale": ("dQ = scale * ", "dQ = "),
    "dK with a wrong sign": ("dK = scale", "dK = -scale"),
    "dK without the scale": ("dK = scale * ", "dK = "),
    "the scale twice": ("dQ = scale * ", "dQ = scale * scale * "),
    "the scale forgotten in the forward pass": ("softmax(scale * Q", "softmax(Q"),
}


@pytest.mark.parametrize(("right", "wrong"), SABOTAGE.values(), ids=SABOTAGE)
def test_six_lines_with_a_mistake_are_found_out(right, wrong):
    (code,) = [console.code for console in consoles(PAGE) if "def backward" in console.code]
    lines = re.search(r"^>>> def backward.*\n(?:\.\.\. .*\n)+", code, re.MULTILINE)[0]
    source = re.sub(r"^(>>>|\.\.\.) ", "", lines, flags=re.MULTILINE)
    assert source.count(right) == 1
    defined = {"np": np, "softmax": softmax}
    exec(source.replace(right, wrong), defined)
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape) for shape in ((3, 2), (5, 2), (5, 4), (3, 4))]
    found = defined["backward"](*arrays)
    assert any(
        one.shape != slope.shape or not np.allclose(one, slope)
        for one, slope in zip(found, slopes_of_loss(*arrays), strict=True)
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_average_of_a_row_is_the_gradient_times_the_output(seed):
    query, key, value, grad_output = some_case(seed)
    weights, output = attention_weights(query, key), np.array(loop_output(query, key, value))
    by_weights = [
        sum(p * sum(g * x for g, x in zip(row, v, strict=True)) for p, v in zip(ps, value, strict=True))
        for ps, row in zip(weights, grad_output, strict=True)
    ]
    assert_equal((grad_output * output.real).sum(axis=1), by_weights)


@pytest.mark.parametrize("seed", range(5))
def test_a_weight_comes_back_from_its_score_and_the_log_sum_exp(seed):
    scores = np.random.default_rng(seed).standard_normal((3, 7)) * 9
    again = np.exp(scores - logsumexp(scores, axis=-1)[:, None])
    assert_equal(again, [np.real(loop_row(row)) for row in scores])


# --- going deeper ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_with_values_that_are_keys_the_slope_is_their_covariance(seed):
    rng = np.random.default_rng(seed)
    n, d = (int(size) for size in rng.integers([2, 1], [9, 6]))
    query, keys = rng.standard_normal(d), rng.standard_normal((n, d))
    slope = slope_of(lambda q: loop_output([q], keys, keys, scale=1)[0], query)
    p = attention_weights(query[None], keys, scale=1.0)[0]
    mean = p @ keys
    covariance = sum(w * np.outer(k - mean, k - mean) for w, k in zip(p, keys, strict=True))
    assert_equal(slope, covariance)
    assert not np.allclose(slope, sum(w * np.outer(k, k) for w, k in zip(p, keys, strict=True)))  # not about the mean


@pytest.mark.parametrize("seed", range(8))
def test_tokens_and_matrices_get_what_queries_keys_and_values_send_back(seed):
    rng = np.random.default_rng(seed)
    n, d_model, d_k, d_v = (int(size) for size in rng.permutation([2, 3, 4, 5]))
    x, grad_output = rng.standard_normal((n, d_model)), rng.standard_normal((n, d_v))
    matrices = [rng.standard_normal((d_model, d)) for d in (d_k, d_k, d_v)]

    def loss(x, matrices):
        return np.sum(grad_output * np.array(loop_output(*(x @ w for w in matrices))))

    sent = attention_vjp(*(x @ w for w in matrices), grad_output)
    assert_equal(sum(d @ w.T for d, w in zip(sent, matrices, strict=True)), slope_of(lambda x: loss(x, matrices), x))
    for at, d in enumerate(sent):
        others = [*matrices]

        def moved(w, at=at, others=others):
            return loss(x, [*others[:at], w, *others[at + 1 :]])

        assert_equal(x.T @ d, slope_of(moved, matrices[at]))


@pytest.mark.parametrize("seed", range(5))
def test_what_served_many_gets_the_sum_and_not_the_mean_or_one_share(seed):
    rng = np.random.default_rng(seed)
    query, grad_output = rng.standard_normal((6, 2, 4)), rng.standard_normal((6, 2, 5))
    key, value = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 3, 5))

    def loss(key, value):  # head i reads the shared head i // 3
        heads = [loop_output(query[i], key[i // 3], value[i // 3]) for i in range(6)]
        return np.sum(grad_output * np.array(heads))

    d_query, d_key, d_value = attention_vjp(query, key, value, grad_output, enable_gqa=True)
    slopes = slope_of(lambda k: loss(k, value), key), slope_of(lambda v: loss(key, v), value)
    for found, slope in zip((d_key, d_value), slopes, strict=True):
        assert_equal(found, slope)
        assert not np.allclose(found / 3, slope)
    copies = attention_vjp(query, key.repeat(3, axis=0), value.repeat(3, axis=0), grad_output)
    assert_equal(copies[0], d_query)
    assert not np.allclose(copies[1][::3], slopes[0])  # the first head's share alone
    assert copies[1].shape != key.shape  # who forgets the sum is told by the shapes

    one = rng.standard_normal((1, 3, 4))  # an axis of size 1, and a value that lacks the axis
    given = attention_vjp(query, one, value[0], grad_output)
    each = attention_vjp(query, np.repeat(one, 6, axis=0), np.repeat(value[:1], 6, axis=0), grad_output)
    assert_equal(given[1], each[1].sum(axis=0, keepdims=True))
    assert_equal(given[2], each[2].sum(axis=0))


@pytest.mark.parametrize("seed", range(5))
def test_the_gradients_of_all_keys_sum_to_zero_and_a_masked_one_gets_none(seed):
    query, key, value, grad_output = some_case(seed + 100)
    mask = np.arange(len(key)) != 0
    d_query, d_key, d_value = attention_vjp(query, key, value, grad_output, mask=mask)
    assert_equal(d_key.sum(axis=0), np.zeros(key.shape[1]))
    np.testing.assert_array_equal(d_key[0], 0)
    np.testing.assert_array_equal(d_value[0], 0)
    if mask.any():  # the others get what they would get alone
        alone = attention_vjp(query, key[1:], value[1:], grad_output)
        for found, expected in zip((d_query, d_key[1:], d_value[1:]), alone, strict=True):
            assert_equal(found, expected)


def test_a_sink_gets_its_weight_times_minus_the_output():
    query, key, value, grad_output = some_case(3)
    slopes = attention_vjp(query, key, value, grad_output, sink=0.3, return_sink=True)[-1]
    output = scaled_dot_product_attention(query, key, value, sink=0.3)
    free = 1 - attention_weights(query, key, sink=0.3).sum(axis=1)  # what it takes of each row
    assert_equal(slopes, np.sum(free[:, None] * (0 - output) * grad_output))


def test_a_score_near_its_cap_learns_little():
    rng = np.random.default_rng(0)
    query, key, value, grad_output = (rng.standard_normal((n, 3)) for n in (2, 4, 4, 2))

    def capped(q):
        products = [[sum(a * b for a, b in zip(row, k, strict=True)) / 3**0.5 for k in key] for row in q]
        scores = [[2 * cmath.tanh(s / 2) for s in row] for row in products]
        return np.sum(grad_output * (np.array([loop_row(row) for row in scores]) @ value))

    assert_equal(attention_vjp(query, key, value, grad_output, softcap=2.0)[0], slope_of(capped, query))
