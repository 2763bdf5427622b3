"""The decode stepper: its steps against the package's cache, what it draws, and what it refuses."""

import numpy as np

from attention import KVCache, attention_weights, causal_mask
from tests.site.fences.reading import Figure

STEPPER = Figure.sound("decode-stepper")


@STEPPER.on_500_states
def test_500_steps_are_those_of_the_packages_cache(rng):
    n, window, sees = int(rng.integers(1, 7)), int(rng.integers(1, 8)), str(rng.choice(["all", "window", "first"]))
    q, k, v = rng.standard_normal((3, n, 2))
    step = int(rng.integers(1, n + 1))
    cache = KVCache(window=window if sees == "window" else None)
    for t in range(step):
        keys, values = cache.append(k[t : t + 1], v[t : t + 1])
    new, gone = slice(step - 1, step), step - len(keys)
    mask = causal_mask(1, len(keys), offset=0 if sees == "first" else len(keys) - 1)
    weights = attention_weights(q[new], keys, mask=mask)
    expected = {
        "from": gone,
        "allowed": np.pad(mask[0], (gone, n - step)),
        "weights": np.pad(weights[0], (gone, n - step)),
        "output": (weights @ values)[0],
    }
    return {"q": q, "k": k, "v": v, "window": window}, {"step": step, "sees": sees}, expected
