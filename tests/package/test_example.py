"""Every number that the pages say about "cats who chased dogs ran", from the design table."""

import numpy as np
import pytest

from attention import attention_scores, attention_weights, project, scaled_dot_product_attention
from attention.example import EARLY, SENTENCE, SWAPPED, W_K, W_O, W_Q1, W_Q2, W_V, WORD, attend, embed, w_q

CATS, WHO, CHASED, DOGS, RAN = range(5)
LN2 = np.log(2)
X, N = embed(SENTENCE, EARLY), embed(SENTENCE)  # with positions and without
TX, TN = embed(SWAPPED, EARLY), embed(SWAPPED)  # cats and dogs swapped


def assert_close(actual, expected):
    expected = np.asarray(expected, dtype=float)
    assert np.shape(actual) == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-14)


# --- the data ----------------------------------------------------------------------------------------------------


def test_the_sentences_are_what_the_pages_print():
    assert " ".join(SENTENCE) == "cats who chased dogs ran"
    assert " ".join(SWAPPED) == "dogs who chased cats ran"
    assert EARLY == [2, 1, 0, 0, 0]


def test_embed_looks_up_words_and_adds_positions_to_the_last_feature():
    for word, features in WORD.items():
        np.testing.assert_array_equal(embed([word]), [features])
    np.testing.assert_array_equal(X, [[2, 0, 0, 2], [1, 1, 1, 1], [0, 0, 1, 0], [0, 2, 0, 0], [0, 0, 1, 0]])
    np.testing.assert_array_equal(X - N, np.outer(EARLY, [0, 0, 0, 1]))
    assert embed(SENTENCE).dtype == np.float64
    embed(SENTENCE)[...] = 9
    np.testing.assert_array_equal(embed(["cats"]), [[2, 0, 0, 0]])


def test_queries_keys_and_values_of_the_table():
    questions = [[0, 0, 0, -1], [1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 0, 0]]
    assert_close(project(X, W_Q1) / LN2, questions)
    assert_close(project(X, W_K), [[2, 4, 0, 2], [2, 2, 1, 0], [0, 0, 1, 0], [2, 0, 0, -2], [0, 0, 1, 0]])
    assert_close(project(X, W_V), [[8, 0], [4, 4], [0, 0], [0, 8], [0, 0]])
    assert_close(attention_scores(project(X, W_Q1), project(X, W_K))[RAN] / LN2, [3, 2, 0, 1, 0])


def test_query_weights_hold_doublings_in_the_row_of_the_asking_feature():
    assert_close(w_q(5, 7), LN2 * np.array([[0, 0, 0, -1 / 2], [0, 0, 0, 1 / 2], [5, 7, 0, 0], [0] * 4]))
    for named, noun, early in [(W_Q1, 1, 1), (W_Q2, 3, -1)]:
        np.testing.assert_array_equal(named, w_q(noun, early))


# --- one head ----------------------------------------------------------------------------------------------------


def test_the_first_head_finds_the_first_noun():
    weights, output = attend(X, W_Q1)
    assert_close(weights[RAN], np.array([8, 4, 1, 2, 1]) / 16)
    assert_close(output[[WHO, CHASED, RAN]], [[5, 2]] * 3)
    assert_close(weights.sum(0)[CATS], 3 / 2 + 5 / 11)
    assert_close(weights.sum(1), [1] * 5)


@pytest.mark.parametrize("w_query", [W_Q1, W_Q2])
@pytest.mark.parametrize("x", [X, N, TX, TN])
def test_each_noun_asks_for_the_other_animal_in_both_heads_and_wherever_it_stands(x, w_query):
    weights, output = attend(x, w_query)
    assert_close(weights[[CATS, DOGS]], np.array([[1, 2, 2, 4, 2], [4, 2, 2, 1, 2]]) / 11)
    of_cats, of_dogs = [16, 40], [40, 16]
    assert_close(output[[CATS, DOGS]], np.array([of_dogs, of_cats] if x[0, 1] else [of_cats, of_dogs]) / 11)


def test_attend_is_the_blend_of_the_package():
    weights, output = attend(X, W_Q2, is_causal=True)
    query, key, value = project(X, W_Q2), project(X, W_K), project(X, W_V)
    assert_close(weights, attention_weights(query, key, is_causal=True))
    assert_close(output, scaled_dot_product_attention(query, key, value, is_causal=True))


def test_only_positions_tell_the_swapped_sentence():
    assert_close(attend(TN, W_Q1)[1][RAN], [3, 3])
    assert_close(attend(TX, W_Q1)[1][RAN], [2, 5])


def test_the_second_head_finds_the_last_noun():
    weights, output = attend(X, W_Q2)
    assert_close(weights[RAN], np.array([2, 4, 1, 8, 1]) / 16)
    assert_close(output[RAN], [2, 5])
    assert_close(attend(TX, W_Q2)[1][RAN], [5, 2])


def test_two_heads_tell_agent_from_object_and_their_average_does_not():
    for sentence, features, answer in [(X, [5, 2, 2, 5], [3, -3]), (TX, [2, 5, 5, 2], [-3, 3])]:
        (first, one), (second, two) = attend(sentence, W_Q1), attend(sentence, W_Q2)
        heads = np.concatenate([one[CHASED], two[CHASED]])
        assert_close(heads, features)
        assert_close(heads @ W_O, answer)
        average = (first[CHASED] + second[CHASED]) / 2
        assert_close(average @ project(sentence, W_V), [3.5, 3.5])


@pytest.mark.parametrize(
    ("sentence", "outputs"),
    [
        (X, [[8, 0], [20 / 3, 4 / 3], [80 / 13, 16 / 13], [40 / 9, 16 / 9], [5, 2]]),
        (N, [[8, 0], [6, 2], [24 / 5, 8 / 5], [40 / 9, 16 / 9], [3, 3]]),
        (TN, [[0, 8], [2, 6], [8 / 5, 24 / 5], [16 / 9, 40 / 9], [3, 3]]),
    ],
    ids=["positions", "no positions", "no positions, swapped"],
)
def test_causal_rows_and_what_the_mask_alone_tells_of_the_order(sentence, outputs):
    assert_close(attend(sentence, W_Q1, is_causal=True)[1], outputs)
