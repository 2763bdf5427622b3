"""Every display formula of a page is evaluated on a small case, symbol by symbol, or listed with the reason why not."""

# ruff: noqa: I001  (one name a line would make thirty of its imports)

import math
import re
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

import attention as at
from attention import example
from tools.numbers.formulas import statements_that_fail
from docs_ext.reading.consoles import page as run
from tests.site.pages import PAGES, ROOT, page
from tests.site.reference.test_formulas import (
    B_IN, B_OUT, BLOCK, CASES, D_P, D_Z, GRADIENTS, HEADS, J, K, LAYER, MERGED, PARTS, P, Q, S, TOKENS,
    V, W_GATE, W_IN, W_K, W_KEY, W_OUT, W_Q, W_V, X, Y, Z, b, drawn, g, x,
)  # fmt: skip

NUMBERS = {}  # a formula without letters
ROWS = {"q": Q[:1], "k": K[:1], "v": V[:1]}  # of one row, as (1, d)
RATE = {"s": S[0], "v": V, "j": J, "l": J, "a": P[0], "softmax": at.softmax}


def slopes(function, at_point, step=1e-5):
    """Return how much the result changes with each number of a point: (shape of the point, shape of the result)."""
    one_by_one = step * np.eye(at_point.size).reshape(at_point.size, *at_point.shape)
    each = [(function(at_point + more) - function(at_point - more)) / (2 * step) for more in one_by_one]
    return np.reshape(each, at_point.shape + np.shape(each[0]))


def of_self(x, w_q):
    return (at.self_attention(x, w_q, W_K, W_V) * D_Z).sum()


class NotTried(NamedTuple):
    """How a formula begins that is not evaluated, and why not."""

    start: str
    reason: str


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
ODDS = at.softmax(2 * S)
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
HIDDEN = at.attention_vjp(Q, K, V, D_Z, mask=np.arange(4) != 3)
MASKED = at.softmax(np.where(np.isin(J, [0, 2]), S, -np.inf))
MERGE = [np.array([part.logsumexp[1], part.output[1, 0]]) for part in (*PARTS, MERGED)]
SQUARE = np.linalg.qr(W_KEY)[0]


def merged(one, other):
    parts = [at.PartialAttention(np.array([[z]]), np.array([lse])) for lse, z in (one, other)]
    whole = at.merge_partials(*parts)
    return np.array([whole.logsumexp[0], whole.output[0, 0]])


