"""The precision lab: its numbers by hand, in longdouble and in NumPy, and what it refuses."""

import numpy as np

from attention.example import EARLY, SENTENCE, W_K, W_Q1, W_V, attend, embed
from docs_ext.fences import precision_lab
from tests.site.fences.reading import Figure, rows
from tests.site.learn.test_bits import by_loops

RESULT = Figure.sound("precision-lab")
X = embed(SENTENCE, EARLY)
Q, K, V = X @ W_Q1, X @ W_K, X @ W_V


def test_the_table_compares_choices():
    table = {row[0]: row[1:] for row in rows(RESULT.still(), ".//table[@class='numbers']/tbody/tr")}
    assert len(table) == 9
    assert table["all in float32"] == ["(5, 2)", "(5, 2)"]
    assert table["bfloat16 multiplied, float32 summed"] == ["(5, 2)", "(5, 2)"]
    assert table["fp8 multiplied, float32 summed"][1] == "(0, 0)"
    # 256 in place of 2048: every weight is 8 times too large
    assert table["float32, but the sum of exponentials in bfloat16"] == ["(5, 2)", "(40, 16)"]


def test_what_is_exact_is_computed_in_longdouble():
    weights, output = precision_lab.exactly(Q, K, V)
    assert weights.dtype == output.dtype == np.longdouble
    np.testing.assert_allclose(weights.astype(float), attend(X, W_Q1)[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(output.astype(float), attend(X, W_Q1)[1], rtol=0, atol=1e-14)
    sent = RESULT.given["weights"]
    np.testing.assert_allclose(sent[4], [1 / 2, 1 / 4, 1 / 16, 1 / 8, 1 / 16], rtol=1e-15)


def test_500_choices_of_formats_give_what_loops_compute():
    rng = np.random.default_rng(0)
    for case in range(500):
        formats = {place: str(rng.choice(list(precision_lab.FORMATS))) for place in precision_lab.PLACES}
        n_q, n_k, d_k, d_v = rng.integers(1, 6, 4).tolist()
        copies = 2 ** int(rng.integers(0, 4))
        if case < len(precision_lab.FORMATS):  # long sums, which may stop
            formats, copies = dict.fromkeys(precision_lab.PLACES, [*precision_lab.FORMATS][case]), 2**9
        q, k, v = (rng.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
        exact = precision_lab.exactly(q, k, v)[0].astype(float)
        state = formats | {"copies": copies.bit_length() - 1}
        shown = RESULT.call("compute", {"q": q, "k": k, "v": v, "weights": exact}, state)
        weights, output = by_loops(q, np.tile(k, (copies, 1)), np.tile(v, (copies, 1)), **formats)
        found = [np.array(shown[what], float) for what in ("weights", "errors", "output")]
        expected = [weights[:, :n_k], weights[:, :n_k] * copies / exact - 1, output]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_errors_have_two_digits():
    shown = {0: "0", 1e-13: "0", -3e-7: "<0.001%", 5e-6: "<0.001%", 5e-5: "0.005%", 0.00012345: "0.012%", 0.125: "13%"}
    shown |= {-0.00390625: "\N{MINUS SIGN}0.39%", 0.0996: "10%", 19.0: "1900%"}
    assert {error: RESULT.call("percent", error) for error in shown} == shown
