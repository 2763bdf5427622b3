"""The calculator: every step against exact fractions and the package, and what it refuses."""

from fractions import Fraction

import numpy as np

from attention import attention_scores, attention_weights
from tests.site.fences.reading import Figure, answer, plain, rows

CALCULATOR = Figure(
    "qkv-calculator",
    tokens=["cats", "who", "dogs"],
    **{"x": "embed(['cats', 'who', 'dogs'], [2, 1, 0])", "w_q": "W_Q1", "w_k": "W_K", "w_v": "W_V"},
    query="who",
    features={"key": ["noun", "early", "asks", "which"], "value": ["cats", "dogs"]},
)
Q = [(0,) * 4, (1, 1, 0, 0), (0,) * 4]
K = [(2, 4, 0, 2), (2, 2, 1, 0), (2, 0, 0, -2)]
V = [(8, 0), (4, 4), (0, 8)]


def test_the_matrices_show_queries_in_doublings():
    tables = CALCULATOR.still().findall(".//table[@class='matrix']")
    for table, matrix in zip(tables, (Q, K, V), strict=True):
        named = zip(["cats", "who", "dogs"], matrix, strict=True)
        assert rows(table, "tbody/tr") == [[word, *map(str, row)] for word, row in named]
    heads = [[plain(head) for head in table.findall("thead/tr/th")] for table in tables[1:]]
    assert heads == list(CALCULATOR.spec["features"].values())


def test_every_step_is_the_exact_one():
    root = CALCULATOR.still()
    scores = [Fraction(sum(a * b for a, b in zip(Q[1], key, strict=True)), 2) for key in K]
    powers = [2 ** int(score) for score in scores]
    shares = [Fraction(power, sum(powers)) for power in powers]
    for row, score, power, share, value in zip(rows(root)[-3:], scores, powers, shares, V, strict=True):
        assert row[1].endswith(f" = {2 * score}")
        assert row[2:4] == [f"{2 * score}/√4 = {score}", f"2{score} = {power}"]
        assert row[4:] == [f"{power}/{sum(powers)} = {share}", f"({share * value[0]}, {share * value[1]})"]
    assert rows(root, ".//tfoot/tr") == [["sum", "", "", "14", "1", "(40/7, 16/7)"]]


@CALCULATOR.on_500_states
def test_500_states_are_the_packages(rng):
    n, d = int(rng.integers(3, 6)), int(rng.integers(1, 5))
    matrices = {name: rng.standard_normal((n, size)) for name, size in (("q", d), ("k", d), ("v", 2))}
    asks, more = int(rng.integers(n)), rng.choice([0, 0, *range(-4, 5)], n)
    typed = {name: matrix + rng.integers(-2, 3, matrix.shape) / 2 for name, matrix in matrices.items()}
    state = {"asks": asks} | {f"more{i}": x for i, x in enumerate(more)}
    for name, matrix in typed.items():
        state |= {f"{name}{i}{j}": repr(float(x)) for (i, j), x in np.ndenumerate(matrix)}
    q, k, v = typed["q"][asks, None], typed["k"], typed["v"]
    weights = attention_weights(q * np.log(2), k, bias=more * np.log(2))[0]
    scores = attention_scores(q, k)[0]
    expected = {"products": k @ q[0], "plain": scores, "scores": scores + more, "weights": weights}
    expected |= {"given": weights[:, None] * v, "output": weights @ v}
    return matrices | {"words": list("abcde"[:n]), "query": int(rng.integers(n))}, state, expected


def test_the_prediction_is_answered_by_the_package():
    found = answer(CALCULATOR.still())
    assert "cat falls from 4/7 to 1/2, that from 2/7 to 1/4. Both keep 7/8" in found
    assert "ratio stays 2 : 1" in found


test_what_does_not_fit_is_refused = CALCULATOR.refuses(
    {
        "no values": ({"w_v": None}, None, "needs values"),
        "too few features": ({"features": {"key": ["noun"], "value": ["a", "b"]}}, "features", "key needs 4 names"),
        "two words": ({"tokens": ["a", "b"], "x": "embed(['cats', 'dogs'])", "query": "a"}, "tokens", "three words"),
    }
)
