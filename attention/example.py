"""The running example: *cat that chased dog ran*.

*ran* must find *cat*, the first noun, beyond the nearer *dog*, and *that* must
find *cat* too. The matrices are set by hand, not trained. Queries carry a
factor of ln 2, so that scaled scores count doublings of a weight.
"""

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from attention.arguments import AttentionOptions
from attention.dot_product import attention_weights
from attention.projections import project

S5 = ["cat", "that", "chased", "dog", "ran"]
T5 = ["dog", "that", "chased", "cat", "ran"]
S7 = ["the", "cat", "that", "chased", "the", "dog", "ran"]
T7 = ["the", "dog", "that", "chased", "the", "cat", "ran"]

# Features:       cat dog asks early
WORD = {
    "the":       [0, 0, 0, 0],
    "cat":       [2, 0, 0, 0],
    "that":      [1, 1, 1, 0],
    "chased":    [0, 0, 1, 0],
    "dog":       [0, 2, 0, 0],
    "ran":       [0, 0, 1, 0],
}  # fmt: skip
# Positions, added to the last feature: the earlier of the words that can be
# nouns ranks higher.
EARLY5 = [2, 1, 0, 0, 0]
EARLY7 = [0, 2, 1, 0, 0, 0, 0]

# Keys:          noun early asks which
W_K = np.array([[1, 0, 0, 1],
                [1, 0, 0, -1],
                [0, 0, 1, 0],
                [0, 2, 0, 0]], float)  # fmt: skip
# Values:         cat dog
W_V = np.array([[4, 0],
                [0, 4],
                [0, 0],
                [0, 0]], float)  # fmt: skip
W_O = np.array([[1, 0],
                [-1, 0],
                [0, 1],
                [0, -1]], float)  # fmt: skip


def w_q(noun: float, early: float) -> NDArray[np.float64]:
    """Return query weights that look for nouns and for early words."""
    weight = np.zeros((4, 4))
    weight[2] = np.log(2) * np.array([noun, early, 0, 0])
    return weight


# Which noun came first? Which came last?
W_Q1, W_Q2 = w_q(1, 1), w_q(3, -1)  # of five words
W_Q7, W_Q8 = w_q(2, 1), w_q(4, -1)  # of seven words


def embed(
    sentence: list[str], early: list[int] | None = None
) -> NDArray[np.float64]:
    """Look up four features per word; add positions to the last feature.

    >>> from attention.example import EARLY5, S5, embed
    >>> embed(S5, EARLY5)
    array([[2., 0., 0., 2.],
           [1., 1., 1., 1.],
           [0., 0., 1., 0.],
           [0., 2., 0., 0.],
           [0., 0., 1., 0.]])
    """
    x = np.array([WORD[word] for word in sentence], float)
    if early is not None:
        x[:, 3] += early
    return x


def attend(
    x: NDArray[np.float64],
    w_query: NDArray[np.float64],
    **options: Unpack[AttentionOptions],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Run one head of self-attention, and also return its weights.

    >>> from attention.example import EARLY5, S5, W_Q1, attend, embed
    >>> weights, output = attend(embed(S5, EARLY5), W_Q1)
    >>> output[4]
    array([5., 2.])
    """
    weights = attention_weights(
        project(x, w_query), project(x, W_K), **options
    )
    return weights, weights @ project(x, W_V)
