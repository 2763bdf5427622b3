"""What the page says of a trained model: its functions against loops, what it says in words against the record."""

from itertools import product

import numpy as np
import pytest

from docs_ext.records.recorded import recorded
from tests.site.learn.page_functions import names

PAGE = names("real-model")
R = recorded()
CAT = R.sentence("the cat that chased")
USED = [one for i, one in enumerate(R.sentences) if i != 3]  # without the scrambled one
SHIFTS = {name: R.shifts(name)[:, 3, 1] for name in ("search", "test", "animals", "things")}
RIGHT = (R.shifts("search") > 0).sum(axis=0)
WINS = (R.leads("search") > 0).sum(axis=0)
REMOVED = R.removed.mean(axis=-1)


def to_cls(parts):
    return np.mean([(part[..., 0] / part.sum(axis=-1))[:, :, 1:-1].mean(axis=(1, 2)) for part in parts], axis=0)


# functions of the page


def test_a_score_is_the_mean_over_words_of_what_goes_so_many_places_on(rng):
    for n, step in product((7, 9), (-2, -1, 0, 1, 3)):
        weights = rng.random((2, 3, n, n))
        for layer, head in np.ndindex(2, 3):
            found = [weights[layer, head, i, i + step] for i in range(1, n - 1) if 1 <= i + step <= n - 2]
            assert PAGE["towards"](weights, step)[layer, head] == pytest.approx(np.mean(found), rel=1e-12)


def test_chance_is_what_counting_all_outcomes_says():
    for n in (1, 4, 7):
        for k in range(n + 1):
            wins = [sum(tosses) >= k for tosses in product((0, 1), repeat=n)]
            assert PAGE["by_chance"](k, n) == pytest.approx(np.mean(wins), rel=1e-12)


# what is typed in a console is what was recorded


def test_the_numbers_in_the_consoles_are_the_recorded_ones():
    (twins,) = [pair for pair in R.search if pair.nouns == ["cat", "mat"]]
    np.testing.assert_allclose([PAGE["tired"], PAGE["soft"]], twins.weights[3, 1, :, 1], rtol=0, atol=1e-12)
    assert twins.texts == [
        "The cat sat on the mat because it was tired.",
        "The cat sat on the mat because it was soft.",
    ]


# what the page says in words


def lead(word):  # (sentence, layers, heads): how much more it gives to cats than to dogs
    rows = [(one.tokens, one.weights[:, :, one.tokens.index(word)]) for one in R.example]
    return np.array([row[..., tokens.index("cats")] - row[..., tokens.index("dogs")] for tokens, row in rows])


def test_ran_leans_towards_the_first_noun_and_so_do_the_other_rows():
    texts, cats = [one.text.split() for one in R.example], R.example[0].weights[5, 11]
    assert (cats[:, 1].argmin(), cats.argmax(axis=1).tolist()) == (5, [1, 4, 1, 1, 1, 1, 1])  # ran; all but cats
    ran, others = lead("ran"), np.mean([lead(word)[:, 5, 11] for word in ("[CLS]", "who", "chased", "[SEP]")], axis=0)
    assert (ran[:, 5, 11] > 0).tolist() == [text[0] == "cats" for text in texts]
    assert min(*others, *np.diff(others) * np.diff(ran[:, 5, 11])) > 0  # in step
    runner = [1 if text[text.index("who") - 1] == "cats" else -1 for text in texts]
    assert np.argwhere((ran.T * runner > 0).all(axis=-1)).tolist() == [[10, 3]]
    assert abs(ran[:, 3, 10]).max() == pytest.approx(0.065, abs=1e-9)


def test_what_the_page_says_in_words_holds():
    assert (CAT.weights[5, 11].argmax(axis=1) == 2).all()
    assert CAT.tokens[CAT.weights[5, 11, :, 2].argmin()] == "ran"
    assert ((WINS >= 15).all(axis=-1)).sum() == 0  # the shaded corner is empty
    weight, length = (
        to_cls(parts) for parts in ([s.weights for s in USED], [s.weights * s.values[:, :, None] for s in USED])
    )
    assert (weight[1:5] > 0.5).all()
    assert (weight[[0, 5]] < 0.5).all()
    assert (abs(length - 0.1) < 0.04).all()  # "near a tenth everywhere"
    assert all(abs(R.shifts("search", ask)[:, 3, 1].mean()) < 0.03 for ask in (0, 2))
    assert RIGHT.argmax() == 3 * 12 + 1
    second = np.sort(abs(R.shifts("search").mean(axis=0)).ravel())[-2]
    assert second < SHIFTS["search"].mean() / 2  # by its size it stands out
    assert SHIFTS["animals"].mean() > 0.4
    assert abs(SHIFTS["things"].mean()) < 0.1
    assert ((SHIFTS["things"] > 0).sum() - 4) ** 2 <= 1  # of 8: a coin
    lost = {pair.nouns[0] for pair, shift in zip(R.test, SHIFTS["test"], strict=True) if shift <= 0.005}
    assert lost == {"van", "rope", "spoon", "train", "table"}  # things, all of them
    assert np.unravel_index(REMOVED.argmax(), REMOVED.shape) == (5, 11)
    assert REMOVED[5].min() > REMOVED[:5].max()
    assert R.cut[-1] < R.cut[-2] < REMOVED[5].mean() / 5  # to be the last is not enough
    half = np.mean([s.weights[:, :, 1:-1, 0].mean(axis=-1) for s in USED], axis=0) >= 0.5
    assert half.sum() >= 25  # "many"


def test_cls_hands_over_little_and_is_missed_most_when_its_weight_is_shared_out():
    for one in USED:
        assert one.masked[0] > 5 * one.masked[1:].max()  # first, in every sentence
        assert one.deleted[0] < np.median(one.deleted[1:-1]) / 2
        assert one.masked[0] > 100 * one.deleted[0]
    assert np.mean([one.masked[0] for one in USED]) == pytest.approx(0.357, abs=5e-4)
    assert np.mean([one.deleted[0] for one in USED]) == pytest.approx(0.0015, abs=5e-5)


def test_twins_differ_in_one_word_and_no_pair_is_used_twice():
    pairs = [pair for name in SHIFTS for pair in getattr(R, name)]
    assert len({tuple(pair.nouns) for pair in pairs}) == len(pairs) == 48
    for pair in pairs:
        first, second = (text.split() for text in pair.texts)
        assert len(first) == len(second)
        assert [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b] == [len(first) - 1]
