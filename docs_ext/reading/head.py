"""One head of attention, computed from the keys of a fence that figures share."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention import attention_weights, causal_mask, project, scaled_dot_product_attention
from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array, value
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import names_of, words_of

REQUIRED = ("tokens", "caption")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "key_tokens", "options")

Floats = NDArray[np.float64]


class Head(NamedTuple):
    """n_q words that ask, n_k words that answer."""

    queries: Sequence[str]
    keys: Sequence[str]
    q: Floats  # (n_q, d_k)
    k: Floats  # (n_k, d_k)
    v: Floats | None  # (n_k, d_v)
    options: Mapping[str, Any]
    weights: Floats  # (n_q, n_k)
    allowed: NDArray[np.bool_]  # (n_q, n_k)
    output: Floats | None  # (n_q, d_v)

    def blended(self, why: str) -> tuple[Data, Floats]:
        """Return words, queries, keys and values, and the values alone; say why a figure needs some."""
        if self.v is None:
            raise SpecError(f"{why}: give v, or x and w_v")
        return {"words": names_of(self.queries), "q": self.q, "k": self.k, "v": self.v}, self.v


def read_head(spec: Spec) -> Head:
    """Evaluate a fence's expressions and run the package on them."""
    queries = words_of(spec, "tokens")
    keys = words_of(spec, "key_tokens") if "key_tokens" in spec else queries
    q, k, v = _projections(spec)
    options = value(spec, "options") if "options" in spec else {}
    if not isinstance(options, dict):
        raise SpecError("options is a mapping, such as {is_causal: true}", key="options")
    for name, words, rows in (("q", queries, q), ("k", keys, k), ("v", keys, v)):
        if rows is not None and len(rows) != len(words):
            raise SpecError(f"{len(words)} words but {name} has shape {rows.shape}", key="x" if "x" in spec else name)
    weights = attention_weights(q, k, **options)
    if weights.ndim != 2:
        raise SpecError(f"a figure shows one head: the weights have shape {weights.shape}", key="options")
    allowed = np.broadcast_to(np.asarray(options.get("mask", True)), weights.shape)
    if options.get("is_causal"):
        allowed = allowed & causal_mask(len(queries))
    output = None if v is None else scaled_dot_product_attention(q, k, v, **options)
    return Head(queries, keys, q, k, v, options, weights, allowed, output)


def _projections(spec: Spec) -> list[Any]:
    """Return queries, keys and, if there are any, values: given, or x times its weights."""
    if "x" in spec:
        names = ("w_q", "w_k", "w_v")
        if clash := [name for name in ("q", "k", "v") if name in spec]:
            raise SpecError(f"give either q, k, v or x, w_q, w_k, w_v: x and {clash[0]}", key=clash[0])
        x = array(spec, "x")
        matrices = [project(x, array(spec, name)) if spec.get(name) is not None else None for name in names]
    else:
        names = ("q", "k", "v")
        matrices = [array(spec, name) if spec.get(name) is not None else None for name in names]
    for name, matrix in zip(names[:2], matrices, strict=False):
        if matrix is None:
            raise SpecError(f"the key {name!r} is missing")
    return matrices


def in_doublings(matrix: Floats) -> Floats:
    """Return scores, or what makes them, as powers of two."""
    doublings: Floats = np.round(matrix / np.log(2), 12) + 0.0  # no -0
    return doublings
