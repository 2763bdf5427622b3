"""The twelve steps of writing attention: what is asked, and what is right.

Each step is one function, or two, in the order of the lessons. `START` is the
file that a learner fills in. `RIGHT` holds the functions as the package has
them, and `STEPS` the inputs on which both are compared.
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

START = '''\
"""Write attention yourself, in twelve steps.

Fill in one function after the other, and ask what is right so far:

    python -m attention.practice write {file}

Each step may use the steps before it. NumPy is all you need; loops are as good
as products of matrices. An array with the axes (..., n, d) has n rows of d
features; the dots stand for further axes in front, such as the sentences of a
batch, or none.
"""

import numpy as np


def weighted_average(weights, values):
    """Step 1. Average the rows of values (n, d) by their weights (n,).

    >>> values = np.array([[8, 0], [0, 8], [8, 8]])
    >>> print(weighted_average(np.array([1, 2, 5]) / 8, values))
    [6. 7.]
    """
    ...


def softmax(scores):
    """Step 2. Turn each row of scores (..., n) into weights that sum to one.

    A row is what runs along the last axis. exp(1000) is too large for a
    computer, but a score of 1000 is no reason to fail.

    >>> print(softmax(np.log([1, 2, 5])) * 8)
    [1. 2. 5.]
    """
    ...


def attention_scores(query, key):
    """Step 3. Score each query (n_q, d_k) against each key (n_k, d_k).

    The scores (n_q, n_k) are scaled dot products.

    >>> query = np.array([[2, 0, 0, 0]])
    >>> print(attention_scores(query, np.array([[3, 0, 0, 0], [0, 5, 0, 0]])))
    [[3. 0.]]
    """
    ...


def attend(query, key, value, mask=None):
    """Step 4. Give each query its weighted average of the values (n_k, d_v).

    mask (n_q, n_k), if given, says which keys a query may attend to: True
    means that it may. Each query may attend to one key at least.

    >>> query, key = np.array([[1, 1]]), np.array([[0, 0], [0, 0], [9, 9]])
    >>> value = np.array([[2, 0], [0, 4], [8, 8]])
    >>> print(attend(query, key, value, np.array([[True, True, False]])))
    [[1. 2.]]
    """
    ...


def causal_mask(n):
    """Step 5. Say which of n words each of n words may attend to: (n, n).

    True means that it may: each word sees itself and what comes before it.

    >>> print(causal_mask(3)[1])
    [ True  True False]
    """
    ...


def self_attention(x, w_q, w_k, w_v, mask=None):
    """Step 6. Let the rows of x (n, d) attend to each other.

    w_q and w_k (d, d_k) make queries and keys of x, w_v (d, d_v) values.

    >>> x, none, w_v = np.eye(2), np.zeros((2, 2)), np.diag([6, 2])
    >>> print(self_attention(x, none, none, w_v))
    [[3. 1.]
     [3. 1.]]
    """
    ...


def positions(n, d, base=10000.0):
    """Step 7. Write the position encoding of positions 0 to n - 1: (n, d).

    Pair i of columns, 2 i and 2 i + 1, has the sine and the cosine of
    position / base^(2 i / d). d is even.

    >>> print(positions(2, 4)[1].round(4))
    [0.8415 0.5403 0.01   1.    ]
    """
    ...


def split_heads(x, n_heads):
    """Step 8. Cut the features of x (n, n_heads d) into heads.

    The result has the axes (n_heads, n, d): head 0 has the first d features
    of every row.

    >>> print(split_heads(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), 2)[0])
    [[1 2]
     [5 6]]
    """
    ...


def merge_heads(heads):
    """Step 8, too. Undo split_heads: (n_heads, n, d) to (n, n_heads d).

    >>> print(merge_heads(np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])))
    [[1 2 3 4]
     [5 6 7 8]]
    """
    ...


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Step 9. Run several heads side by side, and make one row of each.

    x is (n, d). w_q, w_k and w_v are (d, n_heads d_k): the first d_k columns
    belong to head 0. Each head attends by itself. w_o (n_heads d_k, d) takes
    their outputs side by side, and makes one row of d features for each word.

    >>> x, w_v = np.array([[1.0, 0], [0, 1]]), np.diag([6.0, 2])
    >>> none, w_o = np.zeros((2, 2)), np.array([[1.0, 0], [-1, 0]])
    >>> print(multi_head_attention(x, none, none, w_v, w_o, 2))
    [[2. 0.]
     [2. 0.]]
    """
    ...


