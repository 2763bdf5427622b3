"""Attention one step at a time, so that a mistake can change a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache, wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from attention import softmax
from attention.numerics import logsumexp
from attention.testing.cases import Case

Array = NDArray[Any]
Change = Callable[..., Any]
T = TypeVar("T")
_VALUES = ("shared", "heads", "value")
SCORES = (
    *("query", "key", "shared", "heads", "scale", "products", "scaled"),
    *("capped", "bias", "biased", "full"),
)
REACH = (
    *("mask", "is_causal", "window", "offset", "positions", "ends", "within"),
    "allowed",
)
_WEIGHTS = (*SCORES, *REACH, "scores", "sink", "with_sink", "weigh")
_FLOW = (
    *(*_VALUES, *_WEIGHTS, "grad_output", "d_weights", "average"),
    *("d_scores", "slope", "d_products"),
)


def _spared(*steps: str) -> Callable[[Change], Change]:
    """Take what a step returns from the exact case if these are unchanged."""

    def mark(step: Change) -> Change:
        @wraps(step)
        def taken(self: Steps) -> Any:
            if not self.changes.keys().isdisjoint(steps):
                return step(self)
            return _exact(self.case).once(step.__name__, lambda: step(self))

        return taken

    return mark


@lru_cache(32)
def _exact(case: Case) -> Steps:
    return Steps(case)


class Steps:
    """Attention of a case in float64, and its gradients; a method is a step.

    A change replaces what the step of its name returns: it receives this
    object, what is right, and the step's arguments. What is right and None,
    such as a sink that is not there, stays None.
    """

    def __init__(self, case: Case, changes: dict[str, Change] | None = None):
        self.case, self.options = case, case.options
        self.batch, self.n_heads, self.n_queries, self.d_k = case.query.shape
        self.n_keys, self.d_v = case.value.shape[2:]
        self.changes = changes or {}
        self.done: dict[str, Any] = {}  # what is the same after a change
        for name, change in self.changes.items():
            setattr(self, name, self._changed(getattr(self, name), change))

    def _changed(self, step: Change, change: Change) -> Change:
        def changed(*given: Any) -> Any:
            right = step(*given)
            return None if right is None else change(self, right, *given)

        return changed

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what was made under a name, or make it."""
        if name not in self.done:
            self.done[name] = make()
        made: T = self.done[name]
        return made

    # --- what goes in: (batch, heads, n, d) ---------------------------------

    def query(self) -> Array:
        return self.case.query

    def key(self) -> Array:
        return self.shared(self.case.key)

    @_spared(*_VALUES)
    def value(self) -> Array:
        return self.shared(self.case.value)

    def shared(self, array: Array) -> Array:
        """Give each head of queries its head of keys or values."""
        if array.shape[1] == self.n_heads:
            return array
        return np.asarray(array[:, self.heads()])

    def heads(self) -> Array:
        """Return which head of keys and values each query head reads."""
        kv_heads = self.case.key.shape[1]
        return np.asarray(
            np.arange(self.n_heads) // (self.n_heads // kv_heads)
        )

    # --- scores --------------------------------------------------------------

    def scale(self) -> float:
        given = self.options.get("scale")
        return float(self.d_k**-0.5 if given is None else given)

    def products(self) -> Array:
        return self.query() @ self.key().swapaxes(-1, -2)

    @_spared(*SCORES)
    def scaled(self) -> Array:
        return self.products() * self.scale()

    def capped(self, scores: Array) -> Array | None:
        cap = self.options.get("softcap")
        return None if cap is None else cap * np.tanh(scores / cap)

    def bias(self) -> Array | None:
        given = self.options.get("bias")
        return None if given is None else np.asarray(given)

    def biased(self, scores: Array) -> Array:
        bias = self.bias()
        return scores if bias is None else scores + bias

    @_spared(*SCORES)
    def full(self) -> Array:
        """Return the scores before anything is hidden."""
        scores = self.scaled()
        capped = self.capped(scores)
        return self.biased(scores if capped is None else capped)

    def sink(self) -> Array | None:
        given = self.options.get("sink")
        if given is None:
            return None
        return np.asarray(given, np.float64).reshape(-1, 1, 1)

    @property
    def keys(self) -> Array:
        return np.arange(self.n_keys)

    @property
    def rows(self) -> Array:
        return np.arange(self.n_queries)[:, None]

    # --- who may attend to whom ----------------------------------------------

    def mask(self) -> Array | None:
        given = self.options.get("mask")
        return None if given is None else np.asarray(given)

    def is_causal(self) -> bool | None:
        return self.options.get("is_causal") or None

    def window(self) -> tuple[int | None, int | None] | None:
        given = self.options.get("window")
        return (given, given) if isinstance(given, int) else given

    def offset(self) -> Array:
        given = self.options.get("offset")
        return np.reshape(0 if given is None else given, (-1, 1, 1, 1))

    def positions(self) -> Array:
        return self.rows + self.offset()

    def ends(self) -> tuple[Array | None, Array | None]:
        """Return the first and the last key that each query may see."""
        left, right = self.window() or (None, None)
        right = 0 if self.is_causal() else right
        p = self.positions()
        first = None if left is None else p - left
        return first, None if right is None else p + right

    def within(self) -> Array:
        """Say which keys causal and window allow."""
        return self.between(self.keys, *self.ends())

    def between(
        self, keys: Array, first: Array | None, last: Array | None
    ) -> Array:
        """Say which keys, so numbered, are from a first one to a last one."""
        allowed = np.ones((1, 1, self.n_queries, self.n_keys), bool)
        if first is not None:
            allowed = allowed & (keys >= first)
        return allowed if last is None else allowed & (keys <= last)

    @_spared(*REACH)
    def allowed(self) -> Array:
        mask, within = self.mask(), self.within()
        return within if mask is None else within & mask

    def empty(self) -> Array:
        """Say which queries may see no key."""
        return np.asarray(~self.allowed().any(axis=-1, keepdims=True))

    # --- weights and output --------------------------------------------------

    def scores(self) -> Array:
        allowed, full, exact = self.allowed(), self.full(), self.exact
        if exact is self or (
            full is exact.full() and np.array_equal(allowed, exact.allowed())
        ):
            return exact.hidden  # the change makes no difference here
        return np.where(allowed, full, -np.inf)

    def with_sink(self, scores: Array) -> Array:
        sink = self.sink()
        if sink is None:
            return scores
        column = np.broadcast_to(sink, (*scores.shape[:-1], 1))
        return np.concatenate([scores, column], axis=-1)

    @_spared(*_WEIGHTS)
    def weigh(self) -> Array:
        scores, exact = self.with_sink(self.scores()), self.exact
        if exact is not self and np.array_equal(scores, exact.sinked):
            return exact.weights
        return softmax(scores)[..., : self.n_keys]

    def combine(self) -> Array:
        weights, values, exact = self.weights, self.values, self.exact
        if exact is self or weights is not exact.weights:
            return weights @ values
        return exact.output if values is exact.values else weights @ values

    def summed(self) -> Array:
        """Return the scores whose log-sum-exp is returned."""
        return self.with_sink(self.scores())

    def total(self) -> Array:
        return logsumexp(self.summed())

    # --- gradients -----------------------------------------------------------

    def grad_output(self) -> Array:
        assert self.case.grad_output is not None
        return self.case.grad_output

    def for_value(self) -> Array:
        """Return the weights that carry a gradient to the values."""
        return self.weights

    @_spared(*_VALUES, "grad_output")
    def d_weights(self) -> Array:
        return self.grad_output() @ self.values.swapaxes(-1, -2)

    @_spared(*_VALUES, *_WEIGHTS, "grad_output", "d_weights")
    def average(self) -> Array:
        """Return D, what a row gets from its weights on average."""
        rows = self.weights * self.d_weights()
        return np.asarray(rows.sum(axis=-1, keepdims=True))

    @_spared(*_FLOW)
    def d_scores(self) -> Array:
        gap = np.where(self.weights == 0, 0, self.d_weights() - self.average())
        return np.asarray(self.weights * gap)

    def slope(self, scores: Array) -> Array | None:
        """Return the derivative of the cap."""
        cap = self.options.get("softcap")
        return None if cap is None else 1 - np.tanh(scores / cap) ** 2

    def d_products(self) -> Array:
        if self.options.get("softcap") is None:
            return np.asarray(self.d_scores())
        return np.asarray(self.d_scores() * self.slope(self.scaled()))

    def gathered(self, array: Array) -> Array:
        """Sum over the query heads that share a head of keys and values."""
        kv_heads = self.case.key.shape[1]
        split = array.reshape(len(array), kv_heads, -1, *array.shape[2:])
        return np.asarray(split.sum(axis=2))

    def for_query(self) -> Array:
        """Return the weights that carry a gradient from keys to queries."""
        return self.flow

    def for_key(self) -> Array:
        return self.flow

    @_spared(*_FLOW, "for_query")
    def d_query(self) -> Array:
        return np.asarray(self.for_query() @ self.key())

    @_spared(*_FLOW, "for_key", "gathered")
    def d_key(self) -> Array:
        return self.gathered(self.for_key().swapaxes(-1, -2) @ self.query())

    @_spared(*_WEIGHTS, "for_value", "gathered", "grad_output")
    def d_value(self) -> Array:
        w = self.for_value().swapaxes(-1, -2)
        return self.gathered(w @ self.grad_output())

    def over_bias(self, array: Array) -> Array:
        """Sum over the axes that share a bias."""
        shape = np.shape(self.options.get("bias", array))
        axes = tuple(i for i, n in enumerate(shape) if n < array.shape[i])
        return np.asarray(array.sum(axis=axes, keepdims=True))

    def for_bias(self) -> Array:
        return np.asarray(self.d_scores())

    def d_bias(self) -> Array:
        return self.over_bias(self.for_bias())

    def for_sink(self) -> Array:
        share = 1 - self.weights.sum(-1, keepdims=True)
        return np.asarray(share * self.average())

    def d_sink(self) -> Array:
        return -np.asarray(self.for_sink().sum(axis=(0, 2, 3)))

    # --- results, computed once ----------------------------------------------

    @cached_property
    def hidden(self) -> Array:
        return np.where(self.allowed(), self.full(), -np.inf)

    @cached_property
    def sinked(self) -> Array:
        return self.with_sink(self.hidden)

    @cached_property
    def values(self) -> Array:
        return np.asarray(self.value())

    @cached_property
    def weights(self) -> Array:
        return np.asarray(self.weigh())

    @cached_property
    def flow(self) -> Array:
        return self.scale() * self.d_products()

    @cached_property
    def output(self) -> Array:
        return self.combine()

    @cached_property
    def logsumexp(self) -> Array:
        return self.total()

    @cached_property
    def exact(self) -> Steps:
        """The same case without a change."""
        return _exact(self.case)

    def gradients(self, names: Iterable[str] = ()) -> dict[str, Array]:
        """Return the gradients of inputs, by their names; all by default."""
        every = ["d_query", "d_key", "d_value"]
        every += [f"d_{name}" for name in ("bias", "sink")
                  if self.options.get(name) is not None]  # fmt: skip
        some = self.exact if self.is_as_exact() else self
        return {name: getattr(some, name)() for name in names or every}

    def is_as_exact(self) -> bool:
        """Say whether a change of who sees whom makes no difference here."""
        seeing = {*REACH, "scores", "with_sink", "weigh", "average"}
        return (
            self.changes.keys() <= seeing
            and self.weights is self.exact.weights
            and self.average() is self.exact.average()
        )

    def score_sizes(self) -> Array:
        """Return how large the numbers are that a score is added up from."""
        size = np.abs(self.query()) @ np.abs(self.key()).swapaxes(-1, -2)
        bias = self.bias()
        size = size * abs(self.scale())
        return size if bias is None else size + np.abs(bias)
