"""Sentence and arcs: every state against exact fractions, what is said, and what is refused."""

from fractions import Fraction

import pytest

from attention.example import SENTENCE, SWAPPED
from docs_ext.html.numbers import number
from tests.site.fences.reading import Figure, text

QUESTIONS = {word: f"what of {word}?" for word in SENTENCE}
ARCS = Figure(
    "sentence-arcs",
    **{"prompt": "Who?", "sentences": ["SENTENCE", "SWAPPED"], "positions": "EARLY"},
    **{"w_q": "W_Q1", "w_k": "W_K", "w_v": "W_V", "parts": ["cats", "dogs"], "questions": QUESTIONS},
)
VALUES = {"cats": (8, 0), "dogs": (0, 8), "who": (4, 4), "chased": (0, 0), "ran": (0, 0)}
NOUNS = {"cats": (-1, 0, 0, 1, 0), "dogs": (1, 0, 0, -1, 0)}  # in the first sentence; each seeks the other
CASES = {  # swap, positions: doublings of the words that seek the first noun
    ("false", "true"): (3, 2, 0, 1, 0),
    ("false", "false"): (1, 1, 0, 1, 0),
    ("true", "true"): (3, 2, 0, 1, 0),
    ("true", "false"): (1, 1, 0, 1, 0),
}


@pytest.fixture(scope="module")
def root():
    return ARCS.still()


def of(root, path, case):
    """Return what has a row at this path, by row, in one position of the switches."""
    found = [e for e in root.findall(path) if (e.get("data-swap"), e.get("data-positions")) == case]
    return {e.get("data-row"): e for e in found}


@pytest.mark.parametrize("case", CASES)
def test_every_word_asks_and_every_state_holds_the_weights_of_its_sentence(root, case):
    words = SWAPPED if case[0] == "true" else SENTENCE
    paths = (".//{*}g", ".//div[@class='shares']", ".//div[@class='blend']")
    groups, shares, blends = (of(root, path, case) for path in paths)
    assert list(groups) == list(shares) == list(blends) == list("01234")
    for row, word in enumerate(words):
        doublings = NOUNS[word] if word in NOUNS else CASES[case]
        if word in NOUNS and case[0] == "true":
            doublings = [-x for x in doublings]
        powers = [Fraction(2) ** n for n in doublings]
        exact = [power / sum(powers) for power in powers]
        drawn = shares[str(row)]
        assert [float(share.get("data-weight")) for share in drawn] == pytest.approx(list(map(float, exact)), rel=1e-12)
        assert [text(share) for share in drawn] == list(map(str, exact))
        widths = {int(path.get("data-key")): float(path.get("stroke-width")) for path in groups[str(row)]}
        assert widths == {key: pytest.approx(max(34 * float(x), 1.5), abs=1e-3) for key, x in enumerate(exact)}
        received = [sum(x * VALUES[other][part] for x, other in zip(exact, words, strict=True)) for part in (0, 1)]
        assert [text(b) for b in blends[str(row)].findall("b")] == [number(float(part)) for part in received]


def test_nothing_is_chosen_at_first_and_a_question_stands_in_place_of_arcs(root):
    assert not [field for field in root.findall(".//input[@type='radio']") if "checked" in field.attrib]
    assert [text(p) for p in root.findall(".//p[@class='prompt']")] == ["Who?"]


def test_every_state_is_told(root):
    said = of(root, ".//div[@class='statements']/p", ("true", "true"))
    assert text(said["4"]) == (
        "dogs who chased cats ran, with positions: ran asks: what of ran? So ran gives 1/2 of its attention to dogs, "
        "1/4 to who, 1/8 to cats, 1/16 to chased and 1/16 to itself. It stays ran, and now also carries 2 parts cats "
        "and 5 parts dogs."
    )
    assert text(said["0"]).startswith("dogs who chased cats ran, with positions: dogs asks: what of dogs? So dogs ")
    said = of(root, ".//div[@class='statements']/p", ("false", "false"))
    assert text(said["0"]).startswith("cats who chased dogs ran, without positions: cats asks: what of cats? So cats ")
    assert "gives 1/4 of its attention to cats, 1/4 to who, 1/4 to dogs, 1/8 to chased and" in text(said["4"])


test_what_does_not_fit_is_refused = ARCS.refuses(
    {
        "too few parts": ({"parts": ["cats"]}, "parts", "every column"),
        "negative values": ({"w_v": "-W_V"}, "parts", "negative"),
        "no question for ran": ({"questions": {"cats": "which?"}}, "questions", "for every word"),
        "more words than rules": ({"sentences": [["a", "b"] + 15 * ["c"], ["b", "a"] + 15 * ["c"]]}, "sentences", "16"),
    }
)
