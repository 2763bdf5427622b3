"""Mistakes that people make in the twelve steps, each with a name.

A mistake is a wrong version of a step's function. If a learner's function
does on every input what a wrong version does, its name says what went wrong.
Mistakes that are also mutants have their name and their sentence from `known`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from attention.block import gelu
from attention.little_model.model import BASE, N_HEADS, N_LAYERS
from attention.practice.known import yours
from attention.practice.steps import (
    RIGHT,
    Array,
    attend,
    layer_norm,
    multi_head_attention,
    positions,
    relu,
    self_attention,
    transformer_block,
)


class Mistake(NamedTuple):
    """A wrong version of a function, and what to tell its author."""

    name: str
    function: str
    says: str  # what the code does, as "Your weights ..."
    hint: str  # a question that leads on
    see: str  # page and heading under learn/
    wrong: Callable[..., Any]


MISTAKES: list[Mistake] = []


def mistake(
    says: str, hint: str, see: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keep a function as a wrong version: step__name_of_the_mistake."""

    def keep(wrong: Callable[..., Any]) -> Callable[..., Any]:
        function, _, name = wrong.__name__.partition("__")
        MISTAKES.append(
            Mistake(name.replace("_", "-"), function, says, hint, see, wrong)
        )
        return wrong

    return keep


