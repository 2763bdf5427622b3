"""Every formula of a docstring is evaluated on a small case of its function, symbol by symbol."""

import math
import re

import numpy as np
import pytest

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


# name of the function: what its letters stand for; several cases, where one does not tell
CASES = {
    "softmax": {"softmax": at.softmax, "x": x, "j": range(6), "l": range(6)},
    "log_softmax": {"softmax": at.softmax, "x": x, "j": range(6), "l": range(6)},
    "logsumexp": {"logsumexp": at.logsumexp, "x": x, "l": range(6)},
    "entropy": {"H": at.entropy, "w": P[0], "j": J},
    "causal_mask": {"M": at.causal_mask(3, 4, offset=1), "offset": 1, "i": I, "j": J},
    "sliding_window_mask": {
        "M": at.sliding_window_mask(9, 8, left=2, right=1, offset=-1),
        "left": 2, "right": 1, "offset": -1, "i": range(9), "j": range(8),
    },
    "padding_mask": {
        "M": at.padding_mask([1, 3], 4)[:, 0, 0], "length": [1, 3], "n_k": 4, "b": range(2), "j": J,
        "result": lambda b, j, **_: float(at.padding_mask([1, 3], 4, side="left")[b, 0, 0, j]),
    },
    "segment_mask": {
        "M": at.segment_mask([0, 1, 1], [1, 0, 0, 2]), "i": I, "j": J,
        "segment of query": lambda i: [0, 1, 1][i], "segment of key": lambda j: [1, 0, 0, 2][j],
    },
    "mask_to_bias": {"B": at.mask_to_bias(P > 0.3), "M": P > 0.3, "i": I, "j": J},
    "sinusoidal_encoding": {
        "PE": at.sinusoidal_encoding(5, 6, base=100.0), "base": 100.0, "d": 6, "p": range(5), "i": range(3),
    },
    "rotary_tables": {
        "result": lambda statement, i, **_: [COS, SIN][statement][1, i], "p": 5, "base": 100.0, "r": 6, "i": I,
    },
    "rotary_frequencies": {
        r"\theta'": at.rotary_frequencies(8, base=256.0, rule="llama3", factor=8.0, n_trained=64), "s": 8, "r": 8,
        r"\theta": at.rotary_frequencies(8, base=256.0), "base": 256.0, "i": J,
        "g": [min(max((64 * 256 ** (-i / 4) / (2 * math.pi) - 1) / 3, 0), 1) for i in J],
    },
    "apply_rotary": [
        {"x": x, "x'": PAIRED[half], r"\cos": 0.6, r"\sin": 0.8, "r": 6, "i": i, "half": half, "interleaved": 1 - half,
         "a": i if half else 2 * i, "b": i + 3 if half else 2 * i + 1}
        for half in (0, 1) for i in range(3)
    ],
    "alibi_slopes": {"m": [np.nan, *at.alibi_slopes(8)], "H": 8, "h": range(1, 9)},
    "alibi_bias": {"B": at.alibi_bias(4, 3, 4, offset=2), "m": at.alibi_slopes(4), "offset": 2, "h": J, "i": I, "j": J},
    "project": {"Y": at.project(X, W_Q, Q[0]), "X": X, "W": W_Q, "b": Q[0]},
    "attention_flops": SIZES | {"result": at.attention_flops(3, 4, 5, 2, n_heads=7)},
    "kv_cache_bytes": {
        "layers": 3, "kv heads": 5, "d_head": 7, "n": 11, "itemsize": 8,
        "result": at.kv_cache_bytes(11, n_layers=3, n_kv_heads=5, d_head=7, itemsize=8),
    },
    "attention_scores": TOKENS,
    "attention_weights": TOKENS | {"A": at.attention_weights(Q, K, bias=B), "B": B},
    "scaled_dot_product_attention": TOKENS | {"Z": Z},
    "additive_attention": {
        "z": at.additive_attention(X, K, V, W_Q, W_KEY, Q[1]), "softmax": at.softmax, "i": I, "j": J,
        "q": X, "k": K, "v": V, "W_q": W_Q, "W_k": W_KEY, "w": Q[1],
    },
    "latent_attention": LATENT | {
        "z": at.latent_attention(*LATENT.values()), "softmax": at.softmax, "d_h": 5, "d_R": 4, "i": range(2),
    },
    "linear_attention": BY_STEP | {
        "S": SUMS[..., :2], "u": SUMS[..., 2:].swapaxes(1, 2), "z": by_step(at.linear_attention(*LINEAR, chunk_size=3)),
    },
    "delta_rule": BY_STEP | {
        "tilde S": np.concatenate([STATES[:1], DECAY[:, :, None] * STATES[:-1]]), "S": STATES,
        r"\alpha": by_step(DECAY).swapaxes(1, 2), r"\beta": np.append(np.nan, RATE),
        "z": by_step(at.delta_rule(*LINEAR, decay=DECAY, beta=RATE)[0]),
    },
    "index_scores": {
        "I": at.index_scores(SHARED, B, DECAY[:3, :2]), "q": SHARED.swapaxes(0, 1), "k": B, "w": DECAY[:3, :2],
        "h": range(2), "i": I, "j": range(3),
    },
    "sparse_attention": TOKENS | {
        "q": Q[:1], "K_J": K[[3, 0]], "V_J": V[[3, 0]],
        "z": at.sparse_attention(Q, K, V, [[0, 3], [1, 2], [2, -1]])[:1],
    },
    "repeat_kv": {"y": at.repeat_kv(SHARED, 3), "x": SHARED, "groups": 3, "h": range(6)},
    "self_attention": LAYER | {"Z": at.self_attention(X, W_Q, W_K, W_V)},
    "cross_attention": LAYER | {"Z": at.cross_attention(X, Y, W_Q, W_K, W_V)},
    "MultiHeadWeights": {
        "Attention": at.scaled_dot_product_attention, "X": X, "Y": Y, "i": range(1, 3), "h": 2, "W_O": HEADS.w_o,
        "W_Q^()": BY_HEAD[0], "W_K^()": BY_HEAD[1], "W_V^()": BY_HEAD[2],
        "head": OF_HEADS, "Z": at.multi_head_attention(X, HEADS, memory=Y),
    },
    "multi_head_attention": {
        "head": OF_HEADS, "h": 2, "W_O": HEADS.w_o, "W_O^()": [np.zeros((3, 6)), *HEADS.w_o.reshape(2, 3, 6)],
        "i": range(1, 3), "Z": at.multi_head_attention(X, HEADS, memory=Y),
    },
    "tiled_attention": TOKENS | {"Z": at.tiled_attention(Q, K, V, key_block=2), "m": S.max(axis=1)},
    "varlen_attention": TOKENS | {
        "Z": at.varlen_attention(Q[:2], K, V, [0, 1, 2], [0, 2, 4])[:, None], "s": range(2),
        "Q": Q[:2, None], "K": K.reshape(2, 2, -1), "V": V.reshape(2, 2, -1),
    },
    "paged_attention": TOKENS | {
        "Z": at.paged_attention(Q[None, None], *(x.reshape(2, 1, 2, -1)[::-1] for x in (K, V)), [[1, 0]], [4])[0, 0],
        "P": K.reshape(2, 2, -1)[::-1], "b": [1, 0], "B": 2, "e": range(2), "s": range(2),
    },
    "partial_attention": PART | TOKENS | {"S": S.T, "S_P": S, "V_P": V, "P": [*J]},
    "merge_partials": {
        "L": MERGED.logsumexp[1], "Z": MERGED.output[1], "P": range(2),
        "L_P": {k: part.logsumexp[1] for k, part in enumerate(PARTS)},
        "Z_P": {k: part.output[1] for k, part in enumerate(PARTS)},
    },
    "softmax_vjp": {"dS": at.softmax_vjp(P[0], D_P), "P": P[0], "dP": D_P, "j": J, "l": J},
    "attention_vjp": TOKENS | GRADIENTS | {"P": P, "dZ": D_Z},
    "tiled_attention_vjp": TOKENS | {
        "P": P, "L": at.logsumexp(S), "dZ": D_Z, "Z": Z, "D": (P * (D_Z @ V.T)).sum(axis=1),
    },
    "layer_norm": NORM | {"y": at.layer_norm(x, g, b, eps=0.5)},
    "rms_norm": NORM | {"y": at.rms_norm(x, g, eps=0.5)},
    "gelu": [{"gelu": at.gelu, "x": z, "erf": math.erf, r"\Phi": lambda z: (1 + math.erf(z / 2**0.5)) / 2} for z in x],
    "silu": [{"silu": at.silu, "x": z, r"\sigma": lambda z: 1 / (1 + np.exp(-z))} for z in x],
    "feed_forward": FEED | {"y": at.feed_forward(X, W_IN, W_OUT, B_IN, B_OUT, activation=np.tanh)},
    "feed_forward with gates": FEED | {
        "y": at.feed_forward(X, W_IN, W_OUT, B_IN, B_OUT, w_gate=W_GATE, activation=np.tanh), "W_gate": W_GATE,
    },
    "transformer_block": {
        "x": X, "z": at.transformer_block(X, BLOCK), "MHA": lambda tokens: at.multi_head_attention(tokens, HEADS),
        "LN_1": lambda tokens: at.layer_norm(tokens, BLOCK.norm1_weight, BLOCK.norm1_bias),
        "LN_2": lambda tokens: at.layer_norm(tokens, BLOCK.norm2_weight, BLOCK.norm2_bias),
        "FF": feed_forward,
    },
    "round_to_format": [
        {"hat x": float(at.round_to_format(size, "float16")), "x": size, "p": 11, "e_min": -14,
         "e": math.floor(math.log2(abs(size))), "round": np.rint}
        for size in (0.1, 3.14159, -700.3, 3e-6, 1 + 2**-11)
    ],
}  # fmt: skip
NOT_TRIED = dict.fromkeys(("merge_heads", "split_heads"), "shapes, which test_docstring_shapes.py tries")
CONVENTIONS = {"entropy": [1]}  # 0 ln 0 = 0 is agreed on, not computed
FORMULAS = [
    (name + (" with gates" if number else ""), formula)
    for name in at.__all__
    for number, formula in enumerate(re.findall(r"\$\$(.+?)\$\$", getattr(at, name).__doc__ or "", re.DOTALL))
]


def test_each_formula_has_its_case():
    lacks = {name for name, _ in FORMULAS} - {*CASES, *NOT_TRIED}
    assert not lacks, f"write in CASES, above, what the letters stand for in the formula of {', '.join(sorted(lacks))}"
    assert sorted(name for name, _ in FORMULAS) == sorted([*CASES, *NOT_TRIED])


@pytest.mark.parametrize(("name", "formula"), [each for each in FORMULAS if each[0] in CASES])
def test_the_formula_of_a_docstring_is_what_the_function_computes(name, formula):
    for names in CASES[name] if isinstance(CASES[name], list) else [CASES[name]]:
        false = statements_that_fail(formula, names)
        assert false == CONVENTIONS.get(name, []), f"of {formula!r}, statements {false}, from 0, are false of {names}"
