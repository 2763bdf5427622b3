"""Mistakes that kernels have, each with a name: a step that is replaced.

A mistake that practice has too, among the mutants or a learner's mistakes, has
the same name and sentence, from `known`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention import softmax
from attention.practice import known
from attention.testing.errors import rounded
from attention.testing.steps import Steps

Array = NDArray[Any]
BLOCKS = (16, 32, 64, 128, 256, 8, 512, 4, 48, 96, 20, 24, 50, 100, 10, 7, 5)


class Mistake(NamedTuple):
    """A name, what it does, and the steps of attention that it replaces."""

    name: str
    says: str
    steps: dict[str, Callable[..., Any]]


def _of(name: str, says: str = "", **steps: Callable[..., Any]) -> Mistake:
    return Mistake(name, says or known.mutants(name), steps)


# --- how a mistake replaces a step: `a` is the object, as `self` -------------


def _by_option(option: str, change: Callable[..., Any]) -> Callable[..., Any]:
    """Change an option where it is given; return the step that reads it."""

    def step(a: Steps, *more: Any) -> Any:
        right = getattr(Steps, option)(a, *more)
        return right if a.options.get(option) is None else change(a, right)

    return step


def _of_first(axis: int) -> Callable[..., Array]:
    """Take the first sequence or head of an array for all."""

    def change(a: Steps, array: Array) -> Array:
        first = np.take(array, [0], axis) if array.ndim > -axis - 1 else array
        return np.asarray(first)

    return change


def _shifted(left: int, right: int) -> Callable[..., Any]:
    """Move the ends of the window, or of causal."""

    def window(a: Steps) -> tuple[int | None, int | None]:
        before, after = Steps.window(a)
        before = None if before is None else before + left
        return before, None if after is None else after + right

    return window


def _hidden(number: float) -> Callable[[Steps], Array]:
    """Set hidden scores to a number instead of minus infinity."""

    def scores(a: Steps) -> Array:
        full = a.capped(a.scaled()) + a.bias()
        return np.where(a.allowed(), full, number)

    return scores


def _minus(number: float) -> Callable[[Steps], Array]:
    """Take a large number off hidden scores, in the kernel's precision."""

    def scores(a: Steps) -> Array:
        full = a.capped(a.scaled()) + a.bias()
        kind: Any = np.float64 if a.case.format == "float64" else np.float32
        less = (full.astype(kind) - kind(number)).astype(np.float64)
        return np.where(a.allowed(), full, less)

    return scores


def _order(*names: str) -> Callable[[Steps], Array]:
    """Take the steps between product and softmax in another order."""

    def scores(a: Steps) -> Array:
        s = a.products()
        for name in names:
            if name == "scale":
                s = s * a.scale()
            elif name == "cap":
                s = a.capped(s)
            elif name == "bias":
                s = s + a.bias()
            elif name == "mask":
                s = np.where(a.allowed(), s, -np.inf)
        return np.where(a.allowed(), s, -np.inf) if "mask" not in names else s

    return scores


def _sink_as(change: Callable[[Steps, Array], Any]) -> Callable[..., Any]:
    def sink(a: Steps) -> Array | None:
        right = Steps.sink(a)
        return None if right is None else np.asarray(change(a, right))

    return sink


def _own_softmax(a: Steps, scores: Array) -> Array:
    return softmax(a.with_sink(scores))[..., : a.n_keys]


def _heads_by(order: Callable[[int, int], Array]) -> Callable[..., Array]:
    """Give each query head another head of keys and values."""

    def shared(a: Steps, array: Array) -> Array:
        return array[:, order(a.case.query.shape[1], array.shape[1])]

    return shared


def _from(step: str, index: Callable[[Steps, Array], Array]) -> dict[str, Any]:
    """Read something else than one's own rows in a step."""
    return {step: lambda a: index(a, getattr(Steps, step)(a))}


def _tokens_left_out(which: slice) -> Callable[[Steps], Array]:
    def allowed(a: Steps) -> Array:
        mask = np.array(np.broadcast_to(Steps.allowed(a), a.scaled().shape))
        mask[..., which] = False
        return mask

    return allowed


