"""Gradients in tiles against the reference, whatever the options and the blocks; and their memory."""

import numpy as np
import pytest

from attention import attention_vjp, scaled_dot_product_attention, tiled_attention_vjp
from tests.package.cases import all_of, random_case
from tests.package.oracles import held

EPS = np.finfo(float).eps


def agree(tiles, reference, size, n_rows=1):
    """Compare to within 8 eps of the largest number; where rows of scores are summed, with the error of as many."""
    for name, one, other in zip(reference._fields, tiles, reference, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.shape == other.shape
            assert one.dtype == other.dtype
            summed = np.sqrt(max(1, n_rows / max(1, other.size))) if name in ("bias", "sink") else 1
            atol = 8 * np.finfo(one.dtype).eps * size * summed * max(1, np.abs(other).max(initial=0))
            np.testing.assert_allclose(one, other, rtol=0, atol=atol, err_msg=name)


@pytest.mark.parametrize("seed", range(10))
def test_tiles_compute_the_reference_whatever_the_options_and_the_blocks(seed):
    rng = np.random.default_rng(300 + seed)
    for _ in range(30):
        arrays, options, blocks = random_case(rng)
        grad_output = rng.standard_normal(scaled_dot_product_attention(*arrays, **options).shape)
        found = all_of(tiled_attention_vjp, *arrays, grad_output, **options, **blocks, n_threads=2)
        size, n_rows = max(1, np.abs(arrays[0]).max(initial=0)), grad_output[..., 0].size
        agree(found, all_of(attention_vjp, *arrays, grad_output, **options), size, n_rows)


@pytest.mark.parametrize(("n_key_heads", "n_threads"), [(3, 2), (1, 1)])
def test_threads_never_add_to_the_same_numbers(rng, monkeypatch, n_key_heads, n_threads):
    def run(task, heads, n):
        assert (len(heads), n) == (3, n_threads)

    monkeypatch.setitem(tiled_attention_vjp.__globals__, "_run", run)
    query, key = rng.standard_normal((3, 5, 4)), rng.standard_normal((n_key_heads, 5, 4))
    tiled_attention_vjp(query, key, query, query, n_threads=2)


def test_vectors_without_features_have_gradients_without_features():
    query, key, value, grad_output = (np.ones((2, n, d)) for n, d in ((3, 0), (5, 0), (5, 4), (3, 4)))
    for function in (attention_vjp, tiled_attention_vjp):
        gradients = all_of(function, query, key, value, grad_output, scale=1.0)
        assert (gradients.query.shape, gradients.key.shape) == ((2, 3, 0), (2, 5, 0))
        np.testing.assert_allclose(gradients.value, 3 / 5, rtol=4 * EPS)
        gradients = all_of(function, value, value, query[:, [0, 0, 0, 0, 0]], query[:, [0, 0, 0, 0, 0]])
        np.testing.assert_array_equal(gradients.query, np.zeros((2, 5, 4)))


@pytest.mark.parametrize("options", [{"is_causal": True}, {"softcap": 5.0, "sink": 1.0}], ids=str)
def test_extra_memory_is_a_few_tiles_and_rows_and_does_not_grow_with_the_square(options):
    extra = []
    for n in (512, 2048):
        arrays = np.random.default_rng(0).standard_normal((4, n, 16), dtype=np.float32)
        all_of(tiled_attention_vjp, *arrays[:, :2], **options)  # pays for lazy imports
        peak, gradients = held(all_of, tiled_attention_vjp, *arrays, **options)
        extra.append(peak - 3 * sum(gradient.nbytes for gradient in gradients if gradient is not None))
    assert max(extra) <= 5 * 2**20  # the weights of 2048 tokens take 16 MiB
