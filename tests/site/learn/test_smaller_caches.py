"""The latent cache and the rounded cache, as the page writes them, against loops over the paper's equations."""

import cmath
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import rotary_tables
from tests.package.oracles import properties
from tests.site.learn.page_functions import names

page = SimpleNamespace(**names("smaller-caches"))


@st.composite
def layers(draw):
    """Draw tokens, weights and positions; no two of the sizes are the same."""
    n, d_r = draw(st.sampled_from([(4, 2), (6, 2), (6, 4), (4, 6)]))
    heads, d_model, d_q, d_c, d_h, d_v = draw(st.permutations([1, 3, 5, 7, 9, 11]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shapes = {
        "qa": (d_model, d_q),
        "q": (heads, d_q, d_h),
        "qr": (heads, d_q, d_r),
        "dkv": (d_model, d_c),
        "kr": (d_model, d_r),
        "uk": (heads, d_c, d_h),
        "uv": (heads, d_c, d_v),
        "o": (heads, d_v, d_model),
    }
    w = {name: rng.standard_normal(shape) / math.sqrt(shape[-2]) for name, shape in shapes.items()}
    w |= {"qa_norm": rng.uniform(0.5, 1.5, d_q), "c_norm": rng.uniform(0.5, 1.5, d_c), "eps": rng.uniform(0, 1)}
    w |= {"layout": "interleaved", "scale": rng.uniform(0.5, 2) / math.sqrt(d_h + d_r)}
    positions = np.cumsum(rng.integers(1, 4, n))
    return SimpleNamespace(x=rng.standard_normal((n, d_model)), w=w, positions=positions, d_r=d_r)


def product(row, matrix):
    return [sum(row[i] * matrix[i][o] for i in range(len(row))) for o in range(len(matrix[0]))]


def normed(row, weight, eps):
    size = math.sqrt(sum(number**2 for number in row) / len(row) + eps)
    return [number / size * factor for number, factor in zip(row, weight, strict=True)]


def turned(row, position, width):
    """Turn neighbours as complex numbers, the first pair by one radian a position."""
    result = []
    for pair in range(width // 2):
        number = complex(row[2 * pair], row[2 * pair + 1]) * cmath.exp(1j * position * 10000 ** (-2 * pair / width))
        result += [number.real, number.imag]
    return result


def loop_latent_attention(x, w, positions):
    """Equations (9) to (19) of the paper, term by term, with the norms of §3.1.2 and a scale of any size."""
    heads, d_r, eps = len(w["q"]), len(w["kr"][0]), w["eps"]
    result = []
    for t, at in enumerate(positions):
        u = [0.0] * len(x[0])
        short = normed(product(x[t], w["qa"]), w["qa_norm"], eps)
        for i in range(heads):
            scores, values = [], []
            for j, there in enumerate(positions[: t + 1]):
                c = normed(product(x[j], w["dkv"]), w["c_norm"], eps)
                q = product(short, w["q"][i]) + turned(product(short, w["qr"][i]), at, d_r)
                k = product(c, w["uk"][i]) + turned(product(x[j], w["kr"]), there, d_r)
                scores.append(sum(a * b for a, b in zip(q, k, strict=True)) * w["scale"])
                values.append(product(c, w["uv"][i]))
            parts = [math.exp(score - max(scores)) for score in scores]
            z = [sum(p * v[f] for p, v in zip(parts, values, strict=True)) / sum(parts) for f in range(len(values[0]))]
            u = [a + b for a, b in zip(u, product(z, w["o"][i]), strict=True)]
        result.append(u)
    return np.array(result)


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12 * max(1, np.abs(expected).max()))


def run(layer, way):
    cos, sin = rotary_tables(layer.positions, layer.d_r)
    return way(*page.make_queries(layer.x, layer.w, cos, sin), *page.to_cache(layer.x, layer.w, cos, sin), layer.w)


@properties
@given(layers())
def test_with_and_without_keys_give_what_the_equations_give(layer):
    expected = loop_latent_attention(layer.x.tolist(), layer.w, layer.positions.tolist())
    close(run(layer, page.with_keys), expected)
    close(run(layer, page.without_keys), expected)


# Whole numbers of 8 bits


def loop_int8(numbers):
    largest = max(abs(number) for number in numbers)
    step = (largest or 1) / 127
    return [round(number / step) for number in numbers], step


@properties
@given(st.permutations([2, 3, 5]), st.sampled_from([-1, -2]), st.integers(0, 2**32), st.floats(-3, 3))
def test_int8_is_the_nearest_multiple_of_the_step(shape, axis, seed, magnitude):
    x = np.random.default_rng(seed).standard_normal(shape) * 10**magnitude
    x[0, :, 1] = x[0, 1] = 0
    whole, step = page.to_int8(x, axis)
    assert whole.dtype == np.int8
    assert np.abs(whole.astype(int)).max() == 127
    assert (np.abs(whole * step - x) <= step / 2 * (1 + 1e-9)).all()
    lists, wholes = np.moveaxis(x, axis, -1), np.moveaxis(whole, axis, -1)
    for at in np.ndindex(lists.shape[:-1]):
        expected, size = loop_int8(lists[at].tolist())
        assert wholes[at].tolist() == expected
        assert np.moveaxis(step, axis, -1)[at] == pytest.approx([size])