def _empty_rows(fill: Callable[[Steps], Any]) -> Callable[[Steps], Array]:
    def weigh(a: Steps) -> Array:
        empty = ~a.allowed().any(axis=-1, keepdims=True)
        return np.where(empty, fill(a), Steps.weigh(a))

    return weigh


# --- mistakes that depend on the blocks in which a kernel reads keys ---------


def _extra_zeros(block: int) -> Callable[[Steps, Array], Array]:
    """Count the zeros that fill the last block as keys of score 0."""

    def with_sink(a: Steps, scores: Array) -> Array:
        column = np.zeros((*scores.shape[:-1], -a.n_keys % block))
        return np.concatenate([Steps.with_sink(a, scores), column], axis=-1)

    return with_sink


def _blockwise(
    block: int, keep_output: bool, keep_sum: bool
) -> Callable[[Steps], Array]:
    """Read blocks one after the other, and forget to rescale what was read."""

    def weigh(a: Steps) -> Array:
        scores = a.scores()
        shape = (*scores.shape[:-1], 1)
        top, total = np.full(shape, -np.inf), np.zeros(shape)
        weights = np.zeros(scores.shape)
        sink = a.sink()
        if sink is not None:
            top, total = np.broadcast_to(sink, shape), np.ones(shape)
        for start in range(0, a.n_keys, block):
            some = slice(start, start + block)
            new = np.maximum(top, scores[..., some].max(-1, keepdims=True))
            safe = np.where(new == -np.inf, 0, new)
            part = np.exp(scores[..., some] - safe)
            factor = np.exp(top - safe)
            weights *= 1 if keep_output else factor
            total = total * (1 if keep_sum else factor) + part.sum(
                -1, keepdims=True
            )
            weights[..., some], top = part, new
        return weights / np.where(total == 0, 1, total)

    return weigh


def _averaged(block: int) -> Callable[[Steps], Array]:
    """Attend to each block by itself, and average the outputs."""

    def weigh(a: Steps) -> Array:
        scores = a.scores()
        parts = [
            softmax(scores[..., i : i + block])
            for i in range(0, a.n_keys, block)
        ]
        return np.concatenate(parts, axis=-1) / len(parts)

    return weigh


def _blocks_left_out(block: int, last: bool) -> Callable[[Steps], Array]:
    """Leave out the last block if it is not full, or all but the first."""

    def allowed(a: Steps) -> Array:
        end = a.n_keys // block * block if last else min(block, a.n_keys)
        return Steps.allowed(a) & (np.arange(a.n_keys) < end)

    return allowed


def _in_blocks() -> Iterator[Mistake]:
    for block in BLOCKS:
        at = f" (blocks of {block} keys)"
        yield _of(
            "output-not-rescaled",
            "What was read before is not rescaled when the maximum grows, "
            f"although the sum is{at}.",
            weigh=_blockwise(block, True, False),
        )
        yield _of(
            "sum-not-rescaled",
            f"The running sum is not rescaled when the maximum grows{at}.",
            weigh=_blockwise(block, False, True),
        )
        yield _of(
            "nothing-rescaled",
            f"Neither output nor sum is rescaled when the maximum grows{at}.",
            weigh=_blockwise(block, True, True),
        )
        yield _of(
            "last-block-dropped",
            f"The last block is not read if it is not full{at}.",
            allowed=_blocks_left_out(block, True),
        )
        yield _of(
            "first-block-only",
            f"Only the first block is read{at}.",
            allowed=_blocks_left_out(block, False),
        )
        yield _of(
            "padding-of-block-counted",
            "The last block is filled with zeros, and these count as keys of "
            f"score 0{at}.",
            with_sink=_extra_zeros(block),
        )
        yield _of(
            "parts-averaged",
            f"Parts are averaged, and not weighted by their sums{at}.",
            weigh=_averaged(block),
        )


