"""The two heads of "cats who chased dogs ran": what each finds, and what their average cannot tell."""

import numpy as np
import pytest

from attention import project
from attention.example import EARLY, SENTENCE, SWAPPED, W_O, W_Q1, W_Q2, W_V, attend, embed

CATS, WHO, CHASED, DOGS, RAN = range(5)
X, N = embed(SENTENCE, EARLY), embed(SENTENCE)  # with positions and without
TX, TN = embed(SWAPPED, EARLY), embed(SWAPPED)  # cats and dogs swapped


def assert_close(actual, expected):
    expected = np.asarray(expected, dtype=float)
    assert np.shape(actual) == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("w_query", [W_Q1, W_Q2])
@pytest.mark.parametrize("x", [X, N, TX, TN])
def test_each_noun_asks_for_the_other_animal_in_both_heads_and_wherever_it_stands(x, w_query):
    weights, output = attend(x, w_query)
    assert_close(weights[[CATS, DOGS]], np.array([[1, 2, 2, 4, 2], [4, 2, 2, 1, 2]]) / 11)
    of_cats, of_dogs = [16, 40], [40, 16]
    assert_close(output[[CATS, DOGS]], np.array([of_dogs, of_cats] if x[0, 1] else [of_cats, of_dogs]) / 11)


def test_two_heads_tell_agent_from_object_and_their_average_does_not():
    for sentence, features, answer in [(X, [5, 2, 2, 5], [3, -3]), (TX, [2, 5, 5, 2], [-3, 3])]:
        (first, one), (second, two) = attend(sentence, W_Q1), attend(sentence, W_Q2)
        heads = np.concatenate([one[CHASED], two[CHASED]])
        assert_close(heads, features)
        assert_close(heads @ W_O, answer)
        average = (first[CHASED] + second[CHASED]) / 2
        assert_close(average @ project(sentence, W_V), [3.5, 3.5])
