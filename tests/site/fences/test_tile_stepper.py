"""The tile stepper: its running statistics against plain sums and the package, its prediction, and what it refuses."""

from itertools import chain

import numpy as np
import pytest

from attention import softmax
from tests.site.fences.reading import Figure

STEPPER = Figure.sound("tile-stepper")
ORDERS = {
    "first to last": [[0, 1], [2, 3], [4]],
    "last to first": [[4], [2, 3], [0, 1]],
}


def test_500_traces_agree_with_plain_sums_and_end_as_the_package_does():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n = int(rng.integers(1, 9))
        scores, v = rng.integers(-3, 4, n), rng.standard_normal((n, 2))
        state = {"size": int(rng.integers(1, n + 1)), "order": str(rng.choice(list(ORDERS))), "step": n}
        steps = STEPPER.call("compute", {"scores": scores, "v": v}, state)
        tiles = [step["tile"] for step in steps]
        assert sorted(chain(*tiles)) == list(range(n))
        assert sorted(map(len, tiles))[1:] == [state["size"]] * (len(tiles) - 1)
        keys, before = [], -np.inf
        for step in steps:
            keys += step["tile"]
            m = scores[keys].max()
            powers = 2.0 ** (scores[keys] - m)
            expected = [m, powers.sum(), *powers @ v[keys], *powers @ v[keys] / powers.sum(), 2.0 ** (before - m)]
            found = [step["m"], step["l"], *step["o"], *step["output"], step["rescale"]]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
            before = m
        whole = softmax(scores * np.log(2)) @ v
        np.testing.assert_allclose(steps[-1]["output"], whole, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_tiles_come_in_their_order(order):
    state = {"size": 2, "order": order, "step": 5}
    steps = STEPPER.call("compute", {"scores": [0] * 5, "v": [[0, 0]] * 5}, state)
    assert [step["tile"] for step in steps] == ORDERS[order]
