"""What a caller gives, checked: weights, tokens, a mask, words, a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention._inputs import integer, real, refuse
from attention.show.words import Token, grouped, labels, named, read

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
MOST = 64  # tokens each way
LARGEST = 12 * 12 * MOST * MOST  # weights in a file
ABOVE = 1.001  # what rounding of 16 bits may give instead of 1


@dataclass(frozen=True)
class Given:
    """One text: weights (layers, heads, n_q, n_k), and what they are of.

    `allowed` has the shape of the weights, and `kind` says where it is from:
    "given", a pattern of zeros that a mask leaves, or "" if there is none.
    """

    weights: Floats
    allowed: Bools
    kind: str
    queries: list[Token]
    keys: list[Token]
    raw: list[list[str]]  # of queries, what a caller may call each
    is_square: bool


def array_of(name: str, value: Any) -> NDArray[Any]:
    """Return an array of what a library gives, without its gradient."""
    if value is None:
        raise TypeError(
            f"{name} is None: ask the library for its weights "
            "(output_attentions=True, need_weights=True)"
        )
    if hasattr(value, "attentions"):
        raise TypeError(
            f"{name} is a {type(value).__name__}, the whole output of a "
            "model: give its .attentions"
        )
    if hasattr(value, "detach"):  # a tensor of PyTorch, on any device
        value = value.detach().cpu()
    array = real(name, value)
    return array.astype(np.float64)


def one_head(name: str, value: Any) -> Floats:
    """Return weights (1, 1, n_q, n_k) of one head of one text."""
    array = array_of(name, value)
    shape = array.shape
    while array.ndim > 2 and len(array) == 1:
        array = array[0]
    if array.ndim != 2:
        given, way = {name: np.empty(shape)}, f"{name}[0]"
        if array.ndim > 2:
            way = f"{name}[{', '.join('0' * (len(shape) - 2))}]"
            rule = f"{name} must be one head of one text, (n_q, n_k): give "
            refuse(f"{rule}{way}, or {name} to heads()", **given)
        refuse(f"{name} must have axes (n_q, n_k)", **given)
    return _checked(name, array[None, None])


def all_heads(name: str, value: Any, layers: Sequence[int] | None) -> Floats:
    """Return weights (layers, heads, n_q, n_k) of one text."""
    if isinstance(value, list | tuple) and not _is_numbers(value):
        if not value or value[0] is None:
            raise ValueError(
                f"{name} holds no weights: load the model with "
                "attn_implementation='eager' and call it with "
                "output_attentions=True"
            )
        if isinstance(value[0], list | tuple):
            rule = f"{name} holds a {type(value[0]).__name__} per step, as "
            raise TypeError(f"{rule}generate() returns them: give {name}[0]")
        if layers is not None:
            value = [value[i] for i in _layers(layers, len(value))]
        parts = list[Floats]()
        for i, layer in enumerate(value):
            if layer is None:
                rule = f"{name}[{i}] is None, a layer without attention: leave"
                raise ValueError(f"{rule} it out with layers=")
            part = array_of(f"{name}[{i}]", layer)
            if part.ndim == 4 and len(part) == 1:
                part = part[0]
            if part.ndim != 3:
                one = "layer[None]" if part.ndim == 2 else "layer[0]"
                rule = "each layer must have axes (heads, n_q, n_k), or a "
                rule += f"batch of one before them: give [{one} for layer in "
                rule += f"{name}]"
                refuse(rule, **{f"{name}[{i}]": part})
            if parts and part.shape != parts[0].shape:
                rule = "all layers must have one shape"
                first = {f"{name}[0]": parts[0], f"{name}[{i}]": part}
                refuse(rule, **first)
            parts.append(part)
        array = np.stack(parts)
    else:
        array = array_of(name, value)
        if array.ndim == 5 and 1 in array.shape[:2]:
            array = array[:, 0] if array.shape[1] == 1 else array[0]
        if array.ndim == 5:
            rule = f"{name} must hold one text: give {name}[:, 0]"
            refuse(rule, **{name: array})
        if array.ndim != 4:
            way = {2: "[None, None]", 3: "[None]"}.get(array.ndim)
            way = f"; of one head or layer give {name}{way}" if way else ""
            rule = f"{name} must have axes (layers, heads, n_q, n_k){way}"
            refuse(rule, **{name: array})
        if layers is not None:
            array = array[_layers(layers, len(array))]
    return _checked(name, array)


def _is_numbers(value: Any) -> bool:
    """Tell nested lists of numbers from a list of arrays."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return np.ndim(value) == 0 and value is not None


