"""Train the little model without one kind of part from the start, and record what it learns: make little-model.

A finished model relies on all that it was trained with, so what it loses with a part is no measure of what it could
have learnt without the part. All trainings here start with random output matrices: with zeros, as in the training that
is kept, no slope gets through a layer that has no residual connection.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import attention_vjp, layer_norm, merge_heads, split_heads
from attention.little_model.language import WORDS, text
from attention.little_model.model import (
    D_HIDDEN,
    D_MODEL,
    N_HEADS,
    N_LAYERS,
    LayerTrace,
    Switches,
    Weights,
    forward,
    random_weights,
)
from examples.little_model.gradients import cross_entropy, layer_norm_vjp, matrix_vjp, rows
from examples.little_model.measuring import accuracies, questions
from examples.little_model.training import N_TEXTS, Adam, adam_step, rate

RECORD = Path(__file__).parents[2] / "attention/little_model/without.json"
N_STEPS = 2000
SEEDS = (0, 1, 2)
PARTS = {
    "nothing": Switches(),
    "norms": Switches(norms=False),
    "MLPs": Switches(mlp=False),
    "residual connections": Switches(residual=False),
}


def norm_vjp(x: NDArray, gain: NDArray, d_y: NDArray, switches: Switches) -> tuple[NDArray, NDArray]:
    """Go back through a norm, or through nothing."""
    return layer_norm_vjp(x, gain, d_y) if switches.norms else (d_y, np.zeros_like(gain))


def layer_vjp(trace: LayerTrace, w: Weights, i: int, switches: Switches, d_y: NDArray) -> tuple[NDArray, Weights]:
    """Go back through layer i, the last step first."""
    d = {}
    d_hidden, d["w_out"] = matrix_vjp(trace.hidden, w[f"{i}.w_out"], d_y * switches.mlp)
    d_normed, d["w_in"] = matrix_vjp(trace.normed_middle, w[f"{i}.w_in"], d_hidden * (trace.hidden > 0))
    d_x, d["norm_2"] = norm_vjp(trace.middle, w[f"{i}.norm_2"], d_normed, switches)
    d_middle = d_y * switches.residual + d_x

    d_blends, d["w_o"] = matrix_vjp(trace.blends, w[f"{i}.w_o"], d_middle)
    d_heads = attention_vjp(trace.query, trace.key, trace.value, split_heads(d_blends, N_HEADS), is_causal=True)
    d_normed = np.zeros_like(trace.normed)
    for name, d_head in zip(("w_q", "w_k", "w_v"), d_heads, strict=True):
        d_part, d[name] = matrix_vjp(trace.normed, w[f"{i}.{name}"], merge_heads(d_head))
        d_normed += d_part
    d_x, d["norm_1"] = norm_vjp(trace.x, w[f"{i}.norm_1"], d_normed, switches)
    return d_middle * switches.residual + d_x, {f"{i}.{name}": slope for name, slope in d.items()}


def loss_and_slopes(ids: NDArray, w: Weights, switches: Switches) -> tuple[float, Weights]:
    """Ask every row of every text for its next word, as `gradients.loss_and_slopes` does, with something off."""
    asked, answers = ids[:, :-1], ids[:, 1:]
    scores, x, traces = forward(asked, w, switches)
    loss, d_scores = cross_entropy(scores, answers)

    last = layer_norm(x, w["norm"]) if switches.norms else x
    d_embedding = rows(d_scores).T @ rows(last)
    d_x, d_norm = norm_vjp(x, w["norm"], d_scores @ w["embedding"], switches)
    slopes = {"norm": d_norm}
    for i in reversed(range(N_LAYERS)):
        d_x, of_layer = layer_vjp(traces[i], w, i, switches, d_x)
        slopes |= of_layer
    np.add.at(d_embedding, asked, d_x * D_MODEL**0.5)
    return loss, slopes | {"embedding": d_embedding}


def start(seed: int, dtype: type = np.float32) -> Weights:
    """Draw weights whose layers add something from the first step on."""
    rng = np.random.default_rng(seed)
    w = random_weights(len(WORDS), rng, dtype)
    for i in range(N_LAYERS):
        w[f"{i}.w_o"] = rng.normal(0, D_MODEL**-0.5, (D_MODEL, D_MODEL)).astype(dtype)
        w[f"{i}.w_out"] = rng.normal(0, D_HIDDEN**-0.5, (D_HIDDEN, D_MODEL)).astype(dtype)
    return w


def trained(seed: int, switches: Switches, n_steps: int = N_STEPS) -> tuple[Weights, list[float]]:
    """Train for n_steps of N_STEPS; return the weights and the loss of each step."""
    w, rng, losses = start(seed), Random(seed), []
    state = Adam(*({name: np.zeros_like(array) for name, array in w.items()} for _ in range(2)))
    for step in range(n_steps):
        ids = np.array([text(rng) for _ in range(N_TEXTS)])
        loss, slopes = loss_and_slopes(ids, w, switches)
        adam_step(w, slopes, state, step, rate(step, N_STEPS))
        losses.append(loss)
    return w, losses


def run(part: str, seed: int) -> dict[str, Any]:
    """Train once without a part, and ask the model without that part."""
    w, losses = trained(seed, PARTS[part])
    found = {task: round(share, 4) for task, share in accuracies(questions(), w, PARTS[part]).items()}
    last = round(float(np.mean(losses[-100:])), 4)
    return {"without": part, "seed": seed, "start": [round(loss, 4) for loss in losses[:3]], "loss": last} | found


def main() -> None:
    """Train every model, and write the record."""
    with ProcessPoolExecutor(max_workers=len(SEEDS)) as processes:
        runs = list(processes.map(run, *zip(*product(PARTS, SEEDS), strict=True)))
    lines = ",\n".join(map(json.dumps, runs))
    RECORD.write_text(f'{{"steps": {N_STEPS}, "runs": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
