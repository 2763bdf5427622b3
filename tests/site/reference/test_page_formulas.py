"""Every display formula of a page is evaluated on a small case, symbol by symbol."""

# ruff: noqa: I001  (one name a line would make twenty of its imports)

import math
import re
from itertools import product

import numpy as np
import pytest

import attention as at
from attention import example  # noqa: F401  # page_formulas.yaml names it
from docs_ext.reading.consoles import page as run
from tests.site.pages import PAGES, ROOT, page
from tests.site.reference import test_formulas as docstrings
from tests.site.reference.test_formulas import (  # page_formulas.yaml names the others
    CASES, D_Z, J, K, MERGED, P, PARTS, Q, S, V, W_K, W_Q, W_V, X, drawn, evaluated, table,
)  # fmt: skip
from tools.numbers.formulas import statements_that_fail

ROWS = {"q": Q[:1], "k": K[:1], "v": V[:1]}  # of one row, as (1, d)
RATE = {"s": S[0], "v": V, "j": J, "l": J, "a": P[0], "softmax": at.softmax}


def slopes(function, at_point, step=1e-5):
    """Return how much the result changes with each number of a point: (shape of the point, shape of the result)."""
    one_by_one = step * np.eye(at_point.size).reshape(at_point.size, *at_point.shape)
    each = [(function(at_point + more) - function(at_point - more)) / (2 * step) for more in one_by_one]
    return np.reshape(each, at_point.shape + np.shape(each[0]))


def of_self(x, w_q):
    return (at.self_attention(x, w_q, W_K, W_V) * D_Z).sum()


class Reals:
    """The real numbers, or rows of n of them."""

    def __init__(self, n=1):
        self.n = n

    def __pow__(self, n):
        return Reals(n)

    def __contains__(self, value):
        return np.size(value) == self.n


class Hull:
    """All blends of two points on a line."""

    def __init__(self, *points):
        self.points = np.ravel(points)

    def __contains__(self, point):
        return self.points.min() <= np.ravel(point)[0] <= self.points.max()


def from_first(values):
    """Count from 1."""
    return np.concatenate([np.full_like(values[:1], np.nan), values])


# --- what the letters of some pages stand for ---------------------------------------------------------------------

STEPS = range(1, 5)
ASKS, GATES, FADES = drawn(4, 5), drawn(3, 2), drawn(2, 4)
BY_STEPS = at.linear_attention(np.exp(ASKS), np.exp(K), V, chunk_size=1)
STATES = np.cumsum([np.zeros((5, 2)), *(np.outer(np.exp(k), v) for k, v in zip(K, V, strict=True))], axis=0)
TOTALS = np.cumsum([np.zeros((1, 5)), *np.exp(K)[:, None]], axis=0)
STEP = {"decay": FADES[0][:, None], "beta": FADES[1][:, None]}
FADED = np.array([  # the state after so many steps
    at.delta_rule(ASKS[:t], K[:t], V[:t], **{name: part[:t] for name, part in STEP.items()})[1] for t in (0, *STEPS)
])  # fmt: skip
VISIBLE = at.causal_mask(3, 4, offset=1)
BY_CAUSAL = at.scaled_dot_product_attention(ASKS, K, V, mask=at.causal_mask(4, 4))
STRETCH = run("distance")
THETA = at.rotary_frequencies(6, base=100.0)
WITHOUT_J = [at.softmax(np.where(np.arange(4) == j, -np.inf, S[0])) @ V for j in J]
NO_CHANGE = np.linalg.svd(np.column_stack([V, np.ones(4)]).T)[2][-1]
P_SLOPES, E_S = slopes(at.softmax, S[0]).T, np.exp(S[0])
OWN = at.attention_vjp(X @ W_Q, X @ W_K, X @ W_V, D_Z)
OWN_HEADS = [np.zeros((3, 3)), *(at.cross_attention(X, X, *[
    CASES["MultiHeadWeights"][f"W_{name}^()"][i] for name in "QKV"]) for i in (1, 2))]  # fmt: skip
PAST, RECURRENT = [np.zeros(3)], (drawn(6, 3), drawn(3, 3))
for word in X:
    PAST.append(np.tanh(word @ RECURRENT[0] + PAST[-1] @ RECURRENT[1]))
