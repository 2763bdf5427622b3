"""One head of attention, computed from the keys of a fence that figures share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention import attention_weights, causal_mask, project, scaled_dot_product_attention
from docs_ext.expressions import SpecError, array, value
from docs_ext.numbers import number

REQUIRED = ("tokens", "caption")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "key_tokens", "options")
MAX_WORDS = 16  # figures.css has one rule a row

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


def read_head(spec: Mapping[str, Any]) -> Head:
    """Evaluate a fence's expressions and run the package on them."""
    queries = words_of(spec, "tokens")
    keys = words_of(spec, "key_tokens") if "key_tokens" in spec else queries
    q, k, v = _projections(spec)
    options = value(spec, "options") if "options" in spec else {}
    if not isinstance(options, dict):
        raise SpecError("options is a mapping, such as {is_causal: true}", key="options")
    for name, words, rows in (("q", queries, q), ("k", keys, k), ("v", keys, v)):
        if rows is not None and len(rows) != len(words):
            raise SpecError(f"{len(words)} words but {name} has shape {rows.shape}", key=_source(spec, name))
    weights = attention_weights(q, k, **options)
    if weights.ndim != 2:
        raise SpecError(f"a figure shows one head: the weights have shape {weights.shape}", key="options")
    allowed = np.broadcast_to(np.asarray(options.get("mask", True)), weights.shape)
    if options.get("is_causal"):
        allowed = allowed & causal_mask(len(queries))
    output = None if v is None else scaled_dot_product_attention(q, k, v, **options)
    return Head(queries, keys, q, k, v, options, weights, allowed, output)


def _projections(spec: Mapping[str, Any]) -> list[Any]:
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


def _source(spec: Mapping[str, Any], name: str) -> str:
    return "x" if "x" in spec else name


def words_of(spec: Mapping[str, Any], key: str) -> Sequence[str]:
    words = value(spec, key) if isinstance(spec[key], str) else spec[key]
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise SpecError(f"{key} must be a list of words; quote yes, no and numbers: {words!r}", key=key)
    if not words or (key == "tokens" and len(words) > MAX_WORDS):
        raise SpecError(f"{key} must hold 1 to {MAX_WORDS} words: {len(words)}", key=key)
    return words


def row_of(spec: Mapping[str, Any], key: str, words: Sequence[str]) -> int:
    """Return the row that `spec[key]` names by its word or index; by default the last."""
    chosen = spec.get(key, len(words) - 1)
    if isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(words):
        return chosen
    if words.count(chosen) > 1:
        raise SpecError(f"{key}: {chosen!r} is there {words.count(chosen)} times, give its index", key=key)
    if chosen not in words:
        raise SpecError(f"{key} must be a word or an index from 0 to {len(words) - 1}: {chosen!r}", key=key)
    return words.index(chosen)


def vector(row: NDArray[np.float64]) -> str:
    """Write a vector: (5, 2)."""
    return f"({', '.join(map(number, row))})"


def names_of(words: Sequence[str]) -> list[str]:
    """Return the words, those that are there more than once with their rank: 'the (1st)'."""
    return [word + rank_of(words, position) for position, word in enumerate(words)]


def rank_of(words: Sequence[str], position: int) -> str:
    """Say which of several equal words this is: ' (2nd)'; nothing for a word that is there once."""
    if words.count(words[position]) == 1:
        return ""
    rank = Counter(words[: position + 1])[words[position]]
    return f" ({rank}{('st', 'nd', 'rd')[rank - 1] if rank < 4 else 'th'})"
