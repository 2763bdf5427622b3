"""The record of the trained model as pages read it, and what their statistics find in arrays with a known answer."""

import json

import numpy as np
import pytest

from docs_ext.errors import SpecError
from docs_ext.records.recorded import RECORD, Recorded, Twins, recorded

FILE = json.loads(RECORD.read_text("utf-8"))


def test_integers_become_numbers_of_their_unit():
    one, read = FILE["sentences"][4], recorded().sentences[4]
    assert read.text == one["text"]
    assert read.weights[3, 7, 2, 5] == one["weights"][3][7][2][5] / 1000
    assert read.values[1, 4, 6] == one["values"][1][4][6] / FILE["units"]["values"]
    assert recorded().removed[5, 2, 9] == FILE["removed"][5][2][9] / FILE["units"]["removed"]
    assert (
        recorded().test[11].weights[5, 0, 1, 2, 1]
        == FILE["test"][11]["weights"][5][0][1][2][1] / FILE["units"]["twins"]
    )


def made(follows, *, n_pairs=20, seed=0):
    """Make twins in which head (1, 2) of two layers of three follows the antecedent, or prefers the first noun."""
    rng, pairs = np.random.default_rng(seed), []
    for _ in range(n_pairs):
        same = 0.3 * rng.random((2, 3, 1, 3, 2))  # a head that does not know gives both sentences the same
        weights = same + 0.01 * rng.random((2, 3, 2, 3, 2))
        weights[1, 2, 0, 1, 0] += 0.3  # in the first sentence it means the first noun
        weights[1, 2, 1, 1, 1 if follows else 0] += 0.3
        pairs.append(Twins(["a", "b"], ["x", "y"], weights))
    nothing = np.zeros(1)
    return Recorded({}, [], [], pairs, [], [], [], nothing, nothing)


def test_a_head_that_follows_the_antecedent_is_found_and_one_that_prefers_a_place_is_not():
    for follows in (True, False):
        record = made(follows=follows)
        right = (record.shifts("search") > 0).sum(axis=0)
        assert (right[1, 2] == 20) == follows
        others = np.delete(right.ravel(), 5)
        assert others.max() < 18
        wins = (record.leads("search") > 0).sum(axis=0)[1, 2]
        assert (wins[1] >= 15) == follows  # the naive count in the first sentences alone is fooled
        assert wins[0] >= 15
        assert (record.shifts("search", 0) > 0).sum(axis=0)[1, 2] < 18  # a neighbour of the pronoun


def test_a_sentence_that_was_not_recorded_is_refused():
    with pytest.raises(SpecError, match=r"heads\.json has no sentence 'the cow'"):
        recorded().sentence("the cow")
