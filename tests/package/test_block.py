"""Norms, GELU, feed-forward layer and block against loops, by hand, their conventions, and bad input."""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention as at
from tests.package.cases import options_of
from tests.package.oracles import along, loop_multi_head, loop_project, properties, says

H, S, D = np.float16, np.float32, np.float64


def relu(x):
    return np.maximum(x, 0)


def loop_layer_norm(x, weight=None, bias=None, eps=1e-5):
    def row(numbers):
        mean = math.fsum(numbers) / len(numbers)
        variance = math.fsum((number - mean) ** 2 for number in numbers) / len(numbers)
        return [(number - mean) / math.sqrt(variance + eps) for number in numbers]

    result = along(row, x) * (1 if weight is None else np.asarray(weight))
    return result + (0 if bias is None else np.asarray(bias))


def loop_rms_norm(x, weight=None, eps=1e-5):
    def row(numbers):
        return [n / math.sqrt(math.fsum(m * m for m in numbers) / len(numbers) + eps) for n in numbers]

    return along(row, x) * (1 if weight is None else np.asarray(weight))


def loop_gelu(x):
    """Multiply by the probability of a smaller normal number; erfc has no cancellation for negative x."""
    x = np.asarray(x, float)
    return np.array([number * math.erfc(-number / math.sqrt(2)) / 2 for number in x.flat]).reshape(x.shape)


def loop_tanh_gelu(x):
    x = np.asarray(x, float)
    inner = [math.sqrt(2 / math.pi) * (number + 0.044715 * number**3) for number in x.flat]
    return x / 2 * (1 + np.array([math.tanh(number) for number in inner]).reshape(x.shape))


def loop_silu(x):
    """Take the logistic function from the side on which the exponential is small."""
    x = np.asarray(x, float)
    small = [math.exp(-abs(number)) for number in x.flat]
    pairs = zip(x.flat, small, strict=True)
    return np.array([n / (1 + e) if n > 0 else n * e / (1 + e) for n, e in pairs]).reshape(x.shape)


def loop_feed_forward(x, w_in, w_out, b_in=None, b_out=None, w_gate=None, activation=loop_gelu):
    hidden, gated = loop_project(x, w_in, b_in).astype(float), w_gate is not None
    hidden = activation(loop_project(x, w_gate).astype(float)) * hidden if gated else activation(hidden)
    return loop_project(hidden, w_out, b_out).astype(float)


# --- norms -------------------------------------------------------------------------------------------------------


@properties
@given(st.permutations([1, 2, 3, 5, 7]), st.integers(0, 3), st.integers(0, 2**32 - 1), st.sampled_from([0.5, 1e-5]))
def test_norms_equal_the_loops_in_any_shape(sizes, n_lead, seed, eps):
    rng = np.random.default_rng(seed)
    d, *lead = sizes
    x = 5 + 3 * rng.standard_normal((*lead[:n_lead], d))
    weight, bias = rng.standard_normal(d), rng.standard_normal(d)
    for arrays in [(), (weight,), (weight, bias), (None, bias)]:
        result = at.layer_norm(x, *arrays, eps=eps)
        assert result.shape == x.shape
        np.testing.assert_allclose(result, loop_layer_norm(x, *arrays, eps=eps), rtol=0, atol=1e-12)
    for arrays in [(), (weight,)]:
        result = at.rms_norm(x, *arrays, eps=eps)
        assert result.shape == x.shape
        np.testing.assert_allclose(result, loop_rms_norm(x, *arrays, eps=eps), rtol=0, atol=1e-12)


def test_a_large_mean_does_not_drown_the_variance():
    np.testing.assert_array_equal(at.layer_norm([1e9 + 1, 1e9 + 5, 1e9 + 1, 1e9 + 5], eps=0), [-1, 1, -1, 1])


# --- gelu --------------------------------------------------------------------------------------------------------


