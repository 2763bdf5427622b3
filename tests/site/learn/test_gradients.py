"""The six lines of the page about gradients, on random shapes, against the package, which finite differences try."""

import numpy as np
import pytest

from attention import attention_vjp
from tests.site.learn.page_functions import names


@pytest.mark.parametrize("seed", range(25))
def test_the_six_lines_of_the_page_are_what_the_package_computes(seed):
    rng = np.random.default_rng(seed)
    n_q, n_k, d_k, d_v = (int(size) for size in rng.permutation([1, 2, 3, 4, 5, 6])[:4])
    shapes = (n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v)
    arrays = [rng.standard_normal(shape) * 1.5 for shape in shapes]
    for found, package in zip(names("gradients")["backward"](*arrays), attention_vjp(*arrays), strict=True):
        np.testing.assert_allclose(found, package, rtol=0, atol=1e-12 * max(1, np.abs(package).max(initial=0)))
