"""Attention one step at a time, so that a mistake can replace a step."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import MethodType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import softmax
from attention.numerics import logsumexp
from attention.testing.cases import Case

Array = NDArray[Any]


class Steps:
    """Attention of a case in float64; each method is a step.

    The steps that are given replace those of the same name, and receive the
    object that they belong to.
    """

    def __init__(self, case: Case, **steps: Callable[..., Any]) -> None:
        self.case, self.options = case, case.options
        self.n_queries, self.n_keys = case.n_queries, case.n_keys
        self.d_k = case.query.shape[-1]
        for name, step in steps.items():
            setattr(self, name, MethodType(step, self))

    # --- what goes in: (batch, heads, n, d) ---------------------------------

    def query(self) -> Array:
        return self.case.query

    def key(self) -> Array:
        return self.shared(self.case.key)

    def value(self) -> Array:
        return self.shared(self.case.value)

    def shared(self, array: Array) -> Array:
        """Repeat each head of keys or values for the heads of its group."""
        groups = self.case.query.shape[1] // array.shape[1]
        return np.repeat(array, groups, axis=1)

    # --- scores --------------------------------------------------------------

    def scale(self) -> float:
        given = self.options.get("scale")
        return float(self.d_k**-0.5 if given is None else given)

    def products(self) -> Array:
        return self.query() @ self.key().swapaxes(-1, -2)

    def scaled(self) -> Array:
        return self.products() * self.scale()

    def capped(self, scores: Array) -> Array:
        cap = self.options.get("softcap")
        return scores if cap is None else cap * np.tanh(scores / cap)

    def bias(self) -> Array | float:
        given = self.options.get("bias")
        return 0.0 if given is None else np.asarray(given)

    def sink(self) -> Array | None:
        given = self.options.get("sink")
        if given is None:
            return None
        return np.asarray(given, np.float64).reshape(-1, 1, 1)

    # --- who may attend to whom ----------------------------------------------

    def mask(self) -> Array:
        given = self.options.get("mask")
        return np.asarray(True) if given is None else np.asarray(given)

    def window(self) -> tuple[int | None, int | None]:
        """Return how many keys are seen on each side; causal is (None, 0)."""
        given = self.options.get("window")
        if isinstance(given, int):
            given = (given, given)
        left, right = given or (None, None)
        return left, 0 if self.options.get("is_causal") else right

    def offset(self) -> Array:
        given = self.options.get("offset")
        return np.reshape(0 if given is None else given, (-1, 1, 1, 1))

    def allowed(self) -> Array:
        distance = self.distance()
        left, right = self.window()
        allowed = self.mask() & np.ones(distance.shape, bool)
        if left is not None:
            allowed = allowed & (distance >= -left)
        if right is not None:
            allowed = allowed & (distance <= right)
        return allowed

    def distance(self) -> Array:
        """Return the position of each key less that of each query."""
        positions = np.arange(self.n_queries)[:, None] + self.offset()
        return np.asarray(np.arange(self.n_keys) - positions)

    # --- weights and output --------------------------------------------------

    def scores(self) -> Array:
        scores = self.capped(self.scaled()) + self.bias()
        return np.where(self.allowed(), scores, -np.inf)

    def with_sink(self, scores: Array) -> Array:
        sink = self.sink()
        if sink is None:
            return scores
        column = np.broadcast_to(sink, (*scores.shape[:-1], 1))
        return np.concatenate([scores, column], axis=-1)

    def weigh(self) -> Array:
        return softmax(self.with_sink(self.scores()))[..., : self.n_keys]

    def combine(self) -> Array:
        return self.weights @ self.values

    def total(self) -> Array:
        return logsumexp(self.with_sink(self.scores()))

    # --- results, computed once ----------------------------------------------

    @cached_property
    def values(self) -> Array:
        return self.value()

    @cached_property
    def weights(self) -> Array:
        with np.errstate(all="ignore"):
            return self.weigh()

    @cached_property
    def output(self) -> Array:
        with np.errstate(all="ignore"):
            return self.combine()

    @cached_property
    def logsumexp(self) -> Array:
        with np.errstate(all="ignore"):
            return self.total()

    def score_sizes(self) -> Array:
        """Return how large the numbers are that a score is added up from."""
        size = np.abs(self.query()) @ np.abs(self.key()).swapaxes(-1, -2)
        return size * abs(self.scale()) + np.abs(self.bias())