def test_gelu_equals_the_normal_distribution_function():
    x = np.concatenate([np.linspace(-9, 9, 1001), [1e-300, -1e-300, 0, 1e300, -1e300]]).reshape(2, -1)
    np.testing.assert_allclose(at.gelu(x), loop_gelu(x), rtol=4e-16, atol=1e-15)
    np.testing.assert_allclose(at.gelu(x[:, :-3], approximate=True), loop_tanh_gelu(x[:, :-3]), rtol=1e-15, atol=2e-15)
    np.testing.assert_allclose(at.gelu(x) - at.gelu(-x), x, rtol=1e-15)


# --- silu --------------------------------------------------------------------------------------------------------


def test_silu_equals_the_logistic_function_times_x():
    x = np.concatenate([np.linspace(-50, 50, 1001), [-700, -720, 700, 1e-300, -1e-300, 0, 1e300, -1e300]]).reshape(
        1, -1
    )
    np.testing.assert_allclose(at.silu(x), loop_silu(x), rtol=4e-15, atol=0)
    moderate = x[np.abs(x) < 30]
    np.testing.assert_allclose(at.silu(moderate) - at.silu(-moderate), moderate, rtol=1e-13)


@pytest.mark.parametrize("dtype", [H, S, D])
@pytest.mark.parametrize("function", [at.gelu, partial(at.gelu, approximate=True), at.silu])
def test_far_from_zero_nothing_or_all_passes_without_a_warning(function, dtype):
    far = np.array([-np.inf, -np.finfo(dtype).max, -60000, 60000, np.finfo(dtype).max, np.inf, np.nan], dtype)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(function(far), [0, 0, 0, *far[3:]])
        np.testing.assert_array_equal(function(dtype(-np.inf)), dtype(0), strict=True)


# --- feed-forward layer ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [(), (2,), (2, 5), (0,)], ids=str)
@pytest.mark.parametrize("gated", [False, True], ids=["plain", "gated"])
@pytest.mark.parametrize(("activation", "oracle"), [(at.gelu, loop_gelu), (at.silu, loop_silu), (relu, relu)])
def test_the_feed_forward_layer_equals_the_loops(rng, lead, gated, activation, oracle):
    x, w_gate = rng.standard_normal((*lead, 3, 4)), rng.standard_normal((4, 7)) if gated else None
    w_in, w_out, b_in, b_out = (rng.standard_normal(shape) for shape in [(4, 7), (7, 6), (7,), (6,)])
    for biases in [(), (b_in, b_out), (None, b_out), (b_in, None)]:
        result = at.feed_forward(x, w_in, w_out, *biases, w_gate=w_gate, activation=activation)
        assert result.shape == (*lead, 3, 6)
        expected = loop_feed_forward(x, w_in, w_out, *biases, w_gate=w_gate, activation=oracle)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-13)


# --- the block ---------------------------------------------------------------------------------------------------


def parts(rng, dtype=D, *, n_heads=6, n_kv_heads=3, d=5, biases=True):
    """Draw the arrays of a block: heads, and all the rest."""
    widths = {"q": n_heads * 2, "k": n_kv_heads * 2, "v": n_kv_heads * 3, "o": d}
    rows = {"q": d, "k": d, "v": d, "o": n_heads * 3}
    heads = {f"w_{letter}": rng.standard_normal((rows[letter], widths[letter])) / 2 for letter in "qkvo"}
    rest = {"w_in": rng.standard_normal((d, 7)), "w_out": rng.standard_normal((7, d))}
    if biases:
        heads |= {f"b_{letter}": rng.standard_normal(widths[letter]) for letter in "qkvo"}
        rest |= {"b_in": rng.standard_normal(7), "b_out": rng.standard_normal(d)}
        norms = ("norm1_weight", "norm1_bias", "norm2_weight", "norm2_bias")
        rest |= {name: 1 + rng.standard_normal(d) for name in norms}
    return [{name: array.astype(dtype) for name, array in part.items()} for part in (heads, rest)]


