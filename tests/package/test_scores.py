"""What shared heads save."""

import tracemalloc

import numpy as np
import pytest

from attention import scaled_dot_product_attention


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="alone"),
        pytest.param({"mask": np.ones((32, 1, 8192), bool)}, id="with a mask for each head"),
        pytest.param({"bias": np.zeros((32, 1, 1), np.float32)}, id="with a bias for each head"),
        pytest.param({"sink": np.zeros(32, np.float32)}, id="with a sink for each head"),
        pytest.param({"is_causal": True, "offset": [8191]}, id="with an offset for each sequence"),
        pytest.param({"window": (1000, 0), "offset": 8191}, id="with a window"),
    ],
)
def test_shared_heads_are_not_copied_when_one_token_is_decoded(options):
    rng = np.random.default_rng(0)
    query = rng.standard_normal((1, 32, 1, 64), dtype=np.float32)
    key, value = rng.standard_normal((2, 1, 8, 8192, 64), dtype=np.float32)
    tracemalloc.start()
    try:
        output = scaled_dot_product_attention(query, key, value, **options, enable_gqa=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    scores = 32 * 8192 * 4
    without_padding = 2 * key.nbytes if "window" in options else 0  # keys that nobody sees are written as 0
    assert peak <= 5 * (scores + output.nbytes) + without_padding
    assert 5 * scores < key.nbytes  # so that no copy of the keys could hide in it
