"""Backwards through the little model: from the slope of the loss at the scores to that of every weight."""

import numpy as np
from numpy.typing import NDArray

from attention import attention_vjp, layer_norm, log_softmax, merge_heads, split_heads
from attention.little_model.model import D_MODEL, N_HEADS, LayerTrace, Weights, forward


def rows(x: NDArray) -> NDArray:
    """Put the rows of all texts under one another."""
    return x.reshape(-1, x.shape[-1])


def matrix_vjp(x: NDArray, w: NDArray, d_y: NDArray) -> tuple[NDArray, NDArray]:
    """Go back through y = x @ w."""
    return d_y @ w.T, rows(x).T @ rows(d_y)


def layer_norm_vjp(x: NDArray, gain: NDArray, d_y: NDArray, eps: float = 1e-5) -> tuple[NDArray, NDArray]:
    """Go back through y = (x - mean) / root * gain, where mean and root depend on every feature of the row."""
    middle = x - x.mean(axis=-1, keepdims=True)
    root = np.sqrt((middle**2).mean(axis=-1, keepdims=True) + eps)
    unit, d_unit = middle / root, d_y * gain
    along = unit * (d_unit * unit).mean(axis=-1, keepdims=True)
    d_x = (d_unit - d_unit.mean(axis=-1, keepdims=True) - along) / root
    return d_x, rows(d_y * unit).sum(axis=0)


def cross_entropy(scores: NDArray, answers: NDArray) -> tuple[float, NDArray]:
    """Average -ln of the share of the right words; its slope is each share, less 1 for the right word."""
    logs = log_softmax(scores)
    right = np.take_along_axis(logs, answers[..., None], axis=-1)
    d_scores = np.exp(logs)
    np.put_along_axis(d_scores, answers[..., None], np.exp(right) - 1, axis=-1)
    return -float(right.mean()), d_scores / right.size


def layer_vjp(trace: LayerTrace, w: Weights, i: int, d_y: NDArray) -> tuple[NDArray, Weights]:
    """Go back through layer i, the last step first."""
    d = {}
    d_hidden, d["w_out"] = matrix_vjp(trace.hidden, w[f"{i}.w_out"], d_y)
    d_inside = d_hidden * (trace.hidden > 0)
    d_normed, d["w_in"] = matrix_vjp(trace.normed_middle, w[f"{i}.w_in"], d_inside)
    d_x, d["norm_2"] = layer_norm_vjp(trace.middle, w[f"{i}.norm_2"], d_normed)
    d_middle = d_y + d_x

    d_blends, d["w_o"] = matrix_vjp(trace.blends, w[f"{i}.w_o"], d_middle)
    d_query, d_key, d_value = attention_vjp(
        trace.query, trace.key, trace.value, split_heads(d_blends, N_HEADS), is_causal=True
    )
    d_normed = np.zeros_like(trace.normed)
    for name, d_heads in (("w_q", d_query), ("w_k", d_key), ("w_v", d_value)):
        d_part, d[name] = matrix_vjp(trace.normed, w[f"{i}.{name}"], merge_heads(d_heads))
        d_normed += d_part
    d_x, d["norm_1"] = layer_norm_vjp(trace.x, w[f"{i}.norm_1"], d_normed)
    return d_middle + d_x, {f"{i}.{name}": slope for name, slope in d.items()}


def loss_and_slopes(ids: NDArray, w: Weights) -> tuple[float, Weights]:
    """Ask every row of every text for its next word: the loss, and its slope for every number of the weights."""
    asked, answers = ids[:, :-1], ids[:, 1:]
    scores, x, traces = forward(asked, w)
    loss, d_scores = cross_entropy(scores, answers)

    d_last, d_embedding = d_scores @ w["embedding"], rows(d_scores).T @ rows(layer_norm(x, w["norm"]))
    d_x, d_norm = layer_norm_vjp(x, w["norm"], d_last)
    slopes = {"norm": d_norm}
    for i in reversed(range(len(traces))):
        d_x, of_layer = layer_vjp(traces[i], w, i, d_x)
        slopes |= of_layer
    # the table serves twice: it gives the first rows, times a factor, and it scores the last
    np.add.at(d_embedding, asked, d_x * D_MODEL**0.5)
    slopes["embedding"] = d_embedding
    return loss, slopes
