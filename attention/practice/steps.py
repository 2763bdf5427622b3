"""The twelve steps of writing attention: what is asked, and what is right.

Each step is one function, or two, in the order of the lessons. `RIGHT` holds
the functions as the package has them, and `STEPS` the inputs on which a
learner's are compared with these. `sheet` says what each should do.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import attention as at
from attention import little_model

Array = NDArray[Any]
Rng = np.random.Generator


class Call(NamedTuple):
    """One call on which a learner's function is compared."""

    function: str
    args: tuple[Any, ...]
    batch: bool = False  # with axes in front
    special: bool = False  # a mask, an option, numbers out of the ordinary
    note: str = ""  # said, and nothing refused, where a function fails here


class Step(NamedTuple):
    """A step: its functions, the paragraph that explains it, its inputs."""

    name: str
    functions: tuple[str, ...]
    see: str  # page and heading under learn/
    calls: Callable[[Rng], Sequence[Call]]  # the smallest first


# --- what is right -----------------------------------------------------------


def weighted_average(weights: Array, values: Array) -> Array:
    """Average rows of values."""
    average: Array = np.asarray(weights) @ np.asarray(values, float)
    return average


def softmax(scores: Array) -> Array:
    """Turn scores into weights along the last axis."""
    return at.softmax(scores)


def attention_scores(query: Array, key: Array) -> Array:
    """Score queries against keys."""
    return at.attention_scores(query, key)


def attend(
    query: Array, key: Array, value: Array, mask: Array | None = None
) -> Any:
    """Attend with a mask by position."""
    may = _booleans(mask)
    return at.scaled_dot_product_attention(query, key, value, mask=may)


def _booleans(mask: Array | None) -> Array | None:
    """Read 1 as True, since a learner's causal mask may hold numbers."""
    return None if mask is None else np.asarray(mask, bool)


def causal_mask(n: int) -> Array:
    """Hide what comes after a word."""
    return at.causal_mask(n)


def self_attention(
    x: Array, w_q: Array, w_k: Array, w_v: Array, mask: Array | None = None
) -> Any:
    """Attend within x, with a mask by position."""
    return at.self_attention(x, w_q, w_k, w_v, mask=_booleans(mask))


def positions(n: int, d: int, base: float = 10000.0) -> Array:
    """Tabulate sinusoids, with a base by position."""
    return at.sinusoidal_encoding(n, d, base=base)


def split_heads(x: Array, n_heads: int) -> Array:
    """Cut features into heads."""
    return at.split_heads(x, n_heads)


def merge_heads(heads: Array) -> Array:
    """Put heads side by side."""
    return at.merge_heads(heads)


def multi_head_attention(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array,
    n_heads: int,
    mask: Array | None = None,
) -> Any:
    """Run heads whose matrices are given one by one."""
    weights = at.MultiHeadWeights(w_q, w_k, w_v, w_o, n_heads=n_heads)
    return at.multi_head_attention(x, weights, mask=_booleans(mask))


def layer_norm(x: Array, gain: Array, eps: float = 1e-5) -> Array:
    """Normalise rows, with eps by position."""
    return at.layer_norm(x, gain, eps=eps)


def transformer_block(
    x: Array,
    weights: dict[str, Array],
    n_heads: int,
    mask: Array | None = None,
) -> Array:
    """Run a layer whose weights are named as the little model's."""
    heads = (weights[name] for name in ("w_q", "w_k", "w_v", "w_o"))
    block = at.BlockWeights(
        at.MultiHeadWeights(*heads, n_heads=n_heads),
        weights["w_in"],
        weights["w_out"],
        norm1_weight=weights["norm_1"],
        norm2_weight=weights["norm_2"],
        activation=relu,
    )
    return at.transformer_block(x, block, mask=_booleans(mask))


def relu(x: Array) -> Array:
    """Make negative numbers 0."""
    return np.maximum(x, 0)


