"""The rounded cache, as the page writes it, against loops; tests/package/parity has the latent one."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.package.oracles import properties
from tests.site.learn.page_functions import names

page = SimpleNamespace(**names("smaller-caches"))


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
