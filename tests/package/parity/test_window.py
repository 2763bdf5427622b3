"""The rolling cache against that of transformers: its record everywhere, itself where it is installed."""

import numpy as np

from attention import KVCache
from tests.package.parity import record_window
from tests.package.parity.sources import cases, sources


@cases(sources(record_window, "torch", "transformers"))
def test_appends_return_the_keys_that_transformers_returns_except_for_a_window_of_one(inputs, output):
    cache, seen = KVCache(window=inputs["window"]), 0
    for new, append in zip(inputs["sizes"], output, strict=True):
        keys, _ = cache.append(np.arange(seen, seen + new)[:, None], np.zeros((new, 1)))
        seen += new
        everything = cache.window == 1 and seen > 1
        assert keys[:, 0].tolist() == append["keys"][-new if everything else 0 :]
        assert append["kept"] == (seen if cache.window == 1 else min(seen, cache.window - 1))
