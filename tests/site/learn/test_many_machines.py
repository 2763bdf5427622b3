"""Can several machines share one attention? The page's own ring on random sizes, against loops and one visit of all."""

import numpy as np
import pytest

from tests.package.oracles import loop_attention
from tests.site.learn.page_functions import names

PAGE = names("many-machines")


@pytest.mark.parametrize("cut", ["contiguous", "zigzag"])
@pytest.mark.parametrize("seed", range(8))
def test_a_ring_gives_what_one_machine_gives_and_its_visits_are_the_pairs_that_a_loop_counts(cut, seed):
    rng = np.random.default_rng(seed)
    p, d, d_v = rng.integers(1, 6, 3)
    n = int(2 * p * rng.integers(1, 4))
    q, k, v = rng.standard_normal((n, d)), rng.standard_normal((n, d)), rng.standard_normal((n, d_v))
    shards = PAGE[cut](n, p)
    expected = loop_attention(q, k, v, mask=np.tri(n, dtype=bool))
    np.testing.assert_allclose(PAGE["ring"](q[None], k[None], v[None], shards)[0], expected, rtol=0, atol=1e-12)
    pairs = [[sum(j <= i for i in shards[m] for j in shards[m - turn]) for turn in range(p)] for m in range(p)]
    np.testing.assert_array_equal(PAGE["visits"](shards), pairs)