def generate(
    ids: Sequence[int], weights: dict[str, Array], n_new: int
) -> list[int]:
    """Write on with the little model."""
    found = list(ids)
    for _ in range(n_new):
        scores, *_ = little_model.forward(found, weights)
        found.append(int(scores[-1].argmax()))
    return found


RIGHT: dict[str, Callable[..., Any]] = {
    "weighted_average": weighted_average,
    "softmax": softmax,
    "attention_scores": attention_scores,
    "attend": attend,
    "causal_mask": causal_mask,
    "self_attention": self_attention,
    "positions": positions,
    "split_heads": split_heads,
    "merge_heads": merge_heads,
    "multi_head_attention": multi_head_attention,
    "layer_norm": layer_norm,
    "transformer_block": transformer_block,
    "generate": generate,
}


# --- on which inputs ---------------------------------------------------------


def _draw(rng: Rng, *shape: int) -> Array:
    """Draw numbers of one decimal, which a reader can copy."""
    return rng.standard_normal(shape).round(1) + 0.0


def _mask(rng: Rng, n_q: int, n_k: int) -> Array:
    """Draw a mask that leaves every query a key, and hides one from each."""
    mask = rng.random((n_q, n_k)) < 0.6
    rows, first = np.arange(n_q), rng.integers(n_k, size=n_q)
    mask[rows, first] = True
    mask[rows, (first + 1) % n_k] = False
    return mask


def _averages(rng: Rng) -> list[Call]:
    sizes = ((2, 3), (3, 3), (5, 2), (4, 7))
    return [
        Call("weighted_average", (_weights(rng, n), _draw(rng, n, d)))
        for n, d in sizes
    ]


def _weights(rng: Rng, *shape: int) -> Array:
    weights = rng.random(shape) + 0.05
    result: Array = weights / weights.sum(axis=-1, keepdims=True)
    return result


INFINITY = (
    "It gives no weight 0 to a score of minus infinity, so that attend cannot "
    "hide a key with one."
)
FAR = (
    "It loses digits in rows far from 0, such as [1000000, 1000001]: subtract "
    "the mean before you square, in float64."
)


def _softmaxes(rng: Rng) -> list[Call]:
    large = 1000 * np.array([[1.0, 0.999, 0], [-3, -3, -3.001]])
    hidden = np.where(np.tri(4, dtype=bool), _draw(rng, 4, 4), -np.inf)
    return [
        Call("softmax", (_draw(rng, 3),)),
        Call("softmax", (2 * _draw(rng, 3, 3),)),
        Call("softmax", (_draw(rng, 2, 5) - 1,)),
        Call("softmax", (_draw(rng, 3, 4).astype(np.float32),)),
        Call("softmax", (large,), special=True),
        Call("softmax", (np.array([2500.0, 0, 2499, 0, 1]),), special=True),
        Call("softmax", (hidden,), special=True, note=INFINITY),
        Call("softmax", (_draw(rng, 2, 3, 4),), batch=True),
    ]


def _score_calls(rng: Rng) -> list[Call]:
    sizes = ((1, 2, 4), (3, 3, 3), (2, 5, 9), (4, 3, 7))
    calls = [
        Call("attention_scores", (_draw(rng, n_q, d), _draw(rng, n_k, d)))
        for n_q, n_k, d in sizes
    ]
    both = _draw(rng, 2, 3, 5), _draw(rng, 2, 4, 5)
    return [*calls, Call("attention_scores", both, batch=True)]