# page: for each of its display formulas, in their order, what its letters stand for; several cases where one does not
# tell; or why it is not tried
CASES_OF = {
    "index": [TOKENS | {"Z": Z}],
    "learn/before-you-start": [
        {"x": x, "y": g, "m": range(6)},
        {"a": P[0], "y": D_P, "j": J, "result": P[0] @ D_P},
        {"A": W_IN, "B": W_OUT, "i": range(6), "j": range(3), "m": range(4)},
    ],
    "learn/beyond-softmax": [
        ROWS,
        {"S": STATES, "u": TOTALS, r"\phi": np.exp, "q": from_first(ASKS[:, None]), "k": from_first(K[:, None]),
         "v": from_first(V[:, None]), "z": from_first(BY_STEPS[:, None]), "t": STEPS},
        {"Z": BY_STEPS, "Q": ASKS, "K": K, "V": V, r"\phi": np.exp, "M": at.causal_mask(4, 4),
         "sum of each row of": lambda grid: grid.sum(axis=1, keepdims=True)},
        {"S": FADED, "tilde S": np.concatenate([FADED[:1], FADES[0][:, None, None] * FADED[:-1]]), "t": STEPS,
         "z": from_first(at.delta_rule(ASKS, K, V, **STEP)[0][:, None]), "q": from_first(ASKS[:, None]),
         "k": from_first(K[:, None]), "v": from_first(V[:, None]), r"\alpha": from_first(FADES[0]),
         r"\beta": from_first(FADES[1])},
        {"z'": at.scaled_dot_product_attention(Q, K, V) / (1 + np.exp(-X @ W_V)), "z": Z, "x": X, "W_g": W_V,
         r"\sigma": lambda s: 1 / (1 + np.exp(-s)), "s": 0.4, "i": range(3)},
    ],
    "learn/bits": [
        [{"hat x": float(at.round_to_format(size, "float16")), "x": size, "p": 11, "round": np.rint,
          "e": math.floor(math.log2(abs(size)))} for size in (0.1, 3.14159, -700.3, 1 + 2**-11, 1.999, 1.0)],
        {"p": 8, "widehat": lambda size: at.round_to_format(size, "bfloat16")},
    ],
    "learn/decoding": [
        NUMBERS,
        {"q": from_first(ASKS), "k": from_first(K), "v": from_first(V), "z": from_first(BY_CAUSAL), "d_k": 5,
         "softmax": at.softmax, "t": range(2, 5)},
        {"bytes": at.kv_cache_bytes(11, n_layers=3, n_kv_heads=5, d_head=7, itemsize=8), "layers": 3, "h_kv": 5, "d": 7,
         "n": 11, "b": 8},
    ],
    "learn/distance": [
        {r"\theta": THETA, r"\theta'": at.rotary_frequencies(6, base=100.0, rule="linear", factor=4.0), "s": 4,
         "c": range(3)},
        {r"\theta": THETA, r"\theta'": STRETCH.ntk_aware(THETA, 4), "s": 4, "b": 100, "b'": 800, "r": 6, "c": range(3)},
        {r"\theta": THETA, r"\theta'": STRETCH.by_parts(THETA, 4, 40, slow=1, fast=4), "s": 4, "n": 40, r"\alpha": 1,
         r"\beta": 4, r"\lambda": 2 * np.pi / THETA, "clip": np.clip, "c": range(3)},
        {"S": S, "S'": S * (1 + math.log(8) / 10) ** 2, "s": 8, "a": 1 + math.log(8) / 10},
    ],
    "learn/explanation": [
        NUMBERS,
        NUMBERS,
        {"z": Z[0], "z^()": WITHOUT_J, "without": lambda j: j, "a": P[0], "v": V, "j": J},
        {"a": P[0], "t": 0.7, "u": NO_CHANGE, "V": V, "bold 1": np.ones((4, 1))},
    ],
    "learn/gradients": [
        {"h": 0.3},
        {"∂z/∂s": slopes(lambda s: at.softmax(s) @ V, S[0]), "p": P[0], "v": V, "z": Z[0], "j": J},
        {"∂p/∂s": P_SLOPES, "J": P_SLOPES, "p": P[0][:, None], "diag": lambda p: np.diag(p[:, 0]), "i": J, "j": J},
        TOKENS | GRADIENTS | {
            "P": P, "dZ": D_Z, "dz": D_Z, "z": Z, "dP": D_Z @ V.T, "D": (D_Z * Z).sum(axis=1), "n_q": 3, "n_k": 4,
            "d_v": 2, "dS": at.softmax_vjp(P, D_Z @ V.T),
            "result": lambda statement, **_: [V.shape, S.shape, 3, S.shape, Q.shape, K.shape][statement // 2],
        },
        {"P": P, "S": S, "L": at.logsumexp(S), "i": range(3), "j": J},
        {"∂p/∂s": P_SLOPES, "p": P[0], "s": S[0], r"\delta": np.eye(4), "E": E_S.sum(), "i": J, "j": J},
        {"dS": at.softmax_vjp(P, S), "dP": S, "P": P, r"\delta": np.eye(4), "i": range(3), "j": J, "l": J},
        {"J": slopes(at.softmax, np.log([0.3, 0.7])), "a": [0, 0.3, 0.7]},
    ],
    "learn/heads": [
        NUMBERS,
        CASES["multi_head_attention"],
        CASES["MultiHeadWeights"] | {
            "softmax": at.softmax, "d_k": 3, "head": OWN_HEADS, "Z": at.multi_head_attention(X, HEADS),
        },
    ],
    "learn/history": [
        {"h": PAST, "x": from_first(X), "W": RECURRENT[0], "U": RECURRENT[1], "t": range(1, 4)},
        {"c": from_first(at.additive_attention(DECODER[:3], K, K, W_Q, W_KEY, Q[1])), "s": DECODER, "h": K, "W": W_Q,
         "U": W_KEY, "w": Q[1], "i": range(1, 4), "j": J, "l": J},
        [{"e": Q @ K.T, "s": Q, "h": K, "W": W_KEY, "i": range(3), "j": J, "fails": [1]},
         {"e": Q @ W_KEY @ K.T, "s": Q, "h": K, "W": W_KEY, "i": range(3), "j": J, "fails": [0]}],
    ],
    "learn/line-by-line": [
        NUMBERS,
        NUMBERS,
        NUMBERS,
        NUMBERS,
        {"z": at.softmax(S[0] * math.log(2)) @ V, "v": V, "k": K, "q": Q[0], "d_k": 5, "j": J, "l": J},
    ],
    "learn/lookup": [NUMBERS, RATE | {"z": Z[0]}],
    "learn/many-machines": [
        [{"m": m, "e": 2, r"\pi": 30.0, r"\beta": 5.0, "h_kv": 2, "h": 8, "fails": [0][: m < 3]}
         for m in (2.99, 3.0)],
    ],
    "learn/masks": [
        TOKENS | {"A": at.attention_weights(Q, K, mask=VISIBLE), "S": S,
                  "M": at.mask_to_bias(VISIBLE),
                  "query _ may attend to key _": lambda i, j: VISIBLE[int(i), int(j)]},
    ],
    "learn/memory": [
        GROUPS | {r"\ell": np.exp(S[0, [1, 2]] - GROUPS["m"]).sum(),
                  "o": DONE.output[0] * np.exp(DONE.logsumexp[0] - GROUPS["m"])},
        GROUPS | {r"\ell": np.exp(DONE.logsumexp[0] - GROUPS["m"]), r"\ell'": np.exp(ALL.logsumexp[0] - GROUPS["m'"]),
                  "o": DONE.output[0] * np.exp(DONE.logsumexp[0] - GROUPS["m"]),
                  "o'": ALL.output[0] * np.exp(ALL.logsumexp[0] - GROUPS["m'"])},
        {"P": [1, 2], "s": S[0], "L_P": DONE.logsumexp[0], "m_P": GROUPS["m"], "z_P": DONE.output[0],
         r"\ell_P": np.exp(S[0, [1, 2]] - GROUPS["m"]).sum(),
         "o_P": np.exp(S[0, [1, 2]] - GROUPS["m"]) @ V[[1, 2]]},
        {"L": MERGED.logsumexp[1], "z": MERGED.output[1], "L_P": PARTS[0].logsumexp[1], "z_P": PARTS[0].output[1],
         "L_R": PARTS[1].logsumexp[1], "z_R": PARTS[1].output[1]},
        NUMBERS,
    ],
    "learn/order": [
        NUMBERS,
        {"PE": at.sinusoidal_encoding(5, 6, base=100.0), "b": 100.0, "d": 6, "p": range(5), "i": range(3)},
        LAYER | {"SA": lambda x: at.self_attention(x, W_Q, W_K, W_V), "P": np.eye(3)[[2, 0, 1]]},
    ],
    "learn/queries-keys-values": [
        LAYER | {"x": X, "q": at.project(X, W_Q), "k": at.project(X, W_K), "v": at.project(X, W_V), "i": range(3)},
    ],
    "learn/read-the-grid": [TOKENS | {"Z": Z}],
    "learn/real-model": [
        {"a": P, "v": BLENDED, "W_O^()": WRITTEN, "h": 1, "i": 1, "j": 2, "range of j": J,
         "result": P[1] @ BLENDED @ WRITTEN[1], "norm of one term": P[1, 2] * np.linalg.norm(BLENDED[2] @ WRITTEN[1])},
    ],
    "learn/relative-positions": [
        TURN,
        CASES["alibi_bias"] | {"B": from_first(at.alibi_bias(4, 4, 4)), "m": from_first(at.alibi_slopes(4)), "H": 4,
                               "h": range(1, 5), "i": J},
    ],
    "learn/scaling": [
        {"a": 0.3, "b": 0.7},
        {"q": COINS[:, :2], "k": COINS[:, 2:], "q_m": lambda k: COINS[:, 0] * k, "k_m": COINS[:, 2], "Var": np.var,
         "d_k": 2, "m": range(1, 3)},
    ],
    "learn/scores-and-softmax": [
        RATE,
        RATE | {"a": at.softmax(S[0] / 3), "T": 3},
        RATE | {"c": 0.7},
    ],
    "learn/scores-within-bounds": [
        {"s": 3 * (Q / np.linalg.norm(Q, axis=1)[:, None]) @ (K / np.linalg.norm(K, axis=1)[:, None]).T, "g": 3, "q": Q,
         "k": K, "i": range(3), "j": J},
    ],
    "learn/self-and-cross": [LAYER | {"Z": at.cross_attention(X, Y, W_Q, W_K, W_V)}],
    "learn/serving": [
        {"p": lambda w: DRAFT[0][w], "g": lambda w: DRAFT[1][w], "v": J, "w": J},
    ],
    "learn/shared-caches": [
        {"b": [5, 2, 7], "B": 3, "t": range(9), "block": abs, "slot": abs,
         "result": lambda statement, t, **_: [[5, 5, 5, 2, 2, 2, 7, 7, 7], [0, 1, 2] * 3][statement][t]},
    ],
    "learn/sharing-heads": [
        {"K": example.embed(example.SENTENCE, example.EARLY) @ example.W_K},
        [{"i": i, "i_kv": at.repeat_kv(np.arange(2.0)[:, None, None], 3)[i].item(), "g": 3} for i in range(6)],
    ],
    "learn/smaller-caches": [
        {"c": X[0] @ DOWN, "x": X[0], "W_DKV": DOWN, "W_UK": UP_K, "W_UV": UP_V, "k": X[0] @ DOWN @ UP_K,
         "v": X[0] @ DOWN @ UP_V, "i": range(2)},
        {"q": Q, "c": LATENT, "W_UK": UP_K, "W_UV": UP_V, "a": P[0], "i": range(2), "j": J},
        {"s": [np.append(Q[i], ASK_TURNED[i]) @ np.hstack([LATENT @ UP_K[i], KEY_TURNED]).T / math.sqrt(7)
               for i in range(2)],
         "q": Q, "W_UK": UP_K, "c": LATENT, "q^R": ASK_TURNED, "k^R": KEY_TURNED, "d_h": 5, "d_R": 2, "i": range(2),
         "j": J},
    ],
    "learn/sparse-attention": [
        NUMBERS,
        {"I": FOUND, "w": SHARES, "q^I": INDEX_Q.swapaxes(0, 1), "k^I": INDEX_K, "z": KEPT, "k": 2, "h": range(12),
         "i": range(3), "j": J, "attention to the _ highest _": lambda *k_and_score: ROW_OF[k_and_score]},
    ],
    "learn/speed": [
        LOADS,
        {"bytes per step": 17, "parameters": 12, "all caches": 5},
        {"I": run("speed").tiled(2, 8, 5), "n": 8, "d": 5, "B": 2},
    ],
    "learn/ten-minutes": [TOKENS | {"Z": Z}],
    "learn/training": [
        LAYER | dict(zip(("dQ", "dK", "dV"), OWN, strict=True)) | {
            "dW_Q": slopes(lambda w: of_self(X, w), W_Q), "dW_K": X.T @ OWN[1], "dW_V": X.T @ OWN[2], "W": W_Q,
            r"\eta": 0.1, "dW": W_K, "W'": W_Q - W_K / 10,
        },
    ],
    "learn/transformer-block": [
        CASES["transformer_block"] | {"X": X, "X'": at.transformer_block(X, BLOCK)},
        {"LN": lambda x: at.layer_norm(x, g, b, eps=0.5), "x": x, "g": g, "b": b, r"\epsilon": 0.5, "d": 6,
         r"\mu": x.mean(), r"\sigma": x.std(), "x_m": dict(enumerate(x, 1))},
        CASES["transformer_block"] | {"X": X, "X'": at.transformer_block(X, BLOCK, norm_first=False)},
        CASES["feed_forward"] | {"FF": lambda x: at.feed_forward(x, W_IN, W_OUT, B_IN, B_OUT, activation=np.tanh)},
        CASES["gelu"],
        CASES["feed_forward"] | {
            "FF": lambda x: at.feed_forward(x, W_IN, W_OUT, w_gate=W_GATE, activation=at.silu), "W_gate": W_GATE,
            "silu": at.silu, "x": X,
        },
    ],
    "learn/what-attention-can-and-cannot": [
        {"Q": Q, "K": K, "M": W_KEY},
        [{r"a_\max": share * at.softmax([1.5, -1.5, -1.5, -1.5])[0], "B": 1.5, "n": 4, "fails": [0][: share > 1]}
         for share in (0.9999, 1.0001)],
    ],
    "learn/windows-and-sinks": [
        {"M": at.sliding_window_mask(9, 9, left=2, right=1), "b": 2, "f": 1, "i": range(9), "j": range(9)},
        {"reach": 6, "layers": 3, "b": 2},
        {"token _ in place _": lambda _, place: place, "i": range(8), "w": 3,
         "result": lambda i, **_: [0, 1, 2, 0, 1, 2, 0, 1][i]},
        {"a": (SINK / SINK.sum(axis=1)[:, None])[:, :4], "s": S, "t": 0.4, "i": range(3), "j": J, "l": J},
        {"s": 10.0, "s'": 3 * math.tanh(10 / 3), "c": 3},
    ],
    "practice/paper-and-pencil": [{"W_K": example.W_K, "W_V": example.W_V}],
    "reference/properties": [
        {"a": P, "i": range(3), "j": J},
        RATE | {"c": 0.7, "R": Reals()},
        {"a": P, "a'": ODDS, "s": S, "S": S, "S'": 2 * S, "t": 2, "i": range(3), "j": J, "l": J},
        {"z": Z[:, :1], "v": from_first(V[:, :1]), "conv": Hull, "n_k": 4, "i": range(3), "j": range(1, 5),
         "m": range(1)},
        AS_ONE,
        {"a": P, "a'": MASKED, "J": [0, 2], "i": range(3), "j": J, "l": J},
        {"S": NARROW[0] @ NARROW[1].T, "rank": np.linalg.matrix_rank, "d_k": 2, "n_q": 3, "n_k": 4},
        AS_ONE | {"bold 1": np.ones((4, 1)), "b": Q[:1].T, "d_k": 5, "R": Reals()},
        TURN,
        {"S": lambda d: Q[0, :2] @ TURNS[int(d)] @ K[0, :2], "s": 2, "d": range(6),
         "S'": lambda d: Q[0, :2] @ at.apply_rotary(
             K[0, :2], *at.rotary_tables(d, 2, inv_freq=[0.35]), layout="half")},
        {r"\phi": np.exp, "q": ASKS[:, None], "k": K[:, None], "v": V[:, None], "i": J, "j": J},
        {r"\oplus": merged, "a": MERGE[0], "b": MERGE[1], "c": MERGE[2], "L_1": MERGE[0][0], "z_1": MERGE[0][1],
         "L_2": MERGE[1][0], "z_2": MERGE[1][1]},
        NotTried(r"\z_i^{\text{tree}} =", "it names rows by paths in a tree, which the example below it builds"),
        {"q": Q[0], "U": UP_K[0], "c": LATENT, "a": P[0], "W": UP_V[0], "j": J},
        [{"Q": Q, "K": K, "M": W_KEY, "I": np.eye(5), "fails": [2, 3]}, {"Q": Q, "K": K, "M": SQUARE, "I": np.eye(5)}],
        {"dS": at.softmax_vjp(P, S), "i": range(3), "j": J},
        {"dk": GRADIENTS["dK"], "j": J},
        {"dS": at.softmax_vjp(at.softmax(np.where(np.arange(4) != 3, S, -np.inf)), S), "dk": HIDDEN[1], "dv": HIDDEN[2],
         "i": range(3), "j": 3},
    ],
}  # fmt: skip
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


def test_each_display_formula_has_its_case_or_the_reason_why_not():
    assert {name: len(formulas) for name, formulas in FORMULAS.items() if formulas} == {
        name: len(cases) for name, cases in CASES_OF.items()
    }
    for name, cases in CASES_OF.items():
        for formula, case in zip(FORMULAS[name], cases, strict=True):
            assert not isinstance(case, NotTried) or formula.strip("$\n").startswith(case.start), name


@pytest.mark.parametrize(
    ("formula", "cases"),
    [
        pytest.param(formula, case if isinstance(case, list) else [case], id=f"{name}-{number}")
        for name, cases in CASES_OF.items()
        for number, (formula, case) in enumerate(zip(FORMULAS[name], cases, strict=False), 1)
        if not isinstance(case, NotTried)
    ],
)
def test_a_formula_is_true_of_what_its_letters_stand_for(formula, cases):
    for names in cases:
        false = statements_that_fail(names.get("where", "") + formula, names)
        assert false == names.get("fails", []), f"of {formula!r}, statements {false}, from 0, are false of {names}"
