"""The page on bits: what it says of sums, in the arithmetic of ml_dtypes and NumPy, and its drawing."""

import math
import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from attention import round_to_format
from examples.recording import sums
from tests.package.parity.sources import cases
from tests.site.pages import ROOT

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


def running_sum(terms, name):
    """Round the sum after every term."""
    rounding, total = once(name), 0.0
    for term in terms:
        total = rounding(total + float(term))
    return total


@pytest.mark.parametrize("name", DIGITS)
def test_a_count_by_ones_stops_at_two_to_the_number_of_digits(name):
    top, kind = 2 ** DIGITS[name], TYPES[name]
    assert round_to_format(top - 1 + 1, name) == top
    assert round_to_format(top + 1, name) == top == float(kind(top) + kind(1))
    assert round_to_format(top + 2, name) == top + 2
    assert running_sum(np.ones(3000), name) == top


@cases(sums.RECORDER)
def test_a_loop_in_torch_adds_like_the_running_sum_and_its_own_sums_like_float32(stem, name, inputs, output):
    terms, kind, found = sums.TERMS[inputs["terms"]], inputs["format"], output.item()
    assert found["loop"] == running_sum(terms, kind)
    assert found["sum"] == found["cumsum"] == round_to_format(running_sum(terms, "float32"), kind)
    assert found["softmax"] == round_to_format(1 / np.exp(terms - terms[0]).sum(), kind)


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