DECODER = drawn(4, 6)
BLENDED, WRITTEN = drawn(4, 3), drawn(2, 3, 6)
GROUPS = {"R": [1, 2], "T": [0, 3], "m": S[0, [1, 2]].max(), "m'": S[0].max(), "s": S[0], "v": V, "j": J}
DONE = at.partial_attention(Q[:1], K[[1, 2]], V[[1, 2]])
ALL = at.partial_attention(Q[:1], K, V)
FIRST = at.partial_attention(Q[:1], K[:1], V[:1])
TURNS = np.array([[[math.cos(m * 0.7), -math.sin(m * 0.7)], [math.sin(m * 0.7), math.cos(m * 0.7)]] for m in range(6)])
TURNED = [
    at.apply_rotary(row[:2], *at.rotary_tables(m, 2, inv_freq=[0.7]), layout="half")
    for row, m in ((Q[0], 2), (K[0], 5))
]
TURN = {"q": Q[0, :2], "k": K[0, :2], "m": 2, "n": 5, "R": TURNS, r"\theta": 0.7, "q'": TURNED[0], "k'": TURNED[1]}
COINS = np.array([*product([-1.0, 1.0], repeat=4)])
DRAFT = at.softmax(drawn(2, 4))
LATENT, DOWN, UP_K, UP_V = drawn(4, 3), drawn(6, 3), drawn(2, 3, 5), drawn(2, 3, 2)
ASK_TURNED, KEY_TURNED = drawn(2, 4, 2)
INDEX_Q, INDEX_K, SHARES = drawn(12, 3, 5), drawn(4, 5), drawn(3, 12)
FOUND = at.index_scores(INDEX_Q, INDEX_K, SHARES)
KEPT = at.sparse_attention(Q, K, V, at.top_k_indices(FOUND, 2))
ROW_OF = {(2.0, score): z for row, z in zip(FOUND, KEPT, strict=True) for score in row}
LOADS = [
    {"time": max(flops / 3, 8 / 2), "flops": flops, "bytes": 8, r"\pi": 3, r"\beta": 2, "I": flops / 8}
    for flops in (6.0, 60.0)
]
SINK = np.exp(np.column_stack([S, np.full(3, 0.4)]))
NARROW = drawn(3, 2), drawn(4, 2)
AS_ONE = {"Q": K, "K": drawn(4, 5), "V": V, "Att": at.scaled_dot_product_attention, "P": np.eye(4)[[2, 0, 3, 1]]}
MASKED = at.softmax(np.where(np.isin(J, [0, 2]), S, -np.inf))
MERGE = [np.array([part.logsumexp[1], part.output[1, 0]]) for part in (*PARTS, MERGED)]


def merged(one, other):
    parts = [at.PartialAttention(np.array([[z]]), np.array([lse])) for lse, z in (one, other)]
    whole = at.merge_partials(*parts)
    return np.array([whole.logsumexp[0], whole.output[0, 0]])


CASES_OF = table("page_formulas.yaml")
FORMULAS = {
    path.relative_to(ROOT / "docs").with_suffix("").as_posix(): [
        formula
        for block in page(path).blocks
        if block.kind in ("formula", "text")
        for formula in re.findall(r"\$\$(.+?)\$\$", page(path).source(block), re.DOTALL)
    ]
    for path in PAGES
    if path.is_relative_to(ROOT / "docs")
}


def test_each_display_formula_has_its_case():
    assert {name: len(formulas) for name, formulas in FORMULAS.items() if formulas} == {
        name: len(cases) for name, cases in CASES_OF.items()
    }


@pytest.mark.parametrize(
    ("formula", "entry"),
    [
        pytest.param(formula, case, id=f"{name}-{number}")
        for name, cases in CASES_OF.items()
        for number, (formula, case) in enumerate(zip(FORMULAS[name], cases, strict=False), 1)
    ],
)
def test_a_formula_is_true_of_what_its_letters_stand_for(formula, entry):
    cases = evaluated(entry, vars(docstrings) | globals())
    for names in cases if isinstance(cases, list) else [cases]:
        false = statements_that_fail(formula, names)
        assert false == names.get("fails", []), f"of {formula!r}, statements {false}, from 0, are false of {names}"
