"""The little model forwards: from words to a score for every next word."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from attention.block import rms_norm
from attention.dot_product import scaled_dot_product_attention
from attention.head_shapes import merge_heads, split_heads
from attention.rotary import apply_rotary, rotary_tables

N_LAYERS, N_HEADS, D_MODEL, D_HIDDEN = 2, 4, 64, 128
D_HEAD = D_MODEL // N_HEADS
BASE = 100.0  # of the rotary positions: texts are short

Weights = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Switches:
    """What can be switched off in the finished model.

    Attributes
    ----------
    mask : bool
        Whether a word sees earlier words and itself only.
    positions : bool
        Whether queries and keys are turned by their positions.
    heads : array_like of shape (2, 4)
        A factor on what each head of each layer hands over; 0 switches it off.

    Examples
    --------
    Without attention, the model knows the last word alone:

    >>> import numpy as np
    >>> from attention.little_model import Switches, next_words
    >>> off = Switches(heads=np.zeros((2, 4)))
    >>> for switches in (Switches(), off):
    ...     shares, weights = next_words("cats who chase a dog", switches)
    ...     print(next(iter(shares)))
    run
    who
    """

    mask: bool = True
    positions: bool = True
    heads: ArrayLike = field(
        default_factory=lambda: np.ones((N_LAYERS, N_HEADS))
    )


class LayerTrace(NamedTuple):
    """What a layer computed on its way, for figures and the way back.

    Attributes
    ----------
    x, middle : ndarray of shape (..., n, 64)
        The rows as they enter, and after attention.
    normed, normed_middle : ndarray of shape (..., n, 64)
        The same, after a norm.
    query, key, value : ndarray of shape (..., 4, n, 16)
        Queries and keys are turned already.
    blends : ndarray of shape (..., n, 64)
        What the heads hand over, side by side.
    hidden : ndarray of shape (..., n, 128)
        The hidden features of the small network.
    """

    x: NDArray[Any]
    normed: NDArray[Any]
    query: NDArray[Any]
    key: NDArray[Any]
    value: NDArray[Any]
    blends: NDArray[Any]
    middle: NDArray[Any]
    normed_middle: NDArray[Any]
    hidden: NDArray[Any]


def random_weights(
    n_words: int, rng: np.random.Generator, dtype: type = np.float32
) -> Weights:
    """Draw weights to start a training from: every layer adds nothing."""
    weights = {
        "embedding": rng.normal(0, D_MODEL**-0.5, (n_words, D_MODEL)),
        "norm": np.ones(D_MODEL),
    }
    for i in range(N_LAYERS):
        for name in ("w_q", "w_k", "w_v"):
            weights[f"{i}.{name}"] = rng.normal(
                0, D_MODEL**-0.5, (D_MODEL, D_MODEL)
            )
        weights[f"{i}.w_in"] = rng.normal(
            0, D_MODEL**-0.5, (D_MODEL, D_HIDDEN)
        )
        weights[f"{i}.w_o"] = np.zeros((D_MODEL, D_MODEL))
        weights[f"{i}.w_out"] = np.zeros((D_HIDDEN, D_MODEL))
        weights[f"{i}.norm_1"] = np.ones(D_MODEL)
        weights[f"{i}.norm_2"] = np.ones(D_MODEL)
    return {name: array.astype(dtype) for name, array in weights.items()}


def positions(
    n: int, dtype: DTypeLike, on: bool = True
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Tabulate the rotations; switched off, every word is at position 0."""
    return rotary_tables(np.arange(n) * on, D_HEAD, base=BASE, dtype=dtype)


def layer(
    x: NDArray[Any],
    w: Weights,
    i: int,
    rotation: tuple[NDArray[Any], NDArray[Any]],
    switches: Switches,
) -> tuple[NDArray[Any], LayerTrace]:
    """Run layer i: attention and a sum, then the small network and a sum."""
    normed = rms_norm(x, w[f"{i}.norm_1"])
    query, key, value = (
        split_heads(normed @ w[f"{i}.{name}"], N_HEADS)
        for name in ("w_q", "w_k", "w_v")
    )
    query = apply_rotary(query, *rotation, layout="half")
    key = apply_rotary(key, *rotation, layout="half")
    blends = scaled_dot_product_attention(
        query, key, value, is_causal=switches.mask
    )
    blends = blends * np.asarray(switches.heads, x.dtype)[i, :, None, None]
    blends = merge_heads(blends)
    middle = x + blends @ w[f"{i}.w_o"]

    normed_middle = rms_norm(middle, w[f"{i}.norm_2"])
    hidden = np.maximum(normed_middle @ w[f"{i}.w_in"], 0)
    trace = LayerTrace(
        x, normed, query, key, value, blends, middle, normed_middle, hidden
    )
    return middle + hidden @ w[f"{i}.w_out"], trace


def forward(
    ids: ArrayLike, w: Weights, switches: Switches | None = None
) -> tuple[NDArray[Any], NDArray[Any], list[LayerTrace]]:
    """Score every word that could come next, after each word of a text.

    Parameters
    ----------
    ids : array_like of int of shape (..., n)
        The numbers of the words, one row per text.
    w : dict
        The weights by name, as `load` returns them.
    switches : Switches, optional
        What is switched off; nothing if omitted.

    Returns
    -------
    scores : ndarray of shape (..., n, 56)
        Row i has seen the words up to i, and scores what could follow them.
    rows : ndarray of shape (..., n, 64)
        The last rows, before their norm.
    traces : list of LayerTrace
        What each layer computed.

    Examples
    --------
    >>> from attention.little_model import ID, WORDS, forward, load
    >>> ids = [ID[word] for word in "cats who chased dogs".split()]
    >>> scores, rows, traces = forward(ids, load())
    >>> [WORDS[i] for i in scores.argmax(axis=-1)]
    ['who', 'liked', 'a', 'ran']
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


def logits(
    ids: ArrayLike, w: Weights, switches: Switches | None = None
) -> NDArray[Any]:
    """Return the scores of `forward` alone."""
    return forward(ids, w, switches)[0]