def block(heads, rest, *, n_heads=6, n_kv_heads=3, **changes):
    return at.BlockWeights(at.MultiHeadWeights(**heads, n_heads=n_heads, n_kv_heads=n_kv_heads), **rest | changes)


def loop_block(x, heads, rest, *, norm_first, norm="layer", activation=loop_gelu, eps=1e-5, **options):
    def attend(tokens):
        return loop_multi_head(tokens, tokens, heads, n_heads=6, n_kv_heads=3, **options)

    def transform(tokens):
        names = ("w_in", "w_out", "b_in", "b_out", "w_gate")
        return loop_feed_forward(tokens, *(rest.get(name) for name in names), activation=activation)

    def level(tokens, i):
        if norm == "rms":
            return loop_rms_norm(tokens, rest.get(f"norm{i}_weight"), eps)
        return loop_layer_norm(tokens, rest.get(f"norm{i}_weight"), rest.get(f"norm{i}_bias"), eps)

    if norm_first:
        y = x + attend(level(x, 1))
        return y + transform(level(y, 2))
    y = level(x + attend(x), 1)
    return level(y + transform(y), 2)


@pytest.mark.parametrize("norm_first", [True, False], ids=["pre-LN", "post-LN"])
@pytest.mark.parametrize("biases", [True, False], ids=["biases", "no biases"])
@pytest.mark.parametrize(("lead", "change", "options"), options_of("block", relu=relu))
def test_a_block_equals_the_loops(rng, norm_first, biases, lead, change, options):
    heads, rest = parts(rng, biases=biases)
    x = rng.standard_normal((*lead, 4, 5))
    result = at.transformer_block(x, block(heads, rest, **change), norm_first=norm_first, **options)
    assert result.shape == x.shape
    expected = loop_block(x, heads, rest, norm_first=norm_first, **change, **options)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


# --- a cache -----------------------------------------------------------------------------------------------------


def test_what_the_feed_forward_layer_refuses_leaves_the_cache_as_it_was(rng):
    weights, cache, x = block(*parts(rng)), at.KVCache(), rng.standard_normal((4, 5))
    at.transformer_block(x[:3], weights, cache=cache, is_causal=True)
    broken = dataclasses.replace(weights, activation=lambda hidden: hidden[:, :1])
    with pytest.raises(ValueError, match="activation must keep the shape"):
        at.transformer_block(x[3:], broken, cache=cache, is_causal=True)
    imaginary = dataclasses.replace(weights, activation=lambda hidden: hidden * 1j)
    with pytest.raises(TypeError, match="what activation returns must hold real numbers: dtype complex128"):
        at.transformer_block(x[3:], imaginary, cache=cache, is_causal=True)
    assert len(cache) == 3
    last = at.transformer_block(x[3:], weights, cache=cache, is_causal=True)
    whole = at.transformer_block(x, weights, is_causal=True)
    np.testing.assert_allclose(last, whole[3:], rtol=0, atol=1e-13)
    with pytest.raises(TypeError, match=says("cache must be KVCache", "dict")):
        at.transformer_block(x, weights, cache={})


# --- dtypes and memory -------------------------------------------------------------------------------------------


def test_half_precision_sums_of_squares_may_pass_its_largest_number():
    x = np.array([[1000, -1000, 1000, -1000]], H)  # squares of a million
    np.testing.assert_array_equal(at.layer_norm(x), [[1, -1, 1, -1]])
    np.testing.assert_array_equal(at.rms_norm(x), [[1, -1, 1, -1]])
    hidden = at.feed_forward(
        np.full((1, 4), 256, H), np.full((4, 3), 256, H), np.full((3, 1), 2**-12, H), activation=relu
    )
    np.testing.assert_array_equal(hidden, [[192]])  # by way of 262144
