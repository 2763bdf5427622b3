"""Can several machines share one attention? The page's own ring on random sizes, against loops and one visit of all."""

import numpy as np
import pytest

from tests.package.oracles import loop_attention
from tests.site.learn.page_functions import names

PAGE, close = names("many-machines"), np.testing.assert_allclose


@pytest.mark.parametrize("seed", range(16))
def test_a_ring_gives_what_one_machine_gives_and_its_visits_are_the_pairs_that_a_loop_counts(seed):
    rng = np.random.default_rng(seed)
    p, half, d, d_v = (int(size) for size in rng.integers(1, 6, 4))
    shards = PAGE[("contiguous", "zigzag")[seed % 2]](n := 2 * p * half, p)
    q, k, v = (rng.standard_normal((1, n, size)) for size in (d, d, d_v))
    close(PAGE["ring"](q, k, v, shards), loop_attention(q, k, v, mask=np.tri(n, dtype=bool)), rtol=0, atol=1e-12)
    pairs = [[sum(j <= i for i in shards[m] for j in shards[m - turn]) for turn in range(p)] for m in range(p)]
    np.testing.assert_array_equal(PAGE["visits"](shards), pairs)