def _in_format(format: str) -> Iterator[Mistake]:
    """Round in steps that should be exact, to a format."""

    def weigh(a: Steps) -> Array:
        scores = a.with_sink(a.scores())
        top = scores.max(axis=-1, keepdims=True)
        exponentials = np.exp(scores - np.where(top == -np.inf, 0, top))
        exponentials = rounded(exponentials, format)
        total = exponentials.sum(axis=-1, keepdims=True)
        weights = exponentials / np.where(total == 0, 1, total)
        return np.asarray(weights[..., : a.n_keys])

    yield _of(
        "weights-before-division",
        f"The weights are kept in {format} before they are divided.",
        weigh=weigh,
    )
    yield _of(
        "scores-in-format",
        f"The scores are rounded to {format}.",
        scaled=lambda a: rounded(
            rounded(a.products(), format) * a.scale(), format
        ),
    )
    yield _of(
        "scores-in-format",
        f"The products of queries and keys are rounded to {format}.",
        products=lambda a: rounded(Steps.products(a), format),
    )


# --- the list: where two agree on all cases, the first gives the name --------

_LOG2 = float(np.log2(np.e))
MISTAKES = [
    _of("scale-missing", scale=lambda a: 1.0),
    _of("scale-without-root", scale=lambda a: 1 / a.d_k),
    _of("scale-by-d-model",
        scale=lambda a: (a.d_k * a.case.query.shape[1]) ** -0.5),
    _of("scale-twice", "The scores are scaled twice.",
        scale=lambda a: Steps.scale(a) ** 2),
    _of("scale-upside-down", "The scores are multiplied by the root of d_k, "
        "not divided by it.", scale=lambda a: 1 / Steps.scale(a)),
    _of("scale-of-values", "The scale is that of d_v, not of d_k.",
        scale=lambda a: a.case.value.shape[-1] ** -0.5),
    _of("scale-of-keys", "The scale is 1/√n_k, not 1/√d_k.",
        scale=lambda a: a.n_keys ** -0.5),
    _of("scale-ignored", "scale= is ignored: the scores are divided by the "
        "root of d_k.", scale=lambda a: a.d_k**-0.5),
    _of("base-two", "Powers of 2 are taken in place of powers of e: log₂ e "
        "is missing from the scale.",
        scores=lambda a: Steps.scores(a) / _LOG2),
    _of("base-two-of-scores", "Powers of 2 of the scaled scores, although "
        "bias, mask and sink meet them in base e.",
        scaled=lambda a: Steps.scaled(a) / _LOG2),
    _of("log2-twice", "The factor log₂ e is applied twice, or to powers of e.",
        scores=lambda a: Steps.scores(a) * _LOG2),
    # who sees whom
    _of("causal-top-left",
        offset=lambda a: np.zeros((1, 1, 1, 1), int)),
    _of("offset-is-last", "offset= is not read: the last query always stands "
        "at the last key.",
        offset=lambda a: np.full((1, 1, 1, 1), a.n_keys - a.n_queries)),
    _of("offset-of-first", "The offset of the first sequence is used for all.",
        offset=lambda a: Steps.offset(a)[:1]),
    _of("causal-strict", window=lambda a: (
        Steps.window(a)[0], -1 if a.options.get("is_causal") else
        Steps.window(a)[1])),
    _of("causal-one-ahead", "Each query sees one key after its own position.",
        window=lambda a: (
        Steps.window(a)[0], 1 if a.options.get("is_causal") else
        Steps.window(a)[1])),
    _of("causal-ignored", "is_causal is ignored.", window=lambda a: (
        Steps.window(a)[0],
        (a.options.get("window") or (None, None))[1]
        if not isinstance(a.options.get("window"), int)
        else a.options["window"])),
    _of("causal-upside-down", "Each query sees its own key and later ones, "
        "not earlier ones.", window=lambda a: (0, None)),
    _of("window-off-by-one", window=_shifted(1, 0)),
    _of("window-counts-query", "The window counts the query: it sees one key "
        "less to the left than it says.", window=_shifted(-1, 0)),
    _of("window-right-off-by-one", "The window reaches one key further to the "
        "right than it says.", window=_shifted(0, 1)),
    _of("window-right-short", "The window reaches one key less to the right "
        "than it says.", window=_shifted(0, -1)),
    _of("window-ignored", "window= is ignored.", window=lambda a: (
        None, 0 if a.options.get("is_causal") else None)),
    _of("window-left-ignored", "The left end of the window is ignored.",
        window=lambda a: (None, Steps.window(a)[1])),
    _of("window-right-ignored", "The right end of the window is ignored.",
        window=lambda a: (Steps.window(a)[0], None)),
    _of("window-sides-swapped", "Left and right of the window are swapped.",
        window=lambda a: Steps.window(a)[::-1]),
    _of("window-both-sides", "The left size of the window counts on both "
        "sides.", window=lambda a: (Steps.window(a)[0],) * 2),
    _of("mask-inverted", mask=_by_option("mask", lambda a, m: ~m)),
    _of("mask-ignored", "mask= is ignored.",
        mask=lambda a: np.asarray(True)),
    _of("mask-of-first-sequence", "The mask of the first sequence is used for "
        "all.", mask=_by_option("mask", _of_first(-4))),
    _of("mask-without-causal", "Where a mask is given, is_causal and window "
        "are ignored.", allowed=lambda a: a.mask() if a.options.get("mask")
        is not None else Steps.allowed(a)),
    _of("mask-zero-score", "Hidden scores are set to 0, not to minus "
        "infinity.", scores=_hidden(0.0)),
    _of("mask-after-softmax", weigh=lambda a: np.where(a.allowed(),
        _own_softmax(a, a.capped(a.scaled()) + a.bias()), 0)),
    _of("mask-added", "A mask is added to the scores: 1 for True.",
        scores=lambda a: a.capped(a.scaled()) + a.bias() + a.allowed()),
    # caps
    _of("cap-ignored", "softcap= is ignored.", capped=lambda a, s: s),
    _of("cap-not-multiplied", "The cap takes tanh(s / c) and does not "
        "multiply by c again.", capped=lambda a, s:
        Steps.capped(a, s) / (a.options.get("softcap") or 1)),
    _of("cap-not-divided", "The cap takes c tanh(s), without dividing by c.",
        capped=lambda a, s: a.options["softcap"] * np.tanh(s)
        if a.options.get("softcap") else s),
    _of("cap-clips", "The cap clips the scores; there is no tanh.",
        capped=lambda a, s: np.clip(s, -a.options["softcap"],
        a.options["softcap"]) if a.options.get("softcap") else s),
    _of("cap-after-mask", "The cap comes after the mask, so that a hidden "
        "score is -c, not minus infinity.",
        scores=_order("scale", "mask", "cap", "bias")),
    _of("cap-after-bias", "The cap comes after the bias.",
        scores=_order("scale", "bias", "cap")),
    _of("cap-before-scale", "The cap comes before the scale.",
        scores=_order("cap", "scale", "bias")),
    # biases
    _of("bias-ignored", "bias= is ignored.", bias=lambda a: 0.0),
    _of("bias-before-scale", "The bias is added before the scale, and so "
        "scaled too.", scores=_order("bias", "scale", "cap")
        ),
    _of("bias-scaled", "The bias is scaled.",
        bias=lambda a: Steps.bias(a) * a.scale()),
    _of("bias-subtracted", "The bias is subtracted.",
        bias=lambda a: -Steps.bias(a)),
    _of("bias-twice", "The bias is added twice.",
        bias=lambda a: 2 * Steps.bias(a)),
    _of("bias-of-first-head", "The bias of the first head is used for all.",
        bias=_by_option("bias", _of_first(-3))),
    _of("bias-of-first-sequence", "The bias of the first sequence is used for "
        "all.", bias=_by_option("bias", _of_first(-4))),
    _of("bias-in-base-two", "The bias is added to scores in base 2, without "
        "log₂ e.", bias=lambda a: Steps.bias(a) / _LOG2),
    # sinks
    _of("sink-ignored", "The sink is left out.", sink=lambda a: None),
    _of("sink-scaled", "The sink is scaled.",
        sink=_sink_as(lambda a, s: s * a.scale())),
    _of("sink-capped", "The sink is capped.",
        sink=_sink_as(lambda a, s: a.capped(s))),
    _of("sink-of-first-head", "The sink of the first head is used for all.",
        sink=_sink_as(lambda a, s: s[:1])),
    _of("sink-in-base-two", "The sink meets scores in base 2, without log₂ e.",
        sink=_sink_as(lambda a, s: s / _LOG2)),
    _of("sink-not-exponential", "The sink itself is added to the sum, not "
        "its exponential.",
        sink=_sink_as(lambda a, s: np.log(np.maximum(s, 0)))),
    _of("sink-of-one", "The sum gets 1 in place of the exponential of the "
        "sink.", sink=_sink_as(lambda a, s: 0 * s)),
    _of("sink-relative-to-maximum", "The exponential of the sink is added "
        "without subtracting the maximum of the row.",
        sink=_sink_as(lambda a, s: s + a.scores().max(-1, keepdims=True))),
    _of("sink-added-to-scores", "The sink is added to every score.",
        bias=lambda a: Steps.bias(a) + np.asarray(Steps.sink(a)),
        sink=lambda a: None),
    _of("sink-reads-first-value", "The sink's share goes to the first value.",
        combine=lambda a: Steps.combine(a) + a.values[..., :1, :]
        * (1 - a.weights.sum(-1, keepdims=True))),
    # heads and sequences
    _of("tile-for-repeat", shared=_heads_by(
        lambda h, kv: np.arange(h) % kv)),
    _of("first-head-for-all", "All query heads read the first head of keys "
        "and values.", shared=_heads_by(lambda h, kv: np.zeros(h, int))),
    _of("heads-reversed", "Heads of keys and values are read in reverse.",
        shared=_heads_by(lambda h, kv: np.arange(h)[::-1] // (h // kv))),
    _of("heads-off-by-one", "Each query head reads the next head of keys and "
        "values.", shared=_heads_by(
        lambda h, kv: (np.arange(h) // (h // kv) + 1) % kv)),
    _of("heads-by-index", "Query head h reads head h of keys and values, or "
        "the last.", shared=_heads_by(
        lambda h, kv: np.minimum(np.arange(h), kv - 1))),
    _of("values-tiled", "Heads of values are tiled, those of keys repeated.",
        value=lambda a: a.case.value[:, np.arange(a.case.query.shape[1])
        % a.case.value.shape[1]]),
    _of("keys-tiled", "Heads of keys are tiled, those of values repeated.",
        key=lambda a: a.case.key[:, np.arange(a.case.query.shape[1])
        % a.case.key.shape[1]]),
    _of("first-sequence-for-all", "All sequences read keys and values of the "
        "first.", shared=lambda a, x: Steps.shared(a, x)[:1]),
    _of("keys-for-values", "The output is made of keys, not of values.",
        value=Steps.key),
    _of("values-for-keys", "The scores are made of values, not of keys.",
        key=Steps.value),
    _of("query-and-key-swapped", "Queries and keys are swapped.",
        products=lambda a: Steps.products(a).swapaxes(-1, -2)),
    # softmax
    _of("softmax-axis", weigh=lambda a: softmax(a.scores(), axis=-2)),
    _of("softmax-missing", "There is no softmax: the scores themselves weigh "
        "the values.", weigh=lambda a: np.where(a.allowed(),
        a.capped(a.scaled()) + a.bias(), 0)),
    _of("softmax-twice", "The softmax is taken twice.",
        weigh=lambda a: softmax(
        np.where(a.allowed(), Steps.weigh(a), -np.inf))),
    _of("not-divided", "The weights are not divided by their sum.",
        weigh=lambda a: np.exp(a.scores()
        - a.with_sink(a.scores()).max(-1, keepdims=True))),
    _of("divided-by-largest", "The weights are divided by the largest one.",
        weigh=lambda a: Steps.weigh(a)
        / Steps.weigh(a).max(-1, keepdims=True)),
    _of("divided-by-number", "The output is divided by the number of keys.",
        weigh=lambda a: Steps.weigh(a) / a.n_keys),
    _of("plain-mean", "All keys that a query sees get the same weight.",
        scores=lambda a: np.where(a.allowed(), 0.0, -np.inf)),
    _of("largest-only", "The best key takes all the weight.",
        weigh=lambda a: np.eye(a.n_keys)[a.scores().argmax(-1)]),
    _of("sigmoid", "Weights are sigmoids, not a softmax.",
        weigh=lambda a: 1 / (1 + np.exp(-a.scores()))),
    _of("maximum-kept", weigh=lambda a: _without_maximum(a, np.float64)),
    _of("maximum-kept", weigh=lambda a: _without_maximum(a, np.float32)),
    # keys at the ends
    _of("last-key-dropped", "The last key is not read.",
        allowed=_tokens_left_out(slice(-1, None))),
    _of("first-key-dropped", "The first key is not read.",
        allowed=_tokens_left_out(slice(0, 1))),
    _of("values-shifted", "Each weight meets the value of the next key.",
        **_from("value", lambda a, v: np.roll(v, -1, axis=2))),
    _of("keys-reversed", "Keys are read in reverse order.",
        **_from("key", lambda a, k: k[:, :, ::-1])),
    # rows without keys
    _of("empty-row-mean", "A query that may see no key gets the mean of all "
        "values, not zeros.", weigh=_empty_rows(lambda a: 1 / a.n_keys)),
    _of("mask-minus-billion", scores=_minus(1e9)),
    _of("mask-minus-ten-thousand", "A mask takes ten thousand off a hidden "
        "score, where it should be minus infinity.", scores=_minus(1e4)),
    _of("empty-row-unmasked", "A query that may see no key sees all.",
        weigh=_empty_rows(lambda a: _own_softmax(
        a, a.capped(a.scaled()) + a.bias()))),
    _of("empty-row-nan", "A query that may see no key gets nan, not zeros.",
        weigh=_empty_rows(lambda a: np.nan)),
    *(_of("mask-by-small-number", f"Hidden scores are set to {n}, which is "
          "not far enough below the others.", scores=_hidden(n))
      for n in (-1.0, -10.0, -20.0, -30.0, -50.0, -100.0)),
    *(_of("mask-by-small-number", f"A mask takes only {n} off hidden scores.",
          scores=_minus(n)) for n in (1.0, 10.0, 20.0, 30.0, 50.0, 100.0)),
    *_in_blocks(),
]  # fmt: skip
OF_LOGSUMEXP: dict[str, tuple[str, Callable[[Steps], Array]]] = {
    "logsumexp-in-base-two": (
        "The log-sum-exp is in base 2, where base e was asked for.",
        lambda a: Steps.total(a) * _LOG2,
    ),
    "logsumexp-in-base-e": (
        "The log-sum-exp is in base e, where base 2 was asked for.",
        lambda a: Steps.total(a) / _LOG2,
    ),
    "logsumexp-without-sink": (
        "The log-sum-exp is that of the keys, without the sink.",
        lambda a: np.logaddexp.reduce(a.scores(), axis=-1),
    ),
    "logsumexp-with-sink": (
        "The log-sum-exp has the sink in it.",
        lambda a: np.logaddexp.reduce(Steps.with_sink(a, a.scores()), axis=-1),
    ),
    "logsumexp-without-maximum": (
        "The log-sum-exp lacks the maximum of the row.",
        lambda a: Steps.total(a) - a.with_sink(a.scores()).max(-1),
    ),
    "logsumexp-is-maximum": (
        "The log-sum-exp is the maximum of the row.",
        lambda a: a.with_sink(a.scores()).max(-1),
    ),
    "logsumexp-is-sum": (
        "The sum of exponentials is returned, not its logarithm.",
        lambda a: np.exp(Steps.total(a)),
    ),
    "logsumexp-unscaled": (
        "The log-sum-exp is that of scores without the scale.",
        lambda a: Steps(a.case, scale=lambda _: 1.0).logsumexp,
    ),
    "logsumexp-negative": (
        "The log-sum-exp has the wrong sign.",
        lambda a: -Steps.total(a),
    ),
}  # fmt: skip


def _without_maximum(a: Steps, dtype: Any) -> Array:
    exponentials = np.exp(a.with_sink(a.scores()).astype(dtype))
    total = exponentials.sum(-1, keepdims=True)
    total = np.where(
        a.with_sink(a.scores()).max(-1, keepdims=True) == -np.inf, 1, total
    )
    return np.asarray((exponentials / total)[..., : a.n_keys], np.float64)


# what rounding, or an exponential near 0, decides may differ in a few rows
ROUNDED = ("scores-in-format", "weights-before-division", "maximum-kept")


def in_formats() -> list[Mistake]:
    """Return the mistakes of rounding where nothing should be rounded."""
    return [
        one
        for format in ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2")
        for one in _in_format(format)
    ]
