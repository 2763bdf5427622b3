"""Every number that the pages say about "cat that chased dog ran", from the design table."""

import numpy as np
import pytest

from attention import attention_scores, attention_weights, project, scaled_dot_product_attention, softmax
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


def test_a_raw_word_scores_zero_on_its_own_subject():
    np.testing.assert_array_equal(attention_scores(N, N, scale=1)[RAN], [0, 1, 1, 0, 1])


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


def test_without_positions_the_nouns_tie():
    weights, output = attend(N, W_Q1)
    assert_close(weights[RAN], np.array([2, 2, 1, 2, 1]) / 8)
    assert_close(output[RAN], [3, 3])


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


def test_a_zero_query_takes_the_mean_of_the_values():
    assert_close(attend(X, 0 * W_Q1)[1], [project(X, W_V).mean(0)] * 5)


def test_a_forgotten_scale_sharpens():
    weights = attention_weights(project(X, W_Q1), project(X, W_K), scale=1)
    assert_close(weights[RAN], np.array([64, 16, 1, 4, 1]) / 86)


def test_a_sink_at_four_doublings_takes_half_the_budget():
    weights, output = attend(X, W_Q1, sink=4 * LN2)
    assert_close(weights[RAN], np.array([8, 4, 1, 2, 1]) / 32)
    assert_close(output[RAN], [2.5, 1])


def test_other_weights_give_the_same_output():
    assert_close(np.array([10, 0, 1, 4, 1]) / 16 @ project(X, W_V), [5, 2])


def test_scores_of_ran_by_hand():
    scores = LN2 * np.array([3, 2, 0, 1, 0])
    assert_close(softmax(scores), np.array([8, 4, 1, 2, 1]) / 16)
    assert_close(softmax(scores + 5), softmax(scores))
    assert_close(softmax(2 * scores)[CAT] / softmax(2 * scores)[DOG], 16)


# --- masks -------------------------------------------------------------------------------------------------------


def test_causal_rows():
    weights, output = attend(X, W_Q1, is_causal=True)
    assert_close(weights[THAT], [2 / 3, 1 / 3, 0, 0, 0])
    assert_close(weights[CHASED], np.array([8, 4, 1, 0, 0]) / 13)
    assert_close(output, [[8, 0], [20 / 3, 4 / 3], [80 / 13, 16 / 13], [3, 3], [5, 2]])


def test_a_causal_mask_breaks_the_symmetry_but_leaves_the_last_token_blind():
    plain, swapped = attend(N, W_Q1, is_causal=True)[1], attend(TN, W_Q1, is_causal=True)[1]
    assert_close(plain[THAT], [6, 2])
    assert_close(swapped[THAT], [2, 6])
    assert_close(plain[RAN], [3, 3])
    assert_close(swapped[RAN], [3, 3])


def test_zeroing_after_softmax_loses_a_quarter_of_the_budget():
    row = attend(X, W_Q1)[0][THAT]
    assert_close(np.where(np.arange(5) <= THAT, row, 0), [1 / 2, 1 / 4, 0, 0, 0])


def test_masking_cat_hands_its_share_to_the_others():
    weights, output = attend(X, W_Q1, mask=np.array([word != "cat" for word in S5]))
    assert_close(weights[RAN], [0, 1 / 2, 1 / 8, 1 / 4, 1 / 8])
    assert_close(output[RAN], [2, 4])


def test_a_causal_change_of_dog_moves_dog_and_ran_only():
    changed = X.copy()
    changed[DOG] += 1
    before, after = attend(X, W_Q1, is_causal=True)[1], attend(changed, W_Q1, is_causal=True)[1]
    assert [bool(row.any()) for row in np.abs(after - before) > 1e-9] == [False, False, False, True, True]


# --- honest limits -----------------------------------------------------------------------------------------------


def test_reversal_tells_equivariance_from_invariance():
    output = attend(N, W_Q1)[1]
    assert_close(attend(N[::-1], W_Q1)[1], output[::-1])
    assert not np.allclose(output[::-1], output)


def test_chased_and_ran_share_an_embedding_and_so_an_unmasked_output():
    assert WORD["chased"] == WORD["ran"]
    output = attend(X, W_Q1)[1]
    assert_close(output[CHASED], output[RAN])


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
