"""The head switch: its cases against exact fractions, its HTML, and what it refuses."""

from fractions import Fraction

import numpy as np

from attention import attention_weights
from docs_ext.extensions import fences
from docs_ext.fences import head_switch
from docs_ext.html import renderer
from tests.site.fences.reading import plain, read, refuses, rows

SCRIPT = "widgets/head-switch.js"
SPEC = {
    "id": "h",
    "caption": "c",
    "sentences": ["S5", "T5"],
    "positions": "EARLY5",
    "w_q": ["W_Q1", "W_Q2"],
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "asks": ["the first noun", "the last noun"],
    "selected": "chased",
}
DOUBLINGS = ((3, 2, 0, 1, 0), (1, 2, 0, 3, 0))  # of head 1 and head 2 for chased, in either order


def parse(spec):
    return read(fences.draw("head-switch", spec))


def drawn(**state):
    given = renderer.plain({"id": "h", "title": "c", **head_switch.data(SPEC)})
    live = {"problems": {}, "message": ""}
    return read(renderer.call(SCRIPT, "html", given, {"order": 0, "heads": 0, "asks": 2} | state, live)["text"])


def test_500_states_are_the_packages():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n, d_k, d_v, d_out = rng.integers(1, 6, 4)
        q = rng.standard_normal((2, 2, n, d_k))
        k, v = rng.standard_normal((2, n, d_k)), rng.standard_normal((2, n, d_v))
        w_o = rng.standard_normal((2 * d_v, d_out))
        order, asks = int(rng.integers(2)), int(rng.integers(n))
        state = {"order": order, "heads": 0, "asks": asks}
        shown = renderer.call(SCRIPT, "compute", {"q": q, "k": k, "v": v, "w_o": w_o}, state)
        weights = attention_weights(q[order], k[order])[:, asks]
        weights = np.vstack([weights, weights.mean(axis=0)])
        blends = weights @ v[order]
        np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
        np.testing.assert_allclose(shown["blends"], blends, rtol=0, atol=1e-12)
        np.testing.assert_allclose(shown["joined"], np.concatenate(blends[:2]) @ w_o, rtol=0, atol=1e-12)


def test_the_table_holds_exact_weights_and_blends_of_both_heads_and_their_average():
    drawn = parse(SPEC).findall(".//table[@class='weights']/tbody/tr")
    heads = [[Fraction(2**n, 16) for n in doublings] for doublings in DOUBLINGS]
    expected = [*heads, [(a + b) / 2 for a, b in zip(*heads, strict=True)]]
    found = [[Fraction(float(cell.get("data-weight"))).limit_denominator(99) for cell in row[1:-1]] for row in drawn]
    assert found == expected
    assert [plain(row[-1]) for row in drawn] == ["(5, 2)", "(2, 5)", "(3.5, 3.5)"]
    assert [plain(row[0]) for row in drawn] == ["head 1: the first noun", "head 2: the last noun", "average"]
    assert ["hidden" in row.attrib for row in drawn] == [False, False, True]
    assert rows(parse(SPEC), ".//tfoot/tr") == [["handed on", "[5, 2 | 2, 5] times WO", "(3, -3)"]]


def test_each_case_is_told_in_a_sentence():
    told = [plain(drawn(order=order, heads=how).find(".//output")) for order in (0, 1) for how in (0, 1)]
    assert told == [
        "cat that chased dog ran, heads side by side: chased receives (5, 2) and (2, 5), "
        "which the output matrix makes (3, -3). "
        "With cat and dog swapped, chased ends with (-3, 3).",
        "cat that chased dog ran, heads averaged: chased receives (3.5, 3.5). "
        "With cat and dog swapped, chased receives (3.5, 3.5).",
        "dog that chased cat ran, heads side by side: chased receives (2, 5) and (5, 2), "
        "which the output matrix makes (-3, 3). "
        "With cat and dog swapped, chased ends with (3, -3).",
        "dog that chased cat ran, heads averaged: chased receives (3.5, 3.5). "
        "With cat and dog swapped, chased receives (3.5, 3.5).",
    ]
    assert plain(parse(SPEC).find(".//output")) == told[0]


def test_the_average_has_a_row_of_its_own_and_is_handed_on_alone():
    table = drawn(heads=1, order=1, asks=4).find(".//table[@class='weights']")
    assert ["hidden" in row.attrib for row in table.findall("tbody/tr")] == [False] * 3
    assert [plain(cell) for cell in table.findall("thead/tr/th")] == ["dog", "that", "chased", "cat", "ran", "receives"]
    assert rows(table, "tfoot/tr")[0][1:] == ["the average alone", "(3.5, 3.5)"]


def test_the_prediction_is_answered_by_the_package():
    answer = plain(parse(SPEC).find(".//details[@class='question']/p"))
    assert answer == (
        "It receives (3.5, 3.5), and (3.5, 3.5) after the swap. "
        "Side by side, and joined by WO, it is (3, -3) and (-3, 3)."
    )


REFUSED = {
    "the same sentence": ({"sentences": ["S5", "S5"]}, "sentences", "two words swapped"),
    "one head": ({"w_q": ["W_Q1"]}, "w_q", "two heads"),
    "one matrix": ({"w_q": "W_Q1"}, "w_q", "two heads"),
    "unknown matrix": ({"w_q": ["W_Q1", "W_Q9"]}, "w_q", "W_Q9"),
    "too few rows to join": ({"w_o": "W_O[:2]"}, "w_o", "(2, 2)"),
    "one asks": ({"asks": ["the first noun"]}, "asks", "two"),
    "unknown word": ({"selected": "cow"}, "selected", "'cow'"),
    "another width": ({"w_k": "np.eye(3)"}, None, "(3, 3)"),
}
test_what_does_not_fit_is_refused = refuses(head_switch.data, SPEC, REFUSED)
