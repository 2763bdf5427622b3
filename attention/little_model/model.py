"""The little model forwards: from words to a score for every next word."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention.block import layer_norm
from attention.dot_product import scaled_dot_product_attention
from attention.head_shapes import merge_heads, split_heads
from attention.sinusoidal import sinusoidal_encoding

N_LAYERS, N_HEADS, D_MODEL, D_HIDDEN = 2, 4, 64, 128
BASE = 100.0  # of the sinusoids: texts are short

Weights = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Switches:
    """What can be switched off in the finished model.

    Attributes
    ----------
    mask : bool
        Whether a word sees earlier words and itself only.
    positions : bool
        Whether the sinusoids of its position are added to each word's row.
    heads : array_like of shape (2, 4)
        A factor on the output of each head of each layer; 0 switches it off.
    mlp : bool
        Whether the MLP of each layer adds anything.
    norms : bool
        Whether rows are normalised; else the parts get the rows as they are.
    residual : bool
        Whether a part's result is added to the row; else it replaces the row.

    Examples
    --------
    Without attention, the last row knows only its own word and position:

    >>> import numpy as np
    >>> from attention.little_model import Switches, next_words
    >>> off = Switches(heads=np.zeros((2, 4)))
    >>> for switches in (Switches(), off):
    ...     shares, weights = next_words("cats who chase a dog", switches)
    ...     print(next(iter(shares)))
    run
    .
    """

    mask: bool = True
    positions: bool = True
    heads: ArrayLike = field(
        default_factory=lambda: np.ones((N_LAYERS, N_HEADS))
    )
    mlp: bool = True
    norms: bool = True
    residual: bool = True


class LayerTrace(NamedTuple):
    """What a layer computed on its way, for figures and the way back.

    Attributes
    ----------
    x, middle, out : ndarray of shape (..., n, 64)
        The rows as they enter, after attention, and after the MLP.
    normed, normed_middle : ndarray of shape (..., n, 64)
        What attention and the MLP get: x and middle, after a norm.
    query, key, value : ndarray of shape (..., 4, n, 16)
        The heads' own queries, keys and values.
    blends : ndarray of shape (..., n, 64)
        The outputs of the four heads, side by side.
    attention, mlp : ndarray of shape (..., n, 64)
        What attention and the MLP add to the rows.
    hidden : ndarray of shape (..., n, 128)
        The hidden features of the MLP, after the ReLU.
    """

    x: NDArray[Any]
    normed: NDArray[Any]
    query: NDArray[Any]
    key: NDArray[Any]
    value: NDArray[Any]
    blends: NDArray[Any]
    attention: NDArray[Any]
    middle: NDArray[Any]
    normed_middle: NDArray[Any]
    hidden: NDArray[Any]
    mlp: NDArray[Any]
    out: NDArray[Any]


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


def first_rows(
    ids: NDArray[Any], w: Weights, switches: Switches
) -> NDArray[Any]:
    """Pick the row of each word, scaled, and add that of its position."""
    x: NDArray[Any] = w["embedding"][ids] * D_MODEL**0.5
    n = ids.shape[-1]
    places = sinusoidal_encoding(n, D_MODEL, base=BASE, dtype=x.dtype)
    return x + places if switches.positions else x


def norm(
    x: NDArray[Any], gain: NDArray[Any], switches: Switches
) -> NDArray[Any]:
    """Normalise every row, or switched off, leave it as it is."""
    return layer_norm(x, gain) if switches.norms else x


def layer(
    x: NDArray[Any], w: Weights, i: int, switches: Switches
) -> LayerTrace:
    """Run layer i: attention and a sum, then the MLP and a sum."""
    normed = norm(x, w[f"{i}.norm_1"], switches)
    query, key, value = (
        split_heads(normed @ w[f"{i}.{name}"], N_HEADS)
        for name in ("w_q", "w_k", "w_v")
    )
    blends = scaled_dot_product_attention(
        query, key, value, is_causal=switches.mask
    )
    blends = blends * np.asarray(switches.heads, x.dtype)[i, :, None, None]
    blends = merge_heads(blends)
    attention = blends @ w[f"{i}.w_o"]
    middle = x * switches.residual + attention

    normed_middle = norm(middle, w[f"{i}.norm_2"], switches)
    hidden = np.maximum(normed_middle @ w[f"{i}.w_in"], 0)
    mlp = hidden @ w[f"{i}.w_out"] * switches.mlp
    out = middle * switches.residual + mlp
    return LayerTrace(
        x, normed, query, key, value, blends, attention, middle,
        normed_middle, hidden, mlp, out,
    )  # fmt: skip


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
    ['who', 'chased', 'a', 'ran']
    """
    switches = switches or Switches()
    x = first_rows(np.asarray(ids), w, switches)
    traces = []
    for i in range(N_LAYERS):
        traces.append(layer(x, w, i, switches))
        x = traces[-1].out
    scores = norm(x, w["norm"], switches) @ w["embedding"].T
    return scores, x, traces


def logits(
    ids: ArrayLike, w: Weights, switches: Switches | None = None
) -> NDArray[Any]:
    """Return the scores of `forward` alone."""
    return forward(ids, w, switches)[0]
