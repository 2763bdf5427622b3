"""Every formula of a docstring is evaluated on a small case of its function, symbol by symbol."""

import math  # noqa: F401  # formulas.yaml names it
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

import attention as at
from attention import MultiHeadWeights
from tools.numbers.formulas import statements_that_fail

RNG = np.random.default_rng(7)
I, J = range(3), range(4)  # queries and keys; features are 5, of values 2


def drawn(*shape):
    return RNG.standard_normal(shape)


Q, K, V, B = drawn(3, 5), drawn(4, 5), drawn(4, 2), drawn(3, 4)
X, Y, W_Q, W_K, W_V = drawn(3, 6), drawn(4, 6), drawn(6, 5), drawn(6, 5), drawn(6, 2)
S = at.attention_scores(Q, K)
P = at.attention_weights(Q, K)
Z = at.scaled_dot_product_attention(Q, K, V)
TOKENS = {"softmax": at.softmax, "Q": Q, "K": K, "V": V, "S": S, "d_k": 5, "i": I, "j": J}
LAYER = {"softmax": at.softmax, "X": X, "Y": Y, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "d_k": 5}
PART = dict(zip(("Z_P", "L_P"), at.partial_attention(Q, K, V), strict=True))
PARTS = [at.partial_attention(Q, K[a:b], V[a:b]) for a, b in ((0, 1), (1, 4))]
MERGED = at.merge_partials(*PARTS)
D_Z = drawn(3, 2)
GRADIENTS = dict(zip(("dQ", "dK", "dV"), at.attention_vjp(Q, K, V, D_Z), strict=True))
D_P = drawn(4)
HEADS = MultiHeadWeights.random(6, 2, rng=RNG)
SHARED, W_KEY = drawn(2, 3, 4), drawn(5, 5)
x, g, b = drawn(6), drawn(6), drawn(6)
LATENT = dict(zip(("q", "q^R", "c", "k^R", "W_UK", "W_UV"), (drawn(*shape) for shape in (
    (2, 3, 5), (2, 3, 4), (7, 6), (7, 4), (2, 6, 5), (2, 6, 3))), strict=True))  # fmt: skip
SIZES = {"n_q": 3, "n_k": 4, "d_k": 5, "d_v": 2, "heads": 7, "itemsize": 8}
LINEAR, DECAY, RATE = (np.exp(drawn(4, 5)), np.exp(K), V), np.exp(-np.exp(drawn(4, 5))), np.exp(drawn(4, 1))
STATES = np.stack([
    at.delta_rule(*(part[:t] for part in LINEAR), decay=DECAY[:t], beta=RATE[:t])[1] for t in range(5)
])  # fmt: skip
SUMS = np.stack([LINEAR[1][:t].T @ np.hstack([V[:t], np.ones((t, 1))]) for t in range(5)])  # a last column for keys


def by_step(rows):
    """Count from 1, and give each token a matrix of one row."""
    return np.concatenate([np.full_like(rows[:1], np.nan), rows]).reshape(len(rows) + 1, 1, -1)


BY_STEP = dict(zip("qkv", map(by_step, LINEAR), strict=True)) | {"t": range(1, 5)}
COS, SIN = at.rotary_tables(np.array([2.0, 5.0]), 6, base=100.0)
PAIRED = np.array([at.apply_rotary(x, [0.6] * 3, [0.8] * 3, layout=layout) for layout in ("interleaved", "half")])
W_IN, W_OUT, B_IN, B_OUT, W_GATE = drawn(6, 4), drawn(4, 3), drawn(4), drawn(3), drawn(6, 4)
BLOCK = at.BlockWeights(HEADS, drawn(6, 8), drawn(8, 6), drawn(8), drawn(6), *drawn(4, 6))


FEED = {r"\phi": np.tanh, "x": X, "W_in": W_IN, "W_out": W_OUT, "b_in": B_IN, "b_out": B_OUT}
NORM = {"x": x, "g": g, "b": b, r"\epsilon": 0.5, "mean": np.mean, "Var": np.var}
BY_HEAD = [[np.zeros((6, 3)), w[:, :3], w[:, 3:]] for w in (HEADS.w_q, HEADS.w_k, HEADS.w_v)]  # head 1 and head 2
OF_HEADS = [np.zeros((3, 3)), *(at.cross_attention(X, Y, *[by[i] for by in BY_HEAD]) for i in (1, 2))]


def feed_forward(tokens):
    return at.feed_forward(tokens, BLOCK.w_in, BLOCK.w_out, BLOCK.b_in, BLOCK.b_out)


def table(name):
    """Read what the letters of formulas stand for, as expressions."""
    return yaml.load(Path(__file__).with_name(name).read_text("utf-8"), yaml.BaseLoader)


def evaluated(entry, names):
    """Return what the letters of an entry stand for; several cases, where one does not tell."""
    if isinstance(entry, str):
        return eval(entry, names)
    if isinstance(entry, list):
        return [evaluated(case, names) for case in entry]
    letters = {letter: eval(expression, names) for letter, expression in entry.items()}
    return letters.pop("all of", {}) | letters


CASES = {name: evaluated(entry, globals()) for name, entry in table("formulas.yaml").items()}
NOT_TRIED = dict.fromkeys(("merge_heads", "split_heads"), "shapes, which test_docstring_shapes.py tries")
CONVENTIONS = {"entropy": [1]}  # 0 ln 0 = 0 is agreed on, not computed
FORMULAS = [
    (name + (" with gates" if number else ""), formula)
    for name in at.__all__
    for number, formula in enumerate(re.findall(r"\$\$(.+?)\$\$", getattr(at, name).__doc__ or "", re.DOTALL))
]


def test_each_formula_has_its_case():
    lacks = {name for name, _ in FORMULAS} - {*CASES, *NOT_TRIED}
    assert not lacks, f"write in formulas.yaml what the letters stand for in the formula of {', '.join(sorted(lacks))}"
    assert sorted(name for name, _ in FORMULAS) == sorted([*CASES, *NOT_TRIED])


@pytest.mark.parametrize(("name", "formula"), [each for each in FORMULAS if each[0] in CASES])
def test_the_formula_of_a_docstring_is_what_the_function_computes(name, formula):
    for names in CASES[name] if isinstance(CASES[name], list) else [CASES[name]]:
        false = statements_that_fail(formula, names)
        assert false == CONVENTIONS.get(name, []), f"of {formula!r}, statements {false}, from 0, are false of {names}"
