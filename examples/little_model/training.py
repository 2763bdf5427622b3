"""Training in NumPy: guess, measure, find the slopes, take a step; some ten minutes on one core."""

import math
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from attention.little_model.language import WORDS, text
from attention.little_model.model import Weights, random_weights
from examples.little_model.gradients import loss_and_slopes

N_STEPS, N_TEXTS = 10_000, 32  # texts in one step
RATE, WARM = 4e-3, 0.1  # the highest rate, and the part of the steps until it is reached
DECAY = 0.1  # pulls every matrix towards zero
MEMORY, SPREAD = 0.9, 0.99  # how much of the running averages a step keeps
CLIP = 1.0  # the largest norm of all slopes together


class Adam(NamedTuple):
    """Running averages of the slopes and of their squares."""

    mean: Weights
    square: Weights


def rate(step: int, n_steps: int) -> float:
    """Rise in a straight line, then sink along half a cosine."""
    part = (step + 1) / n_steps
    if part < WARM:
        return RATE * part / WARM
    return RATE * (1 + math.cos(math.pi * (part - WARM) / (1 - WARM))) / 2


def adam_step(w: Weights, slopes: Weights, state: Adam, step: int, rate: float) -> None:
    """Move every weight against its average slope, in units of that slope's usual size (AdamW), in place."""
    norm = math.sqrt(sum(float((slope**2).sum()) for slope in slopes.values()))
    for name, array in w.items():
        slope = slopes[name] * min(1, CLIP / norm)
        state.mean[name] += (1 - MEMORY) * (slope - state.mean[name])
        state.square[name] += (1 - SPREAD) * (slope**2 - state.square[name])
        mean = state.mean[name] / (1 - MEMORY ** (step + 1))  # the averages began at zero
        square = state.square[name] / (1 - SPREAD ** (step + 1))
        decay = DECAY * array if array.ndim == 2 else 0  # not the gains of the norms
        array -= rate * (mean / (np.sqrt(square) + 1e-8) + decay)


def train(seed: int, n_steps: int = N_STEPS, planned: int | None = None) -> Iterator[tuple[int, float, Weights]]:
    """Train on texts that are all new; after every step give its number, its loss and the weights.

    planned is for a run that stops early: the rates are those of a run of so many steps.
    """
    w = random_weights(len(WORDS), np.random.default_rng(seed))
    state = Adam(*({name: np.zeros_like(array) for name, array in w.items()} for _ in range(2)))
    rng = Random(seed)
    for step in range(n_steps):
        ids = np.array([text(rng) for _ in range(N_TEXTS)])
        loss, slopes = loss_and_slopes(ids, w)
        adam_step(w, slopes, state, step, rate(step, planned or n_steps))
        yield step, loss, w
