"""Sentence and arcs: every state against exact fractions, what is said, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from attention.example import EARLY, SENTENCE, W_Q1, attend, embed
from docs_ext.html.numbers import number
from tests.site.fences.reading import HEAD, Figure, text

ONE = Figure("sentence-arcs", **HEAD, parts=["cats", "dogs"])
MATRICES = {"positions": "EARLY", "w_q": "W_Q1", "w_k": "W_K", "w_v": "W_V"}
SWITCHED = Figure("sentence-arcs", sentences=["SENTENCE", "SWAPPED"], **MATRICES, parts=["cats", "dogs"])
CASES = {  # swap, positions: doublings of a word that asks, and what it receives
    ("false", "true"): ((0, 4, 3, 0, 0, 2, 0), (5, 2)),
    ("false", "false"): ((0, 2, 2, 0, 0, 2, 0), (3, 3)),
    ("true", "true"): ((0, 4, 3, 0, 0, 2, 0), (2, 5)),
    ("true", "false"): ((0, 2, 2, 0, 0, 2, 0), (3, 3)),
}
ASKING = ["2", "3", "6"]  # who, chased, ran


def of(root, path, case=None):
    """Return what has a row at this path, by row, in one position of the switches."""
    found = [e for e in root.findall(path) if case in (None, (e.get("data-swap"), e.get("data-positions")))]
    return {e.get("data-row"): e for e in found if e.get("data-row")}


def test_every_state_holds_the_weights_of_its_sentence():
    root = SWITCHED.still()
    for case, (doublings, received) in CASES.items():
        exact = [Fraction(2) ** n / sum(Fraction(2) ** n for n in doublings) for n in doublings]
        shares, blends = of(root, ".//div[@class='shares']", case), of(root, ".//div[@class='blend']", case)
        assert list(shares) == ASKING
        for row in "0123456":
            expected = received if row in ASKING else (12 / 7, 12 / 7)
            assert [text(b) for b in blends[row].findall("b")] == [number(part) for part in expected]
        for row in ASKING:
            weights = [float(share.get("data-weight")) for share in shares[row]]
            assert weights == pytest.approx(list(map(float, exact)), rel=1e-12)
            assert [text(share) for share in shares[row]] == list(map(str, exact))


def test_arcs_are_as_thick_as_the_weights_and_a_word_that_asks_nothing_has_none():
    root, (weights, _) = ONE.still(), attend(embed(SENTENCE, EARLY), W_Q1)
    groups = of(root, ".//{*}svg/{*}g")
    assert list(groups) == ["1", "2", "4"]
    for row, group in groups.items():
        drawn = {int(path.get("data-key")): float(path.get("stroke-width")) for path in group}
        assert drawn == {key: pytest.approx(max(34 * weights[int(row), key], 1.5), abs=1e-3) for key in range(5)}
    assert {row: text(p) for row, p in of(root, ".//p[@class='silence']").items()} == {
        "0": "cat asks nothing, so every word gets the same share.",
        "3": "dog asks nothing, so every word gets the same share.",
    }


def test_every_state_is_told():
    said = of(SWITCHED.still(), ".//div[@class='statements']/p", ("true", "true"))
    assert text(said["6"]) == (
        "the dog that chased the cat ran, with positions: ran gives dogs 1/2, who 1/4, cats 1/8 and 1/32 to each of "
        "the other 4. It now carries 2 parts cat and 5 parts dog."
    )
    assert text(said["0"]) == (
        "the dog that chased the cat ran, with positions: the asks nothing, so every word gets the same share, 1/7. "
        "So it now carries 12/7 parts cat and 12/7 parts dog, the plain average."
    )


def test_learned_weights_are_shown_as_they_are():
    weights = np.array([[0.7, 0.1, 0.2], [0.2, 0.5, 0.3], [1 / 3, 1 / 3, 1 / 3]]).tolist()
    root = Figure("sentence-arcs", tokens=["a", "b", "a"], weights=weights).still()
    shares = of(root, ".//div[@class='shares']")
    assert [[float(share.get("data-weight")) for share in shares[row]] for row in "012"] == weights
    assert not root.findall(".//p[@class='silence']")  # nobody knows what it asked
    assert text(of(root, ".//div[@class='statements']/p")["0"]) == "a gives a (1st) 7/10, a (2nd) 1/5 and b 1/10."


test_what_cannot_be_switched_is_refused = SWITCHED.refuses(
    {
        "tokens too": ({"tokens": "SENTENCE"}, "tokens", "either sentences"),
        "weights too": ({"weights": "np.eye(7)"}, "weights", "either sentences"),
        "too few parts": ({"parts": ["cats"]}, "parts", "every column"),
        "negative values": ({"w_v": "-W_V"}, "parts", "not negative"),
    }
)
test_what_does_not_fit_is_refused = ONE.refuses(
    {
        "weights of other words": ({"weights": "np.eye(3)"}, "weights", "shape (3, 3)"),
        "no values": ({"w_v": None}, "parts", "every column"),
    }
)
