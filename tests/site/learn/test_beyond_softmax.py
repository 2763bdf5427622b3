"""Linear attention in chunks, as its page writes it, against loops over single numbers, which know nothing of states.

tests/package/parity compares the delta rule and the sparse selection with what other libraries compute.
"""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.package.oracles import properties
from tests.site.learn.page_functions import names

PAGE = names("beyond-softmax")
SIZES = st.tuples(st.integers(1, 13), st.integers(1, 7), st.integers(1, 6)).filter(lambda s: len(set(s)) == 3)
SEEDS = st.integers(0, 2**32 - 1)


@properties
@given(SIZES, SEEDS, st.integers(1, 14), st.floats(0.1, 1e6))
def test_chunks_of_any_size_are_sums_over_keys_and_a_louder_query_changes_nothing(sizes, seed, chunk, factor):
    n, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    q, k, v = *rng.uniform(0.1, 2, (2, n, d_k)), rng.standard_normal((n, d_v))  # all features are positive
    wanted = np.zeros((n, d_v))
    for i in range(n):
        parts = [math.fsum(q[i, c] * k[j, c] for c in range(d_k)) for j in range(i + 1)]
        wanted[i] = sum(part * v[j] for j, part in enumerate(parts)) / math.fsum(parts)
    for query in (q, factor * q):
        found, most = PAGE["linear_chunked"](query, k, v, chunk), max(1, np.abs(wanted).max())
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * most)