def _layers(layers: Sequence[int], n: int) -> list[int]:
    if not hasattr(layers, "__iter__"):
        raise TypeError(f"layers must be a sequence of integers: {layers!r}")
    chosen = [integer("layers", layer, 0) for layer in layers]
    if not chosen or max(chosen) >= n:
        refuse(f"layers must name some of 0 to {n - 1}", layers=chosen)
    return chosen


def _checked(name: str, array: Floats) -> Floats:
    """Refuse what no softmax can have given."""
    inside = _inside(array)
    if not array.size:
        refuse(f"{name} must hold a weight", **{name: inside})
    finite = np.isfinite(array)
    if not finite.all():
        at = np.argwhere(~finite)[0]
        where = ", ".join(map(str, at[-inside.ndim :]))
        rule = f"{name} must be finite: {array[tuple(at)]} at [{where}]. "
        rule += "Libraries give nan to a row whose keys are all masked; "
        refuse(f"{rule}np.nan_to_num makes such a row zero", **{name: inside})
    low, high = array.min(), array.max()
    if low < -1e-6 or high > ABOVE:
        rule = f"{name} must be from 0 to 1, but go from {low:.4g} to "
        rule += f"{high:.4g}: "
        if low >= -1e-6 and high < 3:
            rule += "dropout of training mode makes weights larger, and "
            rule += "model.eval() ends it; else"
        rule += " they look like scores, of which softmax makes weights"
        refuse(rule.replace(":  ", ": "), **{name: inside})
    return np.clip(array, 0, 1)


def _inside(array: Floats) -> Floats:
    """Return the array as the caller of one head gave it."""
    return array[0, 0] if array.shape[:2] == (1, 1) else array


def _lists(name: str, tokens: Any) -> list[list[str]]:
    """Return the tokens of queries and keys, or of both at once."""
    if isinstance(tokens, str):
        tokens = tokens.split()
    try:
        given = [*tokens]
    except TypeError:
        given = [None]
    pair = len(given) == 2 and all(
        hasattr(part, "__iter__") and not isinstance(part, str)
        for part in given
    )
    lists = [[*part] for part in given] if pair else [given]
    for token in (token for part in lists for token in part):
        if not isinstance(token, str):
            raise TypeError(
                f"{name} must be strings, or a pair (query tokens, key "
                f"tokens) of lists of them: {token!r}; of a tokenizer give "
                "tokenizer.convert_ids_to_tokens(ids)"
            )
    return lists


def one_text(
    weights: Floats, tokens: Any, mask: Any, words: Any, names: dict[str, str]
) -> Given:
    """Return one text; `names` says what its arguments are called."""
    lists = _lists(names["tokens"], tokens)
    n_q, n_k = weights.shape[-2:]
    sizes = [len(part) for part in lists]
    if (sizes[0], sizes[-1]) != (n_q, n_k):
        rule = f"{names['tokens']} must be one per row and one per column of "
        rule += f"{names['weights']} (query tokens, key tokens if they differ)"
        shown = _inside(weights)
        counts = {names["tokens"]: " and ".join(map(str, sizes))}
        refuse(rule, **{names["weights"]: shown}, **counts)
    allowed, kind = _allowed(weights, mask, names["weights"])
    texts = [labels(part) for part in lists]
    raw = [[t, r.strip(), s] for t, r, s in zip(
        lists[0], read(lists[0]), texts[0], strict=True)]  # fmt: skip
    if words is not None:
        pair = words if len(lists) == 2 else [words]
        if len(pair) != len(lists):
            refuse("words must be a pair, as the tokens are", given=len(pair))
        both = [grouped(*one) for one in zip(lists, pair, strict=True)]
        texts = [names_of for _, names_of in both]
        rows, columns = both[0][0], both[-1][0]
        raw = [[s.strip(), s] for s in texts[0]]
        weights = np.stack([weights[..., g, :].mean(-2) for g in rows], -2)
        weights = np.stack([weights[..., g].sum(-1) for g in columns], -1)
        allowed = np.stack([allowed[..., g, :].any(-2) for g in rows], -2)
        allowed = np.stack([allowed[..., g].any(-1) for g in columns], -1)
    _small_enough(weights, names)
    return Given(
        weights, allowed, kind, named(texts[0]), named(texts[-1]), raw,
        len(lists) == 1 and weights.shape[-2] == weights.shape[-1],
    )  # fmt: skip


