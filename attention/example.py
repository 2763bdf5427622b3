"""The running example: *cat that chased dog ran*.

*ran* must reach *cat*, the first noun, past the nearer *dog*, and *that* must
find *cat*, too. The weights are set by hand, not trained. Queries carry a
factor ln 2, so scaled scores count doublings and the weights are powers of
two.
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
EARLY5 = [
    2,
    1,
    0,
    0,
    0,
]  # ranks of the words that can be nouns, by hand; added to the last feature as positions
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
    """Return query weights that make every asking word look for nouns and for early words."""
    weight = np.zeros((4, 4))
    weight[2] = np.log(2) * np.array([noun, early, 0, 0])
    return weight


W_Q1, W_Q2 = (
    w_q(1, 1),
    w_q(3, -1),
)  # five words: which noun came first? which came last?
W_Q7, W_Q8 = w_q(2, 1), w_q(4, -1)  # the same two questions for seven words


def embed(
    sentence: list[str], early: list[int] | None = None
) -> NDArray[np.float64]:
    """Look up one row of four features a word; add the positions, if given, to the last feature.

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
    """Run one head of self-attention with W_K and W_V; return the weights and the output.

    >>> from attention.example import EARLY5, S5, W_Q1, attend, embed
    >>> weights, output = attend(embed(S5, EARLY5), W_Q1)
    >>> output[4]
    array([5., 2.])
    """
    weights = attention_weights(
        project(x, w_query), project(x, W_K), **options
    )
    return weights, weights @ project(x, W_V)
