"""The head switch: its cases against the package and exact fractions, what it says of them, and what it refuses."""

import numpy as np

from attention import attention_weights
from tests.site.fences.reading import Figure

SWITCH = Figure.sound("head-switch")
DOUBLINGS = ((3, 2, 0, 1, 0), (1, 2, 0, 3, 0))  # of head 1 and head 2 for chased, in either order


@SWITCH.on_500_states
def test_500_states_are_the_packages(rng):
    n, d_k, d_v, d_out = rng.integers(1, 6, 4)
    q = rng.standard_normal((2, 2, n, d_k))
    k, v = rng.standard_normal((2, n, d_k)), rng.standard_normal((2, n, d_v))
    w_o = rng.standard_normal((2 * d_v, d_out))
    order, asks = int(rng.integers(2)), int(rng.integers(n))
    weights = attention_weights(q[order], k[order])[:, asks]
    weights = np.vstack([weights, weights.mean(axis=0)])
    blends = weights @ v[order]
    expected = {"weights": weights, "blends": blends, "joined": np.concatenate(blends[:2]) @ w_o}
    return {"q": q, "k": k, "v": v, "w_o": w_o}, {"order": order, "heads": 0, "asks": asks}, expected


def test_a_head_is_drawn_above_the_words_and_one_below_and_their_average_alone():
    for state, rows_of in (({}, DOUBLINGS), ({"heads": 1}, (np.log2(np.mean(np.exp2(DOUBLINGS), axis=0)),))):
        stages = SWITCH.live(**state).findall(".//div[@class='stage']")
        drawn = [{int(path.get("data-key")): path for path in stage.findall(".//{*}path")} for stage in stages]
        widths = [[float(arcs[key].get("stroke-width")) for key in range(5)] for arcs in drawn]
        np.testing.assert_allclose(widths, 28 * np.exp2(rows_of) / 16, atol=1e-3)
