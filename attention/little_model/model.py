"""The little model that writes: from the words of a text to a score for every word that could come next."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention import apply_rotary, merge_heads, rms_norm, rotary_tables, scaled_dot_product_attention, split_heads

N_LAYERS, N_HEADS, D_MODEL, D_HIDDEN = 2, 4, 64, 128
D_HEAD = D_MODEL // N_HEADS
BASE = 100.0  # of the rotary positions: texts are short

Weights = dict[str, NDArray]


@dataclass(frozen=True)
class Switches:
    """What can be switched off in the finished model."""

    mask: bool = True
    positions: bool = True
    heads: ArrayLike = field(default_factory=lambda: np.ones((N_LAYERS, N_HEADS)))  # 0 switches a head off


class LayerTrace(NamedTuple):
    """What a layer computed on its way: the backward pass and the figures need it."""

    x: NDArray
    normed: NDArray
    query: NDArray
    key: NDArray
    value: NDArray
    blends: NDArray
    middle: NDArray
    normed_middle: NDArray
    hidden: NDArray


def random_weights(n_words: int, rng: np.random.Generator, dtype: type = np.float32) -> Weights:
    """Draw the weights that the training starts from: every layer begins by adding nothing to the rows."""
    weights = {"embedding": rng.normal(0, D_MODEL**-0.5, (n_words, D_MODEL)), "norm": np.ones(D_MODEL)}
    for i in range(N_LAYERS):
        for name in ("w_q", "w_k", "w_v"):
            weights[f"{i}.{name}"] = rng.normal(0, D_MODEL**-0.5, (D_MODEL, D_MODEL))
        weights[f"{i}.w_in"] = rng.normal(0, D_MODEL**-0.5, (D_MODEL, D_HIDDEN))
        weights[f"{i}.w_o"], weights[f"{i}.w_out"] = np.zeros((D_MODEL, D_MODEL)), np.zeros((D_HIDDEN, D_MODEL))
        weights[f"{i}.norm_1"], weights[f"{i}.norm_2"] = np.ones(D_MODEL), np.ones(D_MODEL)
    return {name: array.astype(dtype) for name, array in weights.items()}


def positions(n: int, dtype: DTypeLike, on: bool = True) -> tuple[NDArray, NDArray]:
    """Tabulate the rotations; without positions every word stands at position 0."""
    return rotary_tables(np.arange(n) * on, D_HEAD, base=BASE, dtype=dtype)


def layer(x: NDArray, w: Weights, i: int, rotation: tuple, switches: Switches) -> tuple[NDArray, LayerTrace]:
    """Run layer i: attention and a sum, then the small network and a sum."""
    normed = rms_norm(x, w[f"{i}.norm_1"])
    query, key, value = (split_heads(normed @ w[f"{i}.{name}"], N_HEADS) for name in ("w_q", "w_k", "w_v"))
    query = apply_rotary(query, *rotation, layout="half")
    key = apply_rotary(key, *rotation, layout="half")
    blends = scaled_dot_product_attention(query, key, value, is_causal=switches.mask)
    blends = blends * np.asarray(switches.heads, x.dtype)[i, :, None, None]
    blends = merge_heads(blends)
    middle = x + blends @ w[f"{i}.w_o"]

    normed_middle = rms_norm(middle, w[f"{i}.norm_2"])
    hidden = np.maximum(normed_middle @ w[f"{i}.w_in"], 0)
    trace = LayerTrace(x, normed, query, key, value, blends, middle, normed_middle, hidden)
    return middle + hidden @ w[f"{i}.w_out"], trace


def forward(ids: ArrayLike, w: Weights, switches: Switches | None = None) -> tuple[NDArray, NDArray, list[LayerTrace]]:
    """Return the scores of every next word, the last rows, and what each layer computed.

    ids has shape (..., n), one row of word numbers per text; the scores (..., n, n_words). Row i has seen the words
    up to i, and scores what could follow them.
    """
    ids = np.asarray(ids)
    x = w["embedding"][ids]
    switches = switches or Switches()
    rotation = positions(ids.shape[-1], x.dtype, switches.positions)
    traces = []
    for i in range(N_LAYERS):
        x, trace = layer(x, w, i, rotation, switches)
        traces.append(trace)
    scores = rms_norm(x, w["norm"]) @ w["embedding"].T
    return scores, x, traces


def logits(ids: ArrayLike, w: Weights, switches: Switches | None = None) -> NDArray:
    """Score the words that could come next, after each word of each text."""
    return forward(ids, w, switches)[0]
