"""What PyTorch's autograd computes.

Each case is the formula in torch's own operations or, where torch has the option, torch's function as well, and both
agree.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, draw

SHAPES = {"query": (2, 3, 4), "key": (2, 5, 4), "value": (2, 5, 7)}
SQUARE = {"query": (2, 5, 4), "key": (2, 5, 4), "value": (2, 5, 3)}
GROUPS = {"query": (2, 6, 3, 4), "key": (2, 2, 5, 4), "value": (2, 2, 5, 3)}
EMPTY = np.array([[True] * 5, [False] * 5, [False, True, False, True, False]])  # the second query has no key

CASES: dict[str, dict[str, Any]] = {
    "plain": {"shapes": SHAPES},
    "scale": {"shapes": SHAPES, "scale": -0.75},
    "mask": {"shapes": SHAPES, "mask": np.arange(15).reshape(3, 5) % 4 != 1},
    "mask, a query without keys": {"shapes": SHAPES, "mask": EMPTY},
    "causal": {"shapes": SQUARE, "is_causal": True},
    "causal, aligned at the last key": {"shapes": SHAPES, "is_causal": True, "offset": 2},
    "window": {"shapes": SQUARE, "window": [1, 2]},
    "window, an offset for each sequence": {"shapes": SHAPES, "window": [2, 0], "offset": [1, 4]},
    "bias": {"shapes": SHAPES, "bias": (2, 3, 5)},
    "bias for each head and key": {"shapes": SHAPES, "bias": (2, 1, 5)},
    "bias for each key, and a mask": {"shapes": SHAPES, "bias": (5,), "mask": EMPTY},
    "softcap": {"shapes": SHAPES, "softcap": 1.5},
    "sink": {"shapes": SHAPES, "sink": ()},
    "sink for each head, and a mask": {"shapes": SHAPES, "sink": (2,), "mask": EMPTY},
    "shared heads": {"shapes": GROUPS, "enable_gqa": True},
    "shared heads, all of it": {
        "shapes": GROUPS | {"key": (1, 2, 5, 4)},
        "enable_gqa": True,
        "mask": np.arange(30).reshape(2, 1, 3, 5) % 7 != 1,
        "bias": (6, 1, 5),
        "sink": (6,),
        "is_causal": True,
        "window": [3, None],
        "offset": [2, 0],
        "scale": 0.75,
        "softcap": 2.5,
    },
    "axes of size 1": {"shapes": {"query": (2, 1, 3, 4), "key": (1, 5, 4), "value": (2, 5, 3)}},
    "axes that only one has": {"shapes": {"query": (3, 4), "key": (2, 5, 4), "value": (3, 1, 5, 2)}},
}


def allowed(
    shape: tuple[int, ...], mask: Any = None, is_causal: bool = False, window: Any = None, offset: Any = 0
) -> Any:
    """Say which pairs may meet: key j stands at j, query i at i + offset, which may be one for each sequence."""
    start = np.reshape(offset, (-1, *(1,) * (len(shape) - 1))) if np.ndim(offset) else offset
    distance = np.arange(shape[-1]) - (np.arange(shape[-2])[:, None] + start)
    left, right = window or (None, None)
    result = np.ones(shape, bool) & (True if mask is None else mask)
    for is_far in (
        is_causal and distance > 0,
        left is not None and distance < -left,
        right is not None and distance > right,
    ):
        result &= ~np.asarray(is_far)
    return result


def formula(
    query: Any,
    key: Any,
    value: Any,
    *,
    bias: Any = None,
    sink: Any = None,
    scale: float | None = None,
    softcap: float | None = None,
    enable_gqa: bool = False,
    **reach: Any,
) -> Any:
    """Compute attention in torch's operations. The sink is one more key, whose value is left out."""
    import torch

    if enable_gqa:
        n_groups = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(n_groups, dim=-3) for x in (key, value))
    scores = query @ key.mT * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    scores = scores if bias is None else scores + bias
    may = torch.from_numpy(allowed(tuple(scores.shape), **reach))
    scores = scores.masked_fill(~may, -torch.inf)
    if sink is not None:
        column = sink[..., None, None] if sink.ndim else sink
        scores = torch.cat([scores, column.expand(*scores.shape[:-1], 1)], dim=-1)
    # a row of -inf would be nan: it becomes a row of 0 with a weight of 0
    empty = (scores == -torch.inf).all(dim=-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(empty, 0), dim=-1).masked_fill(empty, 0)
    return weights[..., : key.shape[-2]] @ value


def torch_itself(
    query: Any,
    key: Any,
    value: Any,
    *,
    bias: Any = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    **reach: Any,
) -> Any:
    """Let torch's function do it, which takes what may not meet as a number that is added."""
    import torch

    may = torch.from_numpy(allowed((*query.shape[:-1], key.shape[-2]), **reach))
    added = torch.zeros(may.shape, dtype=torch.float64).masked_fill(~may, -torch.inf)
    added = added if bias is None else added + bias
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=added, scale=scale, enable_gqa=enable_gqa
    )


def gradients(
    function: Callable[..., Any], inputs: dict[str, Any], grad_output: Any, options: dict[str, Any]
) -> dict[str, Any]:
    """Differentiate by every input."""
    import torch

    leaves = {name: torch.from_numpy(np.array(array)).requires_grad_() for name, array in inputs.items()}
    output = function(**leaves, **options)
    found = torch.autograd.grad(output, list(leaves.values()), torch.from_numpy(grad_output))
    return {name: gradient.numpy() for name, gradient in zip(leaves, found, strict=True)}


def is_in_torch(label: str, options: dict[str, Any]) -> bool:
    """Whether torch has a function for it; there, a query without keys is a matter of its own."""
    return not ({"softcap", "sink"} & options.keys() or label.startswith("axes") or options.get("mask") is EMPTY)


def case(
    label: str, shapes: dict[str, Any], bias: Any = None, sink: Any = None, **options: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run one case; return its inputs and its gradients."""
    rng = np.random.default_rng(8)
    inputs = {name: draw(rng, *shape) for name, shape in shapes.items()}
    inputs |= {name: draw(rng, *shape) for name, shape in {"bias": bias, "sink": sink}.items() if shape is not None}
    n_axes = [shape[:-2] for shape in shapes.values()]
    lead = shapes["query"][:-2] if "enable_gqa" in options else np.broadcast_shapes(*n_axes)
    grad_output = draw(rng, *lead, shapes["query"][-2], shapes["value"][-1])
    found = gradients(formula, inputs, grad_output, options)
    if is_in_torch(label, options | inputs):
        for name, gradient in gradients(torch_itself, inputs, grad_output, options).items():
            np.testing.assert_allclose(gradient, found[name], rtol=0, atol=1e-13)
    return inputs | {"grad_output": grad_output} | options, found


RECORDER = Recorder(
    "gradients",
    ("torch", "numpy"),
    {("attention_vjp", label): partial(case, label, **given) for label, given in CASES.items()},
)