def layer_norm(x, gain, eps=1e-5):
    """Step 10. Give each row of x (..., d) the mean 0 and the variance 1.

    Divide by sqrt(variance + eps), which is never 0, then multiply by the
    gain (d,).

    >>> print(layer_norm(np.array([[3.0, 3, 5, 5]]), np.ones(4)).round(3))
    [[-1. -1.  1.  1.]]
    """
    ...


def transformer_block(x, weights, n_heads, mask=None):
    """Step 11. Run one layer on x (n, d): attention, then the MLP.

    Each part gets the rows after a layer norm, and what it makes is added to
    the rows as they were. The MLP is two matrices, w_in (d, d_hidden) and
    w_out (d_hidden, d), and between them negative numbers become 0.
    weights is a dictionary: "norm_1" (a gain), "w_q", "w_k", "w_v", "w_o",
    "norm_2", "w_in", "w_out".

    >>> names = ("w_q", "w_k", "w_v", "w_o", "w_in", "w_out")
    >>> weights = {{name: np.eye(4) for name in names}}
    >>> weights |= {{"norm_1": np.zeros(4), "norm_2": np.ones(4)}}
    >>> print(transformer_block(np.array([[3.0, 3, 5, 5]]), weights, 2)
    ...       .round(3))
    [[3. 3. 6. 6.]]
    """
    ...


def generate(ids, weights, n_new):
    """Step 12. Let the little model write n_new words after a text.

    ids are the numbers of the words, and so is the result: the text with the
    new words at its end, each the one with the highest score. The model:

    - row i of weights["embedding"] is that of word i; multiply it by the root
      of its size, and add positions(n, d, base=100.0);
    - layers 0 and 1, of 4 heads, under a causal mask: their weights are called
      "0.norm_1", "0.w_q" and so on, "1.norm_1" and so on;
    - a last layer norm with the gain weights["norm"];
    - the last row is scored against every row of weights["embedding"].

    >>> from attention.little_model import ID, WORDS, load
    >>> text = [ID[word] for word in "cats who chased dogs".split()]
    >>> print(" ".join(WORDS[i] for i in generate(text, load(), 2)))
    cats who chased dogs ran .
    """
    ...
'''


class Call(NamedTuple):
    """One call on which a learner's function is compared."""

    function: str
    args: tuple[Any, ...]
    batch: bool = False  # with axes in front
    special: bool = False  # a mask, an option, numbers out of the ordinary


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
) -> Array:
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
) -> Array:
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
) -> Array:
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


def _softmaxes(rng: Rng) -> list[Call]:
    large = 1000 * np.array([[1.0, 0.999, 0], [-3, -3, -3.001]])
    hidden = np.where(np.tri(4, dtype=bool), _draw(rng, 4, 4), -np.inf)
    return [
        Call("softmax", (_draw(rng, 3),)),
        Call("softmax", (2 * _draw(rng, 3, 3),)),
        Call("softmax", (_draw(rng, 2, 5) - 1,)),
        Call("softmax", (_draw(rng, 3, 4).astype(np.float32),)),
        Call("softmax", (large,), special=True),
        Call("softmax", (hidden,), special=True),
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
    # all scores near -1000, far below what may pass for minus infinity
    one, ones = np.eye(1, 4), np.ones((3, 1)) * np.eye(1, 4)
    low = 40.0 * one, -50 * ones - _draw(rng, 3, 4) / 50, _draw(rng, 3, 2)
    return [
        *calls,
        Call("attend", single),
        Call("attend", (*low, _mask(rng, 1, 3)), special=True),
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