def also(
    known: Callable[..., Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keep a function as a further form of a mistake that has a name."""
    named = next(one for one in MISTAKES if one.wrong is known)

    def keep(wrong: Callable[..., Any]) -> Callable[..., Any]:
        MISTAKES.append(named._replace(wrong=wrong))
        return wrong

    return keep


# --- 1, weighted average -----------------------------------------------------

_LOOKUP = "lookup#worked-numbers"


@mistake(
    "Your function adds the values up, and leaves the weights out.",
    "How much of each value does its weight let through?",
    _LOOKUP,
)
def weighted_average__weights_missing(weights, values):
    return np.sum(values, axis=0, dtype=float)


@mistake(
    "Your function takes the plain mean of the values, and leaves the "
    "weights out.",
    "Which value should count most?",
    _LOOKUP,
)
def weighted_average__plain_mean(weights, values):
    return np.mean(values, axis=0)


@mistake(
    "Your weights are divided by the number of values once more.",
    "What do the weights sum to, before you divide?",
    _LOOKUP,
)
def weighted_average__divided_again(weights, values):
    return weights @ values / len(values)


@mistake(
    "Your function multiplies each value by its weight, and does not "
    "add the products up.",
    "How many rows should come out, if n values go in?",
    _LOOKUP,
)
def weighted_average__not_added_up(weights, values):
    return weights[:, None] * values


@mistake(
    "Your function adds up the features of each value, not the values.",
    "Which axis counts the values, and which their features?",
    _LOOKUP,
)
def weighted_average__features_added(weights, values):
    return (weights[:, None] * values).sum(axis=1)


@mistake(
    "Your function adds everything up to a single number.",
    "How many features does an average of rows have?",
    _LOOKUP,
)
def weighted_average__one_number(weights, values):
    return (weights[:, None] * values).sum()


@mistake(
    "Your function returns the one value with the largest weight.",
    "What becomes of the values with smaller weights?",
    _LOOKUP,
)
def weighted_average__largest_only(weights, values):
    return values[np.argmax(weights)]


@mistake(
    "Your function puts the weights through a softmax first.",
    "The weights sum to one already. What does exp do to them?",
    _LOOKUP,
)
def weighted_average__softmax_first(weights, values):
    return RIGHT["softmax"](weights) @ values


@mistake(
    "Your sum leaves the last value out.",
    "How far does range(n - 1) count?",
    _LOOKUP,
)
def weighted_average__last_left_out(weights, values):
    return weights[:-1] @ values[:-1]


@mistake(
    "Your sum leaves the first value out.",
    "Which number does the first row have in Python?",
    _LOOKUP,
)
def weighted_average__first_left_out(weights, values):
    return weights[1:] @ values[1:]


@also(weighted_average__not_added_up)
def weighted_average__not_added_up_and_transposed(weights, values):
    return values.T * weights


# --- 2, softmax --------------------------------------------------------------

_SOFTMAX = "scores-and-softmax#the-formula"
_OVERFLOW = "scores-and-softmax#overflow"


def _softmax(powers: Array, axis: Any = -1) -> Array:
    result: Array = powers / powers.sum(axis=axis, keepdims=True)
    return result


def _shifted(scores: Array, axis: Any = -1) -> Array:
    result: Array = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return result


@mistake(
    yours("softmax-axis"),
    "Which sums must be one? Take more columns than rows.",
    _SOFTMAX,
)
def softmax__softmax_axis(scores):
    return _softmax(_shifted(scores, 0), 0)


@mistake(
    "All the weights of your array together sum to one.",
    "Each row should sum to one by itself. What must sum() know for that?",
    _SOFTMAX,
)
def softmax__one_budget(scores):
    return _softmax(_shifted(scores, None), None)


@also(softmax__softmax_axis)
def softmax__softmax_axis_of_sum(scores):
    return _softmax(_shifted(scores), 0)


@also(softmax__one_budget)
def softmax__one_budget_of_rows(scores):
    return _softmax(_shifted(scores), None)


@mistake(
    yours("maximum-kept"),
    "A constant that is added to all scores changes no weight. Which "
    "constant makes exp safe?",
    _OVERFLOW,
)
def softmax__maximum_kept(scores):
    return _softmax(np.exp(scores))


@mistake(
    "You subtract the largest score of the whole array. A row whose "
    "scores are all much smaller gets zeros, and 0 / 0.",
    "Whose largest score does each row need?",
    _OVERFLOW,
)
def softmax__maximum_of_all(scores):
    return _softmax(np.exp(scores - scores.max()))


@also(softmax__maximum_kept)
def softmax__maximum_kept_and_eps(scores):
    powers = np.exp(scores)
    return powers / (powers.sum(axis=-1, keepdims=True) + 1e-9)


@mistake(
    "You subtract the largest score of each column, not of each row: the "
    "scores of a row no longer lose the same.",
    "A row may lose one constant. Which axis is that?",
    _OVERFLOW,
)
def softmax__maximum_of_columns(scores):
    return _softmax(_shifted(scores, 0))


@mistake(
    "You subtract the largest score in the powers above the line, and not in "
    "those that you add up below it.",
    "Which numbers should a power be divided by?",
    _OVERFLOW,
)
def softmax__maximum_above_alone(scores):
    return _shifted(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


@mistake(
    "You subtract the largest score in the powers that you add up, and not in "
    "those above the line.",
    "Which numbers should a power be divided by?",
    _OVERFLOW,
)
def softmax__maximum_below_alone(scores):
    return np.exp(scores) / _shifted(scores).sum(axis=-1, keepdims=True)


@mistake(
    "You cut large scores off, so that different ones become equal.",
    "What should the weights be for the scores -1000 and -1001?",
    _OVERFLOW,
)
def softmax__scores_clipped(scores):
    return _softmax(np.exp(np.clip(scores, -500, 500)))


@also(softmax__scores_clipped)
def softmax__scores_clipped_above(scores):
    return _softmax(np.exp(np.minimum(scores, 500)))


@mistake(
    "Your exp overflows, and what comes of it is replaced by 0.",
    "A constant that is added to all scores changes no weight. Which "
    "constant makes exp safe?",
    _OVERFLOW,
)
def softmax__overflow_patched(scores):
    return np.nan_to_num(_softmax(np.exp(scores)))


@mistake(
    "Your function squeezes each score by itself, as a sigmoid does.",
    "What should a row sum to?",
    _SOFTMAX,
)
def softmax__sigmoid(scores):
    return 1 / (1 + np.exp(-scores))


@mistake(
    "Your powers are divided by the largest of their row, not by its sum.",
    "What should a row sum to?",
    _SOFTMAX,
)
def softmax__divided_by_largest(scores):
    powers = np.exp(scores)
    return powers / powers.max(axis=-1, keepdims=True)


@mistake(
    "You subtract the smallest score, so that exp still meets large numbers.",
    "What is the largest exponent that is left?",
    _OVERFLOW,
)
def softmax__minimum_subtracted(scores):
    return _softmax(np.exp(scores - scores.min(axis=-1, keepdims=True)))


@mistake(
    "Your function raises 2 to the scores, not e.",
    "The lessons count in doublings; libraries use e. Which function "
    "has e as its base?",
    _SOFTMAX,
)
def softmax__base_two(scores):
    return _softmax(np.exp2(scores - scores.max(axis=-1, keepdims=True)))


@mistake(
    "Your function divides the scores by their sum, without exp.",
    "What becomes of a negative score?",
    _SOFTMAX,
)
def softmax__exp_missing(scores):
    return _softmax(scores)


@mistake(
    "Your function cuts negative scores off at 0 and divides by the sum.",
    "Can a key with a negative score still get some weight?",
    _SOFTMAX,
)
def softmax__negative_cut(scores):
    return _softmax(np.maximum(scores, 0))


@mistake(
    "Your function returns exp of the scores, not divided by its sum.",
    "What should a row sum to?",
    _SOFTMAX,
)
def softmax__sum_missing(scores):
    return np.exp(scores)


@mistake(
    "Your function subtracts the largest score and takes exp, and does "
    "not divide by the sum.",
    "What should a row sum to?",
    _SOFTMAX,
)
def softmax__sum_missing_after_maximum(scores):
    return _shifted(scores)


@mistake(
    "Your function gives the smallest score the largest weight.",
    "Is there a minus sign too many?",
    _SOFTMAX,
)
def softmax__sign_flipped(scores):
    return _softmax(np.exp(scores.min(axis=-1, keepdims=True) - scores))


@mistake(
    "Your function returns the logarithms of the weights.",
    "What should a row sum to?",
    _SOFTMAX,
)
def softmax__logarithms(scores):
    return np.log(_softmax(_shifted(scores)))


@mistake(
    "Your row sums have lost their axis, so that NumPy divides column "
    "by column, or refuses.",
    "Which shape does sum() leave, and what does keepdims=True change?",
    _SOFTMAX,
)
def softmax__keepdims_missing(scores):
    powers = _shifted(scores)
    return powers / powers.sum(axis=-1)


@also(softmax__keepdims_missing)
def softmax__keepdims_missing_twice(scores):
    powers = np.exp(scores - scores.max(axis=-1))
    return powers / powers.sum(axis=-1)


@mistake(
    "Your row maxima have lost their axis, so that NumPy subtracts them "
    "column by column, or refuses.",
    "Which shape does max() leave, and what does keepdims=True change?",
    _SOFTMAX,
)
def softmax__keepdims_missing_in_maximum(scores):
    return _softmax(np.exp(scores - scores.max(axis=-1)))


@mistake(
    "Your function squares the scores and divides by the sum.",
    "What becomes of the order of -3 and 2?",
    _SOFTMAX,
)
def softmax__squares(scores):
    return _softmax(scores**2)


@mistake(
    "You subtract the mean of a row, and not its largest score: exp still "
    "meets large numbers.",
    "What is the largest exponent that is left?",
    _OVERFLOW,
)
def softmax__mean_subtracted(scores):
    return _softmax(np.exp(scores - scores.mean(axis=-1, keepdims=True)))


@mistake(
    "Your function takes axis 1. In a table that is the last one, but a "
    "single row of scores has only axis 0.",
    "How do you name the last axis, however many there are?",
    _SOFTMAX,
)
def softmax__axis_from_the_front(scores):
    return _softmax(_shifted(scores, 1), 1)


@also(softmax__axis_from_the_front)
def softmax__axis_from_the_front_and_maximum_kept(scores):
    return _softmax(np.exp(scores), 1)


@mistake(
    "Your scores are divided by the root of their number first.",
    "Who divides by a root, and by which: the softmax, or the scores?",
    _SOFTMAX,
)
def softmax__scaled_first(scores):
    return RIGHT["softmax"](scores / scores.shape[-1] ** 0.5)


@mistake(
    "Your powers are divided by the number of scores, not by their sum.",
    "What should a row sum to?",
    _SOFTMAX,
)
def softmax__divided_by_number(scores):
    return np.exp(scores) / scores.shape[-1]


@also(softmax__divided_by_number)
def softmax__divided_by_number_after_maximum(scores):
    return _shifted(scores) / scores.shape[-1]


@mistake(
    "Your function gives all the weight to the largest score.",
    "What does a score that is a little smaller deserve?",
    _SOFTMAX,
)
def softmax__largest_only(scores):
    return (scores == scores.max(axis=-1, keepdims=True)) * 1.0


@mistake(
    "You add the largest score, and do not subtract it.",
    "Which constant makes the largest exponent 0?",
    _OVERFLOW,
)
def softmax__maximum_added(scores):
    return _softmax(np.exp(scores + scores.max(axis=-1, keepdims=True)))


# --- 3, scores ---------------------------------------------------------------


@mistake(
    yours("scale-missing"),
    "How large do dot products of 64 features get by chance?",
    "scaling#worked-numbers",
)
def attention_scores__scale_missing(query, key):
    return query @ key.swapaxes(-1, -2)


@mistake(
    yours("scale-without-root"),
    "How does the spread of a sum grow with the number of its terms?",
    "scaling#worked-numbers",
)
def attention_scores__scale_without_root(query, key):
    return query @ key.swapaxes(-1, -2) / query.shape[-1]


@mistake(
    "Your scores are multiplied by the root of d_k.",
    "Should more features make the scores larger or not?",
    "scaling#worked-numbers",
)
def attention_scores__scale_upside_down(query, key):
    return query @ key.swapaxes(-1, -2) * query.shape[-1] ** 0.5


@mistake(
    "Your scores are divided by the root of the number of keys.",
    "Which number decides how many terms a dot product adds up?",
    "scaling#worked-numbers",
)
def attention_scores__scale_by_keys(query, key):
    return query @ key.swapaxes(-1, -2) / key.shape[-2] ** 0.5


@mistake(
    "Your scores are divided by the root of the number of queries.",
    "Which number decides how many terms a dot product adds up?",
    "scaling#worked-numbers",
)
def attention_scores__scale_by_queries(query, key):
    return query @ key.swapaxes(-1, -2) / query.shape[-2] ** 0.5


@mistake(
    "Your scores are transposed: their rows belong to keys, and their "
    "columns to queries.",
    "Each query has a row. What must be transposed?",
    "read-the-grid#transpose",
)
def attention_scores__transposed(query, key):
    return key @ query.swapaxes(-1, -2) / query.shape[-1] ** 0.5


@also(attention_scores__transposed)
def attention_scores__transposed_and_scale_missing(query, key):
    return key @ query.swapaxes(-1, -2)


@also(attention_scores__transposed)
def attention_scores__transposed_and_scale_without_root(query, key):
    return key @ query.swapaxes(-1, -2) / query.shape[-1]


@mistake(
    "Your scores are divided by the fourth root of d_k: one root too many.",
    "Divide both queries and keys, or the sums alone. By what, if alone?",
    "scaling#worked-numbers",
)
def attention_scores__fourth_root(query, key):
    return query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.25


@mistake(
    "Your function multiplies queries by keys that are not transposed.",
    "A row of the one meets a column of the other. How do keys become "
    "columns?",
    "read-the-grid#transpose",
)
def attention_scores__keys_not_transposed(query, key):
    return query @ key / query.shape[-1] ** 0.5


@mistake(
    "Your scores have been through a softmax already.",
    "Weights are the next step. What are scores before it?",
    "scaling#worked-numbers",
)
def attention_scores__softmax_already(query, key):
    return RIGHT["softmax"](RIGHT["attention_scores"](query, key))


@mistake(
    "Your scores are cosines: the lengths of the vectors are divided out.",
    "Does a dot product know how long its vectors are?",
    "queries-keys-values#a-dot-product-measures-similarity",
)
def attention_scores__cosines(query, key):
    def unit(x):
        return x / np.linalg.norm(x, axis=-1, keepdims=True)

    return unit(query) @ unit(key).swapaxes(-1, -2)


@mistake(
    "Your cosines are divided by the root of d_k.",
    "Does a dot product know how long its vectors are?",
    "queries-keys-values#a-dot-product-measures-similarity",
)
def attention_scores__scaled_cosines(query, key):
    cosines = attention_scores__cosines(query, key)
    return cosines / query.shape[-1] ** 0.5


@mistake(
    "Your scores are divided by the root of how many numbers the queries "
    "hold in all.",
    "How many terms does one dot product add up?",
    "scaling#worked-numbers",
)
def attention_scores__scale_by_all(query, key):
    return query @ key.swapaxes(-1, -2) / query.size**0.5


@mistake(
    "Your scores are divided by 2, as in the example, whatever d_k is.",
    "Where does the 2 in the example come from?",
    "scaling#worked-numbers",
)
def attention_scores__scale_of_the_example(query, key):
    return query @ key.swapaxes(-1, -2) / 2


@mistake(
    "Your scores are rounded down to whole numbers.",
    "What is the difference between / and //?",
    "scaling#worked-numbers",
)
def attention_scores__rounded_down(query, key):
    return query @ key.swapaxes(-1, -2) // query.shape[-1] ** 0.5


@mistake(
    "Your function multiplies feature by feature, and does not add the "
    "products up.",
    "A dot product is one number. How many has each query for each key?",
    "scaling#worked-numbers",
)
def attention_scores__not_added_up(query, key):
    products = query[..., :, None, :] * key[..., None, :, :]
    return products / query.shape[-1] ** 0.5


@mistake(
    "Each of your queries meets only one key: your function multiplies row by "
    "row.",
    "How many scores do two queries and five keys have?",
    "scaling#worked-numbers",
)
def attention_scores__row_by_row(query, key):
    return (query * key).sum(axis=-1) / query.shape[-1] ** 0.5


@mistake(
    "Your function transposes the queries, and so compares features.",
    "Which shape should the scores have? Which of the two is transposed?",
    "read-the-grid#transpose",
)
def attention_scores__queries_transposed(query, key):
    return query.swapaxes(-1, -2) @ key / query.shape[-1] ** 0.5


@mistake(
    "Your root of d_k is rounded down to a whole number.",
    "What is the root of 3, and what does int() make of it?",
    "scaling#worked-numbers",
)
def attention_scores__root_rounded_down(query, key):
    return query @ key.swapaxes(-1, -2) / int(query.shape[-1] ** 0.5)


@mistake(
    "Your scores are divided by 8, the root of 64, whatever d_k is.",
    "Which number does d_k have here?",
    "scaling#worked-numbers",
)
def attention_scores__scale_of_the_paper(query, key):
    return query @ key.swapaxes(-1, -2) / 8


# --- 4, attend ---------------------------------------------------------------


def _attend(query, key, value, mask=None, *, axis=-1, scale=None, hide=None):
    scores = query @ key.swapaxes(-1, -2)
    scores = scores * (query.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None and hide is None:
        scores = np.where(mask, scores, -np.inf)
    elif mask is not None:
        scores = hide(scores, mask)
    return _softmax(_shifted(scores, axis), axis) @ value


@mistake(
    yours("softmax-axis"),
    "Which sums must be one? Take more keys than queries.",
    "read-the-grid#rows-or-columns",
)
def attend__softmax_axis(query, key, value, mask=None):
    return _attend(query, key, value, mask, axis=-2)


@mistake(
    "Your function does without the softmax: it takes the scores "
    "themselves for weights.",
    "What do the weights of a row sum to?",
    _SOFTMAX,
)
def attend__softmax_missing(query, key, value, mask=None):
    scores = RIGHT["attention_scores"](query, key)
    return (scores if mask is None else np.where(mask, scores, 0)) @ value


@mistake(
    yours("scale-missing"),
    "Does this function call attention_scores, or write it again?",
    "scaling#worked-numbers",
)
def attend__scale_missing(query, key, value, mask=None):
    return _attend(query, key, value, mask, scale=1)


@mistake(
    "Your scores are divided by d_k in all: the division comes twice, "
    "or without its root.",
    "attention_scores has divided already. Who else does?",
    "scaling#scaling-twice",
)
def attend__scale_twice(query, key, value, mask=None):
    return _attend(query, key, value, mask, scale=1 / query.shape[-1])


@mistake(
    yours("mask-inverted"),
    "What does True say in this mask?",
    "masks#mask-to-bias",
)
def attend__mask_inverted(query, key, value, mask=None):
    return _attend(query, key, value, None if mask is None else ~mask)


@mistake(
    "Your function does not use the mask.",
    "Which weight should a hidden key get?",
    "masks#the-formula",
)
def attend__mask_ignored(query, key, value, mask=None):
    return _attend(query, key, value)


@mistake(
    yours("mask-after-softmax"),
    "Where does the weight of a hidden key go?",
    "masks#worked-numbers",
)
def attend__mask_after_softmax(query, key, value, mask=None):
    weights = RIGHT["softmax"](RIGHT["attention_scores"](query, key))
    return (weights if mask is None else weights * mask) @ value


@mistake(
    "You give hidden keys the score 0, which is a score like any other.",
    "exp(0) is 1. Which score has no weight at all?",
    "masks#the-formula",
)
def attend__mask_zero_score(query, key, value, mask=None):
    return _attend(
        query, key, value, mask, hide=lambda scores, may: scores * may
    )


@mistake(
    "You add the mask to the scores, so that a key that may be seen "
    "gains 1, and a hidden one loses nothing.",
    "Which number, added to a score, takes all its weight?",
    "masks#the-formula",
)
def attend__mask_added(query, key, value, mask=None):
    return _attend(
        query, key, value, mask, hide=lambda scores, may: scores + may
    )


@mistake(
    "Your hidden keys lose too little: some weight is left to them.",
    "Which score has no weight at all, whatever the others are?",
    "masks#the-formula",
)
def attend__mask_minus_few(query, key, value, mask=None):
    return _attend(
        query,
        key,
        value,
        mask,
        hide=lambda scores, may: np.where(may, scores, -1.0),
    )


def _fill(number):
    return lambda scores, may: np.where(may, scores, number)


@also(attend__mask_minus_few)
def attend__mask_minus_ten(query, key, value, mask=None):
    return _attend(query, key, value, mask, hide=_fill(-10.0))


@also(attend__mask_minus_few)
def attend__mask_minus_hundred(query, key, value, mask=None):
    return _attend(query, key, value, mask, hide=_fill(-100.0))


@also(attend__mask_minus_few)
def attend__mask_minus_thousand(query, key, value, mask=None):
    return _attend(query, key, value, mask, hide=_fill(-1000.0))


@mistake(
    "You multiply the mask by infinity: where it is 0, that makes nan.",
    "What is 0 times infinity, and which function chooses one of two?",
    "masks#the-formula",
)
def attend__mask_times_infinity(query, key, value, mask=None):
    return _attend(
        query, key, value, mask, hide=lambda s, may: s + (1 - may) * -np.inf
    )


@mistake(
    "Your weights are made equal among the keys that may be seen: the scores "
    "are lost.",
    "What should a key with a larger score get?",
    "masks#the-formula",
)
def attend__mask_for_scores(query, key, value, mask=None):
    return _attend(
        query,
        key,
        value,
        mask,
        hide=lambda scores, may: np.where(may, 0.0, -np.inf),
    )


@mistake(
    "Your scores are divided by the root of d_v, the size of a value.",
    "How many terms does a dot product of query and key add up?",
    "scaling#worked-numbers",
)
def attend__scale_by_values(query, key, value, mask=None):
    return _attend(query, key, value, mask, scale=value.shape[-1] ** -0.5)


@mistake(
    "Your function averages the keys, not the values.",
    "What does a query compare itself with, and what does it receive?",
    "queries-keys-values#the-formula",
)
def attend__keys_for_values(query, key, value, mask=None):
    return _attend(query, key, key, mask)


@mistake(
    "Your function returns the weights, and does not average the values.",
    "How many features has a value, and how many your result?",
    "line-by-line#blend",
)
def attend__weights_returned(query, key, value, mask=None):
    return _attend(query, key, np.eye(len(key)), mask)


@mistake(
    yours("maximum-kept"),
    "Does this function call your softmax, or write it again?",
    _OVERFLOW,
)
def attend__maximum_kept(query, key, value, mask=None):
    scores = RIGHT["attention_scores"](query, key)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return _softmax(np.exp(scores)) @ value


@mistake(
    "Your function sets weights to minus infinity, after the softmax.",
    "Is minus infinity a score, or a weight?",
    "masks#the-formula",
)
def attend__infinity_after_softmax(query, key, value, mask=None):
    weights = RIGHT["softmax"](RIGHT["attention_scores"](query, key))
    if mask is not None:
        weights = np.where(mask, weights, -np.inf)
    return weights @ value


@mistake(
    "Your mask is transposed: a row of it should belong to a query, a column "
    "to a key.",
    "Which shape has the mask, and which have the scores?",
    "masks#the-formula",
)
def attend__mask_transposed(query, key, value, mask=None):
    return _attend(query, key, value, None if mask is None else mask.T)


@mistake(
    "Your weights go through the softmax a second time.",
    "What does a softmax make of weights that sum to one already?",
    _SOFTMAX,
)
def attend__softmax_twice(query, key, value, mask=None):
    scores = RIGHT["attention_scores"](query, key)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return RIGHT["softmax"](RIGHT["softmax"](scores)) @ value


@mistake(
    "If there is a mask, your weights go through the softmax a second time.",
    "The mask belongs to the scores. What are weights times a mask?",
    "masks#the-formula",
)
def attend__softmax_again_for_the_mask(query, key, value, mask=None):
    weights = RIGHT["softmax"](RIGHT["attention_scores"](query, key))
    if mask is not None:
        weights = RIGHT["softmax"](weights * mask)
    return weights @ value


@also(attend__softmax_again_for_the_mask)
def attend__softmax_again_for_the_mask_by_infinity(
    query, key, value, mask=None
):
    weights = RIGHT["softmax"](RIGHT["attention_scores"](query, key))
    if mask is not None:
        weights = RIGHT["softmax"](np.where(mask, weights, -np.inf))
    return weights @ value


@mistake(
    "Your weights are transposed before they meet the values.",
    "Which axis of the weights is as long as the values?",
    "line-by-line#blend",
)
def attend__weights_transposed(query, key, value, mask=None):
    return attend__weights_returned(query, key, value, mask).T @ value


@mistake(
    "Your scores compare the queries with the values.",
    "What does a query compare itself with, and what does it receive?",
    "queries-keys-values#the-formula",
)
def attend__values_for_keys(query, key, value, mask=None):
    return _attend(query, value, value, mask)


@mistake(
    "Your function returns the scores, and not the average of the values.",
    "How many features has a value, and how many your result?",
    "line-by-line#blend",
)
def attend__scores_returned(query, key, value, mask=None):
    return RIGHT["attention_scores"](query, key)


@also(attend__mask_inverted)
def attend__mask_inverted_by_a_large_number(query, key, value, mask=None):
    return _attend(
        query, key, value, mask, hide=lambda s, may: np.where(may, -1e9, s)
    )


@mistake(
    "If there is no mask, your function hides every key.",
    "What does np.where choose if its condition is None?",
    "masks#the-formula",
)
def attend__none_hides_all(query, key, value, mask=None):
    return _attend(query, key, value, False if mask is None else mask)


@mistake(
    "You hide keys after the softmax, and divide by what is left. If a hidden "
    "key has taken all the weight, that is 0 / 0.",
    "Which score gives a key no weight from the beginning?",
    "masks#the-formula",
)
def attend__normalised_again(query, key, value, mask=None):
    weights = RIGHT["softmax"](RIGHT["attention_scores"](query, key))
    weights = weights if mask is None else weights * mask
    return weights / weights.sum(axis=-1, keepdims=True) @ value


@mistake(
    "Your function returns its weights along with the result.",
    "Which of the two does the next step need?",
    "line-by-line#the-formula",
)
def attend__pair_returned(query, key, value, mask=None):
    scores = RIGHT["attention_scores"](query, key)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = RIGHT["softmax"](scores)
    return weights @ value, weights


@mistake(
    "Your function hides what comes after a word, whatever mask is given.",
    "Which mask should it use, and which if there is none?",
    "masks#the-formula",
)
def attend__always_causal(query, key, value, mask=None):
    return attend(query, key, value, np.tri(len(query), len(key), dtype=bool))


@also(attend__always_causal)
def attend__causal_too(query, key, value, mask=None):
    causal = np.tri(len(query), len(key), dtype=bool)
    return _attend(
        query, key, value, causal if mask is None else causal & mask
    )


@also(attend__always_causal)
def attend__causal_by_default(query, key, value, mask=None):
    causal = np.tri(len(query), len(key), dtype=bool)
    return attend(query, key, value, causal if mask is None else mask)


# --- 5, causal mask ----------------------------------------------------------


@mistake(
    "Your mask lets each word see itself and what comes after it.",
    "May the first word see the words that come after it?",
    "masks#exercises",
)
def causal_mask__looks_ahead(n):
    return np.triu(np.ones((n, n), bool))


@mistake(
    yours("causal-strict"),
    "What would the first word see?",
    "masks#exercises",
)
def causal_mask__causal_strict(n):
    return np.tri(n, k=-1, dtype=bool)


@mistake(
    yours("mask-inverted"),
    "What does True say in this mask?",
    "masks#mask-to-bias",
)
def causal_mask__mask_inverted(n):
    return ~np.tri(n, dtype=bool)


@mistake(
    "Your mask lets each word see one word ahead.",
    "Which columns may row 0 see?",
    "masks#exercises",
)
def causal_mask__one_ahead(n):
    return np.tri(n, k=1, dtype=bool)


@mistake(
    "Your mask hides nothing.",
    "Which columns may row 0 see?",
    "masks#exercises",
)
def causal_mask__hides_nothing(n):
    return np.ones((n, n), bool)


@mistake(
    "Your mask lets each word see only itself.",
    "What may a word see besides itself?",
    "masks#exercises",
)
def causal_mask__itself_alone(n):
    return np.eye(n, dtype=bool)


@mistake(
    "Your mask is made of 0 and minus infinity, to be added to scores. "
    "Here True and False are wanted.",
    "Which comparison makes one of the other?",
    "masks#mask-to-bias",
)
def causal_mask__additive(n):
    return np.where(np.tri(n, dtype=bool), 0, -np.inf)


@also(causal_mask__additive)
def causal_mask__additive_and_finite(n):
    return np.where(np.tri(n, dtype=bool), 0, -1e9)


@mistake(
    "Your mask lets each word see itself and the word before it, and none "
    "before that.",
    "How far back may the last word look?",
    "masks#exercises",
)
def causal_mask__one_back(n):
    return np.tri(n, dtype=bool) & ~np.tri(n, k=-2, dtype=bool)


@mistake(
    "Your mask has more axes in front than rows and columns.",
    "How many numbers do you need to name a query and a key?",
    "masks#exercises",
)
def causal_mask__axis_in_front(n):
    return np.tri(n, dtype=bool)[None]


@also(causal_mask__axis_in_front)
def causal_mask__two_axes_in_front(n):
    return np.tri(n, dtype=bool)[None, None]


# --- 6, self-attention -------------------------------------------------------

_ROLES = "queries-keys-values#the-formula"


@mistake(
    "Your queries come from w_k, and your keys from w_q.",
    "Which matrix makes what a word asks?",
    _ROLES,
)
def self_attention__query_and_key_swapped(x, w_q, w_k, w_v, mask=None):
    return self_attention(x, w_k, w_q, w_v, mask)


@mistake(
    "Your values are the rows as they are: w_v is not used.",
    "What does a word pass on?",
    _ROLES,
)
def self_attention__w_v_missing(x, w_q, w_k, w_v, mask=None):
    return attend(x @ w_q, x @ w_k, x, mask)


@mistake(
    "Your values are made by w_k.",
    "Which matrix makes what a word passes on?",
    _ROLES,
)
def self_attention__values_from_w_k(x, w_q, w_k, w_v, mask=None):
    return attend(x @ w_q, x @ w_k, x @ w_k, mask)


@mistake(
    "Your keys are made by w_q, as the queries are.",
    "With one matrix for both, whom must x resemble to be found?",
    _ROLES,
)
def self_attention__keys_from_w_q(x, w_q, w_k, w_v, mask=None):
    return attend(x @ w_q, x @ w_q, x @ w_v, mask)


@mistake(
    "Your scores are divided by the root of d_k once more.",
    "Who has divided them already?",
    "scaling#scaling-twice",
)
def self_attention__scale_twice(x, w_q, w_k, w_v, mask=None):
    return self_attention(x, w_q * w_q.shape[-1] ** -0.5, w_k, w_v, mask)


@mistake(
    yours("scale-by-d-model"),
    "How many terms does a dot product of query and key add up?",
    "scaling#d-k-not-d-model",
)
def self_attention__scale_by_d_model(x, w_q, w_k, w_v, mask=None):
    scale = x.shape[-1] ** -0.5
    return _attend(x @ w_q, x @ w_k, x @ w_v, mask, scale=scale)


@mistake(
    "Your function uses none of the three matrices.",
    "What would the rows of x compare, as they are?",
    _ROLES,
)
def self_attention__matrices_missing(x, w_q, w_k, w_v, mask=None):
    return attend(x, x, x, mask)


@mistake(
    "Your function multiplies by the matrices transposed.",
    "A row of x meets a column of the matrix. Which features go in?",
    _ROLES,
)
def self_attention__matrices_transposed(x, w_q, w_k, w_v, mask=None):
    return attend(x @ w_q.T, x @ w_k.T, x @ w_v.T, mask)


@mistake(
    "Your function does not pass the mask on.",
    "Who uses the mask, and how does it get there?",
    "masks#the-formula",
)
def self_attention__mask_ignored(x, w_q, w_k, w_v, mask=None):
    return self_attention(x, w_q, w_k, w_v)


@mistake(
    "Your function adds the result to x. That comes with the layer, not here.",
    "Which step adds a part's result to its rows?",
    "transformer-block",
)
def self_attention__residual_added(x, w_q, w_k, w_v, mask=None):
    return x + self_attention(x, w_q, w_k, w_v, mask)


@mistake(
    "Your values are w_v itself.",
    "x meets w_q and w_k. What does it meet for the values?",
    _ROLES,
)
def self_attention__w_v_for_values(x, w_q, w_k, w_v, mask=None):
    return attend(x @ w_q, x @ w_k, w_v, mask)


@mistake(
    "Your rows are compared as they are: w_q and w_k are not used.",
    "Which matrix makes what a word asks?",
    _ROLES,
)
def self_attention__rows_compared(x, w_q, w_k, w_v, mask=None):
    return attend(x, x, x @ w_v, mask)


@mistake(
    yours("scale-missing"),
    "Does this function call attend, or write it again?",
    "scaling#worked-numbers",
)
def self_attention__scale_missing(x, w_q, w_k, w_v, mask=None):
    return _attend(x @ w_q, x @ w_k, x @ w_v, mask, scale=1)


@mistake(
    yours("softmax-axis"),
    "Does this function call attend, or write it again?",
    "read-the-grid#rows-or-columns",
)
def self_attention__softmax_axis(x, w_q, w_k, w_v, mask=None):
    return _attend(x @ w_q, x @ w_k, x @ w_v, mask, axis=-2)


@mistake(
    "Your function hides what comes after a word, whatever mask is given.",
    "Which mask should it use, and which if there is none?",
    "masks#the-formula",
)
def self_attention__always_causal(x, w_q, w_k, w_v, mask=None):
    return self_attention(x, w_q, w_k, w_v, np.tri(len(x), dtype=bool))


@also(self_attention__always_causal)
def self_attention__causal_by_default(x, w_q, w_k, w_v, mask=None):
    mask = np.tri(len(x), dtype=bool) if mask is None else mask
    return self_attention(x, w_q, w_k, w_v, mask)


@mistake(
    yours("mask-inverted"),
    "What does True say in this mask?",
    "masks#mask-to-bias",
)
def self_attention__mask_inverted(x, w_q, w_k, w_v, mask=None):
    mask = None if mask is None else ~mask
    return _attend(x @ w_q, x @ w_k, x @ w_v, mask)


@mistake(
    "Your keys are made by w_v, and your values by w_k.",
    "Which matrix makes what a word passes on?",
    _ROLES,
)
def self_attention__keys_and_values_swapped(x, w_q, w_k, w_v, mask=None):
    return attend(x @ w_q, x @ w_v, x @ w_k, mask)


# --- 7, positions ------------------------------------------------------------


def _angles(n, d, base):
    return np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)


def _paired(first, second):
    return np.stack([first, second], axis=-1).reshape(len(first), -1)


@mistake(
    "Your cosine comes first in each pair, and the sine second.",
    "What is the row of position 0?",
    "order#a-clock-with-many-hands",
)
def positions__sine_second(n, d, base=10000.0):
    angles = _angles(n, d, base)
    return _paired(np.cos(angles), np.sin(angles))


@mistake(
    "Your sines fill the first half of the columns, and your cosines "
    "the second. Here sine and cosine alternate.",
    "Which columns belong to pair 0?",
    "order#a-clock-with-many-hands",
)
def positions__halves(n, d, base=10000.0):
    angles = _angles(n, d, base)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


@also(positions__halves)
def positions__halves_cosines_first(n, d, base=10000.0):
    angles = _angles(n, d, base)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)


@mistake(
    "Your exponents run to 1, as in some older programs: i / (d / 2 - 1). "
    "Here they are 2 i / d.",
    "What is the last exponent for d = 4?",
    "order#a-clock-with-many-hands",
)
def positions__exponents_to_one(n, d, base=10000.0):
    steps = np.arange(d // 2) / max(d // 2 - 1, 1)
    angles = np.arange(n)[:, None] / base**steps
    return _paired(np.sin(angles), np.cos(angles))


@also(positions__exponents_to_one)
def positions__exponents_to_one_in_halves(n, d, base=10000.0):
    pairs = positions__exponents_to_one(n, d, base)
    return np.concatenate([pairs[:, ::2], pairs[:, 1::2]], axis=-1)


@mistake(
    "Your positions start at 1.",
    "Which row holds the sine of 0?",
    "order#a-clock-with-many-hands",
)
def positions__from_one(n, d, base=10000.0):
    return positions(n + 1, d, base)[1:]


@mistake(
    "Each of your columns has a frequency of its own; the two of a pair "
    "share one.",
    "In base^(2 i / d), what does i count?",
    "order#a-clock-with-many-hands",
)
def positions__frequency_per_column(n, d, base=10000.0):
    angles = np.arange(n)[:, None] / base ** (np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


@mistake(
    "Your exponent counts columns twice: 2 i / d, where i is a column "
    "and not a pair.",
    "In base^(2 i / d), what does i count?",
    "order#a-clock-with-many-hands",
)
def positions__columns_twice(n, d, base=10000.0):
    angles = np.arange(n)[:, None] / base ** (2 * np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


@mistake(
    "Your exponent is i / d: its 2 is missing.",
    "Over how much of 0 to 1 should the exponents run?",
    "order#a-clock-with-many-hands",
)
def positions__two_missing(n, d, base=10000.0):
    angles = np.arange(n)[:, None] / base ** (np.arange(d // 2) / d)
    return _paired(np.sin(angles), np.cos(angles))


@mistake(
    "Your exponent is 2 i: it is not divided by d.",
    "Over how much of 0 to 1 should the exponents run?",
    "order#a-clock-with-many-hands",
)
def positions__d_missing(n, d, base=10000.0):
    angles = np.arange(n)[:, None] / base ** np.arange(0.0, d, 2)
    return _paired(np.sin(angles), np.cos(angles))


@mistake(
    "Your positions are multiplied by the powers of the base, not divided.",
    "Which pair should turn most slowly?",
    "order#a-clock-with-many-hands",
)
def positions__multiplied(n, d, base=10000.0):
    angles = np.arange(n)[:, None] * base ** (np.arange(0, d, 2) / d)
    return _paired(np.sin(angles), np.cos(angles))


@mistake(
    "Your function uses the base 10000, whatever base is given.",
    "Where does the argument base come in?",
    "order#a-clock-with-many-hands",
)
def positions__base_ignored(n, d, base=10000.0):
    return positions(n, d)


@mistake(
    "All your columns are sines.",
    "Why does a pair need a sine and a cosine?",
    "order#a-clock-with-many-hands",
)
def positions__sines_alone(n, d, base=10000.0):
    angles = _angles(n, d, base)
    return _paired(np.sin(angles), np.sin(angles))


@mistake(
    "Your table is transposed: it has a column for each position.",
    "It is added to x (n, d). Which shape must it have?",
    "order#a-clock-with-many-hands",
)
def positions__transposed(n, d, base=10000.0):
    return positions(n, d, base).T


@mistake(
    "Your exponent is twice too large: your i goes in steps of two already, "
    "and then counts double.",
    "What is the exponent of the last pair for d = 4?",
    "order#a-clock-with-many-hands",
)
def positions__exponent_doubled(n, d, base=10000.0):
    angles = np.arange(n)[:, None] / base ** (2 * np.arange(0, d, 2) / d)
    return _paired(np.sin(angles), np.cos(angles))


@mistake(
    "Your exponents are whole numbers, so that all pairs turn at the same "
    "speed.",
    "What is the difference between / and //?",
    "order#a-clock-with-many-hands",
)
def positions__rounded_down(n, d, base=10000.0):
    angles = np.arange(n)[:, None] / base ** (np.arange(0, d, 2) // d)
    return _paired(np.sin(angles), np.cos(angles))


@mistake(
    "Your position is divided by the base, and multiplied by 2 i / d: the "
    "power is missing.",
    "What does ^ say in base^(2 i / d), and how does Python write it?",
    "order#a-clock-with-many-hands",
)
def positions__power_missing(n, d, base=10000.0):
    angles = np.arange(n)[:, None] / base * (np.arange(0, d, 2) / d)
    return _paired(np.sin(angles), np.cos(angles))


@also(positions__power_missing)
def positions__power_missing_in_brackets(n, d, base=10000.0):
    with np.errstate(all="ignore"):
        angles = np.arange(n)[:, None] / (base * (np.arange(0, d, 2) / d))
    return _paired(np.sin(angles), np.cos(angles))


@mistake(
    "All your columns are cosines.",
    "Why does a pair need a sine and a cosine?",
    "order#a-clock-with-many-hands",
)
def positions__cosines_alone(n, d, base=10000.0):
    angles = _angles(n, d, base)
    return _paired(np.cos(angles), np.cos(angles))


@mistake(
    "Your angles are multiplied by 2 pi.",
    "How far has pair 0 turned at position 1: by 1, or once round?",
    "order#a-clock-with-many-hands",
)
def positions__full_turns(n, d, base=10000.0):
    angles = 2 * np.pi * _angles(n, d, base)
    return _paired(np.sin(angles), np.cos(angles))


# --- 8, heads ----------------------------------------------------------------


@mistake(
    yours("split-by-reshape"),
    "In which order does reshape read? What has to change places?",
    "heads",
)
def split_heads__split_by_reshape(x, n_heads):
    *more, n, d = x.shape
    return x.reshape(*more, n_heads, n, d // n_heads)


@mistake(
    "Your axes are (n, n_heads, d): the words come before the heads.",
    "Which axis should come first, so that each head is a matrix?",
    "heads",
)
def split_heads__axes_not_swapped(x, n_heads):
    return x.reshape(*x.shape[:-1], n_heads, -1)


@mistake(
    "Your heads take every n_heads-th feature, not neighbouring ones.",
    "Head 0 has the first d features. Which axis of the reshape is the "
    "head's?",
    "heads",
)
def split_heads__features_dealt_out(x, n_heads):
    dealt = x.reshape(*x.shape[:-1], -1, n_heads)
    return np.moveaxis(dealt, -1, -3)


@mistake(
    "You make as many heads as a head should have features.",
    "Which of the two numbers is n_heads, and which is left over?",
    "heads",
)
def split_heads__numbers_swapped(x, n_heads):
    return RIGHT["split_heads"](x, x.shape[-1] // n_heads)


@mistake(
    "Each of your heads is transposed: features by words.",
    "In which order should words and features be?",
    "heads",
)
def split_heads__transposed(x, n_heads):
    return RIGHT["split_heads"](x, n_heads).swapaxes(-1, -2)


@mistake(
    "Your function cuts the rows into heads, not the features.",
    "Which axis of x holds the features?",
    "heads",
)
def split_heads__rows_cut(x, n_heads):
    return np.array(np.split(x, n_heads, axis=-2))


@also(split_heads__rows_cut)
def split_heads__rows_cut_unevenly(x, n_heads):
    return np.array_split(x, n_heads, axis=-2)


@mistake(
    "Your function cuts the numbers into heads without moving an axis, and "
    "transposes each head.",
    "In which order does reshape read? What has to change places?",
    "heads",
)
def split_heads__split_by_reshape_transposed(x, n_heads):
    return split_heads__split_by_reshape(x, n_heads).swapaxes(-1, -2)


@mistake(
    yours("merge-by-reshape"),
    "In which order does reshape read? What has to change places?",
    "heads",
)
def merge_heads__merge_by_reshape(heads):
    *more, n_heads, n, d = heads.shape
    return heads.reshape(*more, n, n_heads * d)


@mistake(
    "Your function averages the heads.",
    "How many features has a row that holds all heads side by side?",
    "heads",
)
def merge_heads__heads_averaged(heads):
    return heads.mean(axis=-3)


@mistake(
    "Your function adds the heads up.",
    "How many features has a row that holds all heads side by side?",
    "heads",
)
def merge_heads__heads_added(heads):
    return heads.sum(axis=-3)


@mistake(
    "Your function puts the heads below each other, not side by side.",
    "How many rows should the result have?",
    "heads",
)
def merge_heads__heads_stacked(heads):
    return heads.reshape(-1, heads.shape[-1])


@mistake(
    "Your rows take one feature of each head in turn.",
    "The features of head 0 come first. Which axis goes last before reshape?",
    "heads",
)
def merge_heads__features_dealt_out(heads):
    moved = np.moveaxis(heads, -3, -1)
    return moved.reshape(*moved.shape[:-2], -1)


@mistake(
    "Your function moves the heads after the words, and does not join them.",
    "How many axes should the result have?",
    "heads",
)
def merge_heads__not_joined(heads):
    return heads.swapaxes(-2, -3)


# --- 9, multi-head attention -------------------------------------------------


def _heads(x, w_q, w_k, w_v, n_heads, mask, scale=None, split=None):
    split = split or RIGHT["split_heads"]
    three = (split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return _attend(*three, mask, scale=scale)


@mistake(
    "Your function averages the heads before w_o.",
    "What does an average of two answers lose?",
    "heads",
)
def multi_head_attention__heads_averaged(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask)
    return np.tile(heads.mean(axis=0), n_heads) @ w_o


@mistake(
    "Your function adds the parts of w_o up as an average over the heads.",
    "Is the product with w_o divided by anything?",
    "heads",
)
def multi_head_attention__divided_by_heads(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    right = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, mask)
    return right / n_heads


@mistake(
    "Your function returns the heads side by side: w_o is not used.",
    "Which matrix makes one row of several answers?",
    "heads",
)
def multi_head_attention__w_o_missing(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    return RIGHT["merge_heads"](_heads(x, w_q, w_k, w_v, n_heads, mask))


@mistake(
    "Your function is a single head with all the features.",
    "Each head has weights of its own. Where are they?",
    "heads",
)
def multi_head_attention__one_head(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    return attend(x @ w_q, x @ w_k, x @ w_v, mask) @ w_o


@mistake(
    yours("scale-by-d-model"),
    "How many terms does a dot product of one head add up?",
    "scaling#d-k-not-d-model",
)
def multi_head_attention__scale_by_d_model(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    scale = w_q.shape[-1] ** -0.5
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask, scale)
    return RIGHT["merge_heads"](heads) @ w_o


@mistake(
    yours("scale-missing"),
    "Does each head run the same attend as before?",
    "scaling#worked-numbers",
)
def multi_head_attention__scale_missing(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask, 1)
    return RIGHT["merge_heads"](heads) @ w_o


@mistake(
    yours("split-by-reshape"),
    "Does this function call split_heads and merge_heads?",
    "heads",
)
def multi_head_attention__split_by_reshape(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(
        x, w_q, w_k, w_v, n_heads, mask, split=split_heads__split_by_reshape
    )
    return merge_heads__merge_by_reshape(heads) @ w_o


@mistake(
    yours("merge-by-reshape"),
    "Does this function call merge_heads?",
    "heads",
)
def multi_head_attention__merge_by_reshape(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask)
    return merge_heads__merge_by_reshape(heads) @ w_o


@mistake(
    "Your heads take every n_heads-th feature, not neighbouring ones.",
    "Does this function call split_heads and merge_heads?",
    "heads",
)
def multi_head_attention__features_dealt_out(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    split = split_heads__features_dealt_out
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask, split=split)
    return RIGHT["merge_heads"](heads) @ w_o


@also(multi_head_attention__features_dealt_out)
def multi_head_attention__features_dealt_out_and_back(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    split = split_heads__features_dealt_out
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask, split=split)
    return merge_heads__features_dealt_out(heads) @ w_o


@mistake(
    "Your heads are split right, and the rows you make of them take one "
    "feature of each head in turn.",
    "Does this function call merge_heads?",
    "heads",
)
def multi_head_attention__merge_dealt_out(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask)
    return merge_heads__features_dealt_out(heads) @ w_o


@mistake(
    "Only your first head attends: its answer stands in for all.",
    "Which part of the features does each head get?",
    "heads",
)
def multi_head_attention__first_head_for_all(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask)
    return np.tile(heads[0], n_heads) @ w_o


@mistake(
    "Your scores are divided by the root of d_k once more.",
    "Who has divided them already?",
    "scaling#scaling-twice",
)
def multi_head_attention__scale_twice(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    scale = n_heads / w_q.shape[-1]
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask, scale)
    return RIGHT["merge_heads"](heads) @ w_o


@mistake(
    "Your queries come from w_k, and your keys from w_q.",
    "Which matrix makes what a word asks?",
    "queries-keys-values#the-formula",
)
def multi_head_attention__query_and_key_swapped(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    return multi_head_attention(x, w_k, w_q, w_v, w_o, n_heads, mask)


@mistake(
    "Only your first head gets the mask.",
    "What may the other heads see?",
    "masks#the-formula",
)
def multi_head_attention__mask_for_first_head(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    free = _heads(x, w_q, w_k, w_v, n_heads, None)
    first = _heads(x, w_q, w_k, w_v, n_heads, mask)[:1]
    heads = np.concatenate([first, free[1:]])
    return RIGHT["merge_heads"](heads) @ w_o


@mistake(
    "Your function does not pass the mask on to the heads.",
    "Who uses the mask, and how does it get there?",
    "masks#the-formula",
)
def multi_head_attention__mask_ignored(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    return multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads)


@mistake(
    "Your function adds the result to x. That comes with the layer.",
    "Which step adds a part's result to its rows?",
    "transformer-block",
)
def multi_head_attention__residual_added(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    return x + multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, mask)


@mistake(
    "Your w_o is transposed.",
    "Which axis of w_o is as long as all heads side by side?",
    "heads",
)
def multi_head_attention__w_o_transposed(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask)
    return RIGHT["merge_heads"](heads) @ w_o.T


@mistake(
    "Your heads are as wide as the features of x allow. It is the columns of "
    "w_q that are shared out among the heads.",
    "Which number is n_heads d_k?",
    "heads",
)
def multi_head_attention__width_of_x(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    return _cut_by_x(x, w_q, w_k, w_v, n_heads, mask) @ w_o


def _cut_by_x(x, w_q, w_k, w_v, n_heads, mask):
    d = x.shape[-1] // n_heads
    parts = [slice(h * d, (h + 1) * d) for h in range(n_heads)]
    return np.concatenate(
        [
            self_attention(x, w_q[:, p], w_k[:, p], w_v[:, p], mask)
            for p in parts
        ],
        axis=-1,
    )


@also(multi_head_attention__w_o_missing)
def multi_head_attention__w_o_missing_and_width_of_x(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    return _cut_by_x(x, w_q, w_k, w_v, n_heads, mask)


@mistake(
    "Your function adds the heads up before w_o.",
    "What does a sum of two answers lose?",
    "heads",
)
def multi_head_attention__heads_added(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask)
    return np.tile(heads.sum(axis=0), n_heads) @ w_o


@mistake(
    "Your heads get x itself, cut into parts: w_q, w_k and w_v are not used.",
    "Which matrix makes what a word asks?",
    "queries-keys-values#the-formula",
)
def multi_head_attention__matrices_missing(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = attend(*3 * (RIGHT["split_heads"](x, n_heads),), mask)
    return RIGHT["merge_heads"](heads) @ w_o


@mistake(
    "Your function hides what comes after a word, whatever mask is given.",
    "Which mask should it use, and which if there is none?",
    "masks#the-formula",
)
def multi_head_attention__always_causal(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    mask = np.tri(len(x), dtype=bool)
    return multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, mask)


@mistake(
    yours("softmax-axis"),
    "Does each head run the same attend as before?",
    "read-the-grid#rows-or-columns",
)
def multi_head_attention__softmax_axis(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    q, k, v = (RIGHT["split_heads"](x @ w, n_heads) for w in (w_q, w_k, w_v))
    heads = _attend(q, k, v, mask, axis=-2)
    return RIGHT["merge_heads"](heads) @ w_o


@mistake(
    "Your keys are made by w_v, and your values by w_k.",
    "Which matrix makes what a word passes on?",
    "queries-keys-values#the-formula",
)
def multi_head_attention__keys_and_values_swapped(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    return multi_head_attention(x, w_q, w_v, w_k, w_o, n_heads, mask)


@also(multi_head_attention__scale_by_d_model)
def multi_head_attention__scale_by_width_of_x(
    x, w_q, w_k, w_v, w_o, n_heads, mask=None
):
    heads = _heads(x, w_q, w_k, w_v, n_heads, mask, x.shape[-1] ** -0.5)
    return RIGHT["merge_heads"](heads) @ w_o


# --- 10, layer norm ----------------------------------------------------------

_LAYER = "transformer-block"


def _norm(x, gain, eps=1e-5, *, axis=-1, mean=True, ddof=0):
    x = np.asarray(x, float)
    centred = x - x.mean(axis=axis, keepdims=True) if mean else x
    variance = x.var(axis=axis, keepdims=True, ddof=ddof)
    return centred / np.sqrt(variance + eps) * gain


@mistake(
    "Your mean and variance are taken down the columns, over the words.",
    "Which numbers belong to one word?",
    _LAYER,
)
def layer_norm__norm_axis(x, gain, eps=1e-5):
    return _norm(x, gain, eps, axis=0)


@mistake(
    "Your mean and variance are those of the whole array.",
    "Each row is normalised by itself. Which axis is that?",
    _LAYER,
)
def layer_norm__one_norm(x, gain, eps=1e-5):
    return _norm(x, gain, eps, axis=None)


@mistake(
    "Your function does not subtract the mean.",
    "What is the mean of a row afterwards?",
    _LAYER,
)
def layer_norm__mean_kept(x, gain, eps=1e-5):
    return _norm(x, gain, eps, mean=False)


@mistake(
    "Your function divides by the root of the mean square. That is an "
    "RMS norm, which does not subtract the mean.",
    "What is the mean of a row afterwards?",
    _LAYER,
)
def layer_norm__rms_norm(x, gain, eps=1e-5):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * gain


@mistake(
    "Your function subtracts the mean, and divides by the root mean "
    "square of the rows as they were.",
    "Of which numbers is the variance the mean square?",
    _LAYER,
)
def layer_norm__variance_without_mean(x, gain, eps=1e-5):
    square = (x**2).mean(axis=-1, keepdims=True)
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(square + eps) * gain


@mistake(
    "Your function subtracts the mean, and does not divide.",
    "What is the variance of a row afterwards?",
    _LAYER,
)
def layer_norm__variance_missing(x, gain, eps=1e-5):
    return (x - x.mean(axis=-1, keepdims=True)) * gain


@mistake(
    "Your function divides by the variance, not by its root.",
    "What is the variance of a row afterwards?",
    _LAYER,
)
def layer_norm__root_missing(x, gain, eps=1e-5):
    variance = x.var(axis=-1, keepdims=True)
    return (x - x.mean(axis=-1, keepdims=True)) / (variance + eps) * gain


@mistake(
    "Your variance divides by d - 1. Here it divides by d.",
    "What does ddof mean, and which is NumPy's habit?",
    _LAYER,
)
def layer_norm__sample_variance(x, gain, eps=1e-5):
    return _norm(x, gain, eps, ddof=1)


@also(layer_norm__sample_variance)
def layer_norm__sample_variance_and_eps_outside(x, gain, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / (x.std(axis=-1, keepdims=True, ddof=1) + eps) * gain


@mistake(
    "Your eps is added to the root, not under it.",
    "How do sqrt(variance + eps) and sqrt(variance) + eps differ for a very "
    "small variance?",
    _LAYER,
)
def layer_norm__eps_outside(x, gain, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / (x.std(axis=-1, keepdims=True) + eps) * gain


@mistake(
    "Your eps is missing: a row of equal numbers gives 0 / 0.",
    "What is the variance of a row of equal numbers?",
    _LAYER,
)
def layer_norm__eps_missing(x, gain, eps=1e-5):
    return _norm(x, gain, 0)


@mistake(
    "Your function uses an eps of its own, whatever eps is given.",
    "Where does the argument eps come in?",
    _LAYER,
)
def layer_norm__eps_ignored(x, gain, eps=1e-5):
    return _norm(x, gain)


@mistake(
    "Your function does not multiply by the gain.",
    "What does training choose for each feature here?",
    _LAYER,
)
def layer_norm__gain_missing(x, gain, eps=1e-5):
    return _norm(x, 1, eps)


@mistake(
    "Your gain counts from 1: you multiply by 1 + gain.",
    "What should a gain of ones change?",
    _LAYER,
)
def layer_norm__gain_from_one(x, gain, eps=1e-5):
    return _norm(x, 1 + gain, eps)


@mistake(
    "Your gain is multiplied in before the division, so that it divides, too.",
    "Whose mean and variance are wanted: those of x?",
    _LAYER,
)
def layer_norm__gain_first(x, gain, eps=1e-5):
    return _norm(x * gain, 1, eps)


@mistake(
    "Your function adds the gain; it should multiply by it.",
    "What should a gain of ones change?",
    _LAYER,
)
def layer_norm__gain_added(x, gain, eps=1e-5):
    return _norm(x, 1, eps) + gain


def _own_eps(name, own):
    def normed(x, gain, eps=1e-5):
        return _norm(x, gain, own)

    normed.__name__ = f"layer_norm__eps_{name}"
    return also(layer_norm__eps_ignored)(normed)


_own_eps("1e_12", 1e-12)
_own_eps("1e_8", 1e-8)
_own_eps("1e_6", 1e-6)
_own_eps("1e_3", 1e-3)


@mistake(
    "Your eps is subtracted from the variance.",
    "What should the root never be?",
    _LAYER,
)
def layer_norm__eps_subtracted(x, gain, eps=1e-5):
    return _norm(x, gain, -eps)


@mistake(
    "Your eps is added after the division.",
    "Which number should eps keep from being 0?",
    _LAYER,
)
def layer_norm__eps_last(x, gain, eps=1e-5):
    return (_norm(x, 1, 0) + eps) * gain


@mistake(
    "Your rows are divided by their length, so that their squares sum to one.",
    "What is the variance of a row afterwards?",
    _LAYER,
)
def layer_norm__divided_by_length(x, gain, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    square = (centred**2).sum(axis=-1, keepdims=True)
    return centred / np.sqrt(square + eps) * gain


@also(layer_norm__divided_by_length)
def layer_norm__divided_by_length_alone(x, gain, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.linalg.norm(centred, axis=-1, keepdims=True) * gain


@mistake(
    "Your rows are divided by their mean distance from the mean, not by the "
    "root of the variance.",
    "Of which numbers is the variance the mean: of distances or of squares?",
    _LAYER,
)
def layer_norm__mean_distance(x, gain, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    distance = np.abs(centred).mean(axis=-1, keepdims=True)
    return centred / (distance + eps) * gain


@also(layer_norm__mean_distance)
def layer_norm__mean_distance_alone(x, gain, eps=1e-5):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.abs(centred).mean(axis=-1, keepdims=True) * gain


def _without_eps(known):
    """Keep what people write who forget eps besides: the same, with eps 0."""

    def normed(x, gain, eps=1e-5):
        return known(x, gain, 0)

    normed.__name__ = f"{known.__name__}_without_eps"
    return also(known)(normed)


for _known in (
    layer_norm__norm_axis,
    layer_norm__one_norm,
    layer_norm__mean_kept,
    layer_norm__rms_norm,
    layer_norm__variance_without_mean,
    layer_norm__root_missing,
    layer_norm__sample_variance,
    layer_norm__gain_missing,
    layer_norm__gain_from_one,
    layer_norm__gain_first,
    layer_norm__gain_added,
):
    _without_eps(_known)


# --- 11, the layer -----------------------------------------------------------


def _block(
    x,
    w,
    n_heads,
    mask=None,
    *,
    norms=(layer_norm, layer_norm),
    keep=(1, 1),
    activation=relu,
    second="middle",
):
    heads = [w[name] for name in ("w_q", "w_k", "w_v", "w_o")]
    normed = norms[0](x, w["norm_1"])
    attention = multi_head_attention(normed, *heads, n_heads, mask)
    middle = keep[0] * x + attention
    inside = norms[1](middle if second == "middle" else x, w["norm_2"])
    mlp = activation(inside @ w["w_in"]) @ w["w_out"]
    return keep[1] * middle + mlp


def _as_it_is(x, gain):
    return x


@mistake(
    "Your rows are replaced by what the parts make: nothing is added to them.",
    "What keeps a word from being forgotten?",
    _LAYER,
)
def transformer_block__residual_missing(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, keep=(0, 0))


@mistake(
    "What attention makes replaces the rows; it should be added.",
    "What does a word keep of itself past the first part?",
    _LAYER,
)
def transformer_block__first_residual_missing(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, keep=(0, 1))


@mistake(
    "What the MLP makes replaces the rows; it should be added.",
    "What does a word keep of itself past the second part?",
    _LAYER,
)
def transformer_block__second_residual_missing(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, keep=(1, 0))


@mistake(
    "Your parts get the rows without a layer norm.",
    "What comes before each part?",
    _LAYER,
)
def transformer_block__norms_missing(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, norms=(_as_it_is, _as_it_is))


@mistake(
    "Attention gets the rows without a layer norm.",
    "What comes before each part?",
    _LAYER,
)
def transformer_block__first_norm_missing(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, norms=(_as_it_is, layer_norm))


@mistake(
    "The MLP gets the rows without a layer norm.",
    "What comes before each part?",
    _LAYER,
)
def transformer_block__second_norm_missing(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, norms=(layer_norm, _as_it_is))


@mistake(
    "Your sums are normalised, as in the transformer of 2017. Here the "
    "norm comes before each part, and not after the sum.",
    "What is added to rows that no norm has touched?",
    _LAYER,
)
def transformer_block__norm_after(x, weights, n_heads, mask=None):
    w = weights
    heads = [w[name] for name in ("w_q", "w_k", "w_v", "w_o")]
    attention = multi_head_attention(x, *heads, n_heads, mask)
    middle = layer_norm(x + attention, w["norm_1"])
    mlp = relu(middle @ w["w_in"]) @ w["w_out"]
    return layer_norm(middle + mlp, w["norm_2"])


@mistake(
    "The results are added to the normalised rows, not to the rows as "
    "they were.",
    "What runs past a part untouched?",
    _LAYER,
)
def transformer_block__added_to_the_norm(x, weights, n_heads, mask=None):
    w = weights
    heads = [w[name] for name in ("w_q", "w_k", "w_v", "w_o")]
    normed = layer_norm(x, w["norm_1"])
    middle = normed + multi_head_attention(normed, *heads, n_heads, mask)
    inside = layer_norm(middle, w["norm_2"])
    return inside + relu(inside @ w["w_in"]) @ w["w_out"]


@mistake(
    "Your MLP gets the rows that attention got, and not what attention "
    "has made of them.",
    "Which rows does the second part start from?",
    _LAYER,
)
def transformer_block__side_by_side(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, second="x")


@mistake(
    "What attention makes is lost after the MLP: your result is only x and "
    "the part of the MLP.",
    "To which rows is the MLP's part added?",
    _LAYER,
)
def transformer_block__attention_lost(x, weights, n_heads, mask=None):
    middle = _block(
        x, weights | {"w_out": 0 * weights["w_out"]}, n_heads, mask
    )
    return _block(x, weights, n_heads, mask) - middle + x


@mistake(
    "Your MLP comes first, and attention second.",
    "Which part comes first in a layer?",
    _LAYER,
)
def transformer_block__mlp_first(x, weights, n_heads, mask=None):
    w = weights
    inside = layer_norm(x, w["norm_2"])
    middle = x + relu(inside @ w["w_in"]) @ w["w_out"]
    w = w | {"w_out": 0 * w["w_out"]}
    return _block(middle, w, n_heads, mask)


@mistake(
    "Both your norms use the second gain.",
    "Which gain belongs to attention?",
    _LAYER,
)
def transformer_block__second_gain_twice(x, weights, n_heads, mask=None):
    w = weights | {"norm_1": weights["norm_2"]}
    return _block(x, w, n_heads, mask)


@mistake(
    "Your two gains have changed places.",
    "Which gain belongs to attention?",
    _LAYER,
)
def transformer_block__gains_swapped(x, weights, n_heads, mask=None):
    gains = {"norm_1": weights["norm_2"], "norm_2": weights["norm_1"]}
    return _block(x, weights | gains, n_heads, mask)


@mistake(
    "Your MLP uses a GELU, as GPT-2 does. Here negative numbers become 0.",
    "What should become of -0.5 between the two matrices?",
    _LAYER,
)
def transformer_block__gelu(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, activation=gelu)


@also(transformer_block__gelu)
def transformer_block__gelu_by_tanh(x, weights, n_heads, mask=None):
    def by_tanh(y):
        inside = (2 / np.pi) ** 0.5 * (y + 0.044715 * y**3)
        return 0.5 * y * (1 + np.tanh(inside))

    return _block(x, weights, n_heads, mask, activation=by_tanh)


@mistake(
    "Your MLP turns negative numbers positive. Here they become 0.",
    "What should become of -0.5 between the two matrices?",
    _LAYER,
)
def transformer_block__absolute(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, activation=np.abs)


@mistake(
    "Negative numbers become 0 twice: between the two matrices of your MLP, "
    "and after them.",
    "May a part take something away from a row?",
    _LAYER,
)
def transformer_block__relu_twice(x, weights, n_heads, mask=None):
    w = weights
    middle = _block(x, w | {"w_out": 0 * w["w_out"]}, n_heads, mask)
    return middle + relu(_block(x, w, n_heads, mask) - middle)


@mistake(
    "Both your norms use the first gain.",
    "Which gain belongs to the MLP?",
    _LAYER,
)
def transformer_block__one_gain(x, weights, n_heads, mask=None):
    w = weights | {"norm_2": weights["norm_1"]}
    return _block(x, w, n_heads, mask)


@mistake(
    "Between the two matrices of your MLP nothing happens to negative "
    "numbers, so that the two are one.",
    "What makes two matrices more than one?",
    _LAYER,
)
def transformer_block__relu_missing(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, activation=lambda y: y)


@mistake(
    "Your negative numbers become 0 after w_out, not between the two "
    "matrices.",
    "Between which two matrices do negative numbers become 0?",
    _LAYER,
)
def transformer_block__relu_at_the_end(x, weights, n_heads, mask=None):
    w = weights
    middle = transformer_block(x, w | {"w_out": 0 * w["w_out"]}, n_heads, mask)
    inside = layer_norm(middle, w["norm_2"])
    return middle + relu(inside @ w["w_in"] @ w["w_out"])


@mistake(
    "Your layer has no MLP.", "What comes after attention in a layer?", _LAYER
)
def transformer_block__mlp_missing(x, weights, n_heads, mask=None):
    w = weights | {"w_out": 0 * weights["w_out"]}
    return transformer_block(x, w, n_heads, mask)


@mistake(
    "Your layer does not pass the mask on.",
    "Who uses the mask, and how does it get there?",
    "masks#the-formula",
)
def transformer_block__mask_ignored(x, weights, n_heads, mask=None):
    return transformer_block(x, weights, n_heads)


@mistake(
    "Your parts are normalised after they are made; their input should be.",
    "What comes before each part?",
    _LAYER,
)
def transformer_block__parts_normalised(x, weights, n_heads, mask=None):
    w = weights
    heads = [w[name] for name in ("w_q", "w_k", "w_v", "w_o")]
    attention = multi_head_attention(x, *heads, n_heads, mask)
    middle = x + layer_norm(attention, w["norm_1"])
    mlp = relu(middle @ w["w_in"]) @ w["w_out"]
    return middle + layer_norm(mlp, w["norm_2"])


@mistake(
    "Your layer has a single head, whatever n_heads is.",
    "Where does the argument n_heads come in?",
    _LAYER,
)
def transformer_block__one_head(x, weights, n_heads, mask=None):
    return transformer_block(x, weights, 1, mask)


@mistake(
    "Your layer hides what comes after a word, whatever mask is given.",
    "Which mask should it use, and which if there is none?",
    "masks#the-formula",
)
def transformer_block__always_causal(x, weights, n_heads, mask=None):
    return transformer_block(x, weights, n_heads, np.tri(len(x), dtype=bool))


@mistake(
    "Your layer has no attention.",
    "What comes before the MLP in a layer?",
    _LAYER,
)
def transformer_block__attention_missing(x, weights, n_heads, mask=None):
    w = weights | {"w_o": 0 * weights["w_o"]}
    return transformer_block(x, w, n_heads, mask)


@mistake(
    "Your MLP uses a sigmoid. Here negative numbers become 0, and "
    "others stay as they are.",
    "What should become of 3 between the two matrices?",
    _LAYER,
)
def transformer_block__sigmoid(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, activation=_sigmoid)


def _sigmoid(x):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


@mistake(
    "Your MLP uses a tanh. Here negative numbers become 0, and others "
    "stay as they are.",
    "What should become of 3 between the two matrices?",
    _LAYER,
)
def transformer_block__tanh(x, weights, n_heads, mask=None):
    return _block(x, weights, n_heads, mask, activation=np.tanh)


@mistake(
    "Your MLP uses a SiLU, as Llama does. Here negative numbers become "
    "0, and others stay as they are.",
    "What should become of 3 between the two matrices?",
    _LAYER,
)
def transformer_block__silu(x, weights, n_heads, mask=None):
    return _block(
        x, weights, n_heads, mask, activation=lambda y: y * _sigmoid(y)
    )


@mistake(
    "Your MLP makes positive numbers 0; it should be the negative ones.",
    "What should become of -0.5 between the two matrices?",
    _LAYER,
)
def transformer_block__positive_cut(x, weights, n_heads, mask=None):
    return _block(
        x, weights, n_heads, mask, activation=lambda y: np.minimum(y, 0)
    )


@also(transformer_block__added_to_the_norm)
def transformer_block__first_added_to_the_norm(x, weights, n_heads, mask=None):
    w = weights
    middle = _block(x, w | {"w_out": 0 * w["w_out"]}, n_heads, mask)
    middle = middle - x + layer_norm(x, w["norm_1"])
    inside = layer_norm(middle, w["norm_2"])
    return middle + relu(inside @ w["w_in"]) @ w["w_out"]


@also(transformer_block__added_to_the_norm)
def transformer_block__second_added_to_the_norm(
    x, weights, n_heads, mask=None
):
    w = weights
    middle = _block(x, w | {"w_out": 0 * w["w_out"]}, n_heads, mask)
    inside = layer_norm(middle, w["norm_2"])
    return inside + relu(inside @ w["w_in"]) @ w["w_out"]


@mistake(
    "Your norms use a gain of ones, and not those of the layer.",
    "What are norm_1 and norm_2 for?",
    _LAYER,
)
def transformer_block__gains_missing(x, weights, n_heads, mask=None):
    ones = np.ones(x.shape[-1])
    w = weights | {"norm_1": ones, "norm_2": ones}
    return transformer_block(x, w, n_heads, mask)


@mistake(
    "Your MLP leaves a little of negative numbers, as a leaky ReLU does. Here "
    "they become 0.",
    "What should become of -0.5 between the two matrices?",
    _LAYER,
)
def transformer_block__leaky(x, weights, n_heads, mask=None):
    return _block(
        x, weights, n_heads, mask, activation=lambda y: np.maximum(y, y / 100)
    )


# --- 12, generate ------------------------------------------------------------

_NEXT = "from-text-to-next-word"


def _layer(w, i):
    return {
        name.removeprefix(f"{i}."): array
        for name, array in w.items()
        if name.startswith(f"{i}.")
    }


def _scores(
    ids,
    w,
    *,
    scale=None,
    after=1.0,
    placed=BASE,
    first=0,
    masked=True,
    normed=True,
    layers=range(N_LAYERS),
    row=-1,
    n_heads=N_HEADS,
    table=positions,
):
    d = w["embedding"].shape[-1]
    x = w["embedding"][np.asarray(ids)] * (d**0.5 if scale is None else scale)
    if placed:
        x = x + table(len(ids) + first, d, placed)[first:]
    x = x * after
    causal = np.tri(len(ids), dtype=bool)
    mask = causal.T if masked == "ahead" else causal if masked else None
    x = layer_norm(x, w["norm"]) if normed == "first" else x
    for i in layers:
        x = transformer_block(x, _layer(w, i), n_heads, mask)
    x = layer_norm(x, w["norm"]) if normed is True else x
    return (x @ w["embedding"].T)[row]


def _written(ids, w, n_new, *, choose=np.argmax, **options):
    found = list(ids)
    for _ in range(n_new):
        found.append(int(choose(_scores(found, w, **options))))
    return found


@mistake(
    "Your rows are not multiplied by the root of their size.",
    "How large are the numbers of the table beside those of positions?",
    _NEXT,
)
def generate__embedding_not_scaled(ids, weights, n_new):
    return _written(ids, weights, n_new, scale=1)


@mistake(
    "Your rows are multiplied by their size, not by its root.",
    "How long is a row of d random numbers, each of about 1?",
    _NEXT,
)
def generate__embedding_without_root(ids, weights, n_new):
    return _written(ids, weights, n_new, scale=weights["embedding"].shape[1])


@mistake(
    "Your rows are multiplied by the root of the number of words.",
    "Which axis of the table holds the features of a word?",
    _NEXT,
)
def generate__scale_by_words(ids, weights, n_new):
    scale = len(weights["embedding"]) ** 0.5
    return _written(ids, weights, n_new, scale=scale)


@mistake(
    "Your positions start at 1.",
    "Which row of positions belongs to the first word?",
    "order#a-clock-with-many-hands",
)
def generate__from_one(ids, weights, n_new):
    return _written(ids, weights, n_new, first=1)


@mistake(
    "Your model gets no positions.",
    "How does it know the order of the words?",
    "order#a-clock-with-many-hands",
)
def generate__positions_missing(ids, weights, n_new):
    return _written(ids, weights, n_new, placed=None)


@mistake(
    "Your positions have the base 10000; this model was trained with 100.",
    "Which base does the step name?",
    "order#a-clock-with-many-hands",
)
def generate__base_of_the_paper(ids, weights, n_new):
    return _written(ids, weights, n_new, placed=10000.0)


@mistake(
    "Your layers run without the causal mask.",
    "What did each word see while the model was trained?",
    "masks#the-formula",
)
def generate__mask_missing(ids, weights, n_new):
    return _written(ids, weights, n_new, masked=False)


@mistake(
    "Your second layer has the weights of the first.",
    "What are the names of the second layer's weights?",
    _NEXT,
)
def generate__first_layer_twice(ids, weights, n_new):
    return _written(ids, weights, n_new, layers=[0, 0])


@mistake(
    "Your last layer norm is missing.",
    "What comes before the rows meet the vocabulary?",
    _NEXT,
)
def generate__last_norm_missing(ids, weights, n_new):
    return _written(ids, weights, n_new, normed=False)


@mistake(
    "You multiply by the root of the size after adding the positions, so that "
    "these grow, too.",
    "Which of the two is multiplied, and when?",
    _NEXT,
)
def generate__positions_scaled(ids, weights, n_new):
    root = weights["embedding"].shape[1] ** 0.5
    return _written(ids, weights, n_new, scale=1, after=root)


@mistake(
    "Your function writes a word too many.",
    "How many words should be new?",
    _NEXT,
)
def generate__one_too_many(ids, weights, n_new):
    return RIGHT["generate"](ids, weights, n_new + 1)


@mistake(
    "Only the first layer runs.",
    "How many layers does this model have?",
    _NEXT,
)
def generate__one_layer(ids, weights, n_new):
    return _written(ids, weights, n_new, layers=[0])


@mistake(
    "Your layers run in the wrong order.", "Which layer comes first?", _NEXT
)
def generate__layers_swapped(ids, weights, n_new):
    return _written(ids, weights, n_new, layers=[1, 0])


@mistake(
    "Your next word is read off the first row.",
    "Which row has seen the whole text?",
    _NEXT,
)
def generate__first_row(ids, weights, n_new):
    return _written(ids, weights, n_new, row=0)


@mistake(
    "You choose the word with the lowest score.",
    "Which logit belongs to the most probable word?",
    _NEXT,
)
def generate__lowest_score(ids, weights, n_new):
    return _written(ids, weights, n_new, choose=np.argmin)


@mistake(
    "Your result holds only the new words, without the text.",
    "What goes in again for the next word?",
    _NEXT,
)
def generate__text_left_out(ids, weights, n_new):
    return RIGHT["generate"](ids, weights, n_new)[len(ids) :]


@mistake(
    "Your function writes a single word, however many are wanted.",
    "Where does the second word come from?",
    _NEXT,
)
def generate__one_word(ids, weights, n_new):
    return RIGHT["generate"](ids, weights, 1)


@mistake(
    "Your new words all follow the text as it was: what was written "
    "does not go in again.",
    "What goes in for the second word?",
    _NEXT,
)
def generate__not_appended(ids, weights, n_new):
    following = RIGHT["generate"](ids, weights, 1)[-1]
    return [*ids, *[following] * n_new]


@mistake(
    "Your function writes a word too few.",
    "How many words should be new?",
    _NEXT,
)
def generate__one_too_few(ids, weights, n_new):
    return RIGHT["generate"](ids, weights, n_new - 1)


@mistake(
    "All your words get the position of the first.",
    "How many rows of positions does a text of n words need?",
    "order#a-clock-with-many-hands",
)
def generate__first_position_for_all(ids, weights, n_new):
    def placed(n, d, base):
        return positions(1, d, base).repeat(n, axis=0)

    return _written(ids, weights, n_new, table=placed)


@mistake(
    "Your model sees only the last word.",
    "What goes in again for the next word?",
    _NEXT,
)
def generate__last_word_alone(ids, weights, n_new):
    found = list(ids)
    for _ in range(n_new):
        found.append(int(np.argmax(_scores(found[-1:], weights))))
    return found


@mistake(
    "Your layers have a single head; this model was trained with 4.",
    "How many heads does the step name?",
    _NEXT,
)
def generate__one_head(ids, weights, n_new):
    return _written(ids, weights, n_new, n_heads=1)


@mistake(
    "Your mask is upside down: each word sees what comes after it.",
    "Which words has a model written before the next one?",
    "masks#the-formula",
)
def generate__looks_ahead(ids, weights, n_new):
    return _written(ids, weights, n_new, masked="ahead")


@mistake(
    "Your rows go through the last layer norm before the layers, and not "
    "after them.",
    "What comes before the rows meet the vocabulary?",
    _NEXT,
)
def generate__last_norm_first(ids, weights, n_new):
    return _written(ids, weights, n_new, normed="first")


@mistake(
    "Your model reads the text once. Then it sees only the word that it has "
    "written last.",
    "What goes in again for the next word?",
    _NEXT,
)
def generate__text_forgotten(ids, weights, n_new):
    found, seen = list(ids), list(ids)
    for _ in range(n_new):
        seen = [int(np.argmax(_scores(seen, weights)))]
        found += seen
    return found


@mistake(
    "You look for the highest score among all rows at once.",
    "Which row has seen the whole text?",
    _NEXT,
)
def generate__all_rows(ids, weights, n_new):
    return _written(ids, weights, n_new, row=slice(None))


@mistake(
    "Your result is n_new words long, the text included.",
    "How many of the words should be new?",
    _NEXT,
)
def generate__new_and_old_counted(ids, weights, n_new):
    return RIGHT["generate"](ids, weights, n_new - len(ids))


@mistake(
    "Your layers have 8 heads; this model was trained with 4.",
    "How many heads does the step name?",
    _NEXT,
)
def generate__heads_of_the_paper(ids, weights, n_new):
    return _written(ids, weights, n_new, n_heads=8)