def _attend_calls(rng: Rng) -> list[Call]:
    calls = []
    for n_q, n_k, d_k, d_v in (
        (1, 2, 4, 1),
        (3, 3, 3, 3),
        (2, 5, 9, 4),
        (4, 3, 7, 7),
    ):
        shapes = (n_q, d_k), (n_k, d_k), (n_k, d_v)
        three = tuple(_draw(rng, *shape) for shape in shapes)
        mask = _mask(rng, n_q, n_k)
        calls += [
            Call("attend", three),
            Call("attend", (*three, mask), special=True),
        ]
    single = tuple(_draw(rng, 3, 4).astype(np.float32) for _ in range(3))
    # all scores near -1000, far below what may pass for minus infinity, and
    # in float32 as exact as in float64
    near = rng.permutation(12).reshape(3, 4) / 128
    one, ones = np.eye(1, 4), np.ones((3, 1)) * np.eye(1, 4)
    low = 40.0 * one, -50 * ones - near, _draw(rng, 3, 2)
    # and a hidden key so far above the others that it takes all the weight
    high = 40.0 * one, near + 100 * np.eye(3, 4), _draw(rng, 3, 2)
    return [
        *calls,
        Call("attend", single),
        Call("attend", (*low, _mask(rng, 1, 3)), special=True),
        Call("attend", (*high, np.arange(3)[None] > 0), special=True),
        Call(
            "attend",
            tuple(100 * _draw(rng, n, 4) for n in (2, 3, 3)),
            special=True,
        ),
        Call("attend", tuple(_draw(rng, 2, n, 5) for n in (3, 4, 4)), True),
    ]


def _mask_calls(rng: Rng) -> list[Call]:
    return [Call("causal_mask", (n,)) for n in (1, 2, 3, 6)]


def _self_calls(rng: Rng) -> list[Call]:
    calls = []
    for n, d, d_k, d_v in ((2, 3, 4, 1), (3, 3, 3, 3), (5, 4, 9, 2)):
        shapes = (n, d), (d, d_k), (d, d_k), (d, d_v)
        four = tuple(_draw(rng, *shape) for shape in shapes)
        calls.append(Call("self_attention", four))
        more = (*four, _mask(rng, n, n))
        calls.append(Call("self_attention", more, special=True))
    return calls


def _position_calls(rng: Rng) -> list[Call]:
    base = float(rng.integers(20, 500))
    return [
        Call("positions", args, special=len(args) > 2)
        for args in ((2, 4), (3, 6), (7, 2), (4, 4), (5, 8, base))
    ]


def _head_calls(rng: Rng) -> list[Call]:
    calls = []
    for n, n_heads, d in ((1, 2, 1), (2, 2, 2), (3, 2, 4), (5, 4, 3)):
        x = _draw(rng, n, n_heads * d)
        calls.append(Call("split_heads", (x, n_heads)))
        calls.append(Call("merge_heads", (_draw(rng, n_heads, n, d),)))
    return [
        *calls,
        Call("split_heads", (_draw(rng, 2, 3, 8), 4), batch=True),
        Call("merge_heads", (_draw(rng, 2, 4, 3, 2),), batch=True),
    ]


def _multi_calls(rng: Rng) -> list[Call]:
    calls = []
    for n, n_heads, d, d_k in ((2, 2, 4, 2), (5, 3, 6, 4), (3, 2, 5, 1)):
        wide = n_heads * d_k
        shapes = (n, d), (d, wide), (d, wide), (d, wide), (wide, d)
        five = tuple(_draw(rng, *shape) for shape in shapes)
        calls.append(Call("multi_head_attention", (*five, n_heads)))
        more = (*five, n_heads, _mask(rng, n, n))
        calls.append(Call("multi_head_attention", more, special=True))
    return calls


def _norm_calls(rng: Rng) -> list[Call]:
    flat = np.array([[2.0, 2.0, 2.0], [1.0, 4.0, 4.0]])
    return [
        Call("layer_norm", (_draw(rng, 1, 3) + 2, _draw(rng, 3))),
        Call("layer_norm", (_draw(rng, 4, 4) + 2, _draw(rng, 4))),
        Call("layer_norm", (3 * _draw(rng, 2, 5) - 1, np.ones(5))),
        Call("layer_norm", (flat, np.ones(3)), special=True),
        Call(
            "layer_norm",
            (0.004 * _draw(rng, 3, 6), np.ones(6)),
            special=True,
        ),
        Call("layer_norm", (_draw(rng, 3, 6), np.ones(6), 0.5), special=True),
        Call("layer_norm", (_draw(rng, 2, 3, 5) + 1, _draw(rng, 5)), True),
        Call(
            "layer_norm",
            (1e6 + _draw(rng, 2, 4), np.ones(4)),
            special=True,
            note=FAR,
        ),
    ]


