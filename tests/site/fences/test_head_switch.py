"""The head switch: its cases against the package and exact fractions, what it says of them, and what it refuses."""

from fractions import Fraction

import numpy as np

from attention import attention_weights
from tests.site.fences.reading import Figure, plain, rows

SWITCH = Figure.sound("head-switch")
FIRST, SECOND = "cats who chased dogs ran", "dogs who chased cats ran"
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


def test_the_output_is_joined_from_both_blends_or_is_their_average():
    for state, output in (({}, "(3, -3)"), ({"heads": 1, "order": 1, "asks": 4}, "(3.5, 3.5)")):
        assert plain(SWITCH.live(**state).findall(".//p[@class='head']/b")[-1]) == output


def test_one_table_has_every_weight_of_both_sentences():
    found = rows(SWITCH.still(), ".//tbody/tr")
    first, last = (", ".join(str(Fraction(2) ** n / 16) for n in doublings) for doublings in DOUBLINGS)
    assert [row[1:] for row in found[:4]] == [
        ["head 1: the first noun", first, "(5, 2)"],
        ["head 2: the last noun", last, "(2, 5)"],
        ["averaged", "5/16, 1/4, 1/16, 5/16, 1/16", "(3.5, 3.5)"],
        ["side by side", "[5, 2 | 2, 5] times WO", "(3, -3)"],
    ]
    assert [row[0] for row in found[::4]] == [f"chased in \u201c{one}\u201d" for one in (FIRST, SECOND)]
    assert [row[-1] for row in found[4:]] == ["(2, 5)", "(5, 2)", "(3.5, 3.5)", "(-3, 3)"]
