"""Every number that the pages say about "cat that chased dog ran", from the design table."""

import numpy as np
import pytest

from attention import attention_scores, attention_weights, project, scaled_dot_product_attention
from attention.example import (
    EARLY5,
    EARLY7,
    S5,
    S7,
    T5,
    T7,
    W_K,
    W_O,
    W_Q1,
    W_Q2,
    W_Q7,
    W_Q8,
    W_V,
    WORD,
    attend,
    embed,
    w_q,
)

CAT, THAT, CHASED, DOG, RAN = range(5)
LN2 = np.log(2)
X, N = embed(S5, EARLY5), embed(S5)  # with positions and without
TX, TN = embed(T5, EARLY5), embed(T5)  # cat and dog swapped


def assert_close(actual, expected):
    expected = np.asarray(expected, dtype=float)
    assert np.shape(actual) == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-14)


# --- the data ----------------------------------------------------------------------------------------------------


def test_the_sentences_are_what_the_pages_print():
    assert " ".join(S5) == "cat that chased dog ran"
    assert " ".join(T5) == "dog that chased cat ran"
    assert " ".join(S7) == "the cat that chased the dog ran"
    assert " ".join(T7) == "the dog that chased the cat ran"
    assert EARLY5 == [2, 1, 0, 0, 0]
    assert EARLY7 == [0, 2, 1, 0, 0, 0, 0]


def test_embed_looks_up_words_and_adds_positions_to_the_last_feature():
    for word, features in WORD.items():
        np.testing.assert_array_equal(embed([word]), [features])
    np.testing.assert_array_equal(X, [[2, 0, 0, 2], [1, 1, 1, 1], [0, 0, 1, 0], [0, 2, 0, 0], [0, 0, 1, 0]])
    np.testing.assert_array_equal(X - N, np.outer(EARLY5, [0, 0, 0, 1]))
    assert embed(S5).dtype == np.float64
    embed(S5)[...] = 9
    np.testing.assert_array_equal(embed(["cat"]), [[2, 0, 0, 0]])


def test_queries_keys_and_values_of_the_table():
    questions = [[0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]]
    assert_close(project(X, W_Q1) / LN2, questions)
    assert_close(project(X, W_K), [[2, 4, 0, 2], [2, 2, 1, 0], [0, 0, 1, 0], [2, 0, 0, -2], [0, 0, 1, 0]])
    assert_close(project(X, W_V), [[8, 0], [4, 4], [0, 0], [0, 8], [0, 0]])
    assert_close(attention_scores(project(X, W_Q1), project(X, W_K))[RAN] / LN2, [3, 2, 0, 1, 0])


def test_query_weights_hold_doublings_in_the_row_of_the_asking_feature():
    assert_close(w_q(5, 7), LN2 * np.array([[0] * 4, [0] * 4, [5, 7, 0, 0], [0] * 4]))
    for named, noun, early in [(W_Q1, 1, 1), (W_Q2, 3, -1), (W_Q7, 2, 1), (W_Q8, 4, -1)]:
        np.testing.assert_array_equal(named, w_q(noun, early))


# --- one head ----------------------------------------------------------------------------------------------------


def test_the_first_head_finds_the_first_noun():
    weights, output = attend(X, W_Q1)
    assert_close(weights[RAN], np.array([8, 4, 1, 2, 1]) / 16)
    assert_close(output[[THAT, CHASED, RAN]], [[5, 2]] * 3)
    assert_close(weights[[CAT, DOG]], np.full((2, 5), 1 / 5))
    assert_close(output[[CAT, DOG]], [[2.4, 2.4]] * 2)
    assert_close(weights.sum(0)[CAT], 1.9)
    assert_close(weights.sum(1), [1] * 5)


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


# --- seven words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "early", "w_query", "weights", "output"),
    [
        pytest.param(S7, EARLY7, W_Q7, np.array([1, 16, 8, 1, 1, 4, 1]) / 32, [5, 2], id="first noun"),
        pytest.param(S7, None, W_Q7, np.array([1, 4, 4, 1, 1, 4, 1]) / 16, [3, 3], id="no positions"),
        pytest.param(T7, EARLY7, W_Q7, np.array([1, 16, 8, 1, 1, 4, 1]) / 32, [2, 5], id="swapped"),
        pytest.param(S7, EARLY7, W_Q8, np.array([1, 4, 8, 1, 1, 16, 1]) / 32, [2, 5], id="last noun"),
    ],
)
def test_the_seven_word_twin(sentence, early, w_query, weights, output):
    found, blend = attend(embed(sentence, early), w_query)
    assert_close(found[-1], weights)
    assert_close(blend[-1], output)
