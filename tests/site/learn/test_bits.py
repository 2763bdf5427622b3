"""The page on bits: its functions against loops over single numbers of ml_dtypes and NumPy, and its drawing."""

import math
import re
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from attention import round_to_format, scaled_dot_product_attention
from tests.package.parity import record_sums
from tests.package.parity.sources import sources
from tests.site.learn.page_functions import names
from tests.site.pages import ROOT

PAGE = names("bits")
TYPES: dict[str, Any] = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
DIGITS = {"float16": 11, "bfloat16": 8, "float8_e4m3fn": 4, "float8_e5m2": 3}


def once(name):
    """Return the rounding of one number by its type.

    ml_dtypes goes from float64 to bfloat16 over float32 and rounds twice. What lies between is therefore rounded to an
    odd last bit, which is no tie of bfloat16.
    """
    kind = TYPES[name]

    def rounding(x):
        between = np.float32(x)
        if name == "bfloat16" and float(between) != x and between.view(np.uint32) % 2 == 0:
            return float(kind(np.nextafter(between, np.float32(math.copysign(math.inf, x - float(between))))))
        return float(kind(x))

    return rounding


def by_loops(q, k, v, operands, scores, softmax, output):
    """One number at a time: Python's float64 for an operation, then the type of its place rounds the result."""
    operand, score, soft, out = (once(name) for name in (operands, scores, softmax, output))
    weights, results = [], []
    for one in q:
        s = []
        for key in k:
            total = 0.0
            for a, b in zip(one, key, strict=True):
                total = score(total + score(operand(a) * operand(b)))
            s.append(score(total / math.sqrt(len(key))))
        e = [soft(math.exp(soft(x - max(s)))) for x in s]
        total = 0.0
        for x in e:
            total = soft(total + x)
        row = [soft(x / total) for x in e]
        result = []
        for column in v.T:
            total = 0.0
            for w, x in zip(row, column, strict=True):
                total = out(total + out(operand(w) * operand(x)))
            result.append(total)
        weights.append(row)
        results.append(result)
    return np.array(weights), np.array(results)


def in_one_type(q, k, v, name):
    """Compute in the arithmetic of one type throughout, with no float64 in between."""
    kind = TYPES[name]
    root, results = kind(math.sqrt(q.shape[1])), []
    q, k, v = (x.astype(np.float32).astype(kind) for x in (q, k, v))
    for one in q:
        s = []
        for key in k:
            total = kind(0)
            for a, b in zip(one, key, strict=True):
                total = total + a * b
            s.append(total / root)
        e = [kind(np.exp(np.float64(x - max(s)))) for x in s]
        total = kind(0)
        for x in e:
            total = total + x
        row = [x / total for x in e]
        result = [kind(0) for _ in v.T]
        for w, value in zip(row, v, strict=True):
            result = [total + w * x for total, x in zip(result, value, strict=True)]
        assert all(isinstance(x, kind) for x in (*row, *result))
        results.append([float(x) for x in result])
    return np.array(results)


def heads(rng, n_q=3, n_k=7, d_k=5, d_v=2, size=1.0):
    q, k, v = (size * rng.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    return q, k, v


def test_without_rounding_it_is_attention(rng):
    for _ in range(20):
        n_q, n_k, d_k, d_v = (int(n) for n in rng.permutation([2, 3, 5, 7]))
        q, k, v = heads(rng, n_q, n_k, d_k, d_v)
        z = PAGE["attend"](q, k, v, *["float64"] * 4)
        np.testing.assert_allclose(z, scaled_dot_product_attention(q, k, v), rtol=0, atol=1e-12)
        np.testing.assert_allclose(PAGE["exactly"](q, k, v).astype(float), z, rtol=0, atol=1e-12)


@pytest.mark.parametrize("operands", TYPES)
def test_every_choice_of_formats_equals_the_loops(operands, rng):
    for others in product(TYPES, repeat=3):
        q, k, v = (x.astype(np.float32).astype(float) for x in heads(rng, 2, 5, 3, 1))
        _, z = by_loops(q, k, v, operands, *others)
        label = str((operands, *others))
        np.testing.assert_allclose(PAGE["attend"](q, k, v, operands, *others), z, rtol=0, atol=1e-12, err_msg=label)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_one_format_everywhere_equals_the_arithmetic_of_its_type(name, rng):
    for _ in range(10):
        q, k, v = heads(rng, 3, 11, 4, 2, size=0.5)  # the root of 4 is exact in every format
        np.testing.assert_array_equal(PAGE["attend"](q, k, v, *[name] * 4), in_one_type(q, k, v, name))


@pytest.mark.parametrize("name", DIGITS)
def test_a_count_by_ones_stops_at_two_to_the_number_of_digits(name):
    top, kind = 2 ** DIGITS[name], TYPES[name]
    assert round_to_format(top - 1 + 1, name) == top
    assert round_to_format(top + 1, name) == top == float(kind(top) + kind(1))
    assert round_to_format(top + 2, name) == top + 2
    assert PAGE["running_sum"](np.ones(3000), name) == top
    n = np.arange(1, 3001)
    counted = [PAGE["running_sum"](np.ones(i), name) for i in (1, top - 1, top, top + 1)]
    np.testing.assert_array_equal(counted, np.minimum(n[[0, top - 2, top - 1, top]], top))


def test_added_in_pairs_a_sum_stays_close(rng):
    for name in ("float16", "bfloat16"):
        x = round_to_format(rng.random(1024) / 8, name)
        pairs = x.astype(np.float32).astype(TYPES[name])
        while len(pairs) > 1:
            pairs = np.array([a + b for a, b in zip(pairs[::2], pairs[1::2], strict=True)])
        assert PAGE["pairwise_sum"](x, name) == float(pairs[0])
        unit = 2.0 ** -DIGITS[name]
        assert abs(PAGE["pairwise_sum"](x, name) - x.sum()) <= 10 * unit * x.sum() * 1.01  # log2 of 1024 terms
        assert abs(PAGE["running_sum"](np.tile(x, 8), name) - 8 * x.sum()) > 10 * unit * x.sum()


def test_a_loop_in_torch_adds_like_the_running_sum_and_its_own_sums_like_float32():
    found = sources(record_sums, "torch").values()
    for inputs, output in ((case["inputs"], case["output"]) for source in found for case in source["cases"]):
        terms, name = record_sums.TERMS[inputs["terms"]], inputs["format"]
        assert output["loop"] == PAGE["running_sum"](terms, name)
        assert output["sum"] == output["cumsum"] == round_to_format(PAGE["running_sum"](terms, "float32"), name)
        assert output["softmax"] == round_to_format(1 / np.exp(terms - terms[0]).sum(), name)


def test_the_drawing_shows_the_bits_of_a_third():
    drawing = (ROOT / "docs/assets/diagrams/one-third.svg").read_text("utf-8")
    shown = dict(re.findall(r'data-format="([^"]+)" data-bits="([01 ]+)"', drawing))
    assert len(shown) == 5
    for label, bits in shown.items():
        kind = np.dtype(TYPES[{"fp8, e4m3": "float8_e4m3fn", "fp8, e5m2": "float8_e5m2"}.get(label, label)])
        pattern = np.array(1 / 3, np.float32).astype(kind).view(f"uint{8 * kind.itemsize}")
        assert bits.replace(" ", "") == f"{int(pattern):0{8 * kind.itemsize}b}"
        _, exponent, fraction = bits.split(" ")
        assert f"1 + {len(exponent)} + {len(fraction)} bits" in drawing
        assert f">{bits.replace(' ', '')}</text>" in drawing