def _block_calls(rng: Rng) -> list[Call]:
    calls = []
    for n, n_heads, d, d_hidden in ((1, 1, 2, 3), (3, 2, 4, 7), (5, 2, 6, 6)):
        shapes = dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (d, d))
        shapes |= {"w_in": (d, d_hidden), "w_out": (d_hidden, d)}
        weights = {name: _draw(rng, *shape) for name, shape in shapes.items()}
        weights |= {f"norm_{i}": 1 + rng.random(d) for i in (1, 2)}
        x = 2 * _draw(rng, n, d) + 1
        calls.append(Call("transformer_block", (x, weights, n_heads)))
        may = np.tri(n, dtype=bool)
        more = (x, weights, n_heads, may)
        calls.append(Call("transformer_block", more, special=True))
    return calls


@cache
def _little_model() -> dict[str, Array]:
    return little_model.load(np.float64)


def _generate_calls(rng: Rng) -> list[Call]:
    texts = [
        ("cats who chased dogs", 2),
        ("Ann has tea . Bob has milk . Ann drinks", 1),
        ("Dan sings li ti", 1),  # where the last norm decides
        ("dogs chased Cleo . who fled ? Cleo . who chased ?", 3),
    ]
    who = rng.choice(little_model.KINDS["names"], 2, replace=False)
    texts.append((f"{who[0]} chased {who[1]} . who fled ?", 4))
    calls = [
        Call("generate", ([little_model.ID[w] for w in text.split()],
                          dict(_little_model()), n), special=n > 1)
        for text, n in texts
    ]  # fmt: skip
    for n in 2 * (*range(2, 12),):  # many, since a text soon repeats itself
        ids = rng.integers(len(little_model.WORDS), size=n).tolist()
        calls.append(Call("generate", (ids, _untrained(rng), 2)))
    return calls


def _untrained(rng: Rng) -> dict[str, Array]:
    """Draw weights of the little model's sizes, of which every part counts.

    The trained ones are so sure of a word that they forgive many a mistake.
    """
    weights = dict[str, Array]()
    for name, trained in _little_model().items():
        drawn = rng.standard_normal(trained.shape)
        if trained.ndim == 1:
            weights[name] = 1 + drawn / 2
        elif name == "embedding":
            weights[name] = drawn * trained.shape[1] ** -0.5
        else:  # sharp attention: a small difference soon makes a large one
            size = 8 if name.endswith(("w_q", "w_k")) else 2
            weights[name] = drawn * size * trained.shape[0] ** -0.5
    return weights


STEPS = (
    Step("weighted_average", ("weighted_average",), "lookup#worked-numbers",
         _averages),
    Step("softmax", ("softmax",), "scores-and-softmax#the-formula",
         _softmaxes),
    Step("attention_scores", ("attention_scores",), "scaling#worked-numbers",
         _score_calls),
    Step("attend", ("attend",), "line-by-line#the-formula", _attend_calls),
    Step("causal_mask", ("causal_mask",), "masks#exercises", _mask_calls),
    Step("self_attention", ("self_attention",),
         "queries-keys-values#the-formula", _self_calls),
    Step("positions", ("positions",), "order#a-clock-with-many-hands",
         _position_calls),
    Step("split_heads", ("split_heads", "merge_heads"), "heads", _head_calls),
    Step("multi_head_attention", ("multi_head_attention",), "heads",
         _multi_calls),
    Step("layer_norm", ("layer_norm",), "transformer-block", _norm_calls),
    Step("transformer_block", ("transformer_block",), "transformer-block",
         _block_calls),
    Step("generate", ("generate",), "from-text-to-next-word",
         _generate_calls),
)  # fmt: skip
NAMES = [step.name for step in STEPS]