def _small_enough(weights: Floats, names: dict[str, str]) -> None:
    """Refuse what would make a file too large, with the call that cuts it."""
    n_layers, n_heads, *tokens = weights.shape
    name, cut = names["weights"], f":{MOST}"
    if max(tokens) > MOST:
        many = names["call"] == "heads"
        axes = ":, :, " if many else ""
        call = f"{names['call']}({name}[{axes}{cut}, {cut}], "
        rule = f"a figure shows at most {MOST} tokens: {call}"
        rule += f"{names['tokens']}[{cut}]), or words= that group them"
        refuse(rule, **{name: _inside(weights)})
    if weights.size > LARGEST or n_layers * n_heads > 1024:
        room = LARGEST // weights[0].size
        room = max(1, min(room, 1024 // n_heads))
        step = -(-n_layers // room)
        rule = f"a file holds at most {LARGEST} weights and 1024 heads: "
        rule += f"heads({name}, "
        rule += f"{names['tokens']}, layers=range(0, {n_layers}, {step}))"
        refuse(rule, **{name: weights})


def _allowed(weights: Floats, mask: Any, name: str) -> tuple[Bools, str]:
    """Return what may be read, and how that is known."""
    if mask is not None:
        if hasattr(mask, "detach"):
            mask = mask.detach().cpu()
        given = real("mask", mask, "b")
        try:
            allowed = np.broadcast_to(given, weights.shape)
        except ValueError:
            rule = f"mask must broadcast to {name}"
            refuse(rule, mask=given, **{name: weights})
        if (leak := np.where(allowed, 0, weights).max()) > 1e-3:
            rule = "mask says True for 'may attend'; where it says False, "
            refuse(f"{rule}{name} must be 0", largest=f"{leak:.3f}")
        return allowed, "given"
    pattern, kind = _pattern(np.asarray((weights > 0).any(axis=(0, 1))))
    return np.broadcast_to(pattern, weights.shape), kind


def _pattern(some: Bools) -> tuple[Bools, str]:
    """Return the mask that the zeros show, if they show one.

    No softmax gives exactly 0 by itself. What is zero in every head, and is
    nothing but the triangle of a causal mask, the first or last columns, as
    padding leaves them, or both, was masked; any other zeros were not.
    """
    n_q, n_k = some.shape
    everything = np.ones_like(some)
    read = np.flatnonzero(some.any(axis=0))
    columns = np.zeros(n_k, bool)
    if len(read):
        columns[read[0] : read[-1] + 1] = True
    padded = np.broadcast_to(columns, some.shape)
    kinds = [("padding", padded)]
    if 1 < n_q <= n_k:
        tri = np.tri(n_q, n_k, n_k - n_q, dtype=bool)
        both = "causal and padding"
        kinds = [("causal", tri), (both, tri & padded), *kinds]
    for kind, pattern in kinds:
        full = pattern.any(axis=1)  # a row that may read nothing may do so
        asked = some.any(axis=1) | full
        if pattern.sum() > n_q and (some == pattern)[asked].all():
            return (pattern, kind) if not pattern.all() else (everything, "")
    return everything, ""


def row_of(text: Given, query: Any, n_q: int, default: int) -> int:
    """Return the row that is asked for: a token, or a position."""
    if query is None:
        return default
    if isinstance(query, str):
        found = [i for i, names in enumerate(text.raw) if query in names]
        if len(found) == 1:
            return found[0]
        rule = "query must be a token or its position: "
        if found:
            rule += f"{query!r} is at {', '.join(map(str, found))}"
        else:
            rule += f"{query!r} is none of "
            rule += ", ".join(token.label for token in text.queries)
        raise ValueError(rule)
    row = integer("query", query, -n_q)
    if row >= n_q:
        refuse(f"query must be below {n_q}", query=row)
    return row % n_q
