"""The running example: *cats who chased dogs ran*.

Every word asks something. *ran* asks which noun came first, and must find
*cats* beyond the nearer *dogs*; *who* and *chased* ask the same. Each noun
asks which other animal is there. The matrices are set by hand, not trained.
Queries carry a factor of ln 2, so that scaled scores count doublings of a
weight.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from attention.arguments import AttentionOptions
from attention.dot_product import attention_weights
from attention.projections import project

SENTENCE = ["cats", "who", "chased", "dogs", "ran"]
SWAPPED = ["dogs", "who", "chased", "cats", "ran"]

# Features:      cats dogs asks early
WORD = {
    "cats":      [2, 0, 0, 0],
    "who":       [1, 1, 1, 0],
    "chased":    [0, 0, 1, 0],
    "dogs":      [0, 2, 0, 0],
    "ran":       [0, 0, 1, 0],
}  # fmt: skip
# Positions, added to the last feature: 2 at the first place, 1 at the second
# and 0 from the third on.
EARLY = [2, 1, 0, 0, 0]

# Keys:          noun early asks which
W_K = np.array([[1, 0, 0, 1],
                [1, 0, 0, -1],
                [0, 0, 1, 0],
                [0, 2, 0, 0]], float)  # fmt: skip
# Values:         cats dogs
W_V = np.array([[4, 0],
                [0, 4],
                [0, 0],
                [0, 0]], float)  # fmt: skip
W_O = np.array([[1, 0],
                [-1, 0],
                [0, 1],
                [0, -1]], float)  # fmt: skip


def w_q(noun: float, early: float) -> NDArray[np.float64]:
    """Ask for a noun by its place, or, as a noun, for the other animal."""
    weight = np.zeros((4, 4))
    weight[0, 3], weight[1, 3] = -1 / 2, 1 / 2  # a noun asks for the other
    weight[2] = noun, early, 0, 0  # any other word asks for a noun by place
    weight *= np.log(2)
    return weight


# The first noun, and the last one.
W_Q1, W_Q2 = w_q(1, 1), w_q(3, -1)


def embed(
    sentence: list[str], early: list[int] | None = None
) -> NDArray[np.float64]:
    """Look up four features per word; add positions to the last feature."""
    x = np.array([WORD[word] for word in sentence], float)
    if early is not None:
        x[:, 3] += early
    return x


def attend(
    x: NDArray[np.float64],
    w_query: NDArray[np.float64],
    **options: Unpack[AttentionOptions],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Run one head of self-attention, and also return its weights."""
    weights = attention_weights(
        project(x, w_query), project(x, W_K), **options
    )
    return weights, weights @ project(x, W_V)
