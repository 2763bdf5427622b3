"""The measuring itself, and the committed results: every missed goal says why."""

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables, scaled_dot_product_attention, sinusoidal_encoding
from benchmarks.peers import contenders, einsum_attention, loop_encoding, rotary_contenders


def test_contenders_compute_attention_and_positions(rng):
    query, key, value = rng.standard_normal((3, 20, 8), dtype=np.float32)
    expected = scaled_dot_product_attention(query, key, value)
    np.testing.assert_allclose(einsum_attention(query, key, value), expected, atol=1e-5)
    for name, call in contenders(query, key, value).items():
        np.testing.assert_allclose(np.asarray(call()).reshape(expected.shape), expected, atol=1e-5, err_msg=name)
    np.testing.assert_allclose(loop_encoding(9, 6), sinusoidal_encoding(9, 6), atol=1e-14)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_rotary_contenders_turn_the_same_layout(rng, layout):
    x = rng.standard_normal((2, 5, 6), dtype=np.float32)
    ours, usual = rotary_contenders(x, layout)
    expected = apply_rotary(x, *rotary_tables(np.arange(5), 6), layout=layout)
    np.testing.assert_allclose(ours(), expected, atol=1e-6)
    assert {"interleaved": "rotate-pairs, NumPy", "half": "rotate-half, NumPy"}[layout] in usual
    for name, call in usual.items():
        np.testing.assert_allclose(np.asarray(call()), expected, atol=1e-6, err_msg=name)
